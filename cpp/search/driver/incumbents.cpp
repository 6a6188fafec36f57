#include "search/driver/incumbents.hpp"

#include <algorithm>
#include <utility>

#include "search/audit/claims.hpp"

namespace exactree {

template <class V>
Incumbents<V>::Incumbents(const SearchRequest& request, Budget budget, Control& control,
                          SearchProgress& progress, SearchResult& result)
    : request_(request),
      budget_(budget),
      control_(control),
      progress_(progress),
      result_(result),
      bound_(V::constant(0, V::budgets_of(budget.splits))) {
  best_.resize(static_cast<std::size_t>(V::budgets_of(budget.splits)));
  unwritten_.resize(best_.size());
  for (std::size_t k = 0; k < best_.size(); ++k)
    best_[k].wanted = request.sizes || k + 1 == best_.size();
}

template <class V>
V Incumbents<V>::goal(int place) const {
  V v = V::constant(-kInfinite, static_cast<int>(best_.size()));
  for (std::size_t k = 0; k < best_.size(); ++k)
    if (best_[k].wanted && !best_[k].settled && !reached(best_[k], place))
      v.set(static_cast<int>(k), best_[k].value + (best_[k].place > place ? 1 : 0));
  return v;
}

// Nothing is below the bound known beforehand; only a tie in an earlier place could matter. A
// heuristic's tree of that cost ends the search, whatever its place: the next may take long.
template <class V>
bool Incumbents<V>::reached(int place) const {
  return std::all_of(best_.begin(), best_.end(),
                     [&](const Incumbent& b) { return reached(b, place); });
}

template <class V>
void Incumbents<V>::start(Cost leaf, int label) {
  Tree tree(1);
  tree[0].label = label;
  for (Incumbent& b : best_) {
    b.cost = leaf;
    b.value = std::min(leaf, request_.upper_bound);
    b.tree = tree;
  }
  if (best_.size() > 1) settle(0);  // no split
}

// A tree that was shown while a plan was made may cost less than the plan that was taken in the
// end: it stays what a search that is stopped has found.
template <class V>
void Incumbents<V>::take_tree(std::size_t k, Cost cost, Tree tree, int place) {
  best_[k].value = cost;
  best_[k].place = place;
  if (cost > best_[k].cost) return;
  best_[k].cost = cost;
  best_[k].tree = std::move(tree);
}

template <class V>
void Incumbents<V>::settle_tree(std::size_t k, Tree tree) {
  best_[k].cost = best_[k].value;
  best_[k].tree = std::move(tree);
}

template <class V>
void Incumbents<V>::limit(const V& cap) {
  for (std::size_t k = 0; k < best_.size(); ++k)
    if (cap[static_cast<int>(k)] < best_[k].value) {
      best_[k].value = cap[static_cast<int>(k)];
      best_[k].place = kKnownBefore;
    }
}

template <class V>
bool Incumbents<V>::take_value(std::size_t k, Cost cost, int place, const V& goal) {
  if (!best_[k].wanted || cost >= goal[static_cast<int>(k)]) return false;
  best_[k].value = cost;
  best_[k].place = place;
  return true;
}

template <class V>
void Incumbents<V>::write_later(std::size_t k, const SolvedSplit<V>& split) {
  unwritten_[k] = {k, best_[k].value, split};
}

template <class V>
typename Incumbents<V>::Unwritten Incumbents<V>::next_unwritten() {
  for (Unwritten& at : unwritten_)
    if (at.split.feature >= 0) return std::exchange(at, {});
  return {};
}

template <class V>
void Incumbents<V>::written(std::size_t k, Cost cost, Tree tree) {
  if (cost < best_[k].cost) best_[k].cost = cost, best_[k].tree = std::move(tree);
  report();
}

template <class V>
bool Incumbents<V>::raise_bound(const V& bound) {
  const Cost before = bound_.most();
  raise_to(bound_, bound);
  return bound_.most() > before;
}

template <class V>
void Incumbents<V>::report() {
  const Incumbent& last = best_.back();
  const Cost proved = std::min(std::max(request_.lower_bound, bound_.most()), last.value);
  const Cost cost = last.cost + request_.offset, bound = proved + request_.offset;
  progress_.objective = cost;
  progress_.lower_bound = bound;
  result_.history.emplace_back(control_.seconds(), cost, bound);
}

template <class V>
void Incumbents<V>::answer([[maybe_unused]] const Node& root) {
  for (std::size_t k = 0; k < best_.size(); ++k) {
    Incumbent& b = best_[k];
    if (!b.wanted) continue;
    const Cost open = b.settled ? kInfinite : bound_[static_cast<int>(k)];
    const Cost lower = std::max(request_.lower_bound, std::min(b.value, open));
    EXACTREE_CLAIM(claims::tree("extract", root, b.tree, b.cost));
    EXACTREE_CLAIM(claims::answer(root, budget_, best_.size() > 1 ? static_cast<int>(k) : -1,
                                  b.cost, std::min(lower, b.cost)));
    result_.answers.push_back({b.cost, std::min(lower, b.cost), std::move(b.tree)});
  }
  const bool closed = std::all_of(result_.answers.begin(), result_.answers.end(),
                                  [](const auto& a) { return a.objective == a.lower_bound; });
  if (closed) result_.status = Status::kOptimal;
  for (auto& answer : result_.answers) {
    answer.objective += request_.offset;
    answer.lower_bound += request_.offset;
  }
  const auto& last = result_.answers.back();
  result_.history.emplace_back(control_.seconds(), last.objective, last.lower_bound);
}

template class Incumbents<One>;
template class Incumbents<Curve<8>>;
template class Incumbents<Curve<32>>;

}  // namespace exactree
