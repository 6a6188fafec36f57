#include "search/remote/facts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace exactree {

// A column is the number of budgets, then a line for every threshold.
template <class V>
SideFacts facts_of(const Solution<V>& solution) {
  SideFacts facts;
  facts.depth = solution.depth;
  facts.best_feature = solution.best_feature;
  for (const auto& list : solution.lists) {
    auto& column = facts.columns.emplace_back();
    column.push_back(list.empty() ? 0 : list.front().lo[0].budgets());
    for (const Threshold<V>& at : list) {
      column.push_back(at.rank);
      for (const auto* bounds : {&at.lo, &at.hi})
        for (const V& side : *bounds)
          for (int k = 0; k < side.budgets(); ++k) column.push_back(side[k]);
    }
  }
  return facts;
}

namespace {

void require(bool holds) {
  if (!holds) throw std::invalid_argument("the facts of a claim are not as they should be");
}

}  // namespace

template <class V>
void read_facts(const SideFacts& facts, int columns, Solution<V>& out) {
  require(facts.columns.size() == static_cast<std::size_t>(columns));
  require(facts.best_feature < columns);
  out.depth = facts.depth;
  out.best_feature = std::max(facts.best_feature, -1);
  out.lower = out.upper = V::constant(0, 1);
  out.lists.assign(facts.columns.size(), {});
  for (std::size_t f = 0; f < facts.columns.size(); ++f) {
    const auto& column = facts.columns[f];
    require(!column.empty() && column[0] >= 0 && column[0] <= 32);
    const auto budgets = static_cast<std::size_t>(column[0]), line = 1 + 4 * budgets;
    if (budgets == 0) continue;
    require((column.size() - 1) % line == 0);
    std::int64_t last = 0;
    for (std::size_t at = 1; at < column.size(); at += line) {
      require(column[at] > last && column[at] <= std::numeric_limits<int>::max());
      last = column[at];
      Threshold<V> threshold;
      threshold.rank = static_cast<int>(last);
      const std::int64_t* next = &column[at + 1];
      for (auto* bounds : {&threshold.lo, &threshold.hi})
        for (V& side : *bounds) {
          side = value_of<V>(Costs(next, next + budgets), static_cast<int>(budgets));
          next += budgets;
        }
      out.lists[f].push_back(threshold);
    }
  }
}

#define EXACTREE_FACTS(V)                          \
  template SideFacts facts_of(const Solution<V>&); \
  template void read_facts(const SideFacts&, int, Solution<V>&);
EXACTREE_FACTS(One)
EXACTREE_FACTS(Curve<8>)
EXACTREE_FACTS(Curve<32>)
#undef EXACTREE_FACTS

}  // namespace exactree
