#include "search/extract.hpp"

#include <numeric>
#include <stdexcept>

#include "search/splits.hpp"

namespace exactree {

template <class V>
Extractor<V>::Extractor(const Columns& data, Control& control, Switches switches)
    : worker_(data, control, switches, true) {}

template <class V>
int Extractor<V>::close_leaf(const Node& node, Tree& tree) {
  tree.push_back({});
  tree.back().label = node.label();
  return static_cast<int>(tree.size()) - 1;
}

template <class V>
int Extractor<V>::open_split(Node& node, int feature, int position, Tree& tree) {
  const int me = close_leaf(node, tree);
  tree.back().feature = feature;
  tree.back().low = node.rank_at(feature, position - 1);
  tree.back().high = node.rank_at(feature, position);
  return me;
}

template <class V>
void Extractor<V>::extract(Node& node, Budget budget, int splits, Cost value,
                           const std::vector<int>& columns, Tree& tree) {
  // Ties: a leaf before a split.
  if (node.leaf() <= value || splits == 0) {
    close_leaf(node, tree);
    return;
  }
  Found found;
  budget = Budget::of(budget.depth, std::min(budget.splits, splits));
  if (budget.depth == 1) {
    Cost cost = 0;
    const SingleSplit split = best_split(node, worker_.data().classes, Criterion::kErrors, &cost);
    found.feature = split.feature;
    found.position = split.position;
  } else {
    found = find(node, budget, splits, value, columns);
  }
  if (worker_.control().stopped() || found.feature < 0) {
    close_leaf(node, tree);
    return;
  }
  extract_sides(node, budget, found, tree);
}

template <class V>
void Extractor<V>::extract_at(Node& node, Budget budget, int splits, Cost value, int feature,
                              int position, const V hi[2], Tree& tree) {
  Found found = share(hi, budget, splits, value);
  found.feature = feature;
  found.position = position;
  extract_sides(node, budget, found, tree);
}

template <class V>
void Extractor<V>::extract_sides(Node& node, Budget budget, const Found& found, Tree& tree) {
  const int me = open_split(node, found.feature, found.position, tree);
  for (int s = 0; s < 2; ++s) {
    // One pool slot per depth and side: the left subtree is finished before the right one starts.
    Node& side = worker_.child(node, found.feature, found.position, s == 0, budget.depth);
    const int index = static_cast<int>(tree.size());
    TreeNode& at = tree[static_cast<std::size_t>(me)];
    (s == 0 ? at.left : at.right) = index;
    if (budget.depth == 1)
      close_leaf(side, tree);
    else
      extract(side, budget.child(), found.splits[s], found.cost[s], {}, tree);
  }
}

// How the splits are shared between sides of these costs: the fewest that reach the value, and of
// those the fewest on the left.
template <class V>
typename Extractor<V>::Found Extractor<V>::share(const V hi[2], Budget budget, int splits,
                                                 Cost value) const {
  const int most = budget.child().splits;
  Found found{-1, 0, {most, most}, {hi[0].most(), hi[1].most()}};
  if (worker_.budgets(budget) == 1) return found;
  for (int used = 0; used < splits; ++used)
    for (int i = 0; i <= used; ++i)
      if (hi[0][i] + hi[1][used - i] + worker_.data().penalty <= value)
        return {-1, 0, {std::min(i, most), std::min(used - i, most)}, {hi[0][i], hi[1][used - i]}};
  return found;
}

// The first split, in the order of the chains, that costs at most `value`.
template <class V>
typename Extractor<V>::Found Extractor<V>::find(Node& node, Budget budget, int splits, Cost value,
                                                const std::vector<int>& columns) {
  const int n = worker_.budgets(budget), k = n == 1 ? 0 : splits;
  V best = V::constant(-kInfinite, n);
  best.set(k, value + 1);
  std::vector<int> order = columns;
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(node.features()));
    std::iota(order.begin(), order.end(), 0);
  }
  Frame<V> frame{&node, budget, {}};
  auto chain = std::make_unique<Chain<V>>();
  auto job = std::make_unique<Job<V>>();
  Counters& counters = worker_.work().counters;
  for (const int f : order) {
    chain->start(worker_.context(frame, f), nullptr, 0, true, counters);
    while (!worker_.control().stopped() && chain->pick(best, job->task, counters)) {
      worker_.prepare(frame, *chain, best, *job);
      worker_.evaluate(frame, f, *job);
      if (worker_.control().stopped()) break;
      const V cost = worker_.commit(frame, *chain, *job);
      if (cost[k] > value) continue;
      Found found = share(chain->entry(job->task.entry).hi, budget, splits, value);
      found.feature = f;
      found.position = job->task.position;
      return found;
    }
  }
  if (!worker_.control().stopped())
    throw std::logic_error("exactree: no tree of the proved cost was found; please report this");
  return {};
}

template class Extractor<One>;
template class Extractor<Curve<8>>;
template class Extractor<Curve<32>>;

}  // namespace exactree
