// What a worker keeps for the kernels over binary columns, and error counts as costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "search/binary_node.hpp"
#include "search/binary_pairs.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
struct PairTables {
  Buffer<Count> node, side;                 // pairs of the node, and of one side of a column
  Buffer<Count> pairs;                      // those of one column
  Buffer<Count> node_set, in_set, out_set;  // rows with each column set: node, inner, outer side
  SecondSplits<Count> seconds;
};

// What a worker keeps for the kernels.
struct BinaryScratch : KernelScratch {
  RowMatrix rows;
  PairCounter counter;
  PairCache cache;
  LimitedSplits limited;
  std::vector<std::uint32_t> list;
  std::vector<int> order;
  PairTables<std::uint8_t> small;
  PairTables<std::int16_t> medium;
  PairTables<std::int32_t> large;
  std::int64_t counted_bytes = 0;

  template <class Count>
  PairTables<Count>& tables() {
    if constexpr (sizeof(Count) == 1) return small;
    if constexpr (sizeof(Count) == 2) return medium;
    if constexpr (sizeof(Count) == 4) return large;
  }
};

// What an error count with at most 0..3 splits costs, as an optimum.
inline Cost cost_of(const FewestErrors& e, int splits, Cost unit, Cost penalty) {
  Cost best = kInfinite;
  for (int k = 0; k <= std::min(splits, 3); ++k)
    best = std::min(best, unit * e[static_cast<std::size_t>(k)] + penalty * k);
  return best;
}
template <class V>
V value_of(const FewestErrors& e, int budgets, Cost unit, Cost penalty) {
  V v = V::constant(0, budgets);
  for (int k = 0; k < budgets; ++k)
    v.set(k, cost_of(e, std::is_same_v<V, One> ? 3 : k, unit, penalty));
  return v;
}

}  // namespace exactree::EXACTREE_ISA
