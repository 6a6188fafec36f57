// Exact signs of determinants whose rows are points or the generic directions of the enumeration,
// without division: the minors of k + 1 rows are sums of products of an entry and a minor of k
// rows (Laplace expansion along the last row). The classes behind these interfaces are templates of
// the width of their integers, which is chosen from the magnitudes of the coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "geometry/geometry.hpp"
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

// A stack of rows out of the points. The minors of a row are computed when somebody asks.
class RowStack {
 public:
  virtual ~RowStack() = default;
  // Makes the point the row at this depth; what was deeper is forgotten.
  virtual void put(std::size_t depth, std::size_t point) = 0;
  // Whether the point depends linearly on the rows above this depth (which must be independent).
  virtual bool depends(std::size_t depth, std::size_t point) = 0;
  // The sign of det(rows, point), with columns - 1 rows on the stack.
  virtual int sign(std::size_t point) = 0;
};

// Directions in general position to the points: entry (k, c) is random[k * columns + c] times a
// power of two at least as large as the entries of column c.
struct Directions {
  std::vector<std::int64_t> random;
  std::size_t count;
  static constexpr std::size_t kBits = 40;  // random numbers are below 2^kBits
};

// Determinants with rows out of the points and the directions.
class Determinant {
 public:
  virtual ~Determinant() = default;
  // `rows` has one entry per column: a point, or points + k for direction k.
  virtual int sign(const std::vector<std::size_t>& rows) = 0;
};

// The bit length of the largest entry of each column.
std::vector<std::size_t> column_bits(const PointSet& points);

// The bits of integers that hold every minor of the points, sign included. By Hadamard, a
// determinant of n rows with entries up to 1 is at most n^(n/2); take 2^bits out of each column.
std::size_t determinant_bits(const PointSet& points);

// Tables of minors have 2^columns entries: more columns are refused.
inline constexpr std::size_t kMostColumns = 20;
void refuse_many_columns(const PointSet& points);

// The widest integers there are.
inline constexpr std::size_t kLargestWidth = 4096;

// `make` functions throw std::invalid_argument if no width is large enough.
std::unique_ptr<RowStack> make_row_stack(const PointSet& points);
std::unique_ptr<Determinant> make_determinant(const PointSet& points, const Directions& directions);

}  // namespace KERNEL_NAMESPACE
