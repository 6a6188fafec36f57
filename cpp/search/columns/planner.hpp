// A good tree before the search: the lower it starts, the more the search can prune.
//
// Greedy first, so that there is an answer at once. Then the last two levels are made optimal,
// below the greedy split and below those that would be best if only two levels were allowed. The
// best tree of two levels comes out on the way. Of trees of five and more levels, which take too
// long to be searched for, the last three levels are made optimal after that: once below splits
// that were chosen by the greedy trees below them, since two levels say little of the first of
// many, and then below those that are best for two.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "search/columns/greedy_split.hpp"
#include "search/driver/extract.hpp"

namespace exactree {

enum class Effort { kGreedy, kManyRoots, kLookAhead, kThreeLevels };

// A subtree that was found: an optimum to be extracted, or a split and what is below it.
template <class V>
struct Plan {
  Budget budget;
  V value;
  int feature = -1, position = 0;         // -1: value is that of an optimum (or of a leaf)
  std::unique_ptr<Plan> side[2];          // none below a last split
  std::unique_ptr<Solution<V>> solution;  // of a side that is kept for the search
};

// A split of the root whose sides were solved: what they cost, as a job has it. The memory of the
// kids is counted.
template <class V>
struct TriedSplit {
  int feature = -1, position = 0;
  V lo[2], hi[2];
  std::unique_ptr<Solution<V>> kids[2];
};

template <class V>
class Planner {
 public:
  explicit Planner(Worker<V>& worker) : extractor_(worker), worker_(worker) {}

  // Told of every plan for the root that is better than those before it, as they are found.
  std::function<void(const Plan<V>&)> on_better;

  // The best tree found that costs less than `cap` for some budget, if any does.
  std::unique_ptr<Plan<V>> plan(Node& node, Budget budget, Effort effort, const V& cap);
  // The same with a given split on top, and as many second splits as the root of a plan has.
  std::unique_ptr<Plan<V>> plan_below(Node& node, Budget budget, const Promising& top,
                                      Effort effort, const V& cap) {
    return split_plan(node, budget, top, effort, cap);
  }
  // The first splits that a plan of many roots tries, what two levels cost with them; or those of
  // all columns.
  std::vector<Promising> first_splits(Node& node, Budget budget, bool all);
  // Appends the plan's tree with at most `splits` splits.
  void draw(Node& node, const Plan<V>& plan, int splits, Tree& tree);

  // Columns by what two levels that start with them achieve (after kManyRoots).
  const std::vector<int>& columns() const { return columns_; }
  // The root's splits that were tried, the best plan first.
  const std::vector<Promising>& promising() const { return promising_; }
  // The root's splits whose sides were solved on the way (three levels, where they are optima).
  std::vector<TriedSplit<V>> take_tried() { return std::move(tried_); }

 private:
  std::vector<Promising> candidates(Node& node, Budget budget, Effort effort, int level,
                                    std::size_t roots);
  std::vector<Promising> look_ahead(Node& node, Budget budget);
  std::unique_ptr<Plan<V>> split_plan(Node& node, Budget budget, const Promising& at, Effort effort,
                                      const V& cap);
  std::unique_ptr<Plan<V>> exact_plan(Node& node, Budget budget, const V& cap);
  void note_tried(Plan<V>& plan);
  void tell_split(Node& node, const Promising& at);
  Cost value_of(const Plan<V>& plan, int splits) const;
  void tell(const Plan<V>& plan) const {
    if (on_better && level_ == 1) on_better(plan);
  }

  Extractor<V> extractor_;
  Worker<V>& worker_;
  std::vector<int> columns_;
  std::vector<TriedSplit<V>> tried_;
  std::vector<Promising> promising_;
  int level_ = 0;
  bool keeps_sides_ = false;  // solved sides of the root's splits go on to the search
};

}  // namespace exactree
