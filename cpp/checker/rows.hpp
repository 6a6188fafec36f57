// The problem in whole units, as the rules look at it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace checker {

using Cost = std::int64_t;
constexpr Cost kTotal = Cost{1} << 61, kInfinite = Cost{1} << 62;

// The rows of a node, by column in its order.
using Order = std::vector<std::vector<int>>;

struct Rows {
  std::size_t n = 0, columns = 0, classes = 0;
  std::vector<std::vector<int>> ranks;  // by column
  std::vector<int> label;
  std::vector<Cost> weight, size, costs;  // costs by label and answer; none: 1 if wrong
  Cost penalty = 0, least = 1;

  Cost cost(std::size_t l, std::size_t answer) const {
    return costs.empty() ? (l == answer ? 0 : 1) : costs[l * classes + answer];
  }
  // What a unit of weight of a class can cost at most.
  Cost worst(std::size_t l) const {
    if (costs.empty()) return 1;
    const auto row = costs.begin() + static_cast<std::ptrdiff_t>(l * classes);
    return *std::max_element(row, row + static_cast<std::ptrdiff_t>(classes));
  }
  Cost influence(int row) const {
    const auto i = static_cast<std::size_t>(row);
    return weight[i] * worst(static_cast<std::size_t>(label[i]));
  }
  // The cost of the best answer to weights by label.
  Cost leaf(const Cost* weights) const {
    if (costs.empty() && classes == 2) return std::min(weights[0], weights[1]);
    if (costs.empty()) {
      Cost sum = 0, most = 0;
      for (std::size_t l = 0; l < classes; ++l) {
        sum += weights[l];
        most = std::max(most, weights[l]);
      }
      return sum - most;
    }
    Cost best = kInfinite;
    for (std::size_t a = 0; a < classes; ++a) {
      Cost sum = 0;
      for (std::size_t l = 0; l < classes; ++l) sum += weights[l] * cost(l, a);
      best = std::min(best, sum);
    }
    return best;
  }
  int rank(std::size_t f, int row) const { return ranks[f][static_cast<std::size_t>(row)]; }
  // Whether a larger value follows the i-th of some rows in the order of a column.
  bool ends(std::size_t f, const std::vector<int>& inside, std::size_t i) const {
    return rank(f, inside[i]) != rank(f, inside[i + 1]);
  }
};

}  // namespace checker
