// The local search over hyperplanes: what it says of its trees is true, and budgets are kept.
#include <atomic>
#include <random>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"

namespace exactree::tests {

namespace {

struct Rows {
  std::vector<double> z, targets, masses;
  std::vector<std::int32_t> labels, counts;
  std::vector<std::int64_t> costs;
  ObliqueData data;
};

Rows random_rows(std::mt19937_64& random, int rows, int columns) {
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  Rows out;
  for (int i = 0; i < rows * columns; ++i) out.z.push_back(below(9) - 4 + (below(2) * 0.125));
  for (int i = 0; i < rows; ++i) {
    out.labels.push_back(below(3));
    out.counts.push_back(1 + below(2));
    out.costs.push_back(1 + below(5));
    out.targets.push_back(below(21) - 10);
    out.masses.push_back(1 + below(3));
  }
  out.data.rows = rows;
  out.data.columns = columns;
  return out;
}

double score(const ObliqueData& data, const std::vector<double>& plane, int i) {
  double sum = plane.back();
  for (int j = 0; j < data.columns; ++j)
    if (plane[static_cast<std::size_t>(j)] != 0)
      sum += plane[static_cast<std::size_t>(j)] * data.z[j * data.rows + i];
  return sum;
}

// Recounts a tree, node by node, and checks its budgets; gives the cost.
Cost recount(const ObliqueData& data, const ObliqueRequest& request, const ObliqueTree& tree, int n,
             const std::vector<int>& rows, int depth) {
  const auto& node = tree.nodes[static_cast<std::size_t>(n)];
  if (node.left < 0) {
    std::vector<Cost> by_class(static_cast<std::size_t>(data.classes));
    Cost sum = 0;
    for (const int i : rows)
      by_class[static_cast<std::size_t>(data.labels[i])] += data.costs[i], sum += data.costs[i];
    return sum - *std::max_element(by_class.begin(), by_class.end());
  }
  check(depth < request.max_depth);
  int used = 0;
  for (int j = 0; j < data.columns; ++j) used += node.plane[static_cast<std::size_t>(j)] != 0;
  check(request.plane_columns == 0 || used <= request.plane_columns);
  std::vector<int> sides[2];
  for (const int i : rows) sides[score(data, node.plane, i) > 0 ? 1 : 0].push_back(i);
  for (const auto& side : sides) {
    int count = 0;
    for (const int i : side) count += data.counts[i];
    check(count >= data.least_side.least);
  }
  return data.penalty + recount(data, request, tree, node.left, sides[0], depth + 1) +
         recount(data, request, tree, node.right, sides[1], depth + 1);
}

int splits_of(const ObliqueTree& tree) {
  int splits = 0;
  for (const auto& node : tree.nodes) splits += node.left >= 0;
  return splits;
}

ObliqueResult run(const ObliqueData& data, const ObliqueRequest& request) {
  Control control;
  std::atomic<Cost> best = 0;
  return kernels("auto").oblique(data, request, control, best);
}

}  // namespace

void test_oblique(Effort effort) {
  std::mt19937_64 random(7);
  for (std::uint64_t t = 0; t < effort.of(60); ++t) {
    const int rows = 2 + static_cast<int>(random() % 60),
              columns = 1 + static_cast<int>(random() % 5);
    Rows drawn = random_rows(random, rows, columns);
    ObliqueData& data = drawn.data;
    data.z = drawn.z.data();
    data.counts = drawn.counts.data();
    data.least_side.least = 1 + static_cast<int>(random() % 4);
    data.penalty = static_cast<Cost>(random() % 3);
    ObliqueRequest request;
    request.max_depth = 1 + static_cast<int>(random() % 4);
    request.max_splits = random() % 2 == 0 ? -1 : 1 + static_cast<int>(random() % 4);
    request.plane_columns = static_cast<int>(random() % 3);
    request.idle_rounds = 15;
    request.seed = t;
    if (t % 3 == 2) {
      data.targets = drawn.targets.data();
      data.masses = drawn.masses.data();
      data.scale = 1000;
      const ObliqueTree tree = run(data, request).tree;
      check(request.max_splits < 0 || splits_of(tree) <= request.max_splits);
      continue;
    }
    data.classes = 3;
    data.labels = drawn.labels.data();
    data.costs = drawn.costs.data();
    const ObliqueResult one = run(data, request);
    std::vector<int> all;
    for (int i = 0; i < rows; ++i) all.push_back(i);
    check(recount(data, request, one.tree, 0, all, 0) == one.tree.cost);
    check(request.max_splits < 0 || splits_of(one.tree) <= request.max_splits);
    request.threads = 3;
    const ObliqueResult three = run(data, request);
    check(three.tree.cost == one.tree.cost && three.rounds == one.rounds);
    request.starts = {one.tree};
    request.idle_rounds = 1;
    check(run(data, request).tree.cost <= one.tree.cost);
  }
}

}  // namespace exactree::tests
