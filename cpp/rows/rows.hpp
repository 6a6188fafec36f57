// Rows before and after a search: ranks of values, their canonical order, their way down a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace exactree {

// Gives the dense rank, from 0, of each of n finite values; equal values, -0.0 and 0.0 among them,
// share one.
class Ranker {
 public:
  explicit Ranker(std::size_t n) : keys_(n), order_(n), scratch_(2 * n) {}
  void rank(const double* values, std::int32_t* ranks);

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> scratch_;
};

// Sorts places (numbers below n) by their keys, equal keys by place. `order` holds the places, and
// `scratch` has room for twice as many words.
void sort_places(const std::uint64_t* keys, std::uint32_t* order, std::size_t n,
                 std::uint64_t* scratch);

// The rows in the order of their ranks, column by column, then of their labels. Places of equal
// rows stay in order. points[i] numbers the distinct ranks; first[i]: ranks or label are new.
struct RowOrder {
  std::vector<std::uint32_t> order;
  std::vector<std::int32_t> points;
  std::vector<std::uint8_t> first;
};
RowOrder sort_rows(const std::int32_t* columns, std::size_t features, std::size_t rows,
                   const std::int32_t* labels);

// The least and the greatest of one rank or more.
std::pair<std::int32_t, std::int32_t> extremes(const std::int32_t* ranks, std::size_t n);

// Tells two values of every column of a table (rows x features) apart: `ranks` (features x rows)
// has a 1 where the value is the higher one. Returns the first column of more than two values, or
// -1.
std::ptrdiff_t tell_two_values(const double* table, std::size_t rows, std::size_t features,
                               double* low, double* high, std::int32_t* ranks);

// A tree in preorder whose node i sends rows of table[feature] <= threshold left, and rows of a
// missing value (NaN) if missing_left; feature -1: a leaf.
struct ThresholdTree {
  const std::int32_t* feature;
  const double* threshold;
  const std::uint8_t* missing_left;
  const std::int32_t* left;
  const std::int32_t* right;
};
// Gives the node that every row ends in; strides count values.
void route(const ThresholdTree& tree, const double* table, std::size_t rows,
           std::ptrdiff_t row_stride, std::ptrdiff_t column_stride, std::int64_t* ends);

}  // namespace exactree
