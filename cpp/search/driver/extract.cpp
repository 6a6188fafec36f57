#include "search/driver/extract.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/columns/greedy_split.hpp"

namespace exactree {

namespace {
[[noreturn]] void no_tree() {
  throw std::logic_error("exactree: no tree of the proved cost was found; please report this");
}
}  // namespace

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
void Extractor<V>::extract(Node& node, Budget budget, int splits, Cost value, Tree& tree,
                           const Family<V>& family) {
  // Ties: a leaf before a split.
  if (node.leaf() <= value || splits == 0) {
    close_leaf(node, tree);
    return;
  }
  Found found;
  budget = Budget::of(budget.depth, std::min(budget.splits, splits));
  if (node.masks() != nullptr) {
    found = find_mask(*node.masks(), budget, splits, value);
  } else if (node.binary() != nullptr && budget.depth <= kShallow) {
    found = find_shallow(*node.binary(), budget, splits, value);
  } else if (budget.depth == 1) {
    Cost cost = 0;
    const SingleSplit split =
        best_split(node, worker_.data(), Criterion::kErrors, &cost, worker_.work());
    found.feature = split.feature;
    found.position = split.position;
  } else {
    found = find(node, budget, splits, value, family);
  }
  if (worker_.control().stopped() || found.feature < 0) {
    close_leaf(node, tree);
    return;
  }
  extract_sides(node, budget, found, tree);
}

template <class V>
void Extractor<V>::extract_at(Node& node, Budget budget, int splits, Cost value,
                              const SolvedSplit<V>& split, Tree& tree) {
  extract_sides(node, budget, share(split, budget, splits, value), tree);
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
      extract(side, budget.child(), found.splits[s], found.cost[s], tree, found.sides[s]);
  }
}

// How the splits are shared between sides of these costs: the fewest that reach the value, and of
// those the fewest on the left.
template <class V>
typename Extractor<V>::Found Extractor<V>::share(const V hi[2], Budget budget, int splits,
                                                 Cost value) const {
  const int most = budget.child().splits;
  Found found;
  for (int s = 0; s < 2; ++s) found.splits[s] = most, found.cost[s] = hi[s].most();
  if (worker_.budgets(budget) == 1) return found;
  for (int used = 0; used < splits; ++used)
    for (int i = 0; i <= used; ++i) {
      if (hi[0][i] + hi[1][used - i] + worker_.data().penalty > value) continue;
      for (int s = 0; s < 2; ++s) {
        const int mine = s == 0 ? i : used - i;
        found.splits[s] = std::min(mine, most);
        found.cost[s] = hi[s][mine];
      }
      return found;
    }
  return found;
}

template <class V>
typename Extractor<V>::Found Extractor<V>::share(const SolvedSplit<V>& split, Budget budget,
                                                 int splits, Cost value) const {
  Found found = share(split.hi, budget, splits, value);
  found.feature = split.feature;
  found.position = split.position;
  std::copy_n(split.sides, 2, found.sides);
  return found;
}

template <class V>
typename Extractor<V>::Found Extractor<V>::find_shallow(BinaryNode& node, Budget budget, int splits,
                                                        Cost value) {
  const int n = worker_.budgets(budget);
  V cap = V::constant(-kInfinite, n), side[2];
  cap.set(n == 1 ? 0 : splits, value + 1);
  const int feature = worker_.first_column(budget, node, cap, side);
  if (feature < 0) {
    if (!worker_.control().stopped()) no_tree();
    return {};
  }
  Found found = share(side, budget, splits, value);
  found.feature = feature;
  found.position = node.position_of(feature, 1, 0);
  return found;
}

template <class V>
typename Extractor<V>::Found Extractor<V>::find_mask(MaskNode& node, Budget budget, int splits,
                                                     Cost value) {
  Found found;
  found.position = MaskNode::kPosition;
  if (budget.depth == 1) {
    const MaskPlace first = node.first_mask(value - worker_.data().penalty, worker_.work());
    if (first.found()) found.feature = static_cast<int>(node.tree().id(first));
  } else {
    const int n = worker_.budgets(budget), k = n == 1 ? 0 : splits;
    V below = V::constant(-kInfinite, n);
    below.set(k, value + 1);
    MaskSearch<V> search(node, budget, below);
    search.in_order = search.first_only = true;
    const V none = V::constant(0, worker_.budgets(budget.child()));
    const V lo[2] = {none, none};
    worker_.search_branch(search, MaskTree::kRoot, lo);
    const MaskSplit<V>& split = search.found[static_cast<std::size_t>(k)];
    if (split.id >= 0) found = share(split.side, budget, splits, value);
    found.feature = split.id;
    found.position = MaskNode::kPosition;
  }
  if (found.feature < 0 && !worker_.control().stopped()) no_tree();
  return found;
}

template <class V>
int Extractor<V>::first_threshold(Frame<V>& frame, Chain<V>& chain, int feature, int k,
                                  Cost value) {
  V best = V::constant(-kInfinite, worker_.budgets(frame.budget));
  best.set(k, value + 1);
  Job<V> job;
  Counters& counters = worker_.work().counters;
  chain.doubt(k, value);
  int found = chain.first_at_most(k, value);
  chain.reopen(found < 0 ? frame.node->rows() : chain.entry(found).position);
  while (!worker_.control().stopped() && chain.pick(best, job.task, counters)) {
    worker_.prepare(frame, chain, best, job);
    worker_.evaluate(frame, feature, job);
    if (worker_.control().stopped()) break;
    if (worker_.commit(frame, chain, job)[k] > value) continue;
    found = job.task.entry;
    chain.reopen(job.task.position);
  }
  return found;
}

template <class V>
SolvedSplit<V> Extractor<V>::split_at(const Frame<V>& frame, const Chain<V>& chain, int entry) {
  const Threshold<V>& e = chain.entry(entry);
  SolvedSplit<V> split{chain.context().feature, e.position, {e.hi[0], e.hi[1]}};
  for (int s = 0; s < 2; ++s) {
    Family<V>& side = split.sides[s];
    side.count = chain.relatives(entry, s, frame.kids, side.relatives);
    if (e.kid[s] < 0) continue;
    side.relatives[side.count++] = {frame.kids[static_cast<std::size_t>(e.kid[s])].get()};
  }
  return split;
}

// Whatever the family knows only rules thresholds out: the first of the others stays the first.
template <class V>
typename Extractor<V>::Found Extractor<V>::find(Node& node, Budget budget, int splits, Cost value,
                                                const Family<V>& family) {
  const int k = worker_.budgets(budget) == 1 ? 0 : splits;
  if (node.binary() != nullptr) node.binary()->open();
  const int relatives = worker_.work().switches.on(Pruning::kTransfer) ? family.count : 0;
  Frame<V> frame{&node, budget, {}};
  Chain<V> chain;
  Found found;
  for (int f = 0; f < node.features() && found.feature < 0; ++f) {
    chain.start(worker_.context(frame, f), family.relatives, relatives, budget.child().depth <= 1,
                worker_.work().counters);
    const int at = first_threshold(frame, chain, f, k, value);
    if (worker_.control().stopped()) return {};
    if (at >= 0) found = share(split_at(frame, chain, at), budget, splits, value);
  }
  if (found.feature < 0) no_tree();
  worker_.control().use_memory(-frame.bytes);
  found.kids = std::move(frame.kids);
  return found;
}

template class Extractor<One>;
template class Extractor<Curve<8>>;
template class Extractor<Curve<32>>;

}  // namespace exactree
