#include "oblique/elastic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace KERNEL_NAMESPACE {

namespace {

constexpr double kTiny = 1e-9;
constexpr std::size_t kMostRows = 2500;  // of those near the plane, where rows are given up

// The rows that take part, and by how much the scores are multiplied so that 1 is a fair margin.
struct Chosen {
  std::vector<int> rows;
  double factor = 1;
};

Chosen choose(const Wishes& wishes, const Scores& scores, bool give_up, Random& random) {
  Chosen chosen;
  std::vector<int> wrong;
  double nearest = std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (wishes[i] == 0) continue;
    const double distance = std::fabs(scores[i]);
    sum += distance;
    if ((wishes[i] > 0) != (scores[i] > 0)) {
      wrong.push_back(static_cast<int>(i));
    } else {
      chosen.rows.push_back(static_cast<int>(i));
      nearest = std::min(nearest, distance);
    }
  }
  if (chosen.rows.empty() || wrong.empty()) return {};
  const auto closer = [&scores](int a, int b) {
    const double x = std::fabs(scores[static_cast<std::size_t>(a)]);
    const double y = std::fabs(scores[static_cast<std::size_t>(b)]);
    return x != y ? x < y : a < b;
  };
  if (!give_up) {
    chosen.rows.insert(chosen.rows.end(), wrong.begin(), wrong.end());
    chosen.factor = 1 / std::max(sum / static_cast<double>(wishes.size()), kTiny);
    return chosen;
  }
  std::sort(wrong.begin(), wrong.end(), closer);
  const int take = 1 + random.below(3);
  wrong.resize(std::min(wrong.size(), static_cast<std::size_t>(10 + 5 * take)));
  draw_some(wrong, static_cast<std::size_t>(take), random);
  chosen.rows.insert(chosen.rows.end(), wrong.begin(), wrong.end());
  if (chosen.rows.size() > kMostRows) {
    std::nth_element(chosen.rows.begin(), chosen.rows.begin() + kMostRows, chosen.rows.end(),
                     closer);
    chosen.rows.resize(kMostRows);
  }
  chosen.factor = std::min(1 / std::max(nearest, kTiny), 1e4);
  return chosen;
}

// The simplex method over the vertices where rows have a margin of exactly 1. Direction k changes
// the margin of row a by edges[k][a]; rows `held` keep theirs in all directions but their own.
class Simplex {
 public:
  Simplex(const NodeRows& rows, const Wishes& wishes, const Scores& scores, const Plane& from,
          const Chosen& chosen, Random& random)
      : n_(from.size()),
        m_(chosen.rows.size()),
        room_((m_ + 7) / 8 * 8),
        plane_(from),
        held_(n_, -1),
        is_held_(m_, 0) {
    for (double& x : plane_) x *= chosen.factor;
    directions_.assign(n_, Plane(n_, 0.0));
    edges_.assign(n_, std::vector<double>(room_));
    for (std::size_t k = 0; k < n_; ++k) directions_[k][k] = 1;
    for (std::size_t a = 0; a < m_; ++a) {
      const auto i = static_cast<std::size_t>(chosen.rows[a]);
      const double sign = wishes[i] > 0 ? 1 : -1;
      costs_.push_back(std::fabs(wishes[i]));
      for (std::size_t k = 0; k < n_; ++k)
        edges_[k][a] = sign * (k + 1 == n_ ? 1.0 : rows.at(chosen.rows[a], static_cast<int>(k)));
      // A little noise keeps several rows from reaching their margin at once.
      slack_.push_back(sign * scores[i] * chosen.factor - 1 - 1e-7 * random.uniform());
    }
    for (std::size_t k = 0; k < n_; ++k) squares_.push_back(squares(k));
  }

  void run(std::size_t most_steps, Pace& pace) {
    for (std::size_t step = 0; step < most_steps; ++step) {
      if (step % 8 == 7 && pace.stopped()) return;
      if (!advance()) return;
    }
  }
  const Plane& plane() const { return plane_; }

 private:
  // One step along the steepest edge to the least loss on it; false at the optimum.
  bool advance() {
    double loss = 0;
    short_.clear();
    for (std::size_t a = 0; a < m_; ++a)
      if (is_held_[a] == 0 && slack_[a] < 0) {
        short_.push_back(a);
        loss -= costs_[a] * slack_[a];
      }
    if (loss <= kTiny) return false;
    double sign = 1, slope = 0;
    const std::size_t k = steepest(sign, slope);
    if (k == n_) return false;
    double length = 0;
    const std::size_t hit = stop_along(k, sign, slope, length);
    if (hit == m_) return false;
    length *= sign;
    for (std::size_t j = 0; j < n_; ++j) plane_[j] += length * directions_[k][j];
    for (std::size_t a = 0; a < m_; ++a) slack_[a] += length * edges_[k][a];
    hold(k, hit);
    return true;
  }

  std::size_t steepest(double& sign, double& slope) const {
    std::size_t best = n_;
    double least = -kTiny;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* edge = edges_[k].data();
      double g = 0;
      for (const std::size_t a : short_) g -= costs_[a] * edge[a];
      const double norm = std::sqrt(squares_[k]) + 1e-12;
      const double back = -g + (held_[k] >= 0 ? costs_[static_cast<std::size_t>(held_[k])] : 0);
      if (g / norm < least) least = g / norm, best = k, sign = 1, slope = g;
      if (back / norm < least) least = back / norm, best = k, sign = -1, slope = back;
    }
    return best;
  }

  // The row at which the loss stops falling, a weighted median of the breakpoints; m_ if none.
  std::size_t stop_along(std::size_t k, double sign, double slope, double& length) {
    const double* edge = edges_[k].data();
    breaks_.clear();
    for (std::size_t a = 0; a < m_; ++a) {
      if (is_held_[a] != 0) continue;
      const double v = sign * edge[a];
      if (slack_[a] < 0 ? v > kTiny : v < -kTiny) breaks_.emplace_back(-slack_[a] / v, a);
    }
    std::make_heap(breaks_.begin(), breaks_.end(), std::greater<>());
    std::size_t hit = m_;
    while (!breaks_.empty() && slope < 0) {
      std::pop_heap(breaks_.begin(), breaks_.end(), std::greater<>());
      std::tie(length, hit) = breaks_.back();
      breaks_.pop_back();
      slope += costs_[hit] * std::fabs(edge[hit]);
    }
    return hit;
  }

  // In eight lanes, so that the processor can; the order is the same for all of them.
  double squares(std::size_t k) const {
    const double* edge = edges_[k].data();
    double lanes[8] = {};
    for (std::size_t a = 0; a < room_; a += 8)
      for (std::size_t l = 0; l < 8; ++l) lanes[l] += edge[a + l] * edge[a + l];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }

  // From now on the row keeps its margin in all directions but the k-th.
  void hold(std::size_t k, std::size_t row) {
    if (held_[k] >= 0) is_held_[static_cast<std::size_t>(held_[k])] = 0;
    const double pivot = 1 / edges_[k][row];
    for (double& x : edges_[k]) x *= pivot;
    for (double& x : directions_[k]) x *= pivot;
    squares_[k] = squares(k);
    for (std::size_t l = 0; l < n_; ++l) {
      const double g = edges_[l][row];
      if (l == k || g == 0) continue;
      double* to = edges_[l].data();
      const double* from = edges_[k].data();
      for (std::size_t a = 0; a < room_; ++a) to[a] -= g * from[a];
      for (std::size_t j = 0; j < n_; ++j) directions_[l][j] -= g * directions_[k][j];
      to[row] = 0;
      squares_[l] = squares(l);
    }
    held_[k] = static_cast<int>(row);
    is_held_[row] = 1;
    slack_[row] = 0;
  }

  std::size_t n_, m_, room_;  // room for the rows, a multiple of eight, filled up by zeros
  Plane plane_;
  std::vector<Plane> directions_;
  std::vector<std::vector<double>> edges_;
  std::vector<double> costs_, slack_, squares_;
  std::vector<std::size_t> short_;  // rows whose margin is less than 1
  std::vector<int> held_;
  std::vector<char> is_held_;
  std::vector<std::pair<double, std::size_t>> breaks_;
};

}  // namespace

bool elastic_plane(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                   const Plane& from, bool give_up, Random& random, Pace& pace, Plane& found) {
  const Chosen chosen = choose(wishes, scores, give_up, random);
  if (chosen.rows.empty()) return false;
  Simplex simplex(rows, wishes, scores, from, chosen, random);
  simplex.run(20 * (from.size() + 1), pace);
  found = simplex.plane();
  return true;
}

}  // namespace KERNEL_NAMESPACE
