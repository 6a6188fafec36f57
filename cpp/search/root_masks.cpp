// The search below the root for side masks.
#include "search/root_search.hpp"

#include <algorithm>

#include "search/claims.hpp"
#include "search/mask_plan.hpp"

namespace exactree {

// Side masks. One split is quick to find. For more, the unit of work is a branch of the tree of
// masks; branches are taken in order, and what counts is the first best mask in that order.
template <class V>
void RootSearch<V>::run_masks() {
  MaskNode& root = *root_->masks();
  const Budget single = Budget::of(1, 1);
  const int n = V::budgets_of(single.splits);
  Solution<V> one;
  const V leaf = V::constant(root.leaf(), n);
  worker_.solve(single, root, leaf, V::constant(0, n), leaf, nullptr, 0, one);
  if (!control_.stopped()) take_plan(single, one);
  complete_ = !control_.stopped();
  if (budget_.depth < 2 || !complete_) return;
  if (request_.switches.on(Pruning::kIncumbent)) plan_masks(root);
  list_branches(root.tree(), MaskTree::kRoot, kBranchLevels);
  complete_ = !control_.stopped();
  if (!complete_) return;
  first_splits_.resize(best_.size());
  run_threads(std::max(1, request_.threads));
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
    branches_.push_back({branch, false});
    return;
  }
  for (int c = 0; c < 2; ++c) list_branches(tree, child + c, levels - 1);
}

template <class V>
void RootSearch<V>::work_on_branches(Worker<V>& worker, MaskNode& root) {
  Extractor<V> extractor(worker);
  const V none = V::constant(0, V::budgets_of(budget_.child().splits));
  const V lo[2] = {none, none};
  std::unique_lock lock(mutex_);
  while (!control_.stopped() && next_branch_ < branches_.size()) {
    const std::size_t o = next_branch_++;
    MaskSearch<V> search(root, budget_, goal(static_cast<int>(o)));
    search.in_order = true;
    lock.unlock();
    worker.search_branch(search, branches_[o].branch, lo);
    lock.lock();
    if (control_.stopped()) return;
    branches_[o].done = true;
    accept_masks(search, static_cast<int>(o), root, extractor, lock);
  }
}

template <class V>
void RootSearch<V>::accept_masks(const MaskSearch<V>& search, int o, Node& root,
                                 Extractor<V>& extractor, std::unique_lock<std::mutex>& lock) {
  const V target = goal(o);
  for (std::size_t k = 0; k < best_.size(); ++k) {
    const MaskSplit<V>& split = search.found[k];
    const Cost cost = search.best[static_cast<int>(k)];
    if (split.id < 0 || !best_[k].wanted || cost >= target[static_cast<int>(k)]) continue;
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
  extractor.extract_at(root, budget_, splits_of(k), cost, split.id, MaskNode::kPosition, split.side,
                       tree);
  return tree;
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree
