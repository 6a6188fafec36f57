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

// The products of some vectors with others, all `room` apart: `out` has a row, `stride` apart,
// for each of the first. Several sums at once, as each has to wait for its last term, and each
// vector that is read serves several of them.
template <std::size_t Some, std::size_t Others>
void products(const double* a, const double* others, std::size_t room, std::size_t stride,
              double* out) {
  Doubles sums[Some][Others] = {};
  for (std::size_t i = 0; i < room; i += 8) {
    Doubles x[Some];
    for (std::size_t j = 0; j < Some; ++j) read_doubles(a + j * room + i, x[j]);
    for (std::size_t k = 0; k < Others; ++k) {
      Doubles y;
      read_doubles(others + k * room + i, y);
      for (std::size_t j = 0; j < Some; ++j) sums[j][k] += x[j] * y;
    }
  }
  for (std::size_t j = 0; j < Some; ++j)
    for (std::size_t k = 0; k < Others; ++k) out[j * stride + k] = sum_of(sums[j][k]);
}

// Those of vectors first .. first + Some - 1 with all up to themselves, below the diagonal of
// `out`. `a` has the first of them, perhaps weighted.
template <std::size_t Some>
void products_below(const double* a, const double* all, std::size_t first, std::size_t room,
                    std::size_t stride, double* out) {
  double* row = out + first * stride;
  std::size_t k = 0;
  for (; k + 4 <= first + 1; k += 4) products<Some, 4>(a, all + k * room, room, stride, row + k);
  for (std::size_t j = 0; j < Some; ++j)
    for (std::size_t l = k; l <= first + j; ++l)
      products<1, 1>(a + j * room, all + l * room, room, stride, row + j * stride + l);
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

// So many vectors are multiplied with others at once: as many as there are registers for.
#if EXACTREE_SIMD512
constexpr std::size_t kTogether = 4;
#else
constexpr std::size_t kTogether = 2;
#endif

// Of so many columns or rows, each step of a system is worth a look at the clock.
constexpr std::size_t kLargeSystem = 128;

inline bool gives_up(Pace* pace, std::size_t size) {
  return pace != nullptr && size >= kLargeSystem && pace->stopped();
}

// The weighted products of all pairs of columns, below the diagonal. If it gave up, not all of
// them.
inline std::vector<double> products_of_columns(const Points& points, Pace* pace = nullptr) {
  const std::size_t n = points.columns, room = points.room;
  std::vector<double> gram(n * n), weighted(kTogether * room);
  const auto weigh = [&](std::size_t i, std::size_t place) {
    for (std::size_t a = 0; a < points.rows; ++a)
      weighted[place * room + a] = points.weights[a] * points.column(i)[a];
  };
  std::size_t i = 0;
  for (; i + kTogether <= n && !gives_up(pace, n); i += kTogether) {
    for (std::size_t k = 0; k < kTogether; ++k) weigh(i + k, k);
    products_below<kTogether>(weighted.data(), points.column(0), i, room, n, gram.data());
  }
  for (; i < n && !gives_up(pace, n); ++i) {
    weigh(i, 0);
    products_below<1>(weighted.data(), points.column(0), i, room, n, gram.data());
  }
  return gram;
}

// The products of all pairs of points, below the diagonal. Points are put together row by row, so
// that each is in one piece. If it gave up, not all of them.
inline std::vector<double> products_of_rows(const Points& points, Pace* pace = nullptr) {
  const std::size_t m = points.rows, room = (points.columns + 7) / 8 * 8;
  std::vector<double> rows(m * room), gram(m * m);
  for (std::size_t j = 0; j < points.columns; ++j)
    for (std::size_t a = 0; a < m; ++a) rows[a * room + j] = points.column(j)[a];
  std::size_t a = 0;
  for (; a + kTogether <= m && !gives_up(pace, m); a += kTogether)
    products_below<kTogether>(&rows[a * room], rows.data(), a, room, m, gram.data());
  for (; a < m && !gives_up(pace, m); ++a)
    products_below<1>(&rows[a * room], rows.data(), a, room, m, gram.data());
  return gram;
}

// The sum of the products of two rows of a matrix; several sums at once.
inline double product(const double* a, const double* b, std::size_t eights) {
  Doubles sums = {};
  for (std::size_t k = 0; k < eights; k += 8) {
    Doubles x, y;
    read_doubles(a + k, x);
    read_doubles(b + k, y);
    sums += x * y;
  }
  return sum_of(sums);
}

// Cholesky's factor of a symmetric matrix, in place, below the diagonal; false if it is not
// positive definite, or there is no time.
inline bool factorise(std::vector<double>& a, std::size_t n, Pace* pace = nullptr) {
  for (std::size_t i = 0; i < n; ++i) {
    if (gives_up(pace, n)) return false;
    for (std::size_t j = 0; j <= i; ++j) {
      // Each sum has to wait for its last term: long ones are made in parts.
      const std::size_t eights = j < kLargeSystem ? 0 : j / 8 * 8;
      double sum = a[i * n + j] - product(&a[i * n], &a[j * n], eights);
      for (std::size_t k = eights; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i != j)
        a[i * n + j] = sum / a[j * n + j];
      else if (sum > 0)
        a[i * n + i] = std::sqrt(sum);
      else
        return false;
    }
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

inline bool solve_symmetric(std::vector<double>& a, std::vector<double>& b, Pace* pace) {
  if (!factorise(a, b.size(), pace)) return false;
  solve_lower(a, b);
  solve_upper(a, b);
  return true;
}

// The plane w that is least in sum g (z.w - s)^2 + ridge w.w, s the sign of a wish and g the weight
// of its row: (Z' G Z + ridge) w = Z' G s.
inline bool by_columns(const Points& points, double ridge, Plane& plane, Pace* pace = nullptr) {
  const std::size_t n = points.columns;
  std::vector<double> gram = products_of_columns(points, pace);
  plane.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    products<1, 1>(points.wishes.data(), points.column(i), points.room, 1, &plane[i]);
    gram[i * n + i] += ridge;
  }
  return solve_symmetric(gram, plane, pace);
}

// The same where there are fewer rows than columns: w = Z' R v with (R Z Z' R + ridge) v = R s, R
// the roots of the weights. For then Z' G Z w + ridge w = Z' R (R Z Z' R + ridge) v = Z' G s.
inline bool by_rows(const Points& points, double ridge, Plane& plane, Pace* pace) {
  const std::size_t m = points.rows;
  std::vector<double> gram = products_of_rows(points, pace), roots(m), v(m), out(points.room);
  for (std::size_t a = 0; a < m; ++a) {
    roots[a] = std::sqrt(points.weights[a]);
    v[a] = points.wishes[a] > 0 ? roots[a] : -roots[a];
  }
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b <= a; ++b) gram[a * m + b] *= roots[a] * roots[b];
    gram[a * m + a] += ridge;
  }
  if (!solve_symmetric(gram, v, pace)) return false;
  for (std::size_t a = 0; a < m; ++a) out[a] = roots[a] * v[a];
  plane.resize(points.columns);
  for (std::size_t j = 0; j < points.columns; ++j)
    products<1, 1>(out.data(), points.column(j), points.room, 1, &plane[j]);
  return true;
}

// False if there is none, or no time to find it.
inline bool least_squares_plane(const Points& points, double ridge, Plane& plane,
                                Pace* pace = nullptr) {
  return points.rows < points.columns ? by_rows(points, ridge, plane, pace)
                                      : by_columns(points, ridge, plane, pace);
}

}  // namespace KERNEL_NAMESPACE
