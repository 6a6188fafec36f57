// The rows of a node of a proof, by column in its order, and what they cost in a leaf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proof/prove.hpp"

namespace exactree::proof {

using Cost = ProofCost;

// A place in the order of a column holds a row and, in this bit, whether the next row has a larger
// value (or there is none).
constexpr std::uint32_t kEnd = std::uint32_t{1} << 31;

// What stays the same for all nodes. The gain of a row and an answer is the most that the row can
// cost less what it costs then: gains are not negative, and most gain means least cost.
struct Facts {
  explicit Facts(const ProofProblem& p)
      : problem(p),
        influence(static_cast<std::size_t>(p.rows), 1),
        rigid(p.targets_of != nullptr),
        unit(p.costs == nullptr && p.targets_of == nullptr) {
    if (!rigid) weigh();
    for (int i = 0; i < p.rows; ++i) sized = sized || p.sizes[i] != 1;
  }
  void weigh() {
    const ProofProblem& p = problem;
    const auto most = [&](int label) {
      const Cost* row = p.costs + static_cast<std::ptrdiff_t>(label) * p.answers;
      return *std::max_element(row, row + p.answers);
    };
    for (int l = 0; p.costs != nullptr && l < p.classes; ++l)
      for (int a = 0; a < p.answers; ++a) gains.push_back(most(l) - p.costs[l * p.answers + a]);
    for (int i = 0; i < p.rows; ++i) {
      const Cost factor = p.costs == nullptr ? 1 : most(p.labels[i]);
      influence[static_cast<std::size_t>(i)] = p.weights[i] * factor;
      all += p.weights[i] * factor;
      heaviest = std::max(heaviest, p.weights[i]);
      unit = unit && p.weights[i] == p.weights[0];
    }
  }
  const ProofProblem& problem;
  std::vector<Cost> influence;  // the most that each row can cost; of the squared error, 1
  std::vector<Cost> gains;      // by label and answer, of a unit of weight; none: 1 if right
  Cost all = 0, heaviest = 0;
  bool rigid;          // the squared error: bounds of a set say nothing of a smaller one
  bool unit;           // all rows weigh the same, and a wrong answer is a wrong answer
  bool sized = false;  // rows do not all count 1
};

struct Rows {
  int n = 0;
  std::vector<std::uint32_t> order;  // by column, n each
  Cost influence = 0;                // of all rows
  Cost leaf = 0;                     // what the best answer costs

  const std::uint32_t* column(int f) const {
    return order.data() + static_cast<std::ptrdiff_t>(f) * n;
  }
};

inline std::uint32_t row_of(std::uint32_t place) {
  return place & ~kEnd;
}
inline bool is_end(std::uint32_t place) {
  return (place & kEnd) != 0;
}

// Gains by answer out of weights by label.
inline void to_gains(const Facts& facts, const Cost* weights, Cost* gains) {
  const ProofProblem& p = facts.problem;
  if (facts.gains.empty()) {
    std::copy_n(weights, p.classes, gains);
    return;
  }
  std::fill_n(gains, p.answers, Cost{0});
  for (int l = 0; l < p.classes; ++l)
    for (int a = 0; a < p.answers; ++a)
      gains[a] += weights[l] * facts.gains[static_cast<std::size_t>(l * p.answers + a)];
}

// What rows cost whose targets have these sums: weight, weighted sum, weighted squares.
struct Moments {
  double weight = 0, sum = 0, squares = 0;

  void add(const ProofProblem& p, std::uint32_t r) {
    const double w = static_cast<double>(p.weights[r]), y = p.targets_of[r];
    weight += w;
    sum += w * y;
    squares += w * y * y;
  }
  // In whole units, rounded down, if leaves explain so much.
  Cost cost(const ProofProblem& p, double explained) const {
    return static_cast<Cost>(std::max(0.0, (squares - explained) * p.price));
  }
  Cost leaf(const ProofProblem& p) const { return cost(p, sum * sum / weight); }
};

inline void count(const Facts& facts, Rows& rows) {
  const ProofProblem& p = facts.problem;
  if (facts.rigid) {
    Moments all;
    for (int i = 0; i < rows.n; ++i) all.add(p, row_of(rows.order[static_cast<std::size_t>(i)]));
    rows.leaf = all.leaf(p);
    return;
  }
  std::vector<Cost> weights(static_cast<std::size_t>(p.classes), 0);
  std::vector<Cost> gains(static_cast<std::size_t>(std::max(p.classes, p.answers)), 0);
  rows.influence = 0;
  for (int i = 0; i < rows.n; ++i) {
    const std::uint32_t r = row_of(rows.order[static_cast<std::size_t>(i)]);
    weights[static_cast<std::size_t>(p.labels[r])] += p.weights[r];
    rows.influence += facts.influence[r];
  }
  to_gains(facts, weights.data(), gains.data());
  rows.leaf = rows.influence - *std::max_element(gains.begin(), gains.end());
}

inline Rows all_rows(const Facts& facts) {
  const ProofProblem& p = facts.problem;
  Rows out;
  out.n = p.rows;
  out.order.resize(static_cast<std::size_t>(p.features) * static_cast<std::size_t>(p.rows));
  std::vector<std::int32_t> starts;
  for (int f = 0; f < p.features; ++f) {
    const std::int32_t* ranks = p.ranks + static_cast<std::ptrdiff_t>(f) * p.rows;
    std::uint32_t* order = out.order.data() + static_cast<std::ptrdiff_t>(f) * p.rows;
    starts.assign(static_cast<std::size_t>(p.rows) + 1, 0);
    for (int i = 0; i < p.rows; ++i) ++starts[static_cast<std::size_t>(ranks[i]) + 1];
    for (std::size_t r = 1; r < starts.size(); ++r) starts[r] += starts[r - 1];
    for (int i = 0; i < p.rows; ++i)
      order[starts[static_cast<std::size_t>(ranks[i])]++] = static_cast<std::uint32_t>(i);
    for (int i = 0; i < p.rows; ++i)
      if (i + 1 == p.rows || ranks[order[i]] != ranks[row_of(order[i + 1])]) order[i] |= kEnd;
  }
  count(facts, out);
  return out;
}

// The first `position` rows by column f (side 0), or the others.
inline Rows side_of(const Facts& facts, const Rows& rows, int f, int position, int side) {
  const int features = facts.problem.features;
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(facts.problem.rows), 0);
  const int begin = side == 0 ? 0 : position, end = side == 0 ? position : rows.n;
  for (int i = begin; i < end; ++i) inside[row_of(rows.column(f)[i])] = 1;
  Rows out;
  out.n = end - begin;
  const std::size_t n = static_cast<std::size_t>(out.n);
  out.order.resize(static_cast<std::size_t>(features) * n);
  // The last row that stays is written again and again until the next one comes: whether a larger
  // value begins after it is known only then. There is no branch on what stays, which is random.
  std::vector<std::uint32_t> kept(n + 1);
  for (int g = 0; g < features; ++g) {
    const std::uint32_t* from = rows.column(g);
    std::uint32_t last = 0, ended = 0;
    std::size_t at = 0;
    for (int i = 0; i < rows.n; ++i) {
      const std::uint32_t place = from[i], r = row_of(place);
      const std::uint32_t stays = inside[r], mask = 0 - stays;
      kept[at] = last | ended;
      at += stays;
      last = (r & mask) | (last & ~mask);
      ended = (ended & ~mask) | (place & kEnd);
    }
    kept[at] = last | kEnd;
    std::copy_n(kept.data() + 1, n, out.order.data() + static_cast<std::size_t>(g) * n);
  }
  count(facts, out);
  return out;
}

}  // namespace exactree::proof
