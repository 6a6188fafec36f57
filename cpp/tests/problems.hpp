// Random problems for the native tests, and what their answers should be.
//
// Nothing here uses the search or its audit: the optima come from recursions of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/problem.hpp"
#include "search/tree.hpp"

namespace exactree::tests {

// xorshift64*: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  // Evenly from low to high, both included.
  int draw(int low, int high);
  bool one_in(int n) { return draw(1, n) == 1; }

 private:
  std::uint64_t state_;
};

struct Shape {
  int rows = 1, features = 1, classes = 2;
  int values = 2;      // how many different ones a column has at most
  int noise = 100;     // per cent of the labels that do not follow the values
  bool alike = false;  // every other column differs from the one before in a few rows only
  int stretch = 1;     // ranks are multiples of this, so that they need more than a byte
  bool weighted = false;
  bool counted = false;  // rows stand for several
};

// A problem that owns its arrays.
class Drawn {
 public:
  Drawn(const Shape& shape, Random& random);

  Problem columns() const;
  Cost cost(int row) const;
  int count(int row) const;
  std::string text() const;

  Shape shape;
  Cost unit = 1, penalty = 0;
  int min_rows = 1;
  std::vector<std::int32_t> ranks, labels, counts;
  std::vector<std::int64_t> weights;

 private:
  void draw_column(int f, Random& random);
};

// The optima for at most 0, 1, ..., 2^depth - 1 splits: every tree is tried.
std::vector<Cost> optima(const Drawn& problem, int depth);
// The optimum of two levels, in time rows^2 features^2 classes.
Cost two_levels(const Drawn& problem);
// The optimum of two levels on one column: four intervals, by dynamic programming.
Cost four_intervals(const Drawn& problem);

// What a tree costs; checks that it is well formed and within its limits.
Cost tree_cost(const Drawn& problem, const Tree& tree, int max_depth, int max_splits);

}  // namespace exactree::tests
