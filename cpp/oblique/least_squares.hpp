// Least squares over the rows of a node: points, their products, and the systems to solve.
#pragma once

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

// Eight numbers side by side. The order in which products are summed is fixed on every machine.
typedef double Doubles __attribute__((vector_size(64)));

inline void read_doubles(const double* from, Doubles& x) {
  std::memcpy(&x, from, sizeof x);
}
inline double sum_of(const Doubles& lanes) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// The products of one column with `Many` others, `room` apart: several sums at once, as each has to
// wait for its last term.
template <std::size_t Many>
void products(const double* a, const double* others, std::size_t room, double* out) {
  Doubles sums[Many] = {};
  for (std::size_t i = 0; i < room; i += 8) {
    Doubles x, y;
    read_doubles(a + i, x);
    for (std::size_t k = 0; k < Many; ++k) {
      read_doubles(others + k * room + i, y);
      sums[k] += x * y;
    }
  }
  for (std::size_t k = 0; k < Many; ++k) out[k] = sum_of(sums[k]);
}

// The points near the plane, with the constant, column by column, filled up by zeros; their
// weights, and the weights with the signs of the wishes.
struct Points {
  std::size_t columns, rows, room;
  std::vector<double> values, weights, wishes;
  double total = 0;

  Points(const NodeRows& all, const std::vector<int>& chosen, std::vector<double> theirs,
         const Wishes& wanted)
      : columns(static_cast<std::size_t>(all.columns()) + 1),
        rows(chosen.size()),
        room((rows + 7) / 8 * 8),
        values(columns * room),
        weights(std::move(theirs)),
        wishes(room) {
    for (std::size_t j = 0; j + 1 < columns; ++j) {
      const double* z = all.column(static_cast<int>(j));
      for (std::size_t a = 0; a < rows; ++a) values[j * room + a] = z[chosen[a]];
    }
    for (std::size_t a = 0; a < rows; ++a) {
      const double w = weights[a];
      values[(columns - 1) * room + a] = 1;
      wishes[a] = wanted[static_cast<std::size_t>(chosen[a])] > 0 ? w : -w;
      total += w;
    }
  }
  const double* column(std::size_t j) const { return &values[j * room]; }
};

// The weighted products of all pairs of columns, below the diagonal.
inline std::vector<double> products_of_columns(const Points& points) {
  const std::size_t n = points.columns, room = points.room;
  std::vector<double> gram(n * n), weighted(room);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < points.rows; ++a)
      weighted[a] = points.weights[a] * points.column(i)[a];
    std::size_t j = 0;
    for (; j + 4 <= i + 1; j += 4)
      products<4>(weighted.data(), points.column(j), room, &gram[i * n + j]);
    for (; j <= i; ++j) products<1>(weighted.data(), points.column(j), room, &gram[i * n + j]);
  }
  return gram;
}

// The products of all pairs of points, below the diagonal.
inline std::vector<double> products_of_rows(const Points& points) {
  const std::size_t m = points.rows;
  std::vector<double> gram(m * m);
  for (std::size_t j = 0; j < points.columns; ++j) {
    const double* x = points.column(j);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b <= a; ++b) gram[a * m + b] += x[a] * x[b];
  }
  return gram;
}

// Cholesky's factor of a symmetric matrix, in place, below the diagonal; false if it is not
// positive definite.
inline bool factorise(std::vector<double>& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i != j)
        a[i * n + j] = sum / a[j * n + j];
      else if (sum > 0)
        a[i * n + i] = std::sqrt(sum);
      else
        return false;
    }
  return true;
}

// Solves L x = b for a factor L, in place.
inline void solve_lower(const std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
}

// Solves L' x = b.
inline void solve_upper(const std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

inline bool solve_symmetric(std::vector<double>& a, std::vector<double>& b) {
  if (!factorise(a, b.size())) return false;
  solve_lower(a, b);
  solve_upper(a, b);
  return true;
}

// The plane w that is least in sum g (z.w - s)^2 + ridge w.w, s the sign of a wish and g the weight
// of its row: (Z' G Z + ridge) w = Z' G s.
inline bool by_columns(const Points& points, double ridge, Plane& plane) {
  const std::size_t n = points.columns;
  std::vector<double> gram = products_of_columns(points);
  plane.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    products<1>(points.wishes.data(), points.column(i), points.room, &plane[i]);
    gram[i * n + i] += ridge;
  }
  return solve_symmetric(gram, plane);
}

// The same where there are fewer rows than columns: w = Z' R v with (R Z Z' R + ridge) v = R s, R
// the roots of the weights. For then Z' G Z w + ridge w = Z' R (R Z Z' R + ridge) v = Z' G s.
inline bool by_rows(const Points& points, double ridge, Plane& plane) {
  const std::size_t m = points.rows;
  std::vector<double> gram = products_of_rows(points), roots(m), v(m), out(points.room);
  for (std::size_t a = 0; a < m; ++a) {
    roots[a] = std::sqrt(points.weights[a]);
    v[a] = points.wishes[a] > 0 ? roots[a] : -roots[a];
  }
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b <= a; ++b) gram[a * m + b] *= roots[a] * roots[b];
    gram[a * m + a] += ridge;
  }
  if (!solve_symmetric(gram, v)) return false;
  for (std::size_t a = 0; a < m; ++a) out[a] = roots[a] * v[a];
  plane.resize(points.columns);
  for (std::size_t j = 0; j < points.columns; ++j)
    products<1>(out.data(), points.column(j), points.room, &plane[j]);
  return true;
}

inline bool least_squares_plane(const Points& points, double ridge, Plane& plane) {
  return points.rows < points.columns ? by_rows(points, ridge, plane)
                                      : by_columns(points, ridge, plane);
}

}  // namespace KERNEL_NAMESPACE
