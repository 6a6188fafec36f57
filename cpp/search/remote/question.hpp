// What is asked of a worker elsewhere, and what it answers: plain numbers, the same on every
// machine.
//
// A question names a subproblem by the path that leads to its rows, and a first split of it, or a
// branch of a tree of masks. Costs are lists: one, or one for every number of splits.
#pragma once

#include <cstdint>
#include <vector>

#include "search/driver/control.hpp"
#include "search/tree.hpp"
#include "search/value.hpp"

namespace exactree {

using Costs = std::vector<Cost>;

// One split on the way to some rows, and the side that was taken.
struct Step {
  int feature = 0, position = 0;
  bool left = false;
  bool operator==(const Step&) const = default;
};
using Path = std::vector<Step>;

struct SolvedSideFacts;

// What is known of the thresholds of a column of one side; see Solution.
struct SideFacts {
  int depth = 0, best_feature = -1;
  // Per column and threshold: its rank, then what is known of both sides from below and above.
  std::vector<std::vector<std::int64_t>> columns;
  std::vector<SolvedSideFacts> sides;
  bool empty() const { return columns.empty(); }
};

struct SolvedSideFacts {
  int feature = 0, rank = 0, side = 0;
  SideFacts facts;
};

// A threshold of the same column whose side was solved, by whomever.
struct Neighbour {
  int position = 0, side = 0;
  SideFacts facts;
};

// A threshold of a run that is lent, or where it ends.
struct KnownThreshold {
  int position = 0;
  bool closed = false;
  Costs lo[2];
};

// How a piece is asked for.
struct Asking {
  bool shared = false;   // with what others found nearby; the reply is to have the same for others
  bool ahead = false;    // also one that is probably open later, if there is none now
  int lent_from = 1000;  // below so many splits: with what is open around it, see Question::run
};

struct Question {
  Path path;
  int feature = -1, position = 0;
  std::vector<bool> branch;  // masks: which child, from the root of their tree on
  Costs best;                // only what could cost less than this is of interest
  Costs target;              // what the sides are solved for; of masks, the same as the best
  Costs goal;                // a tree that costs less is to be written down
  Costs lo[2], hi[2];        // what is known of the two sides
  int round = 0;             // of its column; -1: it was not its turn, but promising
  Costs proved;              // no split of its column costs less: what earlier rounds proved
  bool divisible = false;    // whether it can be asked in smaller pieces
  bool shared = false;       // whether others want to know what is found of the sides' thresholds
  std::vector<Neighbour> neighbours;
  // What is known of the thresholds around it, if those that are open are nobody else's until it is
  // answered. The worker goes on with them for some time.
  std::vector<KnownThreshold> run;
  double more = 0;  // seconds
};

// A mask that was found to be a better first split.
struct FoundMask {
  int budget = 0;
  int id = -1;  // of a listed one; of a cell, its arrangement and rows instead
  int source = 0;
  std::vector<std::uint64_t> left;
  Costs side[2];
};

// A tree with a first split that was asked for, of a number of splits.
struct FoundTree {
  int budget = 0;
  Cost cost = 0;
  Tree tree;
};

// Another threshold of a run that was lent.
struct SolvedThreshold {
  int position = 0;
  Costs lo[2], hi[2];
  SideFacts facts[2];
};

struct Reply {
  bool complete = false;
  std::vector<SolvedThreshold> others;
  Costs lo[2], hi[2];  // columns: what is proved of the two sides, complete or not
  SideFacts facts[2];  // columns: of a side that is open, or, if they are shared, of both
  Costs best;          // masks: no mask of the branch costs less, if that is below the target
  std::vector<FoundMask> masks;
  std::vector<FoundTree> trees;
  Counters counters;
};

// What was planned before the search: first trees, and where to look first. A run that goes on does
// not plan again.
struct PlanFacts {
  struct Tried {  // a split of the root whose sides were solved
    int feature = 0, position = 0;
    Costs lo[2], hi[2];
    SideFacts facts[2];
  };
  bool known = false;  // by an earlier run, or by now
  bool more = true;    // whether anything is left to search
  std::vector<int> order;
  std::vector<std::vector<std::int64_t>> promising;  // feature, position, cost
  Costs bound;                                       // binary columns: of one level less
  std::vector<Tried> tried;
  std::vector<FoundTree> trees;
};

template <class V>
Costs costs_of(const V& v) {
  Costs out;
  for (int k = 0; k < v.budgets(); ++k) out.push_back(v[k]);
  return out;
}

// Throws std::invalid_argument if there are not as many as budgets.
template <class V>
V value_of(const Costs& costs, int budgets);

}  // namespace exactree
