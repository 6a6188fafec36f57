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
#include "search/columns/column_node.hpp"
#include "search/targets/class_sweep.hpp"

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

// Two classes: the lowest cost of a split inside one word, if that is below `best`, else `best`.
// Before the word a split costs `err` with label 0 left and 1 right, and all - err with the labels
// the other way round; both change by one with each member passed.
[[gnu::noinline]] inline int best_of_two(Word member, Word ones_of, Word ends, int err, int all,
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

// What all classes-as-masks share: a mask per class and column (for two classes one is enough).
class UnitTargets {
 public:
  using Measure = int;
  static constexpr bool kWeighted = false;

  // Costs below c are counts below this; a count up to this is a cost of at most c.
  static Measure at_least(Cost c, Cost unit) { return clamp((c + unit - 1) / unit); }
  static Measure at_most(Cost c, Cost unit) { return c < 0 ? -1 : clamp(c / unit); }
  static Cost cost(Measure n, Cost unit) { return n * unit; }

  void allocate(const Problem& data, int rows, int words) {
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
  void take_rows(const Problem& data, int f, const int* order) {
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
  // A column that follows another (twins.hpp): its first rows come last.
  void follow(int h, int g, int missing) {
    for (int c = 0; c < masks_; ++c) rotate_bits(mask(g, c), rows_, missing, mask(h, c), words_);
  }
  // Only the first columns are scanned.
  void lead(int leaders) { leaders_ = leaders; }
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
  const Word* class_mask(int f, int c) const {
    return masks_ > 1 ? mask(f, c) : c == 1 ? mask(f, 0) : nullptr;
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

  int rows_ = 0, words_ = 0, features_ = 0, classes_ = 0, masks_ = 0, leaders_ = 0;
  Cost unit_ = 1;
  std::vector<int> total_;
  std::vector<Word> masks_of_;
};

// Any number of classes, counted one by one.
class ManyClasses : public UnitTargets {
 public:
  using Sweeping = ClassSweep;

  struct Passes {
    Passes(const Scan<int>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int*, Passes&,
            Scan<int> scan[2], Workspace& work) const {
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) scan_side(g, parting, group_end, limited, s, scan[s], work);
  }
  void allocate(const Problem& data, int rows, int words) {
    UnitTargets::allocate(data, rows, words);
    step_.resize(static_cast<std::size_t>(std::max(classes_, 2)));
  }
  void allocate(const ManyClasses& parent, int rows, int words) {
    UnitTargets::allocate(parent, rows, words);
    step_.resize(static_cast<std::size_t>(std::max(classes_, 2)));
  }

 private:
  void scan_side(int g, const Parting& parting, const Word* group_end, bool limited, int s,
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
        work.spend_on(64 * classes_);
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
