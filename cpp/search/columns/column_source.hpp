// Rank columns as a source of splits: a chain of thresholds for every column.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/columns/chain.hpp"
#include "search/columns/quadrants.hpp"
#include "search/driver/source.hpp"
#include "search/driver/worker.hpp"

namespace exactree {

// A threshold to evaluate with all that it takes, so that it can be done without the chain.
template <class V>
struct Job {
  Task<V> task;
  V target;  // only what could cost less than this is of interest
  V lo[2], hi[2];
  Relatives<V> relatives[2];
  std::uint16_t* floors = nullptr;
  Solution<V> across[2];  // what other columns say of the sides
  std::unique_ptr<Solution<V>> kids[2];
};

// A subproblem that is being solved.
template <class V>
struct Frame {
  Node* node;
  Budget budget;
  std::vector<std::unique_ptr<Solution<V>>> kids;
  std::vector<std::vector<Crossing>> crossed = {};  // per column, by rank
  std::int64_t bytes = 0;                           // of the kids
};

template <class V>
class ColumnSource : public Source<V> {
 public:
  using Source<V>::Source;

  void solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
             Solution<V>& out) override;
  ChosenSplit<V> first_split(Node& node, Budget budget, int splits, Cost value,
                             const Relatives<V>& relatives) override;
  std::unique_ptr<Frontier<V>> frontier(const Top<V>& top) override;

  // The source of a worker over columns.
  static ColumnSource& of(Worker<V>& worker) { return static_cast<ColumnSource&>(worker.source()); }

  ChainContext context(const Frame<V>& frame, int feature) const;
  // Fills a job from the chain, solves its sides, and brings the result back.
  void prepare(Frame<V>& frame, Chain<V>& chain, const V& best, Job<V>& job);
  void evaluate(const Frame<V>& frame, int feature, Job<V>& job);
  V commit(Frame<V>& frame, Chain<V>& chain, Job<V>& job);

  // The first threshold of a chain that costs at most `value` with budget k; -1 if none does.
  int first_threshold(Frame<V>& frame, Chain<V>& chain, int feature, int k, Cost value);
  // An entry of a chain as a split; the frame keeps what was solved.
  static SolvedSplit<V> split_at(const Frame<V>& frame, const Chain<V>& chain, int entry);

 protected:
  using Source<V>::worker_;
  static int budgets(Budget b) { return V::budgets_of(b.splits); }
  Workspace& work() const { return worker_.work(); }
  Cost penalty() const { return worker_.data().penalty; }

  ChosenSplit<V> first_threshold_of_all(Node& node, Budget budget, int splits, Cost value,
                                        const Relatives<V>& relatives);

 private:
  V with_slack(const Frame<V>& frame, const V& best, Cost influence) const;
  bool floors_pay(const Frame<V>& frame) const;
  void relate(Frame<V>& frame, const Chain<V>& chain, Job<V>& job);
  void by_scans(const Frame<V>& frame, int feature, Job<V>& job);
  void by_children(const Frame<V>& frame, int feature, Job<V>& job);
  void tell_apart(Node& node, int feature, int depth, Relatives<V>& relatives);
  void scan_sides(Node& node, int feature, int position, SideQuery query[2], const Cost start[2],
                  Job<V>& job);
  Cost raise_by_floors(const std::uint16_t* floors, Cost leaf, Cost low) const;

  std::vector<std::unique_ptr<Chain<V>>> chains_;         // one per depth
  std::vector<std::unique_ptr<Difference>> differences_;  // as many as relatives per depth
};

}  // namespace exactree
