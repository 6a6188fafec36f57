#include "search/driver/worker.hpp"

#include <algorithm>

#include "search/audit/claims.hpp"

namespace exactree {

template <class V>
Worker<V>::Worker(const Problem& data, Control& control, Switches switches, bool calling_thread)
    : data_(data), control_(control) {
  work_.switches = switches;
  work_.control = &control;
  work_.calling_thread = calling_thread;
}

template <class V>
void Worker<V>::tick(const Node& node) {
  work_.tick(1 + static_cast<std::int64_t>(node.rows()) * node.features() / 4096);
}

template <class V>
Node& Worker<V>::room(const Node& like, int depth, int side) {
  const auto slot = static_cast<std::size_t>(2 * depth + side);
  if (pool_.size() <= slot) pool_.resize(slot + 1);
  if (!pool_[slot]) pool_[slot] = like.make_empty();
  return *pool_[slot];
}

template <class V>
void Worker<V>::leave_rooms() {
  for (auto& room : pool_)
    if (room) control_.use_memory(-room->bytes()), room.reset();
}

template <class V>
Node& Worker<V>::child(Node& node, int f, int p, bool left, int depth) {
  Node& side = room(node, depth, left ? 0 : 1);
  const std::int64_t before = side.bytes();
  if (before == 0) control_.need_memory(node.bytes());
  node.make_child(f, p, left, side, work_);
  if (side.bytes() != before) control_.use_memory(side.bytes() - before);
  work_.count_node();
  return side;
}

// The best single split and its penalty if that is below a cost, else that cost.
template <class V>
Cost Worker<V>::one_split(Node& node, Cost below, bool limited) {
  SideQuery query;
  query.wanted = true;
  query.low = 0;
  query.best = below - data_.penalty;
  node.whole(query, limited, work_);
  return query.best + data_.penalty;
}

// Useful. A tree of s splits costs at least s penalties, so one below `best` has fewer than
// best / penalty splits, and is no deeper than that. Where what a split costs depends on whether it
// is the last that the depth allows (Last pairs in targets/squares.hpp), one more level is left, so
// that none of its splits is.
template <class V>
void Worker<V>::limit_to_useful(const V& best, Budget& budget) {
  if (data_.penalty == 0 || !work_.switches.on(Pruning::kUsefulSplits)) return;
  Cost most = 0;
  for (int k = 0; k < best.budgets(); ++k) most = std::max(most, best[k]);
  const Cost useful = most <= 0 ? 0 : (most - 1) / data_.penalty;
  const Cost levels = useful > 0 && data_.rounds_pairs() ? useful + 1 : useful;
  if (levels >= budget.depth) return;
  work_.counters.count(Pruning::kUsefulSplits);
  budget.depth = static_cast<int>(levels);
}

// Finds what one split achieves, and takes that budget (or, at depth one, every budget) off the
// list of what is sought.
template <class V>
void Worker<V>::settle_one(Node& node, Budget budget, V& best, V& lo, V& upper) {
  const int n = best.budgets(), first = n > 1 ? 1 : 0, last = budget.depth <= 1 ? n - 1 : first;
  Cost below = 0;
  for (int k = first; k <= last; ++k)
    if (lo[k] < best[k]) below = std::max(below, best[k]);
  // At depth zero there is no useful split at all: nothing is below best.
  Cost one = below, real = below;
  if (below > 0 && budget.depth > 0) {
    one = one_split(node, below, false);
    real = subset_holds() || one >= below ? one : one_split(node, below, true);
  }
  for (int k = first; k <= last; ++k) {
    if (lo[k] < best[k]) {
      if (real < std::min(best[k], below)) upper.set(k, real);
      lo.set(k, std::max(lo[k], std::min(one, best[k])));
    }
    best.set(k, -kInfinite);
  }
}

template <class V>
bool Worker<V>::settle_small(Budget& budget, Node& node, V& best, Solution<V>& out) {
  const int n = budgets(budget);
  limit_to_useful(best, budget);
  out.depth = budget.depth;
  // No split and one split need no search. (With split budgets the chains would be slow to find
  // that one split is no better than none, because they bound its two leaves one by one.)
  if (n > 1 || budget.depth <= 1) {
    if (n > 1) out.lower.set(0, node.leaf());
    settle_one(node, budget, best, out.lower, out.upper);
  }
  if (any_below(out.lower, best)) return false;
  raise_to(out.lower, best);
  return true;
}

template <class V>
void Worker<V>::solve(Budget budget, Node& node, const V& cap, const V& known, V hi,
                      const Relatives<V>& relatives, Solution<V>& out) {
  lower_to(hi, V::constant(node.leaf(), budgets(budget)));
  V best = hi;
  lower_to(best, cap);
  out.lower = known;
  out.upper = hi;
  // Nothing to be found between what is known and what is of interest.
  if (!any_below(known, best))
    raise_to(out.lower, best);
  else
    source_->solve(budget, node, best, relatives, out);
  EXACTREE_CLAIM(if (!control_.stopped()) claims::solved(node, budget, cap, out.lower, out.upper));
}

template class Worker<One>;
template class Worker<Curve<8>>;
template class Worker<Curve<32>>;

}  // namespace exactree
