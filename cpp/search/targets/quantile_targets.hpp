// Targets by absolute error or another quantile: the cost of every first part of a column comes
// from taking rows out at its end, that of the rest from taking them out at its beginning
// (running_quantile.hpp).
//
// Jump. What is left of a split costs more the further the split is, so that a scan ends where the
// left sides alone cost as much as the best.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/running_quantile.hpp"

namespace exactree::EXACTREE_ISA {

// `Number` holds all sums: see QuantileLoss::most().
template <class Number>
class QuantileTargets {
 public:
  using Measure = Cost;
  using Numbers = void;  // see kNumbers in column_node.hpp
  static constexpr bool kWeighted = false;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int) {
    const auto& loss = static_cast<const QuantileLoss&>(*data.loss);
    shift_ = data.shift;
    resize(data.features, rows);
    sorted_.above = loss.above();
    sorted_.below = loss.below();
    number_.resize(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) {
      const int row = loss.order()[static_cast<std::size_t>(i)];
      number_[static_cast<std::size_t>(row)] = i + 1;
      sorted_.set(static_cast<std::size_t>(i) + 1, loss.target(row), loss.weight(row));
    }
  }
  void allocate(const QuantileTargets& parent, int rows, int) {
    shift_ = parent.shift_;
    resize(parent.features_, rows);
    sorted_.above = parent.sorted_.above;
    sorted_.below = parent.sorted_.below;
  }
  void take_rows(const Problem&, int f, const int* order) {
    for (int i = 0; i < rows_; ++i) place_[at(f, i)] = number_[static_cast<std::size_t>(order[i])];
  }
  void take(const QuantileTargets& parent, int f, const Word* keep, int words) {
    if (f == 0) renumber(parent, keep, words);
    std::int32_t* to = &place_[at(f, 0)];
    const std::int32_t* from = &parent.place_[parent.at(f, 0)];
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1)
        *to++ = number_[static_cast<std::size_t>(from[w * 64 + first(v)])];
  }
  void finish(Cost, Cost& leaf, int& label) {
    side_[0].start(sorted_, rows_, [](std::int32_t) { return true; });
    leaf = static_cast<Cost>(side_[0].cost() >> shift_);
    label = 0;
  }
  void part(int f, int p, Workspace& work) const {
    goes_left_.assign(static_cast<std::size_t>(rows_) + 1, 0);
    for (int i = 0; i < p; ++i) goes_left_[static_cast<std::size_t>(place_[at(f, i)])] = 1;
    for (int s = 0; s < 2; ++s) {
      const char wanted = s == 0 ? 1 : 0;
      side_[s].start(sorted_, rows_, [&](std::int32_t i) {
        return goes_left_[static_cast<std::size_t>(i)] == wanted;
      });
      work.side_leaf[s] = static_cast<Cost>(side_[s].cost() >> shift_);
    }
  }
  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool, const int* counts, Passes&,
            Scan<Cost> scan[2], Workspace& work) {
    for (int s = 0; s < 2; ++s) {
      if (!scan[s].wanted) continue;
      list_splits(g, parting, group_end, counts, s, scan[s]);
      work.spend_on(8 * static_cast<int>(std::min<std::size_t>(sequence_.size(), 1 << 27)));
      look_at_splits(side_[s], scan[s], work);
      scan[s].floor = scan[s].best;
    }
  }
  // What a split at each of these positions costs if it is the last.
  void split_costs(int f, const std::vector<int>& positions, Cost* costs) const {
    side_[0].start(sorted_, rows_, [](std::int32_t) { return true; });
    sequence_.assign(&place_[at(f, 0)], &place_[at(f, 0)] + rows_);
    splits_ = positions;
    cost_left_sides(side_[0]);
    running_.restart(side_[0]);
    std::size_t done = 0;
    for (std::size_t j = 0; j < splits_.size(); ++j) {
      for (; done < static_cast<std::size_t>(splits_[j]); ++done) running_.remove(sequence_[done]);
      costs[j] = static_cast<Cost>((left_[j] + running_.cost()) >> shift_);
    }
  }

  // Numbers have no classes, and no bound on what a row adds to a leaf (the node is unbounded).
  static int class_at(int, int) { return 0; }
  static Cost cost_at(int, int, Cost) { return kInfinite / 2; }
  std::int64_t bytes() const {
    const std::size_t own = place_.capacity() * sizeof(std::int32_t);
    return static_cast<std::int64_t>(own + static_cast<std::size_t>(rows_) *
                                               (4 * sizeof(Number) + 3 * sizeof(Links) + 16));
  }

 private:
  // Gives the kept rows of the parent numbers of their own.
  void renumber(const QuantileTargets& parent, const Word* keep, int words) {
    number_.assign(static_cast<std::size_t>(parent.rows_) + 1, 0);
    const std::int32_t* from = &parent.place_[0];
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1)
        number_[static_cast<std::size_t>(from[w * 64 + first(v)])] = 1;
    std::int32_t next = 0;
    for (std::size_t i = 1; i < number_.size(); ++i) {
      if (number_[i] == 0) continue;
      number_[i] = ++next;
      sorted_.set(static_cast<std::size_t>(next), parent.sorted_.y[i], parent.sorted_.w[i]);
    }
  }

  // The members of a side in the order of column g, and how many are left of each of its splits.
  void list_splits(int g, const Parting& parting, const Word* group_end, const int* counts, int s,
                   const Scan<Cost>& scan) const {
    const std::int32_t* place = &place_[at(g, 0)];
    sequence_.clear();
    splits_.clear();
    int passed = 0, last = 0;
    for (int w = 0; w < parting.words; ++w) {
      const Word member = parting.side(s, w);
      for (Word v = member | group_end[w]; v != 0; v &= v - 1) {
        const int bit = first(v), i = w * 64 + bit;
        if (member >> bit & 1) {
          sequence_.push_back(place[i]);
          passed += counts == nullptr ? 1 : counts[i + 1] - counts[i];
        }
        if ((group_end[w] >> bit & 1) == 0 || passed == last) continue;
        last = passed;
        if (passed >= scan.first_rows && passed <= scan.last_rows)
          splits_.push_back(static_cast<int>(sequence_.size()));
      }
    }
  }

  // From the last split to the first.
  void cost_left_sides(const RunningQuantile<Number>& all) const {
    running_.restart(all);
    left_.resize(splits_.size());
    std::size_t kept = sequence_.size();
    for (std::size_t j = splits_.size(); j-- > 0;) {
      while (kept > static_cast<std::size_t>(splits_[j])) running_.remove(sequence_[--kept]);
      left_[j] = running_.cost();
    }
  }

  void look_at_splits(const RunningQuantile<Number>& all, Scan<Cost>& scan, Workspace& work) const {
    if (splits_.empty() || scan.best <= scan.low) return;
    const bool jump = work.switches.on(Pruning::kJump);
    cost_left_sides(all);
    running_.restart(all);
    std::size_t done = 0;
    for (std::size_t j = 0; j < splits_.size(); ++j) {
      if (jump && static_cast<Cost>(left_[j] >> shift_) >= scan.best) {
        work.counters.count(Pruning::kJump);
        return;
      }
      for (; done < static_cast<std::size_t>(splits_[j]); ++done) running_.remove(sequence_[done]);
      scan.best = std::min(scan.best, static_cast<Cost>((left_[j] + running_.cost()) >> shift_));
      if (scan.best <= scan.low) return;
    }
  }

  std::size_t at(int f, int i) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(i);
  }
  void resize(int features, int rows) {
    features_ = features;
    rows_ = rows;
    place_.resize(at(features, 0));
    sorted_.resize(static_cast<std::size_t>(rows));
  }

  int rows_ = 0, features_ = 0, shift_ = 0;
  SortedRows<Number> sorted_;
  std::vector<std::int32_t> place_;   // per column, in its order: numbers of the rows in sorted_
  std::vector<std::int32_t> number_;  // of the parent's rows
  // What scans use.
  mutable RunningQuantile<Number> side_[2], running_;
  mutable std::vector<char> goes_left_;
  mutable std::vector<std::int32_t> sequence_;
  mutable std::vector<int> splits_;
  mutable std::vector<Number> left_;
};

}  // namespace exactree::EXACTREE_ISA
