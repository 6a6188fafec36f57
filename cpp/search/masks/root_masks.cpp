// The search below the root for side masks.
#include "search/driver/root.hpp"

#include <algorithm>
#include <chrono>

#include "search/audit/claims.hpp"
#include "search/masks/plan.hpp"

namespace exactree {

// Side masks. One split is quick to find. For more, the unit of work is a branch of the tree of
// masks; branches are taken in order, and what counts is the first best mask in that order.
//
// Rounds. A branch is not searched for its best mask at once, but first for one that costs less
// than a target a third of the way from its bound to the best cost known, then halfway from
// there, and so on (see target()).
// A search below a target that ends without a find has proved that no mask of the branch costs less
// than that target; one that ends with a find has proved that none costs less than the find. So
// every branch has a bound from its last search, every mask is in one branch, and the least bound
// of all holds for all trees with a first split. Those without one are known. Where the target is
// low, far more is pruned: the early rounds take little of the time, and a search that is stopped
// in the last one has proved what they did.
//
// Ties. goal(o) is what a mask of the o-th branch must cost less than to be taken, and never rises.
// The branch is closed once its bound is no less. Until then it is searched again, so the mask that
// is taken in the end is the first of the best ones, as if every branch had been searched once.
template <class V>
void RootSearch<V>::run_masks() {
  MaskNode& root = *root_->masks();
  complete_ = root.tree().start(worker_.work());
  if (!complete_ || root.tree().empty()) return;
  const Solution<V> one = solve_single(root);
  if (!control_.stopped()) take_plan(Budget::of(1, 1), one);
  complete_ = !control_.stopped();
  if (budget_.depth < 2 || !complete_) return;
  if (request_.switches.on(Pruning::kIncumbent) && request_.upper_bound == kInfinite)
    plan_masks(root);
  list_branches(root.tree(), MaskTree::kRoot, kBranchLevels);
  complete_ = !control_.stopped();
  if (!complete_) {
    branches_.clear();  // some may be missing
    return;
  }
  first_splits_.resize(best_.size());
  run_threads(std::max(1, request_.threads));
}

// The best single split, in rounds too.
template <class V>
Solution<V> RootSearch<V>::solve_single(MaskNode& root) {
  const Budget single = Budget::of(1, 1);
  const int n = V::budgets_of(single.splits);
  const V leaf = V::constant(std::min(root.leaf(), request_.upper_bound), n);
  const V known = V::constant(request_.lower_bound, n);
  V bound = known;
  if (n > 1) bound.set(0, root.leaf());
  Solution<V> one;
  one.upper = leaf;
  for (int round = 0; any_below(bound, leaf); ++round) {
    const V below = target(leaf, bound, round);
    worker_.solve(single, root, below, known, leaf, nullptr, 0, one);
    if (control_.stopped() || any_below(one.upper, leaf)) break;
    raise_to(bound, below);
    if (budget_.depth > 1) continue;
    raise_to(shown_bound_, bound);
    report();
  }
  return one;
}

// Complete trees of two levels and more, as deep as both budgets allow.
template <class V>
void RootSearch<V>::plan_masks(MaskNode& root) {
  for (int depth = 2; depth <= std::min(budget_.depth, kPlannedLevels); ++depth) {
    if ((1 << depth) - 1 > budget_.splits) break;
    MaskPlanner planner(root, depth, data_.penalty, data_.min_rows, worker_.work());
    const MaskPlan plan = planner.run();
    for (std::size_t k = 0; k < best_.size(); ++k) {
      Best& b = best_[k];
      if (!b.wanted || b.settled || splits_of(k) < plan.splits || plan.cost >= b.proved) continue;
      b.proved = b.cost = plan.cost;
      b.tree = plan.tree;
      EXACTREE_CLAIM(claims::tree("incumbent", *root_, b.tree, b.cost));
      worker_.work().counters.count(Pruning::kIncumbent);
    }
    report();
  }
}

template <class V>
void RootSearch<V>::list_branches(MaskTree& tree, int branch, int levels) {
  const int child = levels == 0 ? MaskTree::Branch::kTwig : tree.open(branch, worker_.work());
  if (child == MaskTree::Branch::kClosed) return;
  if (child == MaskTree::Branch::kTwig) {
    branches_.push_back({branch, V::constant(request_.lower_bound, budgets())});
    return;
  }
  for (int c = 0; c < 2; ++c) list_branches(tree, child + c, levels - 1);
}

template <class V>
void RootSearch<V>::work_on_branches(Worker<V>& worker, MaskNode& root, bool calling) {
  Extractor<V> extractor(worker);
  const V none = V::constant(0, V::budgets_of(budget_.child().splits));
  const V lo[2] = {none, none};
  std::unique_lock lock(mutex_);
  while (!control_.stopped()) {
    const int o = take_branch();
    if (o == kAllBusy) {
      wake_.wait_for(lock, std::chrono::milliseconds(5));
      if (calling) control_.poll();
      continue;
    }
    if (o < 0) break;
    RootBranch& at = branches_[static_cast<std::size_t>(o)];
    MaskSearch<V> search(root, budget_, target(goal(o), at.bound, at.rounds));
    search.in_order = true;
    at.busy = true;
    ++at.rounds;
    lock.unlock();
    worker.search_branch(search, at.branch, lo);
    lock.lock();
    at.busy = false;
    if (control_.stopped()) break;
    raise_to(at.bound, search.best);
    accept_masks(search, o, root, extractor, lock);
    note_bound();
    wake_.notify_all();
  }
  wake_.notify_all();
}

// The next branch in turn that is open and that nobody is at; kNoneOpen or kAllBusy if there is
// none.
template <class V>
int RootSearch<V>::take_branch() {
  bool busy = false;
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    const std::size_t o = next_branch_;
    next_branch_ = (next_branch_ + 1) % branches_.size();
    if (!any_below(branches_[o].bound, goal(static_cast<int>(o)))) continue;
    if (!branches_[o].busy) return static_cast<int>(o);
    busy = true;
  }
  return busy ? kAllBusy : kNoneOpen;
}

// What to find something below in the next round, where nothing is below `bound` and only what is
// below `goal` is of interest.
template <class V>
V RootSearch<V>::target(const V& goal, const V& bound, int round) const {
  V v = goal;
  // The last steps are taken at once. They are longer for deep trees, where rounds help each other
  // less: solved sides are single splits at depth two, which are cheap to find again.
  const Cost last = budget_.depth <= 2 ? 4 : 2;
  for (int k = 0; k < goal.budgets(); ++k) {
    const Cost gap = goal[k] - bound[k];
    if (gap <= 0)
      v.set(k, -kInfinite);
    else if (gap > goal[k] / last + 1)
      v.set(k, goal[k] - (round == 0 ? gap - (gap + 2) / 3 : gap / 2));
  }
  return v;
}

template <class V>
void RootSearch<V>::accept_masks(const MaskSearch<V>& search, int o, Node& root,
                                 Extractor<V>& extractor, std::unique_lock<std::mutex>& lock) {
  const V below = goal(o);
  for (std::size_t k = 0; k < best_.size(); ++k) {
    const MaskSplit<V>& split = search.found[k];
    const Cost cost = search.best[static_cast<int>(k)];
    if (split.id < 0 || !best_[k].wanted || cost >= below[static_cast<int>(k)]) continue;
    best_[k].proved = cost;
    best_[k].owner = o;
    first_splits_[k] = split;
    if (cost >= best_[k].cost) continue;
    lock.unlock();
    Tree tree = tree_at(extractor, root, k, split, cost);
    lock.lock();
    if (control_.stopped()) return;
    if (cost < best_[k].cost) best_[k].cost = cost, best_[k].tree = std::move(tree);
    report();
  }
}

template <class V>
Tree RootSearch<V>::tree_at(Extractor<V>& extractor, Node& root, std::size_t k,
                            const MaskSplit<V>& split, Cost cost) const {
  Tree tree;
  const V* side = split.side;
  extractor.extract_at(root, budget_, splits_of(k), cost,
                       {split.id, MaskNode::kPosition, {side[0], side[1]}}, tree);
  return tree;
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree
