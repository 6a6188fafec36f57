// The pair counts of a node over binary columns, and those of the two sides of a column.
//
// The smaller side of a column, where its bit is set, is counted row by row; the larger one is what
// is left of the node.
#pragma once

#include <algorithm>
#include <vector>

#include "search/binary_scratch.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
class NodeCounts {
 public:
  NodeCounts(const BinaryNode& node, BinaryScratch& scratch)
      : node_(node),
        scratch_(scratch),
        mine_(scratch.tables<Count>()),
        classes_(node.table().classes),
        columns_(static_cast<int>(node.distinct().size())) {}

  std::size_t table_size() const { return table_size_; }
  const Count* table() const { return mine_.node.data(); }
  const SecondSplits<Count>& seconds() const { return mine_.seconds; }

  // Counts the pairs of the node and finds the best second splits of both sides of each column.
  void count_node(Control* control) {
    scratch_.rows.build(node_.bits(0), columns_, node_.row_set().data(), node_.table().words,
                        rows());
    stride_ = scratch_.rows.stride();
    table_size_ = PairCounter::table_size(scratch_.rows);
    auto& list = scratch_.list;
    list.resize(at(rows()));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint32_t>(i);
    Count* table = mine_.node.room(table_size_ * at(classes_));
    scratch_.counter.count_pairs(scratch_.rows, list.data(), node_.totals().data(), classes_,
                                 table);
    Count* set = mine_.node_set.room(at(stride_) * at(classes_));
    std::fill(set, set + stride_ * classes_, Count{0});
    for (int c = 0; c < classes_; ++c)
      for (int i = 0; i < columns_; ++i)
        set[c * stride_ + i] = static_cast<Count>(node_.class_sizes(i)[c]);
    find_seconds(node_counts(), table, static_cast<const Count*>(nullptr));
    account(control);
  }
  void account(Control* control) {
    if (control == nullptr) return;
    const auto bytes = static_cast<std::int64_t>(mine_.node.bytes() + mine_.side.bytes() +
                                                 3 * mine_.node_set.bytes());
    if (bytes > scratch_.counted_bytes) {
      control->use_memory(bytes - scratch_.counted_bytes);
      scratch_.counted_bytes = bytes;
    }
  }
  SetCounts<Count> node_counts() {
    return {columns_, stride_, classes_, rows(), mine_.node_set.data(), node_.totals().data()};
  }
  template <class Lane, class Minus>
  void find_seconds(const SetCounts<Lane>& counts, const Lane* table, const Minus* minus) {
    SecondSplits<Lane>& seconds = scratch_.tables<Lane>().seconds;
    if (classes_ == 2)
      seconds.template find<2>(counts, table, minus, table_size_);
    else
      seconds.template find<0>(counts, table, minus, table_size_);
  }

  // The pairs of column i, class c: counted where j >= i, the others are those of j with i.
  const Count* pairs_of(int i, int c) {
    if (pairs_column_ != i) {
      pairs_column_ = i;
      Count* to = mine_.pairs.room(at(stride_) * at(classes_));
      for (int k = 0; k < classes_; ++k, to += stride_) {
        const Count* table = mine_.node.data() + at(k) * table_size_;
        const Count* row = table + at(i) * at(stride_);
        const int counted = i / 32 * 32;
        for (int j = 0; j < counted; ++j) to[j] = table[at(j) * at(stride_) + at(i)];
        std::copy(row + counted, row + stride_, to + counted);
      }
    }
    return mine_.pairs.data() + c * stride_;
  }

  template <class Narrow>
  const Narrow* count_side(int i) {
    scratch_.rows.list(i, scratch_.list.data());
    Narrow* side = scratch_.tables<Narrow>().side.room(table_size_ * at(classes_));
    scratch_.counter.count_pairs(scratch_.rows, scratch_.list.data(), node_.class_sizes(i),
                                 classes_, side);
    return side;
  }
  template <class Narrow>
  SetCounts<Narrow> inner_counts(int i) {
    Narrow* set = scratch_.tables<Narrow>().in_set.room(at(stride_) * at(classes_));
    for (int c = 0; c < classes_; ++c) {
      const Count* row = pairs_of(i, c);
      for (int j = 0; j < stride_; ++j) set[c * stride_ + j] = static_cast<Narrow>(row[j]);
    }
    return {columns_, stride_, classes_, node_.size(i), set, node_.class_sizes(i)};
  }
  const SetCounts<Count>& outer_counts(int i) {
    Count* set = mine_.out_set.room(at(stride_) * at(classes_));
    outer_total_.resize(at(classes_));
    for (int c = 0; c < classes_; ++c) {
      const Count* row = pairs_of(i, c);
      const Count* all = mine_.node_set.data() + c * stride_;
      for (int j = 0; j < stride_; ++j) set[c * stride_ + j] = static_cast<Count>(all[j] - row[j]);
      outer_total_[at(c)] = node_.totals()[at(c)] - node_.class_sizes(i)[c];
    }
    outer_ = {columns_, stride_, classes_, rows() - node_.size(i), set, outer_total_.data()};
    return outer_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int rows() const { return node_.rows(); }

  const BinaryNode& node_;
  BinaryScratch& scratch_;
  PairTables<Count>& mine_;
  const int classes_, columns_;
  int stride_ = 0;
  std::size_t table_size_ = 0;
  int pairs_column_ = -1;
  std::vector<int> outer_total_;
  SetCounts<Count> outer_;
};

}  // namespace exactree::EXACTREE_ISA
