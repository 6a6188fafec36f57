// Pairs of columns of two values, compiled per instruction set: sums by class for any costs, and
// differences of two classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "proof/pairs.hpp"
#include "search/lanes.hpp"

namespace exactree::EXACTREE_ISA::proving {

using namespace exactree::proof;

inline std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The costs of the two sides of one column, with no split and with at most one, to be put together.
struct SideOptions {
  Cost leaf = 0, split[2] = {0, 0};
};

inline void offer(Shallow& out, int variant, const SideOptions side[2], Cost penalty) {
  const Cost a[2] = {side[0].leaf, side[0].split[variant]};
  const Cost b[2] = {side[1].leaf, side[1].split[variant]};
  Cost* cost = out.cost[variant];
  cost[1] = std::min(cost[1], a[0] + b[0] + penalty);
  cost[2] = std::min({cost[2], cost[1], a[1] + b[0] + penalty, a[0] + b[1] + penalty});
  cost[3] = std::min({cost[3], cost[2], a[1] + b[1] + penalty});
}

inline void start(Shallow& out, Cost leaf) {
  for (auto& variant : out.cost) std::fill(variant, variant + 4, leaf);
}
// What fewer splits cost, more do.
inline void finish(Shallow& out) {
  for (auto& cost : out.cost)
    for (int k = 1; k < 4; ++k) cost[k] = std::min(cost[k], cost[k - 1]);
}

// By row: the columns that are set.
inline std::vector<std::vector<int>> lists_of(const proof::Parting& columns, std::size_t rows) {
  std::vector<std::vector<int>> out(rows);
  for (int c = 0; c < columns.many(); ++c)
    for (const int i : columns.set[at(c)]) out[at(i)].push_back(c);
  return out;
}
inline std::vector<int> every(std::size_t rows) {
  std::vector<int> out(rows);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// Any classes, weights, costs and limits: the weights of the classes of a pair, and its size.
class ClassPairs final : public proof::PairCounter {
 public:
  explicit ClassPairs(const Facts& facts)
      : facts_(facts),
        kinds_(facts.problem.classes + 1),
        cell_(at(kinds_)),
        gains_(at(std::max(facts.problem.classes, facts.problem.answers))) {}

  void count(int level, const std::vector<int>& rows, const proof::Parting& columns) override {
    while (levels_.size() <= at(level)) levels_.emplace_back();
    Node& node = levels_[at(level)];
    node.rows = rows;
    node.set = columns.set;
    node.lists = lists_of(columns, rows.size());
    add_up(node, every(rows.size()), node.all);
  }
  Shallow shallow(int level, std::vector<Cost>* by_column) override {
    return best(levels_[at(level)].all, by_column);
  }
  void sides(int level, int column, Shallow out[2]) override {
    const Node& node = levels_[at(level)];
    add_up(node, node.set[at(column)], part_);
    rest_ = node.all;
    for (std::size_t k = 0; k < rest_.cells.size(); ++k) rest_.cells[k] -= part_.cells[k];
    for (std::size_t k = 0; k < rest_.total.size(); ++k) rest_.total[k] -= part_.total[k];
    out[0] = best(rest_, nullptr);
    out[1] = best(part_, nullptr);
  }
  void overlaps(int level, int column, Overlaps& out) override {
    const Table& table = levels_[at(level)].all;
    const int m = table.columns;
    out.weights.assign(at(m), 0);
    out.sizes.assign(at(m), 0);
    out.weight = influence(column < 0 ? table.total.data() : cell(table, column, column));
    out.size = (column < 0 ? table.total.data() : cell(table, column, column))[kinds_ - 1];
    for (int g = 0; g < m; ++g) {
      const Cost* of = cell(table, column < 0 ? g : column, g);
      out.weights[at(g)] = influence(of);
      out.sizes[at(g)] = of[kinds_ - 1];
    }
  }

 private:
  struct Table {
    int columns = 0;
    std::vector<Cost> cells, total;  // by two columns and kind; by kind
  };
  struct Node {
    std::vector<int> rows;
    std::vector<std::vector<int>> set, lists;  // by column the rows, by row the columns
    Table all;
  };

  const Cost* cell(const Table& table, int i, int j) const {
    return &table.cells[(at(i) * at(table.columns) + at(j)) * at(kinds_)];
  }
  void add_up(const Node& node, const std::vector<int>& inside, Table& table) const {
    const ProofProblem& p = facts_.problem;
    const std::size_t m = node.set.size();
    table.columns = static_cast<int>(m);
    table.cells.assign(m * m * at(kinds_), 0);
    table.total.assign(at(kinds_), 0);
    for (const int place : inside) {
      const int r = node.rows[at(place)];
      const auto label = at(p.labels[r]), last = at(kinds_) - 1;
      table.total[label] += p.weights[r];
      table.total[last] += p.sizes[r];
      for (const int i : node.lists[at(place)])
        for (const int j : node.lists[at(place)]) {
          Cost* to = &table.cells[(at(i) * m + at(j)) * at(kinds_)];
          to[label] += p.weights[r];
          to[last] += p.sizes[r];
        }
    }
  }
  Cost influence(const Cost* weights) const {
    if (facts_.gains.empty()) {
      Cost sum = 0;
      for (int l = 0; l + 1 < kinds_; ++l) sum += weights[l];
      return sum;
    }
    Cost sum = 0;
    for (int l = 0; l + 1 < kinds_; ++l) sum += weights[l] * most(l);
    return sum;
  }
  Cost most(int label) const {
    const ProofProblem& p = facts_.problem;
    const Cost* row = p.costs + static_cast<std::ptrdiff_t>(label) * p.answers;
    return *std::max_element(row, row + p.answers);
  }
  Cost leaf(const Cost* weights) {
    to_gains(facts_, weights, gains_.data());
    return influence(weights) - *std::max_element(gains_.begin(), gains_.end());
  }

  Shallow best(const Table& table, std::vector<Cost>* by_column) {
    const ProofProblem& p = facts_.problem;
    Shallow out;
    start(out, leaf(table.total.data()));
    std::vector<Cost> whole[2];
    for (int i = 0; i < table.columns; ++i) {
      const Cost* own = cell(table, i, i);
      whole[1].assign(own, own + kinds_);
      whole[0] = table.total;
      for (int k = 0; k < kinds_; ++k) whole[0][at(k)] -= own[k];
      SideOptions side[2];
      for (int s = 0; s < 2; ++s) side[s] = options(table, i, s, whole[s]);
      const Cost least = std::min(whole[0].back(), whole[1].back());
      if (by_column != nullptr) (*by_column)[at(i)] = side[0].split[0] + side[1].split[0];
      if (least < 1) continue;
      offer(out, 0, side, p.penalty);
      if (least >= p.least) offer(out, 1, side, p.penalty);
    }
    finish(out);
    return out;
  }

  SideOptions options(const Table& table, int i, int s, const std::vector<Cost>& whole) {
    SideOptions out;
    out.leaf = out.split[0] = out.split[1] = leaf(whole.data());
    if (out.leaf <= facts_.problem.penalty) return out;
    std::vector<Cost>& rest = other_;
    rest.resize(at(kinds_));
    for (int j = 0; j < table.columns; ++j) {
      const Cost *both = cell(table, i, j), *one = cell(table, j, j);
      for (int k = 0; k < kinds_; ++k) {
        cell_[at(k)] = s == 1 ? both[k] : one[k] - both[k];
        rest[at(k)] = whole[at(k)] - cell_[at(k)];
      }
      const Cost room = std::min(cell_.back(), rest.back());
      if (room < 1) continue;
      const Cost cost = leaf(cell_.data()) + leaf(rest.data()) + facts_.problem.penalty;
      out.split[0] = std::min(out.split[0], cost);
      if (room >= facts_.problem.least) out.split[1] = std::min(out.split[1], cost);
    }
    return out;
  }

  const Facts& facts_;
  int kinds_;
  std::vector<Cost> cell_, other_, gains_;
  std::deque<Node> levels_;
  Table part_, rest_;
};

// Two classes, one of them counted as +w and the other as -w. A leaf of weight w and difference d
// costs (w - |d|) / 2, so that the leaves of a tree of two levels cost what their weights are
// together, less their differences, half of it: only the differences depend on the second splits.
// Splitting costs no less than not to: |a| + |b| >= |a + b|.
//
// The rows where a column is set are counted; the others are what is left.
template <class T>
class TwoClassPairs final : public proof::PairCounter {
 public:
  explicit TwoClassPairs(const Facts& facts) : facts_(facts), listed_(at(facts.problem.features)) {}

  void count(int level, const std::vector<int>& rows, const proof::Parting& columns) override {
    while (levels_.size() <= at(level)) levels_.emplace_back();
    Node& node = levels_[at(level)];
    take(node, rows, columns);
    add_up(node, every(rows.size()), node.all);
    weigh(node);
  }
  Shallow shallow(int level, std::vector<Cost>* by_column) override {
    const Node& node = levels_[at(level)];
    return best(node, node.all, by_column);
  }
  void sides(int level, int column, Shallow out[2]) override {
    const Node& node = levels_[at(level)];
    add_up(node, node.set[at(column)], part_);
    rest_.pairs.resize(part_.pairs.size());
    rest_.weights.resize(part_.weights.size());
    for (std::size_t k = 0; k < part_.pairs.size(); ++k)
      rest_.pairs[k] = static_cast<T>(node.all.pairs[k] - part_.pairs[k]);
    for (std::size_t k = 0; k < part_.weights.size(); ++k)
      rest_.weights[k] = static_cast<T>(node.all.weights[k] - part_.weights[k]);
    rest_.weight = static_cast<T>(node.all.weight - part_.weight);
    rest_.difference = static_cast<T>(node.all.difference - part_.difference);
    out[0] = best(node, rest_, nullptr);
    out[1] = best(node, part_, nullptr);
  }
  void overlaps(int level, int column, Overlaps& out) override {
    const Node& node = levels_[at(level)];
    const std::size_t m = node.set.size();
    const T* from =
        column < 0 ? node.all.weights.data() : &node.pair_weights[at(column) * node.stride];
    out.weights.assign(from, from + m);
    out.weight = column < 0 ? node.all.weight : node.all.weights[at(column)];
    out.sizes = out.weights;  // there is no limit: all that matters is whether there are rows
    out.size = out.weight;
  }

 private:
  using L = Lanes<T>;
  static constexpr std::size_t kSize = static_cast<std::size_t>(L::kSize), kLanes = 2 * kSize;

  struct Table {
    std::vector<T> pairs;    // differences where two columns are set
    std::vector<T> weights;  // by column: what the rows weigh where it is set
    T weight = 0, difference = 0;
  };
  struct Node {
    std::vector<std::vector<int>> set, lists;  // by column the rows, by row the columns
    std::vector<T> weight;                     // by row, with the sign of its class
    std::vector<T> values;  // by row and column: that weight where the column is set
    std::size_t stride = 0;
    std::vector<T> pair_weights;
    Table all;
  };

  static T size_of(T x) { return static_cast<T>(x < 0 ? -x : x); }

  void take(Node& node, const std::vector<int>& rows, const proof::Parting& columns) {
    const ProofProblem& p = facts_.problem;
    node.set = columns.set;
    node.lists = lists_of(columns, rows.size());
    node.stride = (node.set.size() + kLanes - 1) / kLanes * kLanes;
    node.weight.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      node.weight[i] =
          static_cast<T>(p.labels[rows[i]] == 1 ? p.weights[rows[i]] : -p.weights[rows[i]]);
    node.values.assign(rows.size() * node.stride, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const int c : node.lists[i]) node.values[i * node.stride + at(c)] = node.weight[i];
  }

  // Sums over some rows of a node. For each column the rows where it is set are added up, a few
  // columns at a time, in registers.
  void add_up(const Node& node, const std::vector<int>& inside, Table& out) {
    const std::size_t m = node.set.size();
    for (std::size_t c = 0; c < m; ++c) listed_[c].clear();
    out.weights.assign(node.stride, 0);
    out.weight = out.difference = 0;
    for (const int i : inside) {
      const T d = node.weight[at(i)], w = size_of(d);
      out.weight = static_cast<T>(out.weight + w);
      out.difference = static_cast<T>(out.difference + d);
      for (const int c : node.lists[at(i)]) {
        listed_[at(c)].push_back(i);
        out.weights[at(c)] = static_cast<T>(out.weights[at(c)] + w);
      }
    }
    sum_pairs(node, node.values, out.pairs);
  }
  void sum_pairs(const Node& node, const std::vector<T>& values, std::vector<T>& out) const {
    out.resize(node.set.size() * node.stride);
    for (std::size_t c = 0; c < node.set.size(); ++c)
      for (std::size_t first = 0; first < node.stride; first += kLanes) {
        L low = L::zero(), high = L::zero();
        const T* from = values.data() + first;
        for (const int i : listed_[c]) {
          const T* row = from + at(i) * node.stride;
          low = low + L::load(row);
          high = high + L::load(row + kSize);
        }
        low.store(&out[c * node.stride + first]);
        high.store(&out[c * node.stride + first + kSize]);
      }
  }
  // What the rows weigh where two columns are set, of all rows of the node.
  void weigh(Node& node) {
    weights_.resize(node.values.size());
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = size_of(node.values[k]);
    sum_pairs(node, weights_, node.pair_weights);
  }

  Shallow best(const Node& node, const Table& table, std::vector<Cost>* by_column) {
    const Cost penalty = facts_.problem.penalty;
    const std::size_t stride = node.stride;
    Shallow out;
    start(out, (Cost{table.weight} - size_of(table.difference)) / 2);
    own_.assign(stride, 0);
    for (std::size_t c = 0; c < node.set.size(); ++c) own_[c] = table.pairs[c * stride + c];
    for (std::size_t c = 0; c < node.set.size(); ++c) {
      if (by_column != nullptr) (*by_column)[c] = out.cost[0][0];
      const Cost heavy[2] = {Cost{table.weight} - table.weights[c], table.weights[c]};
      if (std::min(heavy[0], heavy[1]) < 1) continue;
      const T one = own_[c], zero = static_cast<T>(table.difference - one);
      T most[2] = {0, 0};
      furthest(&table.pairs[c * stride], stride, one, zero, most);
      SideOptions side[2];
      const T difference[2] = {zero, one};
      for (int s = 0; s < 2; ++s) {
        side[s].leaf = (heavy[s] - size_of(difference[s])) / 2;
        side[s].split[0] = std::min(side[s].leaf, (heavy[s] - most[s]) / 2 + penalty);
      }
      if (by_column != nullptr) (*by_column)[c] = side[0].split[0] + side[1].split[0];
      offer(out, 0, side, penalty);
    }
    finish(out);
    std::copy_n(out.cost[0], 4, out.cost[1]);
    return out;
  }
  // The most that the differences of two leaves are together, on either side of a column.
  void furthest(const T* both_set, std::size_t stride, T one, T zero, T most[2]) const {
    L in = L::zero(), off = L::zero();
    const L all_one = L::splat(one), all_zero = L::splat(zero);
    for (std::size_t first = 0; first < stride; first += kSize) {
      const L b = L::load(both_set + first), other = L::load(&own_[first]) - b;
      in = max(in, magnitude(b) + magnitude(all_one - b));
      off = max(off, magnitude(other) + magnitude(all_zero - other));
    }
    most[1] = in.largest();
    most[0] = off.largest();
  }

  const Facts& facts_;
  std::vector<T> own_, weights_;
  std::vector<std::vector<int>> listed_;  // by column: some rows where it is set
  std::deque<Node> levels_;
  Table part_, rest_;
};

}  // namespace exactree::EXACTREE_ISA::proving
