#include "search/sparse/sparse.hpp"

#include <algorithm>

namespace exactree {

namespace {

int depth_of(const Tree& tree, int node) {
  const TreeNode& n = tree[static_cast<std::size_t>(node)];
  return n.feature < 0 ? 0 : 1 + std::max(depth_of(tree, n.left), depth_of(tree, n.right));
}

}  // namespace

SearchResult search_sparse(const Problem& data, int max_depth, Switches switches, MakeSparse make,
                           Control& control, SearchProgress& progress) {
  SearchResult result;
  if (const auto search = make(data, switches)) search->run(control, progress, result);
  if (!result.answers.empty() && depth_of(result.answers[0].tree, 0) > max_depth)
    result.answers.clear();
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree
