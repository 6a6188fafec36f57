// The root of a search: what is best so far, who works on what, and what is reported.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "search/binary/siblings.hpp"
#include "search/driver/extract.hpp"
#include "search/driver/incumbent.hpp"
#include "search/driver/search.hpp"
#include "search/driver/worker.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree {

// What was found so far for one number of splits.
struct Best {
  bool wanted = false;
  bool settled = false;     // there is nothing below it
  Cost proved = kInfinite;  // no tree met so far costs less
  int owner = -1;           // which column of the root order has it; -1: known before the search
  Cost cost = kInfinite;    // of the tree below
  Tree tree;
};

// The search below the root, shared by all workers. The unit of work is one threshold of a root
// column; whoever is free takes the first one open, in the order of the columns.
template <class V>
class RootSearch {
 public:
  RootSearch(const Problem& data, const SearchRequest& request, MakeRoot make_root,
             Control& control, SearchProgress& progress, SearchResult& result)
      : data_(data),
        request_(request),
        make_root_(make_root),
        control_(control),
        progress_(progress),
        result_(result),
        budget_(budget_of(request, data)),
        worker_(data, control, request.switches, true) {
    read_root();
    best_.resize(static_cast<std::size_t>(V::budgets_of(budget_.splits)));
    unwritten_.resize(best_.size());
    for (std::size_t k = 0; k < best_.size(); ++k)
      best_[k].wanted = request.sizes || k + 1 == best_.size();
    order_.resize(static_cast<std::size_t>(data.features));
    std::iota(order_.begin(), order_.end(), 0);
  }

  static Budget budget_of(const SearchRequest& request, const Problem& data) {
    const int most = std::max(data.rows - 1, 0);
    int splits = request.max_splits < 0 ? most : std::min(request.max_splits, most);
    if (request.sizes) splits = request.max_splits;
    return Budget::of(request.max_depth, splits);
  }

  void run();

 private:
  V goal(int o) const;
  bool reached(const Best& b, int o) const;

  // Before the search.
  void read_root();
  void start_with_leaf();
  void plan_and_search();
  void settle_small();
  void plan_incumbents();
  void take_plan(Budget budget, const Solution<V>& ahead);
  void show_plan(Planner<V>& planner, const Plan<V>& plan);
  std::vector<int> complete(std::vector<int> columns) const;

  // The search, by any number of threads.
  void search_all();
  void run_threads(int threads);
  void guarded(bool calling, std::exception_ptr& failure);
  void work_elsewhere();
  bool set_up(std::unique_ptr<Worker<V>>& worker, std::unique_ptr<Node>& root);
  void wait(bool calling, std::unique_lock<std::mutex>& lock);
  void work(Worker<V>& worker, Node& root, bool calling);
  int take(Worker<V>& worker, Job<V>& job);
  void start_chain(std::size_t o, Worker<V>& worker);
  bool take_of(std::size_t o, Worker<V>& worker, Job<V>& job);
  void accept(const V& found, int o, int entry);
  void write_trees(Node& node, Extractor<V>& extractor, std::unique_lock<std::mutex>& lock);

  // Problem of two values: root_binary.cpp.
  void plan_binary();
  int place(std::size_t o) const;
  bool barred_by_siblings(std::size_t o, const Task<V>& task, const V& target, Worker<V>& worker);
  void tell_siblings(std::size_t o, const Task<V>& task);

  // Side masks: root_masks.cpp.
  struct RootBranch {
    int branch;
    V bound;  // no mask of the branch costs less as a first split, if that matters
    int rounds = 0;
    bool busy = false;
  };
  void run_masks();
  Solution<V> solve_single(MaskNode& root);
  void plan_masks(MaskNode& root);
  void list_branches(MaskTree& tree, int branch, int levels);
  void work_on_branches(Worker<V>& worker, MaskNode& root, bool calling);
  int take_branch();
  V target(const V& goal, const V& bound, int round) const;
  void accept_masks(const MaskSearch<V>& search, int o, Node& root, Extractor<V>& extractor,
                    std::unique_lock<std::mutex>& lock);
  Tree tree_at(Extractor<V>& extractor, Node& root, std::size_t k, const MaskSplit<V>& split,
               Cost cost) const;

  // After it, and for those who watch.
  void finish();
  void canonical_trees();
  V open_bound() const;
  void note_bound();
  void report();

  int budgets() const { return V::budgets_of(budget_.splits); }
  int splits_of(std::size_t k) const;

  static constexpr double kBoundEvery = 0.05, kFirstTree = 0.005;  // seconds

  // A root split that was found to be the best so far, whose tree is not written down yet.
  struct Unwritten {
    Cost cost = 0;
    SolvedSplit<V> split = {};
  };

  const Problem& data_;
  const SearchRequest& request_;
  MakeRoot make_root_;
  Control& control_;
  SearchProgress& progress_;
  SearchResult& result_;
  Budget budget_;
  Worker<V> worker_;
  std::unique_ptr<Node> root_;
  std::vector<Best> best_;  // by number of splits, or one
  std::vector<Unwritten> unwritten_;
  std::vector<TriedSplit<V>> tried_;                               // of the root, by the planner
  std::vector<int> order_;                                         // of the root's columns
  V shown_bound_ = V::constant(0, V::budgets_of(budget_.splits));  // of all that is open
  double next_bound_ = kBoundEvery;
  bool complete_ = true;
  bool solved_ = false;   // at once, without a search by columns
  Siblings<V> siblings_;  // columns of two values

  std::mutex mutex_;
  std::condition_variable wake_;
  int set_up_ = 0;  // how many other threads have got what they need, or not
  Frame<V> frame_{};
  std::vector<std::unique_ptr<Chain<V>>> chains_;
  std::vector<int> busy_;   // per column: thresholds under evaluation
  std::vector<int> taken_;  // per column: thresholds taken so far
  int share_ = 1;           // how many each may take before any takes more
  std::size_t turn_ = 0;    // the column whose turn it is
  bool had_share_ = false;  // a column before it has taken its share, and may have more

  // Masks: the branches that are the units of work, and the first split found for each budget.
  static constexpr int kBranchLevels = 7, kPlannedLevels = 4;
  static constexpr int kNoneOpen = -1, kAllBusy = -2;
  std::vector<RootBranch> branches_;
  std::size_t next_branch_ = 0;
  std::vector<MaskSplit<V>> first_splits_;
};

}  // namespace exactree
