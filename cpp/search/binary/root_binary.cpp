// What the search below the root does for columns of two values.
#include "search/driver/root.hpp"

#include <algorithm>

#include "search/audit/claims.hpp"

namespace exactree {

// Problem of two values: the tree of one level less is an optimum that is quick to find, and says
// much about the columns. Trees of a few levels are solved at once.
template <class V>
void RootSearch<V>::plan_binary() {
  BinaryNode& root = *root_->binary();
  solved_ = budget_.depth <= kShallow;
  const int n = V::budgets_of(budget_.child().splits);
  const auto& distinct = root.distinct();
  siblings_.start(
      static_cast<int>(distinct.size()), [&](int k) { return root.left_rows(k); }, root.rows(),
      data_.unit, n);
  if (solved_ || request_.switches.on(Pruning::kIncumbent)) {
    Glance glance;
    const Budget less = Budget::of(solved_ ? budget_.depth : budget_.depth - 1, budget_.splits);
    Solution<V> ahead;
    ahead.lower = V::constant(0, V::budgets_of(less.splits));
    ahead.upper = V::constant(root.leaf(), V::budgets_of(less.splits));
    if (!worker_.solve_binary(less, root, ahead.upper, ahead, &glance)) return;
    take_plan(less, ahead);
    if (!solved_ && request_.switches.on(Pruning::kSibling)) {
      V all = V::constant(0, n);
      raise_to(all, ahead.lower);
      siblings_.learn_all(all);
    }
    order_.clear();
    for (const int k : best_first(glance, distinct.size()))
      order_.push_back(distinct[static_cast<std::size_t>(k)]);
  }
  order_ = complete(order_);
}

// The place of the o-th column among the distinct ones of two values.
template <class V>
int RootSearch<V>::place(std::size_t o) const {
  const auto& distinct = root_->binary()->distinct();
  return static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), order_[o]) -
                          distinct.begin());
}

// Problem of two values: what their siblings say. See siblings.hpp.
template <class V>
bool RootSearch<V>::barred_by_siblings(std::size_t o, const Task<V>& task, const V& target,
                                       Worker<V>& worker) {
  if (root_->binary() == nullptr || !request_.switches.on(Pruning::kSibling)) return false;
  auto& entry = chains_[o]->entry(task.entry);
  for (int s = 0; s < 2; ++s) raise_to(entry.lo[s], siblings_.lower(place(o), s));
  EXACTREE_CLAIM(
      claims::sides(Pruning::kSibling, chains_[o]->context(), entry.position, entry.lo, entry.hi));
  if (any_below(chains_[o]->cost_below(entry), target)) return false;
  worker.work().counters.count(Pruning::kSibling);
  chains_[o]->commit(task);
  return true;
}

template <class V>
void RootSearch<V>::tell_siblings(std::size_t o, const Task<V>& task) {
  BinaryNode* root = root_->binary();
  if (root == nullptr || !request_.switches.on(Pruning::kSibling)) return;
  const auto& entry = chains_[o]->entry(task.entry);
  std::vector<int> both;
  root->overlaps(place(o), both);
  siblings_.learn(place(o), entry.lo[0], entry.lo[1], both.data());
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree
