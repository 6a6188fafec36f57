#include "search/sparse/sparse.hpp"

#include <algorithm>
#include <vector>

namespace exactree {

namespace {

int depth_of(const Tree& tree, int node) {
  const TreeNode& n = tree[static_cast<std::size_t>(node)];
  return n.feature < 0 ? 0 : 1 + std::max(depth_of(tree, n.left), depth_of(tree, n.right));
}

// Notes the ranks on both sides of every split that are nearest to each other.
void note_ranks(const Problem& data, Tree& tree) {
  std::vector<int> below(tree.size(), -1), above(tree.size(), data.rows);
  for (int i = 0; i < data.rows; ++i)
    for (std::size_t n = 0; tree[n].feature >= 0;) {
      const int rank = data.rank(tree[n].feature, i);
      const bool left = rank <= tree[n].low;
      if (left) below[n] = std::max(below[n], rank);
      if (!left) above[n] = std::min(above[n], rank);
      n = static_cast<std::size_t>(left ? tree[n].left : tree[n].right);
    }
  for (std::size_t n = 0; n < tree.size(); ++n)
    if (tree[n].feature >= 0) tree[n].low = below[n], tree[n].high = above[n];
}

}  // namespace

SearchResult search_sparse(const Problem& data, int max_depth, Switches switches, MakeSparse make,
                           Control& control, SearchProgress& progress) {
  SearchResult result;
  if (const auto search = make(data, switches)) search->run(control, progress, result);
  if (!result.answers.empty() && depth_of(result.answers[0].tree, 0) > max_depth)
    result.answers.clear();
  for (SearchAnswer& answer : result.answers) note_ranks(data, answer.tree);
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree
