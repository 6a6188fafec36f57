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
    // One pool slot per depth and side: the left subtree is finished before the right one starts.
    Node& side = worker_.child(node, chosen.feature, chosen.position, s == 0, budget.depth);
    const int index = static_cast<int>(tree.size());
    TreeNode& at = tree[static_cast<std::size_t>(me)];
    (s == 0 ? at.left : at.right) = index;
    if (budget.depth == 1)
      close_leaf(side, tree), cost += side.leaf();
    else
      cost +=
          extract(side, budget.child(), chosen.splits[s], chosen.cost[s], tree, chosen.sides[s]);
  }
  return cost;
}

template class Extractor<One>;
template class Extractor<Curve<8>>;
template class Extractor<Curve<32>>;

}  // namespace exactree
