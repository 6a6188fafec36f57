// What a worker keeps for the kernels over binary columns, and error counts as costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "search/binary/packed_node.hpp"
#include "search/binary/pair_counter.hpp"
#include "search/binary/pairs.hpp"
#include "search/binary/siblings.hpp"

namespace exactree::EXACTREE_ISA {

// Splits: SecondSplits or MarginSplits.
template <class Count, class Splits>
struct PairTables {
  Buffer<Count> node, side;                 // pairs of the node, and of one side of a column
  Buffer<SumOf<Count>> totals;              // two classes: pairs of the node, of either class
  Buffer<Count> pairs;                      // those of one column
  Buffer<Count> node_set, in_set, out_set;  // rows with each column set: node, inner, outer side
  Splits seconds;

  std::size_t bytes() const {
    return node.bytes() + side.bytes() + totals.bytes() + 4 * node_set.bytes();
  }
};
template <class Count>
using ClassTables = PairTables<Count, SecondSplits<Count>>;
template <class Count>
using MarginTables = PairTables<Count, MarginSplits<Count>>;

// What a worker keeps for the kernels.
struct BinaryScratch : KernelScratch {
  RowMatrix rows;
  PairCounter counter;
  PairCache cache;
  LimitedSplits limited;
  std::tuple<Siblings<One>, Siblings<Curve<8>>> siblings;
  std::vector<std::uint32_t> list;
  std::vector<int> order, overlaps;  // per column
  std::vector<Cost> errors;
  std::tuple<ClassTables<std::uint8_t>, ClassTables<std::int16_t>, ClassTables<std::int32_t>>
      classes;
  std::tuple<MarginTables<std::int8_t>, MarginTables<std::int16_t>, MarginTables<std::int32_t>>
      margins;
  MarginTables<Cost> weights;
  std::int64_t counted_bytes = 0;

  // The rows of a node, and a list of all of them.
  void take_rows(const PackedNode& node) {
    list.resize(static_cast<std::size_t>(node.rows()) + 64);
    list_members(node.row_set().data(), node.table().words, list.data());
    rows.build(node, list.data());
  }
  // Counts what memory the tables took since the last time.
  void account(Control* control) {
    const auto sum = [](const auto&... tables) { return (tables.bytes() + ...); };
    const std::int64_t bytes =
        static_cast<std::int64_t>(rows.bytes() + counter.bytes() + std::apply(sum, classes) +
                                  std::apply(sum, margins) + weights.bytes());
    if (control == nullptr || bytes <= counted_bytes) return;
    control->use_memory(bytes - counted_bytes);
    counted_bytes = bytes;
  }
};

// The errors of a leaf on either side of column i.
inline void count_leaves(const PackedNode& node, int i, int errors[2]) {
  int most[2] = {0, 0};
  for (int c = 0; c < node.table().classes; ++c) {
    const int n = node.class_sizes(i)[c];
    most[0] = std::max(most[0], n);
    most[1] = std::max(most[1], node.totals()[static_cast<std::size_t>(c)] - n);
  }
  errors[0] = node.size(i) - most[0];
  errors[1] = node.rows() - node.size(i) - most[1];
}

// What an error count with at most 0..3 splits costs, as an optimum.
template <class Errors>
Cost cost_of(const Fewest<Errors>& e, int splits, Cost price, Cost penalty) {
  Cost best = kInfinite;
  for (int k = 0; k <= std::min(splits, 3); ++k)
    best = std::min(best, price * e[static_cast<std::size_t>(k)] + penalty * k);
  return best;
}
template <class V, class Errors>
V value_of(const Fewest<Errors>& e, int budgets, Cost price, Cost penalty) {
  V v = V::constant(0, budgets);
  for (int k = 0; k < budgets; ++k)
    v.set(k, cost_of(e, std::is_same_v<V, One> ? 3 : k, price, penalty));
  return v;
}

}  // namespace exactree::EXACTREE_ISA
