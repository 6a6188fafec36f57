// What the search is asked: rows, their ranks in every column, their classes, and the budgets.
#pragma once

#include <cstdint>

#include "search/least_side.hpp"
#include "search/value.hpp"

namespace exactree {

class MaskTree;
class NumberLoss;

// Rank columns and classes of `rows` rows. Nothing else is known of the data: a split of column f
// sends the rows with rank < r left. The arrays belong to the caller.
struct Problem {
  int rows = 0;
  int features = 0;
  int classes = 0;
  const std::int32_t* ranks = nullptr;    // features x rows, dense from 0
  const std::int32_t* labels = nullptr;   // rows, 0 .. classes - 1
  const std::int64_t* weights = nullptr;  // cost of misclassifying each row; null: `unit` for all
  const std::int32_t* counts = nullptr;   // what each row counts for least_side; null: one
  Cost unit = 1;
  Cost penalty = 0;      // cost of a split
  LeastSide least_side;  // what each side of a split has to count
  int max_rank = 0;      // over all columns
  // Costs of their own for every prediction: classes x classes, true class first; null: one for all
  // wrong ones. They are times the weight, and need weights.
  const std::int64_t* costs = nullptr;
  // Costs of every row: rows x classes, what each answer costs for it; not negative. Then there are
  // no labels and no weights: see targets/row_costs.hpp.
  const std::int64_t* row_costs = nullptr;
  // Regression: sums and weights of the rows, and the unit of cost; see squares.hpp. Then `unit` is
  // what floors are counted in.
  const double* sums = nullptr;    // null: classification
  const double* masses = nullptr;  // null: one
  int shift = 0;
  // Regression by another loss: rows and what they cost; then `sums` is null.
  const NumberLoss* loss = nullptr;
  // Side masks (mask_tree.hpp), rank columns among them as thresholds; then there are no columns.
  MaskTree* masks = nullptr;

  bool squared() const { return sums != nullptr; }
  // Whether targets are numbers, not classes.
  bool numbers() const { return squared() || loss != nullptr; }
  // Whether rows can cost far more than what splits differ by.
  bool far_apart() const { return numbers() || priced(); }
  bool priced() const { return row_costs != nullptr; }
  // Whether two leaves can cost one more together than one by one: Last pairs in squares.hpp.
  bool rounds_pairs() const { return numbers() && shift > 0; }
  std::int32_t rank(int f, int row) const {
    return ranks[static_cast<std::size_t>(f) * static_cast<std::size_t>(rows) +
                 static_cast<std::size_t>(row)];
  }
};

// How deep a subtree may be and how many splits it may have; both "at most".
struct Budget {
  int depth = 0;
  int splits = 0;

  // No tree of depth d has more than 2^d - 1 splits, none with k splits is deeper than k.
  static Budget of(int depth, int splits) {
    depth = depth < splits ? depth : splits;
    if (depth < 30 && splits > (1 << depth) - 1) splits = (1 << depth) - 1;
    return {depth, splits};
  }
  Budget child() const { return of(depth - 1, splits - 1); }
};

}  // namespace exactree
