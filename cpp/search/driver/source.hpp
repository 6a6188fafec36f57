// A kind of split, as the driver knows it: rank columns, binary columns, side masks.
//
// A source solves subproblems over its kind of node, finds the split that an optimal tree starts
// with, and makes the frontier of the root. All else (limits, threads, incumbents, writing trees
// down) is written once for all sources. To add a kind of split is to write a Source, its Node and
// its Frontier, and to name them in make_source().
#pragma once

#include <memory>
#include <vector>

#include "search/node.hpp"
#include "search/problem.hpp"
#include "search/solution.hpp"

namespace exactree {

template <class V>
class Frontier;
template <class V>
class Worker;
template <class V>
struct Top;

// A split whose sides were solved: what they cost, and whose solutions say more of them.
template <class V>
struct SolvedSplit {
  int feature = -1, position = 0;
  V hi[2];
  Relatives<V> sides[2] = {};
};

// The split that a tree of some value starts with, and how splits and cost are shared by its sides.
template <class V>
struct ChosenSplit {
  int feature = -1, position = 0;
  int splits[2] = {0, 0};
  Cost cost[2] = {0, 0};
  Relatives<V> sides[2] = {};
};

template <class V>
class Source {
 public:
  explicit Source(Worker<V>& worker) : worker_(worker) {}
  virtual ~Source() = default;

  // Finds the optimum of a node if it is below `best`, or proves that it is not. `out` holds what
  // is known; afterwards, for every budget, out.lower <= optimum <= out.upper, and either the two
  // are equal or out.lower >= best. Nothing is promised if the search was stopped.
  virtual void solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
                     Solution<V>& out) = 0;

  // The first split, in the order that decides ties, of a tree of cost at most `value` with at most
  // `splits` splits. There must be one, and a leaf must cost more. No feature: stopped.
  virtual ChosenSplit<V> first_split(Node& node, Budget budget, int splits, Cost value,
                                     const Relatives<V>& relatives) = 0;

  // What is open at the root.
  virtual std::unique_ptr<Frontier<V>> frontier(const Top<V>& top) = 0;

  // Shares the splits between two sides of these costs: the fewest that reach the value, and of
  // those the fewest on the left.
  ChosenSplit<V> share(const SolvedSplit<V>& split, Budget budget, int splits, Cost value) const;

 protected:
  Worker<V>& worker_;
};

// Throws: there is no tree of the proved cost, which is a bug.
[[noreturn]] void no_tree();

// The source for the kind of node that the root is.
template <class V>
std::unique_ptr<Source<V>> make_source(Worker<V>& worker, const Node& root);

}  // namespace exactree
