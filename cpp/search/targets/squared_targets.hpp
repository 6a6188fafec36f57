// Targets that are numbers: sums in every column's order, scanned for the least squared error.
//
// The split of a side (weight C, sum S, mean m = S / C) that leaves weight c and sum P on its left
// explains, beside what the mean of the side does,
//
//   gain = u^2 C / (c (C - c)),   u = P - c m.
//
// A scan looks for gains above what the best known cost leaves, in double; whatever comes near is
// costed in whole numbers (squares.hpp), so that rounding decides nothing.
//
// Jump. Within a block of rows, u changes from its value u1 before the block to u2 after it by
// steps of |p| + w |m| at most, V in all, so |u| <= (|u1| + |u2| + V) / 2 throughout, and c (C - c)
// is concave, so that it is no less than at one of the ends. If that bound on the gain is too
// small, the block holds nothing. (squared_scan.hpp)
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/raw_vector.hpp"
#include "search/targets/squared_fold.hpp"
#include "search/targets/squared_pass.hpp"
#include "search/targets/squared_scan.hpp"
#include "search/targets/squared_sweep.hpp"
#include "search/targets/squares.hpp"
#include "search/targets/two_groups.hpp"

namespace exactree::EXACTREE_ISA {

template <bool Weighted>
class SquaredTargets {
 public:
  using Measure = Cost;
  using Numbers = void;  // see kNumbers in column_node.hpp
  using Sweeping = SquaredSweep;
  static constexpr bool kWeighted = false;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int words) {
    shift_ = data.shift;
    lightest_ = 1;
    if (Weighted) lightest_ = *std::min_element(data.masses, data.masses + data.rows);
    resize(data.features, rows, words);
  }
  void allocate(const SquaredTargets& parent, int rows, int words) {
    shift_ = parent.shift_;
    lightest_ = parent.lightest_;
    resize(parent.features_, rows, words);
  }
  void take_rows(const Problem& data, int f, const int* order) {
    for (int i = 0; i < rows_; ++i) {
      sums_[at(f, i)] = data.sums[order[i]];
      if (Weighted) masses_[at(f, i)] = data.masses[order[i]];
    }
    pad(f, rows_);
  }
  void take(const SquaredTargets& parent, int f, const Word* keep, int words) {
    pad(f, compact_numbers(&parent.sums_[parent.at(f, 0)], keep, words, &sums_[at(f, 0)]));
    if (Weighted)
      compact_numbers(&parent.masses_[parent.at(f, 0)], keep, words, &masses_[at(f, 0)]);
  }
  void finish(Cost, Cost& leaf, int& label) {
    std::fill(folded_.begin(), folded_.end(), 0);
    std::fill(summed_.begin(), summed_.end(), 0);
    total_ = first_rows(0, rows_);
    leaf = total_.cost(shift_);
    label = 0;
  }
  void part(int f, int p, Workspace& work) const {
    SquareSides& side = work.squares;
    side.sums[0] = first_rows(f, p);
    side.sums[1] = total_ - side.sums[0];
    side.shift = shift_;
    side.lightest = lightest_;
    for (int s = 0; s < 2; ++s) {
      side.error[s] = side.sums[s].error();
      work.side_leaf[s] = static_cast<Cost>(side.error[s] >> shift_);
    }
  }

  struct Passes {
    SquaredPass side[2];
    Passes(const Scan<Cost> scan[2], const Workspace& work)
        : side{SquaredPass(scan[0], work.squares, 0), SquaredPass(scan[1], work.squares, 1)} {
      // Rows that weigh one are counted by their weight.
      if (!Weighted)
        for (int s = 0; s < 2; ++s)
          if (scan[s].first_rows > 1)
            side[s].fewest = scan[s].first_rows, side[s].most = scan[s].last_rows;
    }
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int* counts,
            Passes& passes, Scan<Cost> scan[2], Workspace& work) {
    SquaredPass* pass = passes.side;
    const bool jump = work.switches.on(Pruning::kJump), by_count = limited && (Weighted || counts);
    if (EXACTREE_SIMD && jump && !by_count) {
      by_blocks(g, parting, group_end, pass, scan[0].wanted, scan[1].wanted, work.counters);
    } else {
      for (int s = 0; s < 2; ++s)
        if (scan[s].wanted)
          one_by_one(g, parting, group_end, limited, jump, counts, s, pass[s], work);
    }
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) scan[s].best = scan[s].floor = passes.side[s].best;
  }

  // Classes there are none.
  static int class_at(int, int) { return 0; }
  // Nor is there a bound on what a row adds to a leaf: nobody asks, since the node says that it is
  // unbounded.
  static Cost cost_at(int, int, Cost) { return kInfinite / 2; }
  // What a split at each of these positions, in their order, costs if it is the last.
  void split_costs(int f, const std::vector<int>& positions, Cost* costs) const {
    SquareSums sum;
    int i = 0;
    for (const int p : positions) {
      for (; i < p; ++i) sum = sum + row_at(f, i);
      *costs++ = split_cost(sum, total_ - sum, shift_);
    }
  }
  // See node.hpp. What two leaves cost is rounded on the way (squares.hpp): three less for either
  // side is surely not too much.
  Cost between(int f, int a, int b) const
    requires(!Weighted)
  {
    if (b - a > TwoGroups::kMost) return 0;
    const double *first = &sums_[at(f, a)], *last = &sums_[at(f, b)];
    const double middle = std::accumulate(first, last, 0.0) / (b - a);  // rounding decides nothing
    TwoGroups left, right;
    double before[TwoGroups::kMost + 1] = {0};
    for (int i = 0; i < b - a; ++i) left.add(first[i] - middle), before[i + 1] = left.error();
    double least = before[b - a];
    for (int i = b - a - 1; i >= 0; --i) {
      right.add(first[i] - middle);
      least = std::min(least, before[i] + right.error());
    }
    return std::max<Cost>(static_cast<Cost>(std::ldexp(least, -shift_)) - 6, 0);
  }
  SquareSums row_at(int f, int i) const {
    const double p = sums_[at(f, i)];
    if (Weighted) return SquareSums::of_row(p, masses_[at(f, i)]);
    const auto whole = static_cast<std::int64_t>(p);
    return {1, p, static_cast<Wide>(whole) * whole};
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>((sums_.capacity() + masses_.capacity() + fold_.capacity()) *
                                         sizeof(double) +
                                     prefix_.capacity() * sizeof(SquareSums));
  }

 private:
#if EXACTREE_SIMD
  void by_blocks(int g, const Parting& parting, const Word* group_end, SquaredPass pass[2],
                 bool left, bool right, Counters& counters) {
    const FoldedColumn column = folded(g);
    if (left && right)
      scan_blocks<true, true, Weighted>(column, parting, group_end, pass, counters);
    else if (left)
      scan_blocks<true, false, Weighted>(column, parting, group_end, pass, counters);
    else
      scan_blocks<false, true, Weighted>(column, parting, group_end, pass, counters);
  }
  // The numbers of column g in the order of the scan, made when first asked for.
  FoldedColumn folded(int g) {
    const std::size_t rows = static_cast<std::size_t>(words_) * 64, all = kFold * rows;
    const std::size_t blocks = static_cast<std::size_t>(words_) * Lanes64::kSize;
    double* to = &fold_[static_cast<std::size_t>(g) * all];
    FoldedColumn column{to,
                        nullptr,
                        to + rows,
                        to + rows + blocks,
                        to + rows + 3 * blocks,
                        to + rows + 2 * blocks,
                        nullptr,
                        nullptr};
    if (Weighted) {
      column.weights = to + 2 * rows;
      column.block_weights = to + 3 * rows;
      column.weight_before = to + 3 * rows + 2 * blocks;
    }
    if (folded_[static_cast<std::size_t>(g)]) return column;
    folded_[static_cast<std::size_t>(g)] = 1;
    const double* weights = Weighted ? &masses_[at(g, 0)] : nullptr;
    fold_column(&sums_[at(g, 0)], weights, words_, to, to + rows);
    if (Weighted) fold_column(weights, nullptr, words_, to + 2 * rows, to + 3 * rows);
    return column;
  }
#else
  void by_blocks(int, const Parting&, const Word*, SquaredPass*, bool, bool, Counters&) {}
#endif

  // The plain scan: every end of a group is looked at, or with `jump` those that come near.
  void one_by_one(int g, const Parting& parting, const Word* group_end, bool limited, bool jump,
                  const int* counts, int s, SquaredPass& pass, Workspace& work) const {
    double weight = 0, sum = 0;
    int passed = 0;
    for (int w = 0; w < words_; ++w) {
      const Word member = parting.side(s, w);
      for (Word v = member | group_end[w]; v != 0; v &= v - 1) {
        const int bit = first(v), i = w * 64 + bit;
        if (member >> bit & 1) {
          weight += Weighted ? masses_[at(g, i)] : 1;
          sum += sums_[at(g, i)];
          passed += counts == nullptr ? 1 : counts[i + 1] - counts[i];
        }
        if ((group_end[w] >> bit & 1) == 0) continue;
        if (limited && (passed < pass.first_rows || passed > pass.last_rows)) continue;
        if (jump && !pass.near(weight, sum)) {
          work.counters.count(Pruning::kJump);
          continue;
        }
        pass.look(weight, sum);
        if (pass.done()) return;
      }
    }
  }

  // What the first p rows of column f add up to. Where a run of rows begins that is kept, since
  // the column was first asked for: for all rows it would be four times what the targets take.
  SquareSums first_rows(int f, int p) const {
    SquareSums* kept = &prefix_[static_cast<std::size_t>(f) * runs(rows_)];
    if (!summed_[static_cast<std::size_t>(f)]) {
      summed_[static_cast<std::size_t>(f)] = 1;
      SquareSums sum;
      for (int i = 0; i <= rows_; ++i) {
        if (i % kRun == 0) kept[i / kRun] = sum;
        if (i < rows_) sum = sum + row_at(f, i);
      }
    }
    SquareSums sum = kept[p / kRun];
    for (int i = p / kRun * kRun; i < p; ++i) sum = sum + row_at(f, i);
    return sum;
  }
  static std::size_t runs(int rows) { return static_cast<std::size_t>(rows / kRun) + 1; }

  std::size_t at(int f, int i) const {
    return static_cast<std::size_t>(f) * stride_ + static_cast<std::size_t>(i);
  }
  void pad(int f, int from) {
    std::fill(&sums_[at(f, from)], &sums_[at(f, 0)] + stride_, 0.0);
    if (Weighted) std::fill(&masses_[at(f, from)], &masses_[at(f, 0)] + stride_, 0.0);
  }
  void resize(int features, int rows, int words) {
    features_ = features;
    rows_ = rows;
    words_ = words;
    // Vector code works on whole words, and writes up to a vector beyond.
    stride_ = static_cast<std::size_t>(words) * 64 + 8;
    const std::size_t all = at(features, 0);
    make_room(sums_, all);
    if (Weighted) make_room(masses_, all);
    const auto columns = static_cast<std::size_t>(features);
    make_room(prefix_, columns * runs(rows));
    if (EXACTREE_SIMD) make_room(fold_, columns * kFold * static_cast<std::size_t>(words) * 64);
    folded_.resize(columns);
    summed_.resize(columns);
  }

  // Numbers a row takes when folded, what is kept of blocks included.
  static constexpr std::size_t kFold = Weighted ? 4 : 2;
  static constexpr int kRun = 16;  // rows

  int rows_ = 0, words_ = 0, features_ = 0, shift_ = 0;
  double lightest_ = 1;
  std::size_t stride_ = 0;
  SquareSums total_;
  RawVector<double> sums_, masses_, fold_;
  mutable RawVector<SquareSums> prefix_;
  mutable std::vector<char> folded_, summed_;
};

}  // namespace exactree::EXACTREE_ISA
