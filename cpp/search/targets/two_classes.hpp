// Two classes, as one bit mask in every column's order.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "search/targets/two_class_groups.hpp"
#include "search/targets/two_class_sweep.hpp"
#include "search/targets/unit_targets.hpp"

namespace exactree::EXACTREE_ISA {

// Two classes. With label 0 on the left and 1 on the right a split costs `err`; with the labels the
// other way round, all - err. Both change by one with each member passed.
class TwoClasses : public UnitTargets {
 public:
  using Sweeping = TwoClassSweep;

#if EXACTREE_SIMD512
  // Where the masks of a group take more than a call of the other scan saves: large nodes, which
  // wait for memory, and few columns.
  static bool in_groups(int rows) { return rows <= TwoClassGroups::kMostWords * 64; }
  static bool worth_a_group(unsigned lanes) { return std::popcount(lanes) >= 3; }

  void finish(Cost unit, Cost& leaf, int& label) {
    UnitTargets::finish(unit, leaf, label);
    if (!in_groups(rows_)) return;
    groups_.resize(features_, words_);
    for (int f = 0; f < features_; ++f) groups_.set(f, mask(f, 0));
  }
  template <class Rank>
  void scan_group(int group, const GroupParting<Rank>& parting, const Word* ends, bool limited,
                  GroupScan side[2], Workspace& work) const {
    groups_.scan(group, parting, ends, limited, side, work);
  }
  std::int64_t bytes() const { return UnitTargets::bytes() + groups_.bytes(); }
#endif

  // One side under way, column after column. `err` is the cost with label 0 left and 1 right of the
  // split.
  struct Pass {
    int start, all, best, low, first_rows, last_rows, reached = 0;
    int err = 0, floor = 0, passed = 0, entered = 0;
    bool wanted = false, done = false;

    Pass(const Scan<int>& scan, const std::vector<Cost>& classes)
        : start(static_cast<int>(classes[0])),
          all(static_cast<int>(classes[0] + classes[1])),
          best(scan.best),
          low(scan.low),
          first_rows(scan.first_rows),
          last_rows(scan.last_rows) {}

    void begin(bool is_wanted) {
      wanted = is_wanted;
      err = start;
      floor = std::numeric_limits<int>::max();
      entered = 0;
    }

    // Looks into a word with a bound below `best`. `err` is that before the word.
    template <bool Limited>
    [[gnu::noinline]] void enter(Word member, Word ones_of, Word ends) {
      ++entered;
      if (Limited) ends = admissible(ends, member, passed, first_rows, last_rows);
      best = best_of_two(member, ones_of, ends, err, all, best);
      // Nothing is below it: keep the value, and look no more.
      if (best <= low) done = true, reached = best, best = std::numeric_limits<int>::min() / 2;
    }
    void end(Scan<int>& scan, int words, Counters& counters) const {
      counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += words - entered;
      scan.best = done ? reached : best;
      scan.floor = done ? reached : std::max(best, floor);
    }
  };
  struct Passes {
    Pass side[2];
    Passes(const Scan<int> scan[2], const Workspace& work)
        : side{Pass(scan[0], work.class_cost[0]), Pass(scan[1], work.class_cost[1])} {}
  };

  template <class Rank>
  void scan(int g, const Parting<Rank>& parting, const Word* group_end, bool limited, const int*,
            Passes& passes, Scan<int> scan[2], Workspace& work) const {
    Pass* pass = passes.side;
    for (int s = 0; s < 2; ++s) pass[s].begin(scan[s].wanted);
    if (limited)
      choose<true>(mask(g, 0), parting, group_end, pass);
    else
      choose<false>(mask(g, 0), parting, group_end, pass);
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) pass[s].end(scan[s], parting.words, work.counters);
  }

 private:
  template <bool Limited, class Rank>
  void choose(const Word* ones_of, const Parting<Rank>& parting, const Word* ends,
              Pass pass[2]) const {
    if (pass[0].wanted && pass[1].wanted)
      run<Limited, true, true>(ones_of, parting, ends, pass);
    else if (pass[0].wanted)
      run<Limited, true, false>(ones_of, parting, ends, pass);
    else
      run<Limited, false, true>(ones_of, parting, ends, pass);
  }
  template <bool Limited, bool Left, bool Right, class Rank>
  [[gnu::noinline]] void run(const Word* ones_of, const Parting<Rank>& parting, const Word* ends,
                             Pass pass[2]) const {
    Pass& left = pass[0];
    Pass& right = pass[1];
    // What changes with every word is kept in registers.
    int err_l = left.err, best_l = left.best, floor_l = left.floor, passed_l = 0;
    int err_r = right.err, best_r = right.best, floor_r = right.floor, passed_r = 0;
    const int all_l = left.all, all_r = right.all;
    for (int w = 0; w < parting.words; ++w) {
      const Word m = parting.left(w), ones = ones_of[w];
      const int n = count(m), n1 = count(m & ones), n0 = n - n1;
      if (Left) {
        const int bound = std::min(err_l - n0, all_l - err_l - n1);
        floor_l = std::min(floor_l, bound);
        if (bound < best_l) [[unlikely]] {
          left.err = err_l;
          left.passed = passed_l;
          left.template enter<Limited>(m, ones, ends[w]);
          best_l = left.best;
          if (left.done && (!Right || right.done)) return;
        }
        err_l += n1 - n0;
        if (Limited) passed_l += n;
      }
      if (Right) {
        // All that is not left. In the last word that counts zeros that are not there, which only
        // loosens its bound.
        const int r1 = count(ones) - n1, r0 = 64 - n - r1;
        const int bound = std::min(err_r - r0, all_r - err_r - r1);
        floor_r = std::min(floor_r, bound);
        if (bound < best_r) [[unlikely]] {
          right.err = err_r;
          right.passed = passed_r;
          right.template enter<Limited>(~m & parting.rows(w), ones, ends[w]);
          best_r = right.best;
          if (right.done && (!Left || left.done)) return;
        }
        err_r += r1 - r0;
        if (Limited) passed_r += 64 - n;
      }
    }
    left.floor = floor_l;
    right.floor = floor_r;
  }

#if EXACTREE_SIMD512
  TwoClassGroups groups_;
#endif
};

}  // namespace exactree::EXACTREE_ISA
