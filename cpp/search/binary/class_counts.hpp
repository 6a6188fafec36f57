// The pair counts of a node over binary columns, class by class, and of the two sides of a column.
//
// The smaller side of a column, where its bit is set, is counted row by row; the larger one is what
// is left of the node.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "search/binary/scratch.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
class NodeCounts {
 public:
  using Errors = int;
  static constexpr bool kCached = true;
  static constexpr bool kLimits = true;

  NodeCounts(const PackedNode& node, BinaryScratch& scratch)
      : node_(node),
        scratch_(scratch),
        mine_(std::get<ClassTables<Count>>(scratch.classes)),
        small_(std::get<ClassTables<Small>>(scratch.classes)),
        classes_(node.table().classes),
        columns_(static_cast<int>(node.distinct().size())) {}

  std::size_t table_size() const { return scratch_.rows.table_size(); }

  // Counts the pairs of the node and finds the best second splits of both sides of each column.
  void count_node(Workspace& work) {
    scratch_.take_rows(node_);
    stride_ = scratch_.rows.stride();
    Count* table = mine_.node.room(table_size() * at(classes_));
    scratch_.counter.count_classes(scratch_.rows, {scratch_.list.data(), node_.totals().data()},
                                   classes_, table);
    Count* set = mine_.node_set.room(at(stride_) * at(classes_));
    std::fill(set, set + stride_ * classes_, Count{0});
    for (int c = 0; c < classes_; ++c)
      for (int i = 0; i < columns_; ++i)
        set[c * stride_ + i] = static_cast<Count>(node_.class_sizes(i)[c]);
    fewest_ = find_seconds(node_counts(), table, static_cast<const Count*>(nullptr));
    scratch_.account(work.control);
  }
  // The optimum of two levels; the errors of a column's sides with one more split, to be asked for
  // before any side is counted.
  const FewestErrors& fewest() const { return fewest_; }
  void leaves(int i, int errors[2]) const { count_leaves(node_, i, errors); }
  void singles(int i, int errors[2]) const {
    errors[0] = node_.size(i) - mine_.seconds.in(i);
    errors[1] = rows() - node_.size(i) - mine_.seconds.out(i);
  }
  void overlaps(int i, int* out) const {
    std::fill(out, out + columns_, 0);
    for (int c = 0; c < classes_; ++c)
      for (int j = 0; j < columns_; ++j) out[j] += pair(i, j, c);
  }

  // The inner side of a column, in bytes where they hold it; then the optima of both sides.
  void count_side(int i) {
    take_side(i);
    is_small_ = node_.size(i) <= kMostSmall;
    if (is_small_)
      count_into(small_.side);
    else
      count_into(mine_.side);
  }
  FewestErrors outer() {
    if (is_small_) return find_seconds(outer_counts(), mine_.node.data(), small_.side.data());
    return find_seconds(outer_counts(), mine_.node.data(), mine_.side.data());
  }
  FewestErrors inner() { return is_small_ ? inner_of(small_) : inner_of(mine_); }

  // The same with enough rows on both sides of every split.
  void count_side_limited(int i) {
    take_side(i);
    count_into(mine_.side);
  }
  const LimitedSplits& node_limited(LeastSide least_side) {
    scratch_.limited.find(node_counts(), mine_.node.data(), static_cast<const Count*>(nullptr),
                          table_size(), least_side);
    return scratch_.limited;
  }
  FewestErrors outer_limited(LeastSide least_side) {
    const SetCounts<Count> outer = outer_counts();
    scratch_.limited.find(outer, mine_.node.data(), mine_.side.data(), table_size(), least_side);
    return scratch_.limited.fewest(outer.total, classes_, outer.rows);
  }
  FewestErrors inner_limited(LeastSide least_side) {
    const SetCounts<Count> inner = inner_counts(mine_);
    scratch_.limited.find(inner, mine_.side.data(), static_cast<const Count*>(nullptr),
                          table_size(), least_side);
    return scratch_.limited.fewest(inner.total, classes_, inner.rows);
  }

 private:
  using Small = std::conditional_t<kSpare, Count, std::uint8_t>;
  static constexpr int kMostSmall = 252;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int rows() const { return node_.rows(); }

  // Pairs are counted where j >= i, the others are those of j with i.
  Count pair(int i, int j, int c) const {
    const Count* table = mine_.node.data() + at(c) * table_size();
    return j < i / 32 * 32 ? table[at(j) * at(stride_) + at(i)]
                           : table[at(i) * at(stride_) + at(j)];
  }
  void take_side(int i) {
    side_ = i;
    list_members(node_.bits(i), node_.table().words, scratch_.list.data());
    Count* to = mine_.pairs.room(at(stride_) * at(classes_));
    for (int c = 0; c < classes_; ++c)
      for (int j = 0; j < stride_; ++j) *to++ = pair(i, j, c);
  }
  template <class Narrow>
  void count_into(Buffer<Narrow>& side) {
    scratch_.counter.count_classes(scratch_.rows, {scratch_.list.data(), node_.class_sizes(side_)},
                                   classes_, side.room(table_size() * at(classes_)));
  }
  template <class Lane, class Minus>
  FewestErrors find_seconds(const SetCounts<Lane>& counts, const Lane* table, const Minus* minus) {
    SecondSplits<Lane>& seconds = std::get<ClassTables<Lane>>(scratch_.classes).seconds;
    if (classes_ == 2)
      seconds.template find<2>(counts, table, minus, table_size());
    else
      seconds.template find<0>(counts, table, minus, table_size());
    return seconds.fewest(counts);
  }
  template <class Narrow>
  FewestErrors inner_of(ClassTables<Narrow>& tables) {
    return find_seconds(inner_counts(tables), tables.side.data(),
                        static_cast<const Narrow*>(nullptr));
  }
  SetCounts<Count> node_counts() {
    return {columns_, stride_, classes_, rows(), mine_.node_set.data(), node_.totals().data()};
  }
  template <class Narrow>
  SetCounts<Narrow> inner_counts(ClassTables<Narrow>& tables) {
    Narrow* set = tables.in_set.room(at(stride_) * at(classes_));
    for (int j = 0; j < stride_ * classes_; ++j)
      set[j] = static_cast<Narrow>(mine_.pairs.data()[j]);
    return {columns_, stride_, classes_, node_.size(side_), set, node_.class_sizes(side_)};
  }
  SetCounts<Count> outer_counts() {
    Count* set = mine_.out_set.room(at(stride_) * at(classes_));
    for (int j = 0; j < stride_ * classes_; ++j)
      set[j] = static_cast<Count>(mine_.node_set.data()[j] - mine_.pairs.data()[j]);
    outer_total_.resize(at(classes_));
    for (int c = 0; c < classes_; ++c)
      outer_total_[at(c)] = node_.totals()[at(c)] - node_.class_sizes(side_)[c];
    return {columns_, stride_, classes_, rows() - node_.size(side_), set, outer_total_.data()};
  }

  const PackedNode& node_;
  BinaryScratch& scratch_;
  ClassTables<Count>& mine_;
  ClassTables<Small>& small_;
  const int classes_, columns_;
  int stride_ = 0, side_ = -1;
  bool is_small_ = false;
  std::vector<int> outer_total_;
  FewestErrors fewest_{};
};

}  // namespace exactree::EXACTREE_ISA
