#include "oblique/directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace KERNEL_NAMESPACE {

namespace {

// The rows nearest to the plane, and how much each counts: one on the plane its wish in full, one
// at the edge nothing.
struct Neighbours {
  std::vector<int> rows;
  std::vector<double> weights;
};

// So many rows are enough for a direction; of many columns fewer, as that takes their square.
std::size_t rows_for_direction(int columns) {
  constexpr double kWork = 2e7;
  const double most = kWork / (static_cast<double>(columns) * columns);
  return static_cast<std::size_t>(std::max(2000.0, std::min(100.0 * columns, most)));
}

Neighbours neighbours(const Wishes& wishes, const Scores& scores, double share, int columns,
                      Random& random) {
  const auto all = static_cast<double>(scores.size());
  const double want = std::max(share * all, static_cast<double>(2 * columns + 4));
  const double edge = distance_of_nearest(scores, static_cast<std::size_t>(want));
  const auto distance = [&scores](int i) { return std::fabs(scores[static_cast<std::size_t>(i)]); };
  Neighbours near;
  near.rows.resize(scores.size() + 1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    near.rows[kept] = static_cast<int>(i);
    kept += wishes[i] != 0 && std::fabs(scores[i]) < edge ? 1 : 0;
  }
  near.rows.resize(kept);
  draw_some(near.rows, rows_for_direction(columns), random);
  for (const int i : near.rows) {
    const double u = distance(i) / edge;
    near.weights.push_back(std::fabs(wishes[static_cast<std::size_t>(i)]) * (1 - u * u));
  }
  return near;
}

// Eight numbers side by side. The order in which products are summed is fixed on every machine.
typedef double Doubles __attribute__((vector_size(64), aligned(8), may_alias));

double sum_of(const Doubles& lanes) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// The products of one column with `Many` others, `room` apart: several sums at once, as each has to
// wait for its last term.
template <std::size_t Many>
void products(const double* a, const double* others, std::size_t room, double* out) {
  Doubles sums[Many] = {};
  for (std::size_t i = 0; i < room; i += 8) {
    const Doubles x = *reinterpret_cast<const Doubles*>(a + i);
    for (std::size_t k = 0; k < Many; ++k)
      sums[k] += x * *reinterpret_cast<const Doubles*>(others + k * room + i);
  }
  for (std::size_t k = 0; k < Many; ++k) out[k] = sum_of(sums[k]);
}

// The weighted products of all pairs of columns, below the diagonal, and those with the wishes.
struct Moments {
  std::vector<double> gram, sums;
  double total = 0;

  Moments(const NodeRows& rows, const Neighbours& near, const Wishes& wishes) {
    const auto n = static_cast<std::size_t>(rows.columns()) + 1, m = near.rows.size();
    const std::size_t room = (m + 7) / 8 * 8;  // filled up by zeros
    std::vector<double> points(n * room), wish(room), weighted(room);
    for (std::size_t j = 0; j + 1 < n; ++j) {
      const double* z = rows.column(static_cast<int>(j));
      for (std::size_t a = 0; a < m; ++a) points[j * room + a] = z[near.rows[a]];
    }
    for (std::size_t a = 0; a < m; ++a) {
      const double w = near.weights[a];
      points[(n - 1) * room + a] = 1;
      wish[a] = wishes[static_cast<std::size_t>(near.rows[a])] > 0 ? w : -w;
      total += w;
    }
    gram.resize(n * n);
    sums.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double* x = &points[i * room];
      for (std::size_t a = 0; a < m; ++a) weighted[a] = near.weights[a] * x[a];
      products<1>(wish.data(), x, room, &sums[i]);
      std::size_t j = 0;
      for (; j + 4 <= i + 1; j += 4)
        products<4>(weighted.data(), &points[j * room], room, &gram[i * n + j]);
      for (; j <= i; ++j) products<1>(weighted.data(), &points[j * room], room, &gram[i * n + j]);
    }
  }
};

// Solves the symmetric system in place by Cholesky's method; false if it is not positive definite.
bool solve_symmetric(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
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
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

}  // namespace

double distance_of_nearest(const Scores& scores, std::size_t many) {
  constexpr std::size_t kLooks = 256;
  if (many >= scores.size()) return std::numeric_limits<double>::infinity();
  const std::size_t looks = std::min(kLooks, scores.size());
  std::vector<double> distances(looks);
  for (std::size_t k = 0; k < looks; ++k)
    distances[k] = std::fabs(scores[k * scores.size() / looks]);
  const auto edge = distances.begin() + static_cast<std::ptrdiff_t>(many * looks / scores.size());
  std::nth_element(distances.begin(), edge, distances.end());
  return *edge * 1.0000001 + 1e-12;
}

bool local_least_squares(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                         double share, Random& random, Plane& direction) {
  const Neighbours near = neighbours(wishes, scores, share, rows.columns(), random);
  if (near.rows.size() < 2) return false;
  const Moments moments(rows, near, wishes);
  if (moments.total <= 0) return false;
  constexpr double kRidges[] = {1e-6, 1e-4, 1e-2};
  const double ridge = kRidges[random.below(3)] * moments.total;
  std::vector<double> gram = moments.gram;
  direction = moments.sums;
  for (std::size_t i = 0; i < direction.size(); ++i) gram[i * direction.size() + i] += ridge;
  return solve_symmetric(gram, direction);
}

bool towards_wrong_rows(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                        Random& random, Plane& direction) {
  constexpr int kTries = 60;
  direction.assign(static_cast<std::size_t>(rows.columns()) + 1, 0.0);
  int found = 0;
  const int many = 1 + random.below(4);
  for (int t = 0; t < kTries && found < many; ++t) {
    const int i = random.below(rows.size());
    const double wish = wishes[static_cast<std::size_t>(i)];
    if (wish == 0 || (wish > 0) == (scores[static_cast<std::size_t>(i)] > 0)) continue;
    const double sign = wish > 0 ? 1 : -1;
    for (int j = 0; j < rows.columns(); ++j)
      direction[static_cast<std::size_t>(j)] += sign * rows.at(i, j);
    direction.back() += sign;
    ++found;
  }
  return found > 0;
}

void random_direction(int columns, Random& random, Plane& direction) {
  direction.assign(static_cast<std::size_t>(columns) + 1, 0.0);
  const int few = 2 + random.below(3);
  if (few >= columns || random.coin()) {
    for (double& x : direction) x = random.normal();
    return;
  }
  for (int k = 0; k < few; ++k)
    direction[static_cast<std::size_t>(random.below(columns))] = random.normal();
  direction.back() = random.normal();
}

}  // namespace KERNEL_NAMESPACE
