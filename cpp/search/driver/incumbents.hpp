// The best trees so far, one for each number of splits that is asked for, and what is proved.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "search/driver/control.hpp"
#include "search/driver/search.hpp"
#include "search/driver/source.hpp"
#include "search/tree.hpp"
#include "search/value.hpp"

namespace exactree {

// Before so many seconds no tree is written down: that takes as long as many evaluations, and
// only a search that is stopped needs a tree before its end.
inline constexpr double kFirstTree = 0.005;
// Places that are none: before all others, of what no tree of the same cost replaces (the leaf, a
// limit), and after them, of the trees of heuristics, which any tree of the same cost replaces.
inline constexpr int kKnownBefore = -1;
inline constexpr int kAnyPlace = std::numeric_limits<int>::max();
// The same for trees that were found beside the search, at any time: even if they cost what is
// known beforehand the search goes on until a column has met one, so that timing decides nothing.
inline constexpr int kBeside = kAnyPlace - 1;

struct Incumbent {
  bool wanted = false;
  bool settled = false;      // there is nothing below it
  Cost value = kInfinite;    // no tree met so far costs less
  int place = kKnownBefore;  // where it was found
  Cost cost = kInfinite;  // of the tree below, which is written down later than its value is known
  Tree tree;
};

template <class V>
class Incumbents {
 public:
  Incumbents(const SearchRequest& request, Budget budget, Control& control,
             SearchProgress& progress, SearchResult& result);

  std::size_t size() const { return best_.size(); }
  const Incumbent& operator[](std::size_t k) const { return best_[k]; }
  int splits_of(std::size_t k) const {
    return best_.size() > 1 ? static_cast<int>(k) : budget_.splits;
  }

  // What a tree of this place must cost less than to be taken. Ties go to the lowest place, so a
  // place before the owner may still match its cost. Never rises.
  V goal(int place) const;
  // Whether no place from this one on can hold a tree that is taken.
  bool reached(int place) const;

  // Before the search: the leaf, settled budgets, and trees.
  void start(Cost leaf, int label);
  void settle(std::size_t k) { best_[k].settled = true; }
  bool improves(std::size_t k, Cost cost) const {
    return best_[k].wanted && !best_[k].settled && cost < best_[k].value;
  }
  void take_tree(std::size_t k, Cost cost, Tree tree, int place = kAnyPlace);
  // After it: the tree by rule, of the cost that is known.
  void settle_tree(std::size_t k, Tree tree);
  // Only what costs less than this is of interest.
  void limit(const V& cap);

  // During the search: a first split of a place costs so much with budget k. True if it is taken.
  // Its tree is to be written down if it is better than the one there is.
  bool take_value(std::size_t k, Cost cost, int place, const V& goal);
  bool lacks_tree(std::size_t k) const { return best_[k].value < best_[k].cost; }
  void write_later(std::size_t k, const SolvedSplit<V>& split);
  // The split whose tree is to be written down next; no feature: none is.
  struct Unwritten {
    std::size_t k = 0;
    Cost cost = 0;
    SolvedSplit<V> split = {};
  };
  Unwritten next_unwritten();
  // A tree that was written down; it may have been overtaken.
  void written(std::size_t k, Cost cost, Tree tree);

  // No tree that is not known costs less than this. What was proved stays proved.
  bool raise_bound(const V& bound);
  // Nothing is open any more.
  void close() { bound_ = V::constant(kInfinite, bound_.budgets()); }
  // For those who watch.
  void report();
  // Moves the trees and bounds to the result. The root is there for the audit.
  void answer(const Node& root);

 private:
  bool reached(const Incumbent& b, int place) const {
    return b.value <= request_.lower_bound && (b.place <= place || b.place == kAnyPlace);
  }

  const SearchRequest& request_;
  Budget budget_;
  Control& control_;
  SearchProgress& progress_;
  SearchResult& result_;
  std::vector<Incumbent> best_;       // by number of splits, or one
  std::vector<Unwritten> unwritten_;  // the same
  V bound_;                           // of all that is open
};

}  // namespace exactree
