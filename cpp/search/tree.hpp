// Trees as they leave the search.
#pragma once

#include <cstdint>
#include <vector>

namespace exactree {

// One node of a tree, in preorder. The split sends ranks <= low left; high is the lowest rank on
// the right among the rows of the node.
struct TreeNode {
  int feature = -1;  // -1: a leaf
  int low = 0, high = 0;
  int left = -1, right = -1;
  int label = 0;
};

using Tree = std::vector<TreeNode>;

}  // namespace exactree
