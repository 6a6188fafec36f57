// Classes of rows that all cost the same, as bit masks in every column's order.
//
// The scans below look for the cheapest split of one side (the members) along one column. They
// share one pruning.
//
// Jump. Let the split after some position cost c, and let the best known split cost b. Moving the
// split over one member changes the cost by at most one unit, because the same two labels on both
// sides err on at most one row more or less. So no split within c - b members of it is below b, and
// the scan jumps to the (c - b + 1)-th member, and on to the next end of a group of equal values.
// For a whole word the same argument, class by class, bounds every split inside it.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/columns.hpp"

namespace exactree::EXACTREE_ISA {

// The ends of groups at which a split leaves first..last members on its left, `passed` members
// having come before this word.
inline Word admissible(Word group_end, Word member, int passed, int first_rows, int last_rows) {
  const int n = count(member);
  if (passed + n < first_rows || passed > last_rows) return 0;
  if (passed < first_rows) group_end &= ~(kth_member(member, first_rows - passed) - 1);
  if (passed + n > last_rows) group_end &= kth_member(member, last_rows - passed + 1) - 1;
  return group_end;
}

// What all classes-as-masks share: a mask per class and column (for two classes one is enough).
class UnitTargets {
 public:
  using Measure = int;
  static constexpr bool kWeighted = false;

  // Costs below c are counts below this; a count up to this is a cost of at most c.
  static Measure at_least(Cost c, Cost unit) { return clamp((c + unit - 1) / unit); }
  static Measure at_most(Cost c, Cost unit) { return c < 0 ? -1 : clamp(c / unit); }
  static Cost cost(Measure n, Cost unit) { return n * unit; }

  void allocate(const Columns& data, int rows, int words) {
    classes_ = data.classes;
    masks_ = classes_ <= 2 ? 1 : classes_;
    features_ = data.features;
    resize(rows, words);
    std::fill(masks_of_.begin(), masks_of_.end(), 0);
  }
  void allocate(const UnitTargets& parent, int rows, int words) {
    classes_ = parent.classes_;
    masks_ = parent.masks_;
    features_ = parent.features_;
    resize(rows, words);
  }
  void take_rows(const Columns& data, int f, const int* order) {
    for (int i = 0; i < rows_; ++i) {
      const int c = data.labels[order[i]];
      if (masks_ > 1) {
        mask(f, c)[i / 64] |= Word{1} << (i % 64);
      } else if (c == 1) {
        mask(f, 0)[i / 64] |= Word{1} << (i % 64);
      }
    }
  }
  void take(const UnitTargets& parent, int f, const Word* keep, int words) {
    for (int c = 0; c < masks_; ++c)
      compact_bits(parent.mask(f, c), keep, words, mask(f, c), words_);
  }
  void finish(Cost unit, Cost& leaf, int& label) {
    total_.assign(static_cast<std::size_t>(std::max(classes_, 2)), 0);
    int rest = rows_;
    for (int c = 0; c < masks_; ++c) {
      int n = 0;
      for (int w = 0; w < words_; ++w) n += count(mask(0, c)[w]);
      total_[static_cast<std::size_t>(masks_ > 1 ? c : 1)] = n;
      rest -= n;
    }
    if (masks_ == 1) total_[0] = rest;
    const auto top = std::max_element(total_.begin(), total_.end());
    leaf = unit * (rows_ - *top);
    label = static_cast<int>(top - total_.begin());
    unit_ = unit;
  }
  void part(int f, int p, Workspace& work) const {
    for (auto& side : work.class_cost) side.assign(total_.size(), 0);
    int rest = p;
    for (int c = 0; c < masks_; ++c) {
      const Word* m = mask(f, c);
      int n = 0, w = 0;
      for (; w < p / 64; ++w) n += count(m[w]);
      if (p % 64 != 0) n += count(m[w] & low_bits(p % 64));
      work.class_cost[0][static_cast<std::size_t>(masks_ > 1 ? c : 1)] = n;
      rest -= n;
    }
    if (masks_ == 1) work.class_cost[0][0] = rest;
    finish_part(p, work);
  }
  int class_at(int f, int i) const {
    for (int c = 0; c < masks_; ++c)
      if (mask(f, c)[i / 64] >> (i % 64) & 1) return masks_ > 1 ? c : 1;
    return 0;
  }
  static Cost cost_at(int, int, Cost unit) { return unit; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(masks_of_.capacity() * sizeof(Word));
  }

 protected:
  static Measure clamp(Cost c) {
    constexpr Cost kMost = std::numeric_limits<int>::max() / 4;
    return static_cast<Measure>(std::clamp<Cost>(c, -kMost, kMost));
  }
  // The class counts on the right, and the leaf cost of both sides.
  void finish_part(int p, Workspace& work) const {
    for (std::size_t c = 0; c < total_.size(); ++c)
      work.class_cost[1][c] = total_[c] - work.class_cost[0][c];
    for (int s = 0; s < 2; ++s) {
      const auto& n = work.class_cost[s];
      work.side_leaf[s] =
          unit_ * ((s == 0 ? p : rows_ - p) - *std::max_element(n.begin(), n.end()));
    }
  }
  void resize(int rows, int words) {
    rows_ = rows;
    words_ = words;
    masks_of_.resize(static_cast<std::size_t>(features_) * static_cast<std::size_t>(masks_) *
                     static_cast<std::size_t>(words));
  }
  Word* mask(int f, int c) { return const_cast<Word*>(std::as_const(*this).mask(f, c)); }
  const Word* mask(int f, int c) const {
    return &masks_of_[(static_cast<std::size_t>(f) * static_cast<std::size_t>(masks_) +
                       static_cast<std::size_t>(c)) *
                      static_cast<std::size_t>(words_)];
  }

  int rows_ = 0, words_ = 0, features_ = 0, classes_ = 0, masks_ = 0;
  Cost unit_ = 1;
  std::vector<int> total_;
  std::vector<Word> masks_of_;
};

// Two classes. With label 0 on the left and 1 on the right a split costs `err`; with the labels the
// other way round, all - err. Both change by one with each member passed.
class TwoClasses : public UnitTargets {
 public:
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
      best = within(member, ones_of, ends, err, all, best);
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

  [[gnu::noinline]] static int within(Word member, Word ones_of, Word ends, int err, int all,
                                      int best) {
    Word ones = member & ones_of, zeros = member & ~ones_of;
    for (;;) {
      const int need0 = err - best + 1, need1 = all - err - best + 1;
      int from = 0;
      if (need0 > 0 && need1 > 0) {
        const Word at = kth_member(zeros, need0) | kth_member(ones, need1);
        if (at == 0) return best;
        from = first(at);
      }
      const Word rest = ends & (~Word{0} << from);
      if (rest == 0) return best;
      const int at = first(rest);
      const Word done = up_to(at);
      err += count(ones & done) - count(zeros & done);
      ones &= ~done;
      zeros &= ~done;
      ends &= ~done;
      best = std::min({best, err, all - err});
      if (best <= 0 || (ones | zeros) == 0) return best;
    }
  }
};

// Any number of classes, counted one by one.
class ManyClasses : public UnitTargets {
 public:
  struct Passes {
    Passes(const Scan<int>[2], const Workspace&) {}
  };
  template <class Rank>
  void scan(int g, const Parting<Rank>& parting, const Word* group_end, bool limited, const int*,
            Passes&, Scan<int> scan[2], Workspace& work) const {
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) scan_side(g, parting, group_end, limited, s, scan[s], work);
  }
  void allocate(const Columns& data, int rows, int words) {
    UnitTargets::allocate(data, rows, words);
    step_.resize(static_cast<std::size_t>(std::max(classes_, 2)));
  }
  void allocate(const ManyClasses& parent, int rows, int words) {
    UnitTargets::allocate(parent, rows, words);
    step_.resize(static_cast<std::size_t>(std::max(classes_, 2)));
  }

 private:
  template <class Rank>
  void scan_side(int g, const Parting<Rank>& parting, const Word* group_end, bool limited, int s,
                 Scan<int>& scan, Workspace& work) const {
    const auto& n = work.class_cost[s];
    std::vector<int>& left = left_;
    std::vector<int>& right = right_;
    left.assign(total_.size(), 0);
    right.assign(n.begin(), n.end());
    const int all = work.side_rows[s];
    int best = scan.best, passed = 0, floor = std::numeric_limits<int>::max(), jumped = 0;
    for (int w = 0; w < words_ && best > scan.low; ++w) {
      const Word m = parting.side(s, w);
      // A split in this word has at most these many right: all of its members on both sides.
      int most_left = 0, most_right = 0;
      for (std::size_t c = 0; c < total_.size(); ++c) {
        step_[c] = count(m & class_word(g, static_cast<int>(c), w));
        most_left = std::max(most_left, left[c] + step_[c]);
        most_right = std::max(most_right, right[c]);
      }
      const int bound = all - most_left - most_right;
      floor = std::min(floor, bound);
      if (bound < best) {
        Word ends = group_end[w];
        if (limited) ends = admissible(ends, m, passed, scan.first_rows, scan.last_rows);
        best = within(g, w, m, ends, left, right, all, best);
      } else {
        ++jumped;
      }
      for (std::size_t c = 0; c < total_.size(); ++c) left[c] += step_[c], right[c] -= step_[c];
      passed += count(m);
    }
    work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
    scan.floor = best <= scan.low ? best : std::max(best, floor);
    scan.best = best;
  }
  Word class_word(int g, int c, int w) const {
    if (masks_ > 1) return mask(g, c)[w];
    return c == 1 ? mask(g, 0)[w] : ~mask(g, 0)[w];
  }
  int within(int g, int w, Word member, Word ends, std::vector<int> left, std::vector<int> right,
             int all, int best) const {
    for (;;) {
      const int err = all - *std::max_element(left.begin(), left.end()) -
                      *std::max_element(right.begin(), right.end());
      const int need = err - best + 1;
      int from = 0;
      if (need > 0) {
        const Word at = kth_member(member, need);
        if (at == 0) return best;
        from = first(at);
      }
      const Word rest = ends & (~Word{0} << from);
      if (rest == 0) return best;
      const Word done = up_to(first(rest));
      for (std::size_t c = 0; c < left.size(); ++c) {
        const int n = count(member & done & class_word(g, static_cast<int>(c), w));
        left[c] += n;
        right[c] -= n;
      }
      best = std::min(best, all - *std::max_element(left.begin(), left.end()) -
                                *std::max_element(right.begin(), right.end()));
      member &= ~done;
      ends &= ~done;
      if (best <= 0 || member == 0) return best;
    }
  }

  mutable std::vector<int> left_, right_, step_;
};

}  // namespace exactree::EXACTREE_ISA
