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
//
// Twins (twins.hpp). Let the missing members change err by g when they are passed. After them, the
// split of the low column costs err or all - err, and that of the high one after the same row
// err - g or all - err + g: the missing members are on its other side. Inside a word with n0 and n1
// members of the two classes err falls by at most n0 and grows by at most n1, so that no split of
// either costs less than min(err, err - g) - n0 or all - max(err, err - g) - n1.
class TwoClasses : public UnitTargets {
 public:
  using Sweeping = TwoClassSweep;
  using Twinned = void;

#if EXACTREE_SIMD512
  // Where the masks of a group take more than a call of the other scan saves: large nodes, which
  // wait for memory, and few columns.
  static bool in_groups(int rows) { return rows <= TwoClassGroups::kMostWords * 64; }
  static bool worth_a_group(unsigned lanes) { return std::popcount(lanes) >= 3; }

  void finish(Cost unit, Cost& leaf, int& label) {
    UnitTargets::finish(unit, leaf, label);
    if (!in_groups(rows_)) return;
    groups_.resize(leaders_, words_);
    for (int f = 0; f < leaders_; ++f) groups_.set(f, mask(f, 0));
  }
  void scan_group(int group, const GroupRows& parting, const Word* ends, const int* missing,
                  bool limited, GroupScan side[2], Workspace& work) const {
    groups_.scan(group, parting, ends, missing, limited, side, work);
  }
  std::int64_t bytes() const { return UnitTargets::bytes() + groups_.bytes(); }
#endif

  // One side under way, column after column. `err` is the cost with label 0 left and 1 right of the
  // split.
  struct Pass {
    int start, all, best, low, first_rows, last_rows, reached = 0;
    int err = 0, floor = 0, passed = 0, entered = 0;
    int gap = 0, gone = 0;  // by how much the missing members change err, and how many they are
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
      entered = gap = gone = 0;
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
    // The same for both twins; gap is known.
    template <bool Limited>
    [[gnu::noinline]] void enter_both(Word member, Word ones_of, Word ends) {
      const int n1 = count(member & ones_of), n0 = count(member) - n1;
      const auto open = [&] { return !done && std::min(err - n0, all - err - n1) < best; };
      const int before = entered;
      if (open()) enter<Limited>(member, ones_of, ends);
      err -= gap;
      passed -= gone;
      const bool same = gap == 0 && (!Limited || gone == 0);
      if (!same && open()) enter<Limited>(member, ones_of, ends);
      entered = before + 1;
    }
    // The word in which the missing rows end, for the high column: its first rows. Nothing of that
    // side has been passed before. Here gap becomes known.
    template <bool Limited>
    [[gnu::noinline]] void end_missing(Word member, Word ones_of, Word ends, Word rest) {
      const Word lost = member & ~rest;
      gap = err - start + count(lost & ones_of) - count(lost & ~ones_of);
      gone = passed + count(lost);
      err = start;
      passed = 0;
      member &= rest;
      const int n1 = count(member & ones_of), n0 = count(member) - n1;
      const int bound = std::min(err - n0, all - err - n1);
      floor = std::min(floor, bound);
      if (bound < best && !done) enter<Limited>(member, ones_of, ends & rest), --entered;
    }
    void end(Scan<int>& scan, int words, Counters& counters) const {
      counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += words - entered;
      scan.best = done ? reached : best;
      scan.floor = done ? reached : std::max(best, floor);
    }
  };
  struct Passes {
    Pass side[2];
    int missing = 0;  // of the column: so many rows in front go the other way in its twin
    Passes(const Scan<int> scan[2], const Workspace& work)
        : side{Pass(scan[0], work.class_cost[0]), Pass(scan[1], work.class_cost[1])} {}
  };

  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int*,
            Passes& passes, Scan<int> scan[2], Workspace& work) const {
    Pass* pass = passes.side;
    for (int s = 0; s < 2; ++s) pass[s].begin(scan[s].wanted);
    const int missing = passes.missing;
    if (limited)
      missing > 0 ? choose<true, true>(mask(g, 0), parting, group_end, missing, pass)
                  : choose<true, false>(mask(g, 0), parting, group_end, missing, pass);
    else
      missing > 0 ? choose<false, true>(mask(g, 0), parting, group_end, missing, pass)
                  : choose<false, false>(mask(g, 0), parting, group_end, missing, pass);
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) pass[s].end(scan[s], parting.words, work.counters);
  }

 private:
  template <bool Limited, bool Twin>
  void choose(const Word* ones_of, const Parting& parting, const Word* ends, int missing,
              Pass pass[2]) const {
    if (pass[0].wanted && pass[1].wanted)
      run<Limited, Twin, true, true>(ones_of, parting, ends, missing, pass);
    else if (pass[0].wanted)
      run<Limited, Twin, true, false>(ones_of, parting, ends, missing, pass);
    else
      run<Limited, Twin, false, true>(ones_of, parting, ends, missing, pass);
  }
  template <bool Limited, bool Twin, bool Left, bool Right>
  [[gnu::noinline]] void run(const Word* ones_of, const Parting& parting, const Word* ends,
                             int missing, Pass pass[2]) const {
    Pass& left = pass[0];
    Pass& right = pass[1];
    // What changes with every word is kept in registers.
    int err_l = left.err, best_l = left.best, floor_l = left.floor, passed_l = 0;
    int err_r = right.err, best_r = right.best, floor_r = right.floor, passed_r = 0;
    const int all_l = left.all, all_r = right.all;
    int gap_l = 0, gap_r = 0;
    const int last_missing = Twin ? missing / 64 : -1;  // the word in which they end
    for (int w = 0; w < parting.words; ++w) {
      const Word m = parting.left(w), ones = ones_of[w];
      const int n = count(m), n1 = count(m & ones), n0 = n - n1;
      if (Left) {
        int bound = std::min(err_l - n0, all_l - err_l - n1);
        if (Twin) bound = std::min({bound, err_l - gap_l - n0, all_l - err_l + gap_l - n1});
        floor_l = std::min(floor_l, bound);
        if (bound < best_l) [[unlikely]] {
          left.err = err_l;
          left.passed = passed_l;
          if (Twin)
            left.template enter_both<Limited>(m, ones, ends[w]);
          else
            left.template enter<Limited>(m, ones, ends[w]);
          best_l = left.best;
          if (left.done && (!Right || right.done)) return;
        }
        if (Twin && w == last_missing) {
          left.err = err_l;
          left.passed = passed_l;
          left.floor = floor_l;
          left.template end_missing<Limited>(m, ones, ends[w], ~low_bits(missing % 64));
          best_l = left.best;
          floor_l = left.floor;
          gap_l = left.gap;
          if (left.done && (!Right || right.done)) return;
        }
        err_l += n1 - n0;
        if (Limited) passed_l += n;
      }
      if (Right) {
        // All that is not left. In the last word that counts zeros that are not there, which only
        // loosens its bound.
        const int r1 = count(ones) - n1, r0 = 64 - n - r1;
        int bound = std::min(err_r - r0, all_r - err_r - r1);
        if (Twin) bound = std::min({bound, err_r - gap_r - r0, all_r - err_r + gap_r - r1});
        floor_r = std::min(floor_r, bound);
        if (bound < best_r) [[unlikely]] {
          right.err = err_r;
          right.passed = passed_r;
          if (Twin)
            right.template enter_both<Limited>(~m & parting.rows(w), ones, ends[w]);
          else
            right.template enter<Limited>(~m & parting.rows(w), ones, ends[w]);
          best_r = right.best;
          if (right.done && (!Left || left.done)) return;
        }
        if (Twin && w == last_missing) {
          right.err = err_r;
          right.passed = passed_r;
          right.floor = floor_r;
          right.template end_missing<Limited>(~m & parting.rows(w), ones, ends[w],
                                              ~low_bits(missing % 64));
          best_r = right.best;
          floor_r = right.floor;
          gap_r = right.gap;
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
