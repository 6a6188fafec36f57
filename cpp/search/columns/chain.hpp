// The thresholds of one column as a chain of nested splits, searched by intervals.
//
// Letters
//   S          the rows of the node; L(p), R(p) its two sides when split at position p
//   e(A)       the optimum on the rows A within the budget of a side
//   T(p)       join(e(L(p)), e(R(p))): the optimum of the trees that split at p first
//   I(A)       the influence of the rows A: what they can cost at most in any leaf
//   lo, hi     what is known of e: lo[0] <= e(L) <= hi[0], lo[1] <= e(R) <= hi[1]
//
// Everything rests on two facts, for budgets that say "at most", and for each budget by itself.
//   Subset.     A within B: e(A) <= e(B). Proof: the best tree of B, on A, errs on no other rows.
//   Similarity. A within B: e(B) <= e(A) + I(B - A). Proof: the best tree of A, on B, errs on the
//               rows of B - A besides, which cost at most their influence.
// With p <= q, L(p) lies within L(q) and R(q) within R(p), and both differ by the rows between.
//
// A limit on the rows of a leaf (least_side) breaks Subset. Then lo always speaks of the problem
// without that limit, for which both facts hold and whose optimum is never above; hi speaks of the
// problem with it, for which Similarity still holds (leaves only grow). A threshold whose sides
// were solved is closed: it need not be looked at again whatever lo says.
//
// Rounds. The chains of the root are searched for growing targets. A threshold that was solved for
// a target t costs less than t only if that was found, so it costs at least min(hi, t), hi being
// the cost of its best tree known. It is opened again for a higher target unless that, or lo, shows
// that there is nothing new below it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "search/columns/floors.hpp"
#include "search/node.hpp"
#include "search/solution.hpp"
#include "search/value.hpp"

namespace exactree {

// What the chain needs to know of its node's problem.
struct ChainContext {
  Node* node = nullptr;
  int feature = 0;
  Cost penalty = 0;
  int budgets = 1;       // of the node
  int side_budgets = 1;  // of its sides
  bool subset_holds = true;
  Switches switches;
  Budget budget = {};
};

// One threshold to evaluate: where, what is known, and how far it is worth knowing.
template <class V>
struct Task {
  int run_begin, run_end;  // the run of thresholds it divides
  int entry;
  int position;
  Cost slack;  // solving beyond best by this much can remove the whole run
};

template <class V>
class Walk;  // transfer.cpp

struct KnownThreshold;  // remote/question.hpp

template <class V>
class Chain {
 public:
  using Entry = Threshold<V>;

  // Starts with what relatives know of the same thresholds.
  void start(const ChainContext& context, const Relatives<V>& relatives, bool with_floors,
             Counters& counters);

  // Takes the next threshold that could cost less than `best`; false if there is none left.
  bool pick(const V& best, Task<V>& task, Counters& counters);
  // The threshold at a position, as if it had been picked first.
  Task<V> task_at(int position);
  // The same, as if it had been picked in its turn. What waits to be looked at covers the same
  // thresholds afterwards, once the task is committed.
  Task<V> task_in_turn(int position);
  // Tells what evaluating it brought, and passes that on along the chain.
  void commit(const Task<V>& task);
  // Passes on along the chain what is known of an entry by now, from wherever.
  void learn(int i);
  // Ahead (ahead.cpp): how wide what is open is before or after the threshold of a task that is
  // under way; 0: nothing is. And takes a threshold of it, which is no part of that task's run from
  // then on.
  Cost width_ahead(const Task<V>& from, bool after, const V& best) const;
  bool pick_ahead(Task<V>& from, bool after, const V& best, Task<V>& task, Counters& counters);

  // Nothing is to be picked but what is open in a run that another chain of this column lends.
  void lend(const std::vector<KnownThreshold>& run);

  // By how many bytes it has grown since it was last asked; counted() is all that it has told.
  std::int64_t counted() const { return told_; }
  std::int64_t growth() {
    const std::size_t bytes = entries_.capacity() * sizeof(Entry) +
                              floors_.capacity() * sizeof(std::uint16_t) +
                              runs_.capacity() * sizeof runs_[0];
    return static_cast<std::int64_t>(bytes) -
           std::exchange(told_, static_cast<std::int64_t>(bytes));
  }

  const ChainContext& context() const { return context_; }
  Entry& entry(int i) { return entries_[static_cast<std::size_t>(i)]; }
  const Entry& entry(int i) const { return entries_[static_cast<std::size_t>(i)]; }
  V cost_below(const Entry& e) const {
    return join(e.lo[0], e.lo[1], context_.penalty, context_.budgets);
  }
  // The floors of an entry's second columns, both sides; raised by those of its neighbours.
  std::uint16_t* floors(int i);
  // The same for one of which none are kept yet, and keeping those that were found of it.
  void raise_by_neighbours(int i, std::uint16_t* ours) const;
  void keep_floors(int i, const std::vector<std::uint16_t>& found);
  // Gives them up: they are long where there are many columns.
  void forget_floors() {
    if (floors_.empty()) return;
    for (Entry& e : entries_) e.floors = -1;
    std::vector<std::uint16_t>().swap(floors_);
  }

  // Adds the nearest solved neighbours of entry i for one side.
  void relatives(int i, int side, const std::vector<std::shared_ptr<const Solution<V>>>& kids,
                 Relatives<V>& out) const;

  // Lists the solved sides next to what is open below `best`, but for those that were listed.
  void list_sides(const V& best, const std::vector<std::shared_ptr<const Solution<V>>>& kids,
                  std::vector<bool>& listed, std::vector<SolvedSide<V>>& out) const;

  // Starts a round: opens the thresholds that may have something below the target that was not
  // sought before. No threshold may be under evaluation. Targets never fall, but for what no tree
  // of interest costs less than.
  void begin_round(const V& target);
  // Opens a threshold again unless its bounds show that there is nothing new below the target.
  void reconsider(int i, const V& target);
  // A threshold was solved for a target by somebody else. It is opened again if there may be
  // something new below the one of now.
  void solved_for(int i, const V& solved, const V& target);
  // Looks again at everything before a position; whatever is known stays known.
  void reopen(int before);
  // Opens the entries of which it is not known whether they cost at most `value` with budget k, or
  // with which shares of the splits: a search that needed to know only whether they cost less
  // closed them.
  void doubt(int k, Cost value);
  // The first closed entry whose split costs at most `value` with budget k; -1 if there is none.
  int first_at_most(int k, Cost value) const;

  // A bound on every split of this chain.
  V open_bound() const;
  // How many thresholds may cost less than `best`, or nearly as few.
  std::int64_t open_thresholds(const V& best) const;
  // A bound on every split that would leave too few rows on a side: those count for the problem
  // without that limit, of which lo speaks.
  V excluded_bound() const;
  // Moves the chain into a list: for neighbours of this node only the thresholds that help them,
  // with `whole` all of them, for this node with a higher `best`.
  void store(const V& best, bool whole, Solution<V>& solution);

 private:
  static constexpr int kFirst = 0, kLast = 1;  // the entries at both ends
  struct Gap {
    int entry, first, last;
  };
  // What is open in a run: from the entry before its first gap to the one after its last.
  struct Open {
    int begin, end, first, last;
  };

  bool gap(int i, const V& best, Gap& out, Counters& counters, bool to_pick = false) const;
  bool choose(int begin, int end, const V& best, Gap& chosen, Open& open, Counters& counters) const;
  Task<V> task_in(const Gap& at, const Open& open);
  int link(int after, int position, int rank);
  int insert(int after, int position, int rank);
  void spread(const Entry& from, Entry& to, bool& changed) const;
  // What is proved of a threshold that was solved.
  V solved_bound(const Entry& e) const;
  // Whether it is known of every share of at most k splits between its sides if it costs `value`.
  bool shares_known(const Entry& e, int k, Cost value) const;
  void open_below(Entry& e, const V& target);
  // What the rows from entry i to the next cost at least beside the sides there; see gap().
  Cost between(int i) const;
  // A bound on every split at or after a and before b; see gap().
  V bound_between(const Entry& a, const Entry& b) const;
  // transfer.cpp
  void take_relatives(const Relatives<V>& relatives, bool with_floors);
  void take(const Walk<V>& theirs, bool with_floors, Entry& ours);

  void append(int position, int rank, const V lo[2], const V hi[2]);
  Cost influence(int a, int b) const { return context_.node->influence(context_.feature, a, b); }
  V value(Cost c) const { return V::constant(c, context_.side_budgets); }

  ChainContext context_;
  std::vector<Entry> entries_;  // the first has position 0, the second position rows()
  std::vector<std::uint16_t> floors_;
  std::vector<Entry> kept_;  // room for store()
  // Per entry: what is between it and the next, and where that was; as far as it was asked for.
  mutable std::vector<std::pair<int, Cost>> between_;
  std::vector<std::pair<int, int>> runs_;  // to be looked at, first in first out
  std::size_t next_run_ = 0;
  std::int64_t told_ = 0;
  std::vector<V> targets_;  // of the rounds so far, and those that others solved for
  std::int16_t round_ = 0;  // under way
  int first_allowed_ = 1, last_allowed_ = 0;
};

}  // namespace exactree
