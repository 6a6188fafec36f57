#include "search/columns/rewriter.hpp"

#include <algorithm>

namespace exactree {

template <class V>
Node& Rewriter<V>::side(Node& node, Budget budget, const TreeNode& split, bool right) {
  const int position = node.position_of(split.feature, split.high, 0);
  return worker_.child(node, split.feature, position, !right, budget.depth);
}

template <class V>
Cost Rewriter<V>::rewrite(Node& node, Budget budget, int here, const Tree& from, Tree& to) {
  const TreeNode& split = from[static_cast<std::size_t>(here)];
  if (split.feature < 0 || budget.depth == 0) {
    extractor_.close_leaf(node, to);
    return node.leaf();
  }
  const int position = node.position_of(split.feature, split.high, 0);
  if (position <= 0) return rewrite(node, budget, split.right, from, to);
  if (position >= node.rows()) return rewrite(node, budget, split.left, from, to);
  const bool allowed =
      position >= node.first_allowed(split.feature) && position <= node.last_allowed(split.feature);
  const auto me =
      static_cast<std::size_t>(extractor_.open_split(node, split.feature, position, to));
  const bool pair = budget.depth == 1 && worker_.data().rounds_pairs();
  Cost cost = allowed ? worker_.data().penalty + (pair ? 1 : 0) : kInfinite;
  for (const bool right : {false, true}) {
    Node& below = side(node, budget, split, right);
    const int index = static_cast<int>(to.size());
    (right ? to[me].right : to[me].left) = index;
    cost += rewrite(below, budget.child(), right ? split.right : split.left, from, to);
  }
  return std::min(cost, kInfinite);
}

template class Rewriter<One>;
template class Rewriter<Curve<8>>;
template class Rewriter<Curve<32>>;

}  // namespace exactree
