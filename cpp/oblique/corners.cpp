// Letters: C is the covariance of the columns, L its factor, H the sum of r z z' over the rows, r
// what least squares leaves of a wish. Directions are v = L'^-1 x, with x an eigenvector of L^-1 H
// L'^-1.
#include "oblique/corners.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "oblique/least_squares.hpp"

namespace KERNEL_NAMESPACE {

namespace {

constexpr int kCornerColumns = 150;
constexpr int kCornerRows = 4;
constexpr int kBendings = 30;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Replaces the wishes by what least squares leaves of them, with their weights.
bool take_plane_away(Points& points) {
  Plane plane;
  if (!least_squares_plane(points, 1e-6 * points.total, plane)) return false;
  for (std::size_t j = 0; j < points.columns; ++j)
    for (std::size_t a = 0; a < points.rows; ++a)
      points.wishes[a] -= points.weights[a] * plane[j] * points.column(j)[a];
  return true;
}

// Takes the mean off every column and drops the constant; gives the means.
Vector centre(Points& points) {
  Vector means(--points.columns);
  for (std::size_t j = 0; j < points.columns; ++j) {
    double* z = &points.values[j * points.room];
    for (std::size_t a = 0; a < points.rows; ++a) means[j] += points.weights[a] * z[a];
    means[j] /= points.total;
    for (std::size_t a = 0; a < points.rows; ++a) z[a] -= means[j];
  }
  return means;
}

// Two directions that stay as they are, together, when L^-1 H L'^-1 is applied again and again.
class Bending {
 public:
  Bending(Vector factor, Vector products, std::size_t columns, Random& random)
      : factor_(std::move(factor)), products_(std::move(products)), n_(columns) {
    for (auto& x : x_) {
      x.resize(n_);
      for (double& value : x) value = random.normal();
    }
    make_orthonormal();
  }

  bool run() {
    for (int step = 0; step < kBendings; ++step) {
      for (auto& x : x_) x = applied(x);
      if (!make_orthonormal()) return false;
    }
    turn();
    return true;
  }
  // The first and the second, in the columns.
  Vector direction(double first, double second) const {
    Vector v(n_);
    for (std::size_t j = 0; j < n_; ++j) v[j] = first * x_[0][j] + second * x_[1][j];
    solve_upper(factor_, v);
    return v;
  }

 private:
  Vector applied(const Vector& x) const {
    Vector v = x, out(n_);
    solve_upper(factor_, v);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        out[i] += products_[i * n_ + j] * v[j];
        if (j < i) out[j] += products_[i * n_ + j] * v[i];
      }
    solve_lower(factor_, out);
    return out;
  }
  bool make_orthonormal() {
    for (int k = 0; k < 2; ++k) {
      auto& x = x_[k];
      const double along = k == 0 ? 0 : dot(x_[0], x);
      for (std::size_t j = 0; k == 1 && j < n_; ++j) x[j] -= along * x_[0][j];
      const double size = std::sqrt(dot(x, x));
      if (!(size > 1e-12) || !std::isfinite(size)) return false;
      for (double& value : x) value /= size;
    }
    return true;
  }
  // To the eigenvectors in the plane of both.
  void turn() {
    const Vector first = applied(x_[0]), second = applied(x_[1]);
    const double angle =
        std::atan2(2 * dot(x_[0], second), dot(x_[0], first) - dot(x_[1], second)) / 2;
    const double c = std::cos(angle), s = std::sin(angle);
    for (std::size_t j = 0; j < n_; ++j) {
      const double a = x_[0][j], b = x_[1][j];
      x_[0][j] = c * a + s * b;
      x_[1][j] = c * b - s * a;
    }
  }

  Vector factor_, products_;
  std::size_t n_;
  Vector x_[2];
};

// What least squares on either side of a plane through the middle leaves of the wishes, less what
// it would leave without a plane: the more below 0, the better.
double left_by_halves(const Points& points, const Vector& wishes, const Vector& direction) {
  Vector scores(points.rows);
  for (std::size_t j = 0; j < points.columns; ++j)
    for (std::size_t a = 0; a < points.rows; ++a) scores[a] += direction[j] * points.column(j)[a];
  double left = 0;
  for (const bool right : {false, true}) {
    Points half = points;
    half.total = 0;
    for (std::size_t a = 0; a < points.rows; ++a) {
      const double inside = (scores[a] > 0) == right ? 1 : 0;
      half.weights[a] *= inside;
      half.wishes[a] = inside * wishes[a];
      half.total += half.weights[a];
    }
    Plane plane;
    if (!by_columns(half, 1e-4 * points.total, plane)) return 0;
    for (std::size_t j = 0; j < points.columns; ++j) {
      double along = 0;
      products<1, 1>(half.wishes.data(), half.column(j), half.room, 1, &along);
      left -= along * plane[j];
    }
  }
  return left;
}

}  // namespace

bool corner_plane(const NodeRows& rows, const Wishes& wishes, Random& random, Plane& plane) {
  const int columns = rows.columns();
  if (columns < 2 || columns > kCornerColumns || rows.size() < kCornerRows * columns) return false;
  std::vector<int> all(static_cast<std::size_t>(rows.size()));
  std::iota(all.begin(), all.end(), 0);
  Vector weights;
  for (const double wish : wishes) weights.push_back(std::fabs(wish));
  Points points(rows, all, std::move(weights), wishes);
  if (!(points.total > 0) || !take_plane_away(points)) return false;
  const Vector means = centre(points);
  Vector factor = products_of_columns(points);
  const std::size_t n = points.columns;
  for (std::size_t i = 0; i < n; ++i) factor[i * n + i] += 1e-4 * points.total;
  if (!factorise(factor, n)) return false;
  Points bent = points;
  bent.weights.assign(points.wishes.begin(),
                      points.wishes.begin() + static_cast<std::ptrdiff_t>(points.rows));
  Bending bending(std::move(factor), products_of_columns(bent), n, random);
  if (!bending.run()) return false;
  // In a chess board the eigenvalues are opposite, and the normals half way between the vectors;
  // where a class lies between two planes, a vector itself is their normal.
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [first, second] : {std::pair{1, 1}, {1, -1}, {1, 0}, {0, 1}}) {
    const Vector direction = bending.direction(first, second);
    const double left = left_by_halves(points, bent.weights, direction);
    if (left < best) best = left, plane = direction;
  }
  double constant = 0;
  for (std::size_t j = 0; j < n; ++j) constant -= plane[j] * means[j];
  plane.push_back(constant);
  return std::isfinite(dot(plane, plane));
}

}  // namespace KERNEL_NAMESPACE
