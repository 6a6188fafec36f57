// What is open at the root over columns of two values: one threshold a column, and what the columns
// say of each other.
#pragma once

#include "search/binary/binary_node.hpp"
#include "search/binary/siblings.hpp"
#include "search/columns/column_frontier.hpp"

namespace exactree {

template <class V>
class BinaryFrontier final : public ColumnFrontier<V> {
 public:
  using ColumnFrontier<V>::ColumnFrontier;

 private:
  using ColumnFrontier<V>::chain;
  using ColumnFrontier<V>::column;
  using ColumnFrontier<V>::improver_;
  using ColumnFrontier<V>::order_;
  using ColumnFrontier<V>::promising_;
  using ColumnFrontier<V>::top_;

  bool plan() override;
  int improved_levels() const override;
  void note_plan(PlanFacts& plan) const override;
  void take_plan(const PlanFacts& plan) override;
  bool ruled_out(int place, const Task<V>& task, const V& target, Worker<V>& worker) override;
  void spread(int place, const Task<V>& task) override;

  BinaryNode& root() const { return static_cast<BinaryNode&>(top_.root); }
  // First trees where fewer levels take long to be solved.
  bool is_large() const;
  bool plan_first();
  bool solve_all(Budget less, Solution<V>& optimum, Glance& glance);
  void improve_first();
  // The index of a place's column among the distinct ones.
  int distinct(int place) const;
  void take_optimum(Budget budget, const Solution<V>& optimum);
  void start_siblings();
  void learn_ahead(const V& lower);

  Costs ahead_;  // what a tree of one level less costs at least
  Siblings<V> siblings_;
};

}  // namespace exactree
