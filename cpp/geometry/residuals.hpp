// The floating-point filter: what is left of many vectors after some of them were eliminated, each
// number with a bound of its error.
//
// Numbers are pairs (value, radius): the true number lies within radius of value. Let u = 2^-53 be
// the relative error of one operation. Eliminating the pivot row i (values y, radii s; pivot column
// c) from a row (values x, radii r) takes m = x_c / y_c and x - m y.
//   1. The true quotient (x_c + e) / (y_c + f), |e| <= r_c, |f| <= s_c, differs from x_c / y_c by
//      (e - f x_c / y_c) / (y_c + f), and rounding adds u |m|: the radius of m is
//      q = (r_c + |m| s_c) / (|y_c| - s_c) + u |m|.
//   2. The true x + e - (m + g)(y + f), |g| <= q, differs from x - m y by at most
//      r + |m| s + q (|y| + s), and rounding adds u |m y| + u |result|.
// The radii are themselves computed with rounding, but from non-negative terms only, by fewer than
// 32 operations, so relatively within 32 u: the factor kSlack = 1 + 2^-45 covers that, and also
// that kUnit stands for u (1 + u)^2. kTiny covers underflow, of which each operation loses at most
// 2^-1074. A pivot that is not certainly non-zero makes every radius infinite, and comparisons with
// an infinite radius (or NaN) never decide anything.
#pragma once

#include <cstddef>
#include <vector>

#include "bitset.hpp"
#include "geometry/geometry.hpp"
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

inline constexpr double kUnit = 0x1.0001p-53;
inline constexpr double kSlack = 1 + 0x1p-45;
inline constexpr double kTiny = 0x1p-1000;

// `size` vectors of `columns` coordinates, column by column.
class Residuals {
 public:
  void resize(std::size_t columns, std::size_t size) {
    columns_ = columns;
    size_ = size;
    value_.resize(columns * size);
    radius_.resize(columns * size);
  }

  std::size_t columns() const { return columns_; }
  std::size_t size() const { return size_; }
  double* value(std::size_t column) { return value_.data() + column * size_; }
  const double* value(std::size_t column) const { return value_.data() + column * size_; }
  double* radius(std::size_t column) { return radius_.data() + column * size_; }
  const double* radius(std::size_t column) const { return radius_.data() + column * size_; }

  // The sign of what the eliminated rows contribute to a determinant that begins with them.
  int sign = 1;

  // The certain sign of a number, or 0.
  int sign_of(std::size_t column, std::size_t i) const {
    const double x = value(column)[i];
    const double r = radius(column)[i];
    return x > r ? 1 : (x < -r ? -1 : 0);
  }

  // Reads the points, each column divided by a power of two so that its entries are below one, and
  // leaves room for `extra` vectors behind them.
  void load(const PointSet& points, std::size_t extra);

  // Copies the vectors with these indices.
  void gather(const Residuals& from, const std::vector<std::size_t>& members);

 private:
  std::size_t columns_ = 0;
  std::size_t size_ = 0;
  std::vector<double> value_;
  std::vector<double> radius_;
};

// Working memory of the eliminations.
struct Multipliers {
  std::vector<double> value;
  std::vector<double> radius;
};

// Eliminates vector `row` and drops the pivot column, the one where it is largest.
void eliminate(const Residuals& from, std::size_t row, Residuals& to, Multipliers& work);

// The same, but the columns stay where they are and the pivot column, chosen among those with
// free[column], then holds the multipliers: the coefficients of `row` in each vector. Returns it.
std::size_t express(const Residuals& from, std::size_t row, const std::vector<bool>& free,
                    Residuals& to, Multipliers& work);

// The vectors of a residual with two columns, scaled by powers of two so that 1 <= |a| + |b| < 2.
// If e bounds the errors of a and b, then a_p b_q - b_p a_q is computed within g_p + g_q for
// g = 2 e + e^2 + 8 u: the errors of the factors contribute at most
//   (|a_p| + |b_p|) e_q + (|a_q| + |b_q|) e_p + 2 e_p e_q <= 2 e_q + 2 e_p + e_p^2 + e_q^2,
// the three roundings at most (2 + 3 u) u (|a_p b_q| + |b_p a_q|) < 8 u (1 + 2 u), of which g_p +
// g_q hold 16 u.
struct Pencil {
  std::vector<double> a, b, g;

  void assign(const Residuals& two_columns);
  // For every vector q: whether a_p b_q - b_p a_q is computed as positive, and whether its true
  // sign is uncertain. Bits beyond the last vector are undefined.
  void signs(std::size_t p, Word* positive, Word* uncertain) const;
  // The certain sign of a_p b_q - b_p a_q, or 0.
  int sign(std::size_t p, std::size_t q) const;
};

}  // namespace KERNEL_NAMESPACE
