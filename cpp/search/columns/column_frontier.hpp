// What is open at the root over rank columns: a chain of thresholds for every column.
#pragma once

#include <memory>
#include <vector>

#include "search/columns/column_source.hpp"
#include "search/columns/planner.hpp"
#include "search/driver/frontier.hpp"

namespace exactree {

// One threshold of a root column; its place is that of the column in the order of the search.
template <class V>
struct ColumnPiece : Piece {
  Job<V> job;
};

template <class V>
class ColumnFrontier : public Frontier<V> {
 public:
  using Frontier<V>::Frontier;

  bool open() override;
  bool worth_threads() const override;
  std::unique_ptr<Piece> piece() const override { return std::make_unique<ColumnPiece<V>>(); }
  Asked ask(Worker<V>& worker, Piece& piece) override;
  void answer(Worker<V>& worker, Node& root, Piece& piece) override;
  void tell(Worker<V>& worker, Piece& piece, bool complete) override;
  V bound() const override;
  SolvedSplit<V> first_best(int k) override;

 protected:
  using Frontier<V>::top_;
  using Frontier<V>::budgets;

  // First trees, and an order of the columns. False if there is nothing left to search.
  virtual bool plan();
  // Whether a threshold is ruled out by something that its chain does not know.
  virtual bool ruled_out(int /*place*/, const Task<V>& /*task*/, const V& /*target*/,
                         Worker<V>& /*worker*/) {
    return false;
  }
  // What was told of a threshold, for other columns.
  virtual void spread(int /*place*/, const Task<V>& /*task*/) {}

  Chain<V>& chain(int place) { return *chains_[static_cast<std::size_t>(place)]; }
  int column(int place) const { return order_[static_cast<std::size_t>(place)]; }
  // Adds the columns that are missing in the order.
  void complete_order();

  std::vector<int> order_;  // of the root's columns

 private:
  void settle_one_split();
  void show_plan(Planner<V>& planner, const Plan<V>& plan);
  bool take_threshold(int place, Worker<V>& worker, Job<V>& job);
  void start_chain(std::size_t place, Worker<V>& worker);

  std::vector<TriedSplit<V>> tried_;  // of the root, by the planner
  Frame<V> frame_{};
  std::vector<std::unique_ptr<Chain<V>>> chains_;
  std::vector<int> taken_;  // per column: thresholds taken so far
  int busy_ = 0;            // thresholds under evaluation
  int share_ = 1;           // how many each column may take before any takes more
  int turn_ = 0;            // the column whose turn it is
  bool had_share_ = false;  // a column before it has taken its share, and may have more
};

}  // namespace exactree
