// Two classes of rows that weigh something of their own: the differences of a node over binary
// columns, and of the two sides of a column, as in class_differences.hpp.
//
// Letters: d(i, j) is the weight of class 1 less that of class 0 among the rows with i and j set;
// so d(i, i) is that of the rows with i set. Sums of 64 bits do not overflow: all rows together
// weigh less than kInfinite.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "search/binary/scratch.hpp"

namespace exactree::EXACTREE_ISA {

class WeightDifferences {
 public:
  using Errors = Cost;
  static constexpr bool kLimits = false, kCached = false;

  WeightDifferences(const PackedNode& node, BinaryScratch& scratch)
      : node_(node),
        scratch_(scratch),
        tables_(scratch.weights),
        columns_(static_cast<int>(node.distinct().size())) {
    weigh_columns();
  }

  std::size_t table_size() const { return scratch_.rows.table_size(); }

  // Adds up the pairs of the node and finds the best second splits of both sides of each column.
  void count_node(Workspace& work) {
    work_ = &work;
    scratch_.take_rows(node_);
    stride_ = scratch_.rows.stride();
    add_pairs(scratch_.list.data(), node_.rows(), tables_.node.room(table_size()));
    Cost* set = tables_.node_set.room(at(stride_));
    std::fill(set, set + stride_, 0);
    for (int i = 0; i < columns_; ++i) set[i] = difference(inner_[at(i)]);
    fewest_ = tables_.seconds.find({columns_, stride_, weight(all_), set, difference(all_)},
                                   tables_.node.data(), static_cast<const Cost*>(nullptr));
    scratch_.account(work.control);
  }
  // As in class_differences.hpp.
  const Fewest<Cost>& fewest() const { return fewest_; }
  void leaves(int i, Cost errors[2]) const {
    const TwoSums inner = inner_[at(i)], outer = all_ - inner;
    errors[0] = std::min(inner.zeros, inner.ones);
    errors[1] = std::min(outer.zeros, outer.ones);
  }
  void singles(int i, Cost errors[2]) const {
    errors[0] = (weight(inner_[at(i)]) - tables_.seconds.in(i)) / 2;
    errors[1] = (weight(all_ - inner_[at(i)]) - tables_.seconds.out(i)) / 2;
  }
  // Rows, not weights: what goes from one side to another is bounded by their number.
  void overlaps(int i, int* out) const {
    const Word* mine = node_.bits(i);
    for (int j = 0; j < columns_; ++j) {
      out[j] = 0;
      for (int w = 0; w < node_.table().words; ++w) out[j] += count(mine[w] & node_.bits(j)[w]);
    }
  }

  void count_side(int i) {
    side_ = i;
    list_members(node_.bits(i), node_.table().words, scratch_.list.data());
    add_pairs(scratch_.list.data(), node_.size(i), tables_.side.room(table_size()));
  }
  Fewest<Cost> outer() {
    const Cost* inner = tables_.node.data() + at(side_) * at(stride_);
    const Cost* all = tables_.node_set.data();
    Cost* set = tables_.out_set.room(at(stride_));
    for (int j = 0; j < stride_; ++j) set[j] = all[j] - inner[j];
    const TwoSums rest = all_ - inner_[at(side_)];
    return tables_.seconds.find({columns_, stride_, weight(rest), set, difference(rest)},
                                tables_.node.data(), tables_.side.data());
  }
  Fewest<Cost> inner() {
    const Cost* set = tables_.node.data() + at(side_) * at(stride_);
    const TwoSums mine = inner_[at(side_)];
    return tables_.seconds.find({columns_, stride_, weight(mine), set, difference(mine)},
                                tables_.side.data(), static_cast<const Cost*>(nullptr));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Cost difference(const TwoSums& rows) { return rows.ones - rows.zeros; }
  static Cost weight(const TwoSums& rows) { return rows.ones + rows.zeros; }

  void weigh_columns() {
    all_ = node_.weight_of(node_.row_set().data());
    inner_.resize(at(columns_));
    for (int i = 0; i < columns_; ++i) inner_[at(i)] = node_.weight_of(node_.bits(i));
  }

  // The table of all pairs of columns over some rows; of many columns each row takes a while.
  void add_pairs(const std::uint32_t* rows, int n, Cost* table) {
    std::fill(table, table + table_size(), 0);
    for (; n > 0; --n, ++rows) {
      const Cost weight = node_.table().weights[*rows];
      const Word* row = scratch_.rows.bits(*rows);
      work_->spend(std::int64_t{columns_} * columns_ / kPairsPerTick);
      for (int w = 0; 64 * w < columns_; ++w)
        for (Word v = row[w]; v != 0; v &= v - 1)
          add_row(row, weight, table + at(64 * w + first(v)) * at(stride_));
    }
  }
  // Adds a weight in every column that is set in a row.
  void add_row(const Word* row, Cost weight, Cost* line) const {
#if EXACTREE_SIMD512
    const __m512i w = _mm512_set1_epi64(weight);
    for (int j = 0; j < columns_; j += 8) {
      const auto set = static_cast<__mmask8>(row[j / 64] >> (j % 64));
      const __m512i sum = _mm512_loadu_si512(line + j);
      _mm512_storeu_si512(line + j, _mm512_mask_add_epi64(sum, set, sum, w));
    }
#else
    for (int k = 0; 64 * k < columns_; ++k)
      for (Word v = row[k]; v != 0; v &= v - 1) line[64 * k + first(v)] += weight;
#endif
  }

  static constexpr std::int64_t kPairsPerTick = 1 << 13;

  const PackedNode& node_;
  BinaryScratch& scratch_;
  Workspace* work_ = nullptr;
  MarginTables<Cost>& tables_;
  const int columns_;
  int stride_ = 0, side_ = -1;
  TwoSums all_;
  std::vector<TwoSums> inner_;  // per column: the rows with it set
  Fewest<Cost> fewest_{};
};

}  // namespace exactree::EXACTREE_ISA
