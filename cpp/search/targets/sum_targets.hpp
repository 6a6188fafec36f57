// Targets whose loss is a function of sums (sum_loss.hpp): every column is scanned by running sums.
//
// A split of a side is costed in whole numbers only if its gain in floating point (sum_gains.hpp)
// comes near what the best known cost leaves:
//
//   cost < best  if and only if  what both sides explain, less what the whole does,
//                                > error of the whole - best units.
//
// Jump. Splits whose gain is below that by more than the margin of the gains are passed over.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/sum_gains.hpp"

namespace exactree::EXACTREE_ISA {

template <class Gains>
class SumTargets {
 public:
  using Loss = typename Gains::Loss;
  using Measure = Cost;
  using Numbers = void;  // see kNumbers in column_node.hpp
  static constexpr bool kWeighted = false;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int) {
    loss_ = static_cast<const Loss*>(data.loss);
    shift_ = data.shift;
    resize(data.features, rows);
  }
  void allocate(const SumTargets& parent, int rows, int) {
    loss_ = parent.loss_;
    shift_ = parent.shift_;
    resize(parent.features_, rows);
  }
  void take_rows(const Problem&, int f, const int* order) {
    std::copy(order, order + rows_, &row_[at(f, 0)]);
  }
  void take(const SumTargets& parent, int f, const Word* keep, int words) {
    int* to = &row_[at(f, 0)];
    const int* from = &parent.row_[parent.at(f, 0)];
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1) *to++ = from[w * 64 + first(v)];
  }
  void finish(Cost, Cost& leaf, int& label) {
    whole_ = sums_of(0, 0, rows_);
    leaf = static_cast<Cost>(whole_.error >> shift_);
    label = 0;
  }
  void part(int f, int p, Workspace& work) const {
    side_[0] = sums_of(f, 0, p);
    side_[1] = sums_of(f, p, rows_);
    for (int s = 0; s < 2; ++s) work.side_leaf[s] = static_cast<Cost>(side_[s].error >> shift_);
  }
  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool, const int* counts, Passes&,
            Scan<Cost> scan[2], Workspace& work) {
    for (int s = 0; s < 2; ++s) {
      if (!scan[s].wanted) continue;
      const int n = counts == nullptr
                        ? list_splits<false>(g, parting, group_end, counts, s, scan[s])
                        : list_splits<true>(g, parting, group_end, counts, s, scan[s]);
      look_at_splits(side_[s], n, scan[s], work);
      scan[s].floor = scan[s].best;
    }
  }
  // What a split at each of these positions costs if it is the last.
  void split_costs(int f, const std::vector<int>& positions, Cost* costs) const {
    std::vector<double> left(width(), 0.0), right(width());
    int done = 0;
    for (const int p : positions) {
      for (; done < p; ++done) add(left.data(), f, done);
      for (std::size_t j = 0; j < left.size(); ++j) right[j] = whole_.sums[j] - left[j];
      const Wide both = loss_->explained(left.data()) + loss_->explained(right.data());
      *costs++ = static_cast<Cost>((whole_.alone - both) >> shift_);
    }
  }

  // Numbers have no classes, and no bound on what a row adds to a leaf (the node is unbounded).
  static int class_at(int, int) { return 0; }
  static Cost cost_at(int, int, Cost) { return kInfinite / 2; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(row_.capacity() * sizeof(int) +
                                     (room_.capacity() + gains_.capacity()) * sizeof(double));
  }

 private:
  // Some rows: their sums, what they explain one by one, and their error.
  struct Rows {
    std::vector<double> sums;
    Wide alone = 0, error = 0;
  };

  std::size_t width() const { return static_cast<std::size_t>(loss_->width()); }
  void add(double* sums, int f, int i) const {
    const double* numbers = loss_->row(row_[at(f, i)]);
    for (std::size_t j = 0; j < width(); ++j) sums[j] += numbers[j];
  }
  Rows sums_of(int f, int from, int to) const {
    Rows rows;
    rows.sums.assign(width(), 0.0);
    for (int i = from; i < to; ++i) {
      add(rows.sums.data(), f, i);
      rows.alone += loss_->own(row_[at(f, i)]);
    }
    if (from < to) rows.error = rows.alone - loss_->explained(rows.sums.data());
    return rows;
  }

  // Writes down the sums left of every split of a side in column g that leaves enough rows. A split
  // is where a group of equal values ends and a member came since the last one.
  template <bool Counted>
  int list_splits(int g, const Parting& parting, const Word* group_end, const int* counts, int s,
                  const Scan<Cost>& scan) {
    const int* row = &row_[at(g, 0)];
    const std::size_t numbers = width();
    std::fill(running_.begin(), running_.end(), 0.0);
    double t = 0, x = 0;
    int n = 0, passed = 0;
    bool open = false;
    const auto write = [&] {
      if constexpr (Gains::kWidth == 2) {
        left_[0][n] = t;
        left_[1][n] = x;
      } else {
        for (std::size_t j = 0; j < numbers; ++j) left_[j][n] = running_[j];
      }
    };
    for (int w = 0; w < parting.words; ++w) {
      const Word ends = group_end[w];
      Word member = parting.side(s, w);
      // Before the first member of the word, and after each: is there an end?
      if (open && (ends & (member == 0 ? ~Word{0} : (member & -member) - 1)) != 0) {
        write();
        n += passed >= scan.first_rows && passed <= scan.last_rows;
        open = false;
      }
      while (member != 0) {
        const int i = w * 64 + first(member);
        const Word own = member & -member, rest = member & (member - 1);
        const Word until = rest == 0 ? ~Word{0} : (rest & -rest) - 1;
        const double* of_row = loss_->row(row[i]);
        if constexpr (Gains::kWidth == 2) {
          t += of_row[0];
          x += of_row[1];
        } else {
          for (std::size_t j = 0; j < numbers; ++j) running_[j] += of_row[j];
        }
        passed += Counted ? counts[i + 1] - counts[i] : 1;
        const bool ended = (ends & until & ~(own - 1)) != 0;
        write();
        n += ended && passed >= scan.first_rows && passed <= scan.last_rows;
        open = !ended;
        member = rest;
      }
    }
    return n;
  }

  void look_at_splits(const Rows& all, int n, Scan<Cost>& scan, Workspace& work) {
    if (n == 0 || scan.best <= scan.low) return;
    const GainScale scale = Gains::scale(*loss_, all.sums.data(), all.error);
    const bool jump = work.switches.on(Pruning::kJump);
    const auto least = [&] {
      if (!jump) return -std::numeric_limits<double>::infinity();
      const Wide gain = all.error - (static_cast<Wide>(scan.best) << shift_);
      return (static_cast<double>(gain) - scale.margin) / scale.unit;
    };
    Gains::gains(*loss_, left_.data(), n, all.sums.data(), gains_.data());
    double limit = least();
    int looked = 0;
    for (int i = 0; i < n; ++i) {
      if (gains_[static_cast<std::size_t>(i)] < limit) continue;
      ++looked;
      const Cost cost = cost_of(all, i);
      if (cost >= scan.best) continue;
      scan.best = cost;
      if (scan.best <= scan.low) break;
      limit = least();
    }
    work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += n - looked;
  }
  Cost cost_of(const Rows& all, int i) {
    for (std::size_t j = 0; j < width(); ++j) {
      one_[j] = left_[j][i];
      other_[j] = all.sums[j] - one_[j];
    }
    const Wide both = loss_->explained(one_.data()) + loss_->explained(other_.data());
    return static_cast<Cost>((all.alone - both) >> shift_);
  }

  std::size_t at(int f, int i) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(i);
  }
  void resize(int features, int rows) {
    features_ = features;
    rows_ = rows;
    row_.resize(at(features, 0));
    const auto splits = static_cast<std::size_t>(rows) + 1;
    if (room_.size() < splits * width()) room_.resize(splits * width());
    if (gains_.size() < splits) gains_.resize(splits);
    left_.resize(width());
    for (std::size_t j = 0; j < width(); ++j) left_[j] = &room_[j * splits];
    running_.resize(width());
    one_.resize(width());
    other_.resize(width());
  }

  const Loss* loss_ = nullptr;
  int rows_ = 0, features_ = 0, shift_ = 0;
  Rows whole_;
  mutable Rows side_[2];
  std::vector<int> row_;              // per column, in its order
  std::vector<double> room_, gains_;  // of the splits of a column
  std::vector<double*> left_;         // per number: sums left of each split
  std::vector<double> running_, one_, other_;
};

}  // namespace exactree::EXACTREE_ISA
