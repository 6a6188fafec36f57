// Two classes: the differences of a node over binary columns, and of the two sides of a column.
//
// The smaller side of a column, where its bit is set, is counted row by row; the larger one is what
// is left of the node. (class_counts.hpp does the same for any number of classes.)
#pragma once

#include <algorithm>
#include <type_traits>

#include "search/binary/scratch.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
class NodeDifferences {
 public:
  using Errors = int;
  static constexpr bool kCached = true;
  static constexpr bool kLimits = false;  // knows nothing of a limit on rows

  NodeDifferences(const PackedNode& node, BinaryScratch& scratch)
      : node_(node),
        scratch_(scratch),
        mine_(std::get<MarginTables<Count>>(scratch.margins)),
        small_(std::get<MarginTables<Small>>(scratch.margins)),
        columns_(static_cast<int>(node.distinct().size())) {}

  std::size_t table_size() const { return scratch_.rows.table_size(); }

  // Counts the pairs of the node and finds the best second splits of both sides of each column.
  void count_node(Workspace& work) {
    scratch_.take_rows(node_);
    stride_ = scratch_.rows.stride();
    Count* table = mine_.node.room(table_size());
    scratch_.counter.count_both(scratch_.rows, {scratch_.list.data(), node_.totals().data()}, table,
                                mine_.totals.room(table_size()));
    Count* set = mine_.node_set.room(at(stride_));
    std::fill(set, set + stride_, Count{0});
    for (int i = 0; i < columns_; ++i)
      set[i] = static_cast<Count>(difference(node_.class_sizes(i)));
    fewest_ = mine_.seconds.find(
        {columns_, stride_, node_.rows(), set, difference(node_.totals().data())}, table,
        static_cast<const Count*>(nullptr));
    scratch_.account(work.control);
  }
  // The optimum of two levels; the errors of a column's sides with one more split, to be asked for
  // before any side is counted.
  const FewestErrors& fewest() const { return fewest_; }
  void leaves(int i, int errors[2]) const { count_leaves(node_, i, errors); }
  void singles(int i, int errors[2]) const {
    errors[0] = (node_.size(i) - mine_.seconds.in(i)) / 2;
    errors[1] = (node_.rows() - node_.size(i) - mine_.seconds.out(i)) / 2;
  }
  void overlaps(int i, int* out) const {
    const auto* row = mine_.totals.data() + at(i) * at(stride_);
    std::copy(row, row + columns_, out);
  }

  // The inner side of a column, in bytes where they hold it; then the optima of both sides.
  void count_side(int i) {
    side_ = i;
    const int* size = node_.class_sizes(i);
    is_small_ = std::max(size[0], size[1]) <= kMostSmall;
    list_members(node_.bits(i), node_.table().words, scratch_.list.data());
    if (is_small_)
      count_into(small_.side);
    else
      count_into(mine_.side);
  }
  FewestErrors outer() {
    const Count* inner = mine_.node.data() + at(side_) * at(stride_);
    const Count* all = mine_.node_set.data();
    Count* set = mine_.out_set.room(at(stride_));
    for (int j = 0; j < stride_; ++j) set[j] = static_cast<Count>(all[j] - inner[j]);
    const SetDifferences<Count> rows{
        columns_, stride_, node_.rows() - node_.size(side_), set,
        difference(node_.totals().data()) - difference(node_.class_sizes(side_))};
    if (is_small_) return mine_.seconds.find(rows, mine_.node.data(), small_.side.data());
    return mine_.seconds.find(rows, mine_.node.data(), mine_.side.data());
  }
  FewestErrors inner() { return is_small_ ? inner_of(small_) : inner_of(mine_); }

 private:
  using Small = std::conditional_t<kSpare, Count, std::int8_t>;
  static constexpr int kMostSmall = 127;  // rows of either class
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static int difference(const int* per_class) { return per_class[1] - per_class[0]; }

  template <class Narrow>
  void count_into(Buffer<Narrow>& side) {
    scratch_.counter.count_differences(
        scratch_.rows, {scratch_.list.data(), node_.class_sizes(side_)}, side.room(table_size()));
  }
  template <class Narrow>
  FewestErrors inner_of(MarginTables<Narrow>& tables) {
    const Count* inner = mine_.node.data() + at(side_) * at(stride_);
    Narrow* set = tables.in_set.room(at(stride_));
    for (int j = 0; j < stride_; ++j) set[j] = static_cast<Narrow>(inner[j]);
    return tables.seconds.find(
        {columns_, stride_, node_.size(side_), set, difference(node_.class_sizes(side_))},
        tables.side.data(), static_cast<const Narrow*>(nullptr));
  }

  const PackedNode& node_;
  BinaryScratch& scratch_;
  MarginTables<Count>& mine_;
  MarginTables<Small>& small_;
  const int columns_;
  int stride_ = 0, side_ = -1;
  bool is_small_ = false;
  FewestErrors fewest_{};
};

}  // namespace exactree::EXACTREE_ISA
