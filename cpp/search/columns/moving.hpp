// A split of a tree moved to where its sides as they are cost least.
//
// Every row then costs what the subtree on its side says of it, so that one pass over every column
// finds the best place of all. Costs are estimates in floating point: whoever takes the tree counts
// it again.
#pragma once

#include <cstddef>
#include <vector>

#include "search/node.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace exactree {

class Moving {
 public:
  Moving(const Problem& data, Workspace& work) : data_(data), work_(work) {}

  // Whether rows cost by themselves, and every split of them is allowed.
  bool possible() const { return data_.loss == nullptr && !data_.least_side.binds(); }
  // Moves a split of the tree; false: it is best where it is. `path` leads to it, right is true.
  // Throws Stopped at a limit.
  bool move(Tree& tree, const std::vector<bool>& path);

 private:
  struct Place {
    int feature = -1, rank = 0;  // rows of a lower rank go left
    double cost = 0;             // of the rows on the left, above what they cost on the right
  };
  bool goes_left(const TreeNode& at, int row) const {
    return data_.rank(at.feature, row) < at.high;
  }
  int leaf_of(const Tree& tree, int at, int row) const;
  int list_rows(const Tree& tree, const std::vector<bool>& path);
  void find_means(const Tree& tree, int at);
  double cost(const Tree& tree, int leaf, int row) const;
  void try_column(int feature, Place& best);

  const Problem& data_;
  Workspace& work_;
  std::vector<int> rows_;      // of the split
  std::vector<double> more_;   // what each costs more on the left
  std::vector<double> means_;  // of leaves, where targets are numbers
  std::vector<double> sums_;   // of a column, by rank
  std::vector<int> counts_;
};

}  // namespace exactree
