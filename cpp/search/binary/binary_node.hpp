// Nodes whose columns all have two values, and what they do faster than chains of thresholds.
//
// A chain with a single threshold prunes nothing. Instead, trees of up to three levels come from
// counts of pairs of columns, and above those the bounds go from column to column (siblings.hpp)
// and from subproblem to subproblem (archive.hpp). The recursion itself is in binary_source.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "search/columns/greedy_split.hpp"
#include "search/node.hpp"
#include "search/value.hpp"

namespace exactree {

// What solving a node with fewer levels tells about more: per distinct column, in its order.
struct Glance {
  std::vector<Cost> score;  // what splits of this column cost: the lower the better
  std::vector<int> order;   // the columns as they were tried, from the best on
  // What the sides get wrong with no split, and with at most one; times BinaryNode::price().
  std::vector<Cost> leaf[2], single[2];
};

// The columns from the best on. Many were only shown not to beat the best and have equal scores:
// among them, those come first that were tried first, which is what still fewer levels said.
inline std::vector<int> best_first(const Glance& glance, std::size_t columns) {
  std::vector<int> order = glance.order;
  if (order.size() != columns) {
    order.resize(columns);
    std::iota(order.begin(), order.end(), 0);
  }
  if (glance.score.size() == columns)
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return glance.score[static_cast<std::size_t>(a)] < glance.score[static_cast<std::size_t>(b)];
    });
  return order;
}

// A subproblem of depth one to three, put to the kernels of a node.
template <class V>
struct ShallowQuery {
  Budget budget;
  V cap;           // only what costs less is of interest
  V lower, upper;  // what is known of the optimum; out: as after Worker::solve
  // For extraction: only find the first column with a tree below the cap.
  bool first = false;
  int feature = -1;  // out: that column, -1 if there is none,
  V side[2];         // and what the sides of its split cost
  Glance* glance = nullptr;
};

// The most levels that a kernel solves.
inline constexpr int kShallow = 3;

class BinaryNode : public Node {
 public:
  SplitKind kind() const override { return SplitKind::kBinary; }

  // Finds the distinct columns, which everything below needs, and the split positions.
  virtual void open() = 0;
  // The columns that split the rows, one of each group that splits them alike; ascending.
  virtual const std::vector<int>& distinct() const = 0;
  // The rows on the left of the k-th distinct column, and how many of them are on the left of each.
  virtual int left_rows(int k) const = 0;
  virtual void overlaps(int k, std::vector<int>& out) const = 0;
  // The distinct column whose sides have the fewest errors, or the least impurity, as best_split()
  // has it, and what it costs; -1: there is none.
  virtual int best_column(Criterion criterion, Cost* cost) = 0;
  // What one of the numbers of a Glance costs, and what a row costs at most.
  virtual Cost price() const = 0;
  virtual Cost largest() const = 0;
  // The rows as a set of rows of the root.
  virtual const std::vector<std::uint64_t>& row_set() const = 0;

  // False if it was stopped.
  virtual bool shallow(ShallowQuery<One>& query, Workspace& work) = 0;
  virtual bool shallow(ShallowQuery<Curve<8>>& query, Workspace& work) = 0;
};

}  // namespace exactree
