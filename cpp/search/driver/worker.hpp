// One thread's part of the search: solving subproblems, one inside the other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "search/archive.hpp"
#include "search/binary/binary_node.hpp"
#include "search/binary/siblings.hpp"
#include "search/columns/chain.hpp"
#include "search/columns/quadrants.hpp"
#include "search/driver/control.hpp"
#include "search/masks/worker_masks.hpp"
#include "search/node.hpp"

namespace exactree {

// A threshold to evaluate with all that it takes, so that it can be done without the chain.
template <class V>
struct Job {
  Task<V> task;
  V target;  // only what could cost less than this is of interest
  V lo[2], hi[2];
  Relative<V> relatives[2][kMostRelatives];
  int relative_count[2] = {0, 0};
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
class Worker {
 public:
  Worker(const Problem& data, Control& control, Switches switches, bool calling_thread);

  // Finds the optimum of a node, or proves that it is not below `cap`. `known`
  // (from below) and `hi` are what is known of it. Afterwards, for every budget, out.lower <=
  // optimum <= out.upper, and either the two are equal or out.lower >= cap.
  void solve(Budget budget, Node& node, const V& cap, const V& known, V hi,
             const Relative<V>* relatives, int count, Solution<V>& out);

  // The same for columns of two values: `best` is what a tree must cost less than, `out` holds what
  // is known. Fills in `glance` if there is one. False if it was stopped.
  bool solve_binary(Budget budget, BinaryNode& node, V best, Solution<V>& out, Glance* glance);
  // Up to three levels: the first column with a tree below the cap (-1: none) and what its sides
  // cost.
  int first_column(Budget budget, BinaryNode& node, const V& cap, V side[2]);

  // Masks: looks for a better first split among those of a branch, whose sides are known to cost at
  // least `lo`. See worker_masks.cpp.
  void search_branch(MaskSearch<V>& search, int branch, const V lo[2]);

  ChainContext context(const Frame<V>& frame, int feature) const;
  // Fills a job from the chain, solves its sides, and brings the result back.
  void prepare(Frame<V>& frame, Chain<V>& chain, const V& best, Job<V>& job);
  void evaluate(const Frame<V>& frame, int feature, Job<V>& job);
  V commit(Frame<V>& frame, Chain<V>& chain, Job<V>& job);

  Node& child(Node& node, int f, int p, bool left, int depth);
  const Problem& data() const { return data_; }
  Workspace& work() { return work_; }
  Control& control() { return control_; }
  static int budgets(Budget b) { return V::budgets_of(b.splits); }
  bool subset_holds() const { return data_.min_rows == 1; }

 private:
  V with_slack(const Frame<V>& frame, const V& best, Cost influence) const;
  bool floors_pay(const Frame<V>& frame) const;
  void relate(Frame<V>& frame, const Chain<V>& chain, Job<V>& job);
  void limit_to_useful(const V& best, Budget& budget);
  void settle_one(Node& node, Budget budget, V& best, V& lo, V& upper);
  Cost one_split(Node& node, Cost below, bool limited);
  void by_scans(const Frame<V>& frame, int feature, Job<V>& job);
  void by_children(const Frame<V>& frame, int feature, Job<V>& job);
  void tell_apart(Node& node, int feature, int depth, Relative<V>* relatives, int count);
  void scan_sides(Node& node, int feature, int position, SideQuery query[2], const Cost start[2],
                  Job<V>& job);
  Cost raise_by_floors(const std::uint16_t* floors, Cost leaf, Cost low) const;
  void tick(const Node& node);

  // worker_binary.cpp
  Archive<V>* archive(Budget budget, const BinaryNode& node);
  bool solve_with_fewer(Budget budget, BinaryNode& node, const V& best, Solution<V>& out);
  bool met_before(Archive<V>& known, std::uint64_t hash, BinaryNode& node, V& best,
                  Solution<V>& out);
  void solve_shallow(Budget budget, BinaryNode& node, const V& best, Solution<V>& out,
                     Glance* glance);
  void look_ahead(Budget budget, BinaryNode& node, Siblings<V>& siblings, Glance& glance,
                  Solution<V>& out);
  void solve_by_columns(Budget budget, BinaryNode& node, V best, Solution<V>& out, Glance* scores);
  V try_column(const Frame<V>& frame, BinaryNode& node, int k, Siblings<V>& siblings, V& best,
               Job<V>& job, Solution<V>& out);

  // worker_masks.cpp
  void solve_by_masks(Budget budget, MaskNode& node, const V& best, Solution<V>& out);
  void search_twig(MaskSearch<V>& search, int branch, const V lo[2]);
  void search_children(MaskSearch<V>& search, int child, const V lo[2]);
  bool known_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]);
  bool branch_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]);
  void try_mask(MaskSearch<V>& search, MaskPlace place, const MaskView& view, V lo[2]);
  V solve_side(MaskSearch<V>& search, const MaskView& view, int s, bool limited, const V& cap,
               V lo[2], const V& hi);
  MaskArchive* mask_archive(Budget budget, int words);
  MaskView& view(Budget budget);

  const Problem& data_;
  Control& control_;
  Workspace work_;
  std::vector<std::unique_ptr<Node>> pool_;  // two per depth
  std::vector<std::unique_ptr<Chain<V>>> chains_;
  std::vector<std::unique_ptr<Difference>> differences_;  // as many as relatives per depth
  std::vector<std::pair<Budget, std::unique_ptr<Archive<V>>>> archives_;
  std::vector<int> overlaps_;
  std::vector<std::pair<Budget, std::unique_ptr<MaskArchive>>> mask_archives_;
  std::vector<std::unique_ptr<MaskView>> views_;  // one per depth
};

}  // namespace exactree
