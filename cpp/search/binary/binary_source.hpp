// Columns of two values as a source of splits.
//
// They are rank columns, and at the root are searched like them. Below it, trees of up to three
// levels come from counts of pairs of columns, and deeper ones from column to column.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "search/archive.hpp"
#include "search/binary/binary_node.hpp"
#include "search/binary/siblings.hpp"
#include "search/columns/column_source.hpp"

namespace exactree {

template <class V>
class BinarySource final : public ColumnSource<V> {
 public:
  using ColumnSource<V>::ColumnSource;

  void solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
             Solution<V>& out) override;
  ChosenSplit<V> first_split(Node& node, Budget budget, int splits, Cost value,
                             const Relatives<V>& relatives) override;
  SingleSplit single_split(Node& node, Criterion criterion, Cost* cost) override;
  std::vector<Promising> two_levels(Node& node, Budget two, V& value) override;
  std::unique_ptr<Frontier<V>> frontier(const Top<V>& top) override;

  // As solve(). Fills in `glance` if there is one. False if it was stopped.
  bool solve_columns(Budget budget, BinaryNode& node, V best, Solution<V>& out, Glance* glance);

  static BinarySource& of(Worker<V>& worker) { return static_cast<BinarySource&>(worker.source()); }

 private:
  using ColumnSource<V>::budgets;
  using ColumnSource<V>::penalty;
  using ColumnSource<V>::work;
  using ColumnSource<V>::worker_;

  Archive<V>* archive(Budget budget, const BinaryNode& node);
  bool solve_with_fewer(Budget budget, BinaryNode& node, const V& best, Solution<V>& out);
  bool met_before(Archive<V>& known, std::uint64_t hash, BinaryNode& node, V& best,
                  Solution<V>& out);
  void solve_shallow(Budget budget, BinaryNode& node, const V& best, Solution<V>& out,
                     Glance* glance);
  void look_ahead(Budget budget, BinaryNode& node, Siblings<V>& siblings, Glance& glance,
                  Solution<V>& out);
  void solve_deep(Budget budget, BinaryNode& node, V best, Solution<V>& out, Glance* scores);
  V try_column(const Frame<V>& frame, BinaryNode& node, int k, Siblings<V>& siblings, V& best,
               Job<V>& job, Solution<V>& out);
  SolvedSplit<V> first_column(Budget budget, BinaryNode& node, const V& cap);

  std::vector<std::pair<Budget, std::unique_ptr<Archive<V>>>> archives_;
  std::vector<int> overlaps_;
};

}  // namespace exactree
