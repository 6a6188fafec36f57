#include "oblique/directions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oblique/least_squares.hpp"

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
                         double share, Random& random, Pace& pace, Plane& direction) {
  const Neighbours near = neighbours(wishes, scores, share, rows.columns(), random);
  if (near.rows.size() < 2) return false;
  const Points points(rows, near.rows, near.weights, wishes);
  if (points.total <= 0) return false;
  constexpr double kRidges[] = {1e-6, 1e-4, 1e-2};
  const double ridge = kRidges[random.below(3)] * points.total;
  return least_squares_plane(points, ridge, direction, &pace);
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
