#include "tests/plain_trees.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using Cost = std::int64_t;
using Rows = std::vector<std::int32_t>;

// The cost of a leaf that rows join one after another.
class Leaf {
 public:
  explicit Leaf(const PlainTable& table)
      : table_(table), by_class_(static_cast<std::size_t>(table.classes), 0) {}

  void clear() {
    std::fill(by_class_.begin(), by_class_.end(), 0);
    total_ = heaviest_ = 0;
  }

  void add(std::int32_t row) {
    const auto i = static_cast<std::size_t>(row);
    const auto label = static_cast<std::size_t>(table_.labels[i]);
    const Cost weight = table_.weights[i];
    if (table_.costs == nullptr) {
      total_ += weight;
      heaviest_ = std::max(heaviest_, by_class_[label] += weight);
    } else {
      const Cost* of_label = table_.costs + label * by_class_.size();
      for (std::size_t p = 0; p < by_class_.size(); ++p) by_class_[p] += weight * of_label[p];
    }
  }

  // Without a cost matrix by_class_ holds weights, with one the cost of every prediction.
  Cost cost() const {
    if (table_.costs == nullptr) return total_ - heaviest_;
    return *std::min_element(by_class_.begin(), by_class_.end());
  }

 private:
  const PlainTable& table_;
  std::vector<Cost> by_class_;
  Cost total_ = 0, heaviest_ = 0;
};

std::int32_t value_of(const PlainTable& table, std::size_t column, std::int32_t row) {
  return table
      .values[column * static_cast<std::size_t>(table.rows) + static_cast<std::size_t>(row)];
}

Rows sorted_rows(const PlainTable& table, std::size_t column) {
  Rows order(static_cast<std::size_t>(table.rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return value_of(table, column, a) < value_of(table, column, b);
  });
  return order;
}

class PlainTrees {
 public:
  explicit PlainTrees(const PlainTable& table) : table_(table), leaf_(table) {}

  std::vector<Cost> solve(std::int32_t depth) {
    Node root;
    for (std::size_t c = 0; c < static_cast<std::size_t>(table_.columns); ++c)
      root.push_back(sorted_rows(table_, c));
    return best(root, depth);
  }

 private:
  using Node = std::vector<Rows>;  // its rows, in the order of every column

  std::vector<Cost> best(const Node& node, std::int32_t depth) {
    if (depth < 2) return search(node, depth);
    std::vector<bool> members(static_cast<std::size_t>(table_.rows), false);
    for (std::int32_t row : node[0]) members[static_cast<std::size_t>(row)] = true;
    auto [known, is_new] = solved_.try_emplace({depth, std::move(members)});
    if (is_new) known->second = search(node, depth);
    return known->second;
  }

  std::vector<Cost> search(const Node& node, std::int32_t depth) {
    std::vector<Cost> costs(std::size_t{1} << depth, leaf_cost(node[0]));
    if (depth == 0 || costs[0] == 0) return costs;  // a cost is never negative
    for (std::size_t column = 0; column < node.size(); ++column) {
      if (depth == 1)
        try_single_splits(node, column, costs);
      else
        try_splits(node, column, depth, costs);
    }
    for (std::size_t k = 1; k < costs.size(); ++k) costs[k] = std::min(costs[k], costs[k - 1]);
    return costs;
  }

  Cost leaf_cost(const Rows& rows) {
    leaf_.clear();
    for (std::int32_t row : rows) leaf_.add(row);
    return leaf_.cost();
  }

  // The numbers of rows on the left of the splits of a node by a column.
  std::vector<std::size_t> ends(const Rows& order, std::size_t column) const {
    std::vector<std::size_t> found;
    std::int64_t all = 0, left = 0;
    for (std::int32_t row : order) all += table_.counts[row];
    for (std::size_t i = 1; i < order.size(); ++i) {
      left += table_.counts[order[i - 1]];
      const bool between =
          value_of(table_, column, order[i - 1]) < value_of(table_, column, order[i]);
      if (between && left >= table_.least && all - left >= table_.least) found.push_back(i);
    }
    return found;
  }

  void try_single_splits(const Node& node, std::size_t column, std::vector<Cost>& costs) {
    const Rows& order = node[column];
    std::vector<Cost> on_the_left(order.size());
    leaf_.clear();
    for (std::size_t i = 1; i < order.size(); ++i) {
      leaf_.add(order[i - 1]);
      on_the_left[i] = leaf_.cost();
    }
    std::vector<std::size_t> places = ends(order, column);
    leaf_.clear();
    for (std::size_t i = order.size(); !places.empty() && i-- > 0;) {
      leaf_.add(order[i]);
      if (i != places.back()) continue;
      places.pop_back();
      costs[1] = std::min(costs[1], on_the_left[i] + leaf_.cost());
    }
  }

  void try_splits(const Node& node, std::size_t column, std::int32_t depth,
                  std::vector<Cost>& costs) {
    std::vector<bool> goes_left(static_cast<std::size_t>(table_.rows), false);
    std::size_t done = 0;
    for (std::size_t end : ends(node[column], column)) {
      for (; done < end; ++done) goes_left[static_cast<std::size_t>(node[column][done])] = true;
      Node left(node.size()), right(node.size());
      for (std::size_t c = 0; c < node.size(); ++c) {
        for (std::int32_t row : node[c])
          (goes_left[static_cast<std::size_t>(row)] ? left : right)[c].push_back(row);
      }
      const std::vector<Cost> a = best(left, depth - 1), b = best(right, depth - 1);
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j)
          costs[i + j + 1] = std::min(costs[i + j + 1], a[i] + b[j]);
      }
    }
  }

  const PlainTable& table_;
  Leaf leaf_;
  std::map<std::pair<std::int32_t, std::vector<bool>>, std::vector<Cost>> solved_;
};

// The cost of the first i rows, were they one leaf of class p: below[i * classes + p].
std::vector<Cost> costs_below(const PlainTable& table, const Rows& order) {
  const auto classes = static_cast<std::size_t>(table.classes);
  std::vector<Cost> below((order.size() + 1) * classes, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto label = static_cast<std::size_t>(table.labels[order[i]]);
    for (std::size_t p = 0; p < classes; ++p) {
      const Cost each = table.costs == nullptr ? (p != label) : table.costs[label * classes + p];
      below[(i + 1) * classes + p] = below[i * classes + p] + table.weights[order[i]] * each;
    }
  }
  return below;
}

}  // namespace

void plain_tree_costs(const PlainTable* table, std::int32_t depth, std::int64_t* best) {
  const std::vector<Cost> found = PlainTrees(*table).solve(depth);
  std::copy(found.begin(), found.end(), best);
}

void plain_interval_costs(const PlainTable* table, std::int32_t intervals, std::int64_t* best) {
  const Rows order = sorted_rows(*table, 0);
  const auto classes = static_cast<std::size_t>(table->classes);
  const std::size_t n = order.size();
  const std::vector<Cost> below = costs_below(*table, order);
  std::vector<std::int64_t> counts(n + 1, 0);
  std::vector<bool> is_end(n + 1, true);
  for (std::size_t i = 0; i < n; ++i) counts[i + 1] = counts[i] + table->counts[order[i]];
  for (std::size_t i = 1; i < n; ++i)
    is_end[i] = value_of(*table, 0, order[i - 1]) < value_of(*table, 0, order[i]);

  for (std::size_t s = 0; s < static_cast<std::size_t>(intervals); ++s) {
    Cost* here = best + s * (n + 1);
    const Cost* before = here - (n + 1);
    // The last interval is rows start..i-1 of class p: what is before it less what these rows are
    // spared, at best over every start that leaves enough counts.
    std::vector<Cost> open(classes, kImpossible);
    std::size_t start = 0;
    for (std::size_t i = 0; i <= n; ++i) {
      here[i] = s > 0 ? before[i] : kImpossible;
      if (!is_end[i]) continue;
      for (; start <= i && counts[i] - counts[start] >= table->least; ++start) {
        if (!is_end[start] || (s == 0 && start > 0)) continue;
        const Cost first = s == 0 ? 0 : before[start];
        if (first == kImpossible) continue;
        for (std::size_t p = 0; p < classes; ++p)
          open[p] = std::min(open[p], first - below[start * classes + p]);
      }
      for (std::size_t p = 0; p < classes; ++p) {
        if (open[p] != kImpossible) here[i] = std::min(here[i], open[p] + below[i * classes + p]);
      }
    }
  }
}
