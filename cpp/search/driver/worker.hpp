// One thread's part of the search: solving subproblems, one inside the other.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "search/driver/control.hpp"
#include "search/driver/source.hpp"
#include "search/node.hpp"
#include "search/solution.hpp"

namespace exactree {

// What every source of splits needs: the recursion, nodes to work in, the clock.
template <class V>
class Worker {
 public:
  Worker(const Problem& data, Control& control, Switches switches, bool calling_thread);
  // Before all else: all nodes are of the kind of the root.
  void start(const Node& root) { source_ = make_source(*this, root); }

  // Finds the optimum of a node, or proves that it is not below `cap`. `known`
  // (from below) and `hi` are what is known of it. Afterwards, for every budget, out.lower <=
  // optimum <= out.upper, and either the two are equal or out.lower >= cap.
  void solve(Budget budget, Node& node, const V& cap, const V& known, V hi,
             const Relatives<V>& relatives, Solution<V>& out);
  // For sources: limits the depth to what can be useful, and settles what needs no search, which is
  // no split and one split. True if nothing is left to be found.
  bool settle_small(Budget& budget, Node& node, V& best, Solution<V>& out);

  // One side of a split, in the room for that depth.
  Node& child(Node& node, int f, int p, bool left, int depth);
  // That room itself.
  Node& room(const Node& like, int depth, int side);
  // Gives up all rooms, which are large where there are many columns.
  void leave_rooms();

  Source<V>& source() { return *source_; }
  const Problem& data() const { return data_; }
  Workspace& work() { return work_; }
  const Workspace& work() const { return work_; }
  Control& control() { return control_; }
  void tick(const Node& node);
  static int budgets(Budget b) { return V::budgets_of(b.splits); }
  // What is known so far of the side of a piece, for those who keep it: told while it is solved, to
  // the thread that solves it, once for every time that it is asked for.
  std::function<void(const Solution<V>&)> on_part;
  void want_part() { part_wanted_.store(true, std::memory_order_relaxed); }
  bool takes_part() {
    return part_wanted_.load(std::memory_order_relaxed) && part_wanted_.exchange(false);
  }
  // Whether fewer rows never cost more; see columns/chain.hpp.
  bool subset_holds() const { return !data_.least_side.binds(); }

 private:
  void limit_to_useful(const V& best, Budget& budget);
  void settle_one(Node& node, Budget budget, V& best, V& lo, V& upper);
  Cost one_split(Node& node, Cost below, bool limited);

  const Problem& data_;
  Control& control_;
  Workspace work_;
  std::vector<std::unique_ptr<Node>> pool_;  // two per depth
  std::unique_ptr<Source<V>> source_;
  std::atomic<bool> part_wanted_ = false;
};

}  // namespace exactree
