#include "problems.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "check.hpp"

namespace exactree::tests {

namespace {

using Rows = std::vector<int>;
constexpr Cost kNever = Cost{1} << 50;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

int rank_of(const Drawn& problem, int f, int row) {
  return problem.ranks[at(f * problem.shape.rows + row)];
}

Rows everything(const Drawn& problem) {
  Rows rows(at(problem.shape.rows));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

Cost errors(const std::vector<Cost>& by_class) {
  return std::accumulate(by_class.begin(), by_class.end(), Cost{0}) -
         *std::max_element(by_class.begin(), by_class.end());
}

Cost leaf_cost(const Drawn& problem, const Rows& rows) {
  std::vector<Cost> by_class(at(problem.shape.classes), 0);
  for (const int row : rows) by_class[at(problem.labels[at(row)])] += problem.cost(row);
  return errors(by_class);
}

int counted(const Drawn& problem, const Rows& rows) {
  int sum = 0;
  for (const int row : rows) sum += problem.count(row);
  return sum;
}

std::array<Rows, 2> divide(const Drawn& problem, const Rows& rows, int f, int rank) {
  std::array<Rows, 2> sides;
  for (const int row : rows) sides[rank_of(problem, f, row) < rank ? 0 : 1].push_back(row);
  return sides;
}

bool allowed(const Drawn& problem, const std::array<Rows, 2>& sides) {
  return !sides[0].empty() && !sides[1].empty() &&
         std::min(counted(problem, sides[0]), counted(problem, sides[1])) >= problem.min_rows;
}

std::vector<Cost> optima_of(const Drawn& problem, const Rows& rows, int depth) {
  std::vector<Cost> best(std::size_t{1} << depth, leaf_cost(problem, rows));
  if (depth == 0) return best;
  for (int f = 0; f < problem.shape.features; ++f)
    for (int k = 1; k < problem.shape.values; ++k) {
      const auto sides = divide(problem, rows, f, k * problem.shape.stretch);
      if (!allowed(problem, sides)) continue;
      const auto left = optima_of(problem, sides[0], depth - 1);
      const auto right = optima_of(problem, sides[1], depth - 1);
      for (std::size_t i = 0; i < left.size(); ++i)
        for (std::size_t j = 0; j < right.size(); ++j)
          best[i + j + 1] = std::min(best[i + j + 1], left[i] + right[j] + problem.penalty);
    }
  for (std::size_t k = 1; k < best.size(); ++k) best[k] = std::min(best[k], best[k - 1]);
  return best;
}

// The best leaf or single split of the rows of one side, given in the order of every column.
Cost one_level(const Drawn& problem, const std::vector<Rows>& orders, int f, int rank,
               bool left_side) {
  const std::vector<Cost> none(at(problem.shape.classes), 0);
  Cost best = kNever;
  for (int g = 0; g < problem.shape.features; ++g) {
    Rows side;
    for (const int row : orders[at(g)])
      if ((rank_of(problem, f, row) < rank) == left_side) side.push_back(row);
    std::vector<Cost> left = none, right = none;
    for (const int row : side) right[at(problem.labels[at(row)])] += problem.cost(row);
    best = std::min(best, errors(right));
    const int all = counted(problem, side);
    int passed = 0;
    for (std::size_t i = 0; i + 1 < side.size(); ++i) {
      const auto label = at(problem.labels[at(side[i])]);
      left[label] += problem.cost(side[i]);
      right[label] -= problem.cost(side[i]);
      passed += problem.count(side[i]);
      if (rank_of(problem, g, side[i]) == rank_of(problem, g, side[i + 1])) continue;
      if (std::min(passed, all - passed) < problem.min_rows) continue;
      best = std::min(best, errors(left) + errors(right) + problem.penalty);
    }
  }
  return best;
}

Rows in_order(const Drawn& problem, int f) {
  Rows order = everything(problem);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return rank_of(problem, f, a) < rank_of(problem, f, b); });
  return order;
}

struct Walk {
  const Drawn& problem;
  const Tree& tree;
  std::size_t seen = 0;
  int splits = 0, deepest = 0;

  Cost cost(int node, const Rows& rows, int depth) {
    check(node >= 0 && at(node) == seen++ && at(node) < tree.size());  // preorder
    deepest = std::max(deepest, depth);
    const TreeNode& n = tree[at(node)];
    if (n.feature < 0) {
      Cost sum = 0;
      for (const int row : rows)
        if (problem.labels[at(row)] != n.label) sum += problem.cost(row);
      return sum;
    }
    ++splits;
    const auto sides = divide(problem, rows, n.feature, n.low + 1);
    check(allowed(problem, sides));
    // low and high are the neighbouring ranks among the rows of the node.
    int low = -1, high = problem.shape.rows * problem.shape.stretch;
    for (const int row : sides[0]) low = std::max(low, rank_of(problem, n.feature, row));
    for (const int row : sides[1]) high = std::min(high, rank_of(problem, n.feature, row));
    check(low == n.low && high == n.high);
    return problem.penalty + cost(n.left, sides[0], depth + 1) + cost(n.right, sides[1], depth + 1);
  }
};

}  // namespace

int Random::draw(int low, int high) {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  const std::uint64_t bits = state_ * 0x2545F4914F6CDD1Du >> 33;
  return low + static_cast<int>(bits % static_cast<std::uint64_t>(high - low + 1));
}

Drawn::Drawn(const Shape& s, Random& random) : shape(s) {
  ranks.resize(at(shape.features * shape.rows));
  for (int f = 0; f < shape.features; ++f) draw_column(f, random);
  for (std::int32_t& rank : ranks) rank *= shape.stretch;
  for (int i = 0; i < shape.rows; ++i) {
    int label = random.draw(0, shape.classes - 1);
    if (shape.features > 0 && random.draw(0, 99) >= shape.noise) {
      const int f = shape.features - 1;
      const int third = std::max(shape.values / 3, 1) * shape.stretch;
      label = (rank_of(*this, 0, i) / third + 2 * (rank_of(*this, f, i) / third)) % shape.classes;
    }
    labels.push_back(label);
    if (shape.counted) counts.push_back(random.draw(1, 3));
    if (shape.weighted) weights.push_back(random.draw(0, 5));
  }
}

// Ranks are dense: the values drawn are replaced by their order.
void Drawn::draw_column(int f, Random& random) {
  std::int32_t* column = &ranks[at(f * shape.rows)];
  if (shape.values >= shape.rows && random.one_in(2)) {
    for (int i = 0; i < shape.rows; ++i) {
      const int j = random.draw(0, i);
      column[i] = column[j];
      column[j] = i;
    }
    return;
  }
  for (int i = 0; i < shape.rows; ++i) {
    const bool same = shape.alike && f % 2 == 1 && !random.one_in(8);
    column[i] = same ? column[i - shape.rows] : random.draw(0, shape.values - 1);
  }
  std::vector<std::int32_t> sorted(column, column + shape.rows);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (int i = 0; i < shape.rows; ++i)
    column[i] = static_cast<std::int32_t>(
        std::lower_bound(sorted.begin(), sorted.end(), column[i]) - sorted.begin());
}

Problem Drawn::columns() const {
  Problem data;
  data.rows = shape.rows;
  data.features = shape.features;
  data.classes = shape.classes;
  data.ranks = ranks.data();
  data.labels = labels.data();
  data.weights = weights.empty() ? nullptr : weights.data();
  data.counts = counts.empty() ? nullptr : counts.data();
  data.unit = unit;
  data.penalty = penalty;
  data.least_side.least = min_rows;
  if (!ranks.empty()) data.max_rank = *std::max_element(ranks.begin(), ranks.end());
  return data;
}

Cost Drawn::cost(int row) const {
  return weights.empty() ? unit : weights[at(row)];
}

int Drawn::count(int row) const {
  return counts.empty() ? 1 : counts[at(row)];
}

std::string Drawn::text() const {
  const auto list = [](const char* name, const auto& values) {
    std::string out = std::string(name) + " [";
    for (const auto v : values) out += std::to_string(v) + ",";
    return out + "] ";
  };
  return list("ranks", ranks) + list("labels", labels) + list("weights", weights) +
         list("counts", counts) + "unit " + std::to_string(unit) + " penalty " +
         std::to_string(penalty) + " min_rows " + std::to_string(min_rows) + " classes " +
         std::to_string(shape.classes);
}

std::vector<Cost> optima(const Drawn& problem, int depth) {
  return optima_of(problem, everything(problem), depth);
}

Cost two_levels(const Drawn& problem) {
  std::vector<Rows> orders;
  for (int g = 0; g < problem.shape.features; ++g) orders.push_back(in_order(problem, g));
  Cost best = leaf_cost(problem, everything(problem));
  for (int f = 0; f < problem.shape.features; ++f)
    for (int k = 1; k < problem.shape.values; ++k) {
      const int rank = k * problem.shape.stretch;
      if (!allowed(problem, divide(problem, everything(problem), f, rank))) continue;
      best = std::min(best, one_level(problem, orders, f, rank, true) +
                                one_level(problem, orders, f, rank, false) + problem.penalty);
    }
  return best;
}

// best[k][c]: k thresholds so far, the interval in progress has label c. (Several equal labels in a
// row are fine: fewer thresholds would do.) All values must differ.
Cost four_intervals(const Drawn& problem) {
  const auto classes = at(problem.shape.classes);
  std::vector<std::vector<Cost>> best(4, std::vector<Cost>(classes, 0));
  for (const int row : in_order(problem, 0)) {
    for (std::size_t k = 3; k > 0; --k) {
      const Cost before = *std::min_element(best[k - 1].begin(), best[k - 1].end());
      for (Cost& c : best[k]) c = std::min(c, before);
    }
    for (auto& by_label : best)
      for (std::size_t c = 0; c < classes; ++c)
        if (at(problem.labels[at(row)]) != c) by_label[c] += problem.cost(row);
  }
  return *std::min_element(best[3].begin(), best[3].end());
}

Cost tree_cost(const Drawn& problem, const Tree& tree, int max_depth, int max_splits) {
  Walk walk{problem, tree};
  const Cost cost = walk.cost(0, everything(problem), 0);
  check(walk.seen == tree.size());
  check(walk.deepest <= max_depth);
  check(max_splits < 0 || walk.splits <= max_splits);
  return cost;
}

}  // namespace exactree::tests
