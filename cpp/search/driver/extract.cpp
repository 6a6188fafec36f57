#include "search/driver/extract.hpp"

#include <algorithm>

namespace exactree {

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
Cost Extractor<V>::close_side(Node& node, const SideAt& at, Cost most, Tree& tree) {
  if (node.kind() != SplitKind::kColumns) {
    if (most != kAny) return -1;
    const Node& leaf = worker_.child(node, at.feature, at.position, at.side == 0, at.depth);
    close_leaf(leaf, tree);
    return leaf.leaf();
  }
  Workspace& work = worker_.work();
  node.part(at.feature, at.position, work);
  if (work.side_leaf[at.side] > most) return -1;
  tree.push_back({});
  tree.back().label = node.side_label(at.side, work);
  return work.side_leaf[at.side];
}

template <class V>
Cost Extractor<V>::extract(Node& node, Budget budget, int splits, Cost value, Tree& tree,
                           const Relatives<V>& relatives) {
  // Ties: a leaf before a split.
  if (node.leaf() <= value || splits == 0) {
    close_leaf(node, tree);
    return node.leaf();
  }
  budget = Budget::of(budget.depth, std::min(budget.splits, splits));
  splits = std::min(splits, budget.splits);
  const ChosenSplit<V> chosen =
      worker_.source().first_split(node, budget, splits, value, relatives);
  if (worker_.control().stopped() || chosen.feature < 0) {
    close_leaf(node, tree);
    return node.leaf();
  }
  return extract_sides(node, budget, chosen, tree);
}

template <class V>
Cost Extractor<V>::extract_at(Node& node, Budget budget, int splits, Cost value,
                              const SolvedSplit<V>& split, Tree& tree) {
  const ChosenSplit<V> chosen = worker_.source().share(split, budget, splits, value);
  const Cost cost = extract_sides(node, budget, chosen, tree);
  // Two leaves may cost one more together than one by one: then the value is as good.
  return worker_.data().rounds_pairs() ? value : cost;
}

template <class V>
Cost Extractor<V>::extract_sides(Node& node, Budget budget, const ChosenSplit<V>& chosen,
                                 Tree& tree) {
  const int me = open_split(node, chosen.feature, chosen.position, tree);
  Cost cost = worker_.data().penalty;
  for (int s = 0; s < 2; ++s) {
    const int index = static_cast<int>(tree.size());
    TreeNode& at = tree[static_cast<std::size_t>(me)];
    (s == 0 ? at.left : at.right) = index;
    const bool last = budget.depth == 1 || chosen.splits[s] == 0;
    const SideAt side_at{chosen.feature, chosen.position, s, budget.depth};
    const Cost leaf = close_side(node, side_at, last ? kAny : chosen.cost[s], tree);
    if (leaf >= 0) {
      cost += leaf;
      continue;
    }
    // One pool slot per depth and side: the left subtree is finished before the right one starts.
    Node& side = worker_.child(node, chosen.feature, chosen.position, s == 0, budget.depth);
    cost += extract(side, budget.child(), chosen.splits[s], chosen.cost[s], tree, chosen.sides[s]);
  }
  return cost;
}

template class Extractor<One>;
template class Extractor<Curve<8>>;
template class Extractor<Curve<32>>;

}  // namespace exactree
