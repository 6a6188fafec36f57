// Pairs of columns of two values, compiled per instruction set: sums by class for any costs, and
// differences of two classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "proof/pairs.hpp"
#include "search/lanes.hpp"

namespace exactree::EXACTREE_ISA {

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

// Any classes, weights, costs and limits: the weights of the classes of a pair, and its size.
class ClassPairs final : public PairCounter {
 public:
  explicit ClassPairs(const Facts& facts)
      : facts_(facts),
        m_(facts.problem.features),
        kinds_(facts.problem.classes + 1),
        cell_(at(kinds_)),
        gains_(at(std::max(facts.problem.classes, facts.problem.answers))) {
    const ProofProblem& p = facts.problem;
    ones_.resize(at(p.rows));
    for (int f = 0; f < m_; ++f)
      for (int i = 0; i < p.rows; ++i)
        if (p.ranks[static_cast<std::ptrdiff_t>(f) * p.rows + i] == 1) ones_[at(i)].push_back(f);
  }

  void count(int level, const std::vector<int>& rows) override {
    Table& table = level_of(level);
    table.rows = rows;
    add_up(table);
  }
  Shallow shallow(int level, std::vector<Cost>* by_column) override {
    return best(level_of(level), by_column);
  }
  void sides(int level, int column, Shallow out[2]) override {
    const Table& node = level_of(level);
    scratch_[1].rows.clear();
    for (const int r : node.rows)
      if (std::binary_search(ones_[at(r)].begin(), ones_[at(r)].end(), column))
        scratch_[1].rows.push_back(r);
    add_up(scratch_[1]);
    scratch_[0].cells = node.cells;
    scratch_[0].total = node.total;
    for (std::size_t k = 0; k < node.cells.size(); ++k)
      scratch_[0].cells[k] -= scratch_[1].cells[k];
    for (std::size_t k = 0; k < node.total.size(); ++k)
      scratch_[0].total[k] -= scratch_[1].total[k];
    for (int s = 0; s < 2; ++s) out[s] = best(scratch_[s], nullptr);
  }
  void overlaps(int level, int column, Overlaps& out) override {
    const Table& table = level_of(level);
    out.weights.assign(at(m_), 0);
    out.sizes.assign(at(m_), 0);
    out.weight = influence(column < 0 ? table.total.data() : cell(table, column, column));
    out.size = (column < 0 ? table.total.data() : cell(table, column, column))[kinds_ - 1];
    for (int g = 0; g < m_; ++g) {
      const Cost* of = cell(table, column < 0 ? g : column, g);
      out.weights[at(g)] = influence(of);
      out.sizes[at(g)] = of[kinds_ - 1];
    }
  }

 private:
  struct Table {
    std::vector<int> rows;
    std::vector<Cost> cells, total;  // by two columns and kind; by kind
  };

  Table& level_of(int level) {
    while (levels_.size() <= at(level)) levels_.emplace_back();
    return levels_[at(level)];
  }
  const Cost* cell(const Table& table, int i, int j) const {
    return &table.cells[(at(i) * at(m_) + at(j)) * at(kinds_)];
  }
  void add_up(Table& table) const {
    const ProofProblem& p = facts_.problem;
    table.cells.assign(at(m_) * at(m_) * at(kinds_), 0);
    table.total.assign(at(kinds_), 0);
    for (const int r : table.rows) {
      const auto label = at(p.labels[r]), last = at(kinds_) - 1;
      table.total[label] += p.weights[r];
      table.total[last] += p.sizes[r];
      for (const int i : ones_[at(r)])
        for (const int j : ones_[at(r)]) {
          Cost* to = &table.cells[(at(i) * at(m_) + at(j)) * at(kinds_)];
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
    for (int i = 0; i < m_; ++i) {
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
    std::vector<Cost>& rest = rest_;
    rest.resize(at(kinds_));
    for (int j = 0; j < m_; ++j) {
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
  int m_, kinds_;
  std::vector<Cost> cell_, rest_, gains_;
  std::vector<std::vector<int>> ones_;  // by row, the columns that are 1
  std::deque<Table> levels_;
  Table scratch_[2];
};

// Two classes, one of them counted as +w and the other as -w. A leaf of weight w and difference d
// costs (w - |d|) / 2, so that the leaves of a tree of two levels cost what their weights are
// together, less their differences, half of it: only the differences depend on the second splits.
// Splitting costs no less than not to: |a| + |b| >= |a + b|.
//
// A node has the columns that part its rows, turned so that the lighter value of each is the one
// that is set. The rows where a column is set are counted; the others are what is left.
template <class T>
class TwoClassPairs final : public PairCounter {
 public:
  explicit TwoClassPairs(const Facts& facts)
      : facts_(facts), m_(facts.problem.features), listed_(at(m_)) {}

  void count(int level, const std::vector<int>& rows) override {
    while (levels_.size() <= at(level)) levels_.emplace_back();
    Node& node = levels_[at(level)];
    take(node, rows);
    every_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) every_[i] = static_cast<int>(i);
    add_up(node, every_, node.all);
    weigh(node);
  }
  Shallow shallow(int level, std::vector<Cost>* by_column) override {
    const Node& node = levels_[at(level)];
    std::vector<Cost> found(node.columns.size());
    const Shallow out = best(node, node.all, &found);
    if (by_column != nullptr) {
      std::fill(by_column->begin(), by_column->end(), out.cost[0][0]);
      for (std::size_t c = 0; c < found.size(); ++c) (*by_column)[at(node.columns[c])] = found[c];
    }
    return out;
  }
  void sides(int level, int column, Shallow out[2]) override {
    const Node& node = levels_[at(level)];
    const std::size_t c = at(node.local[at(column)]);
    const std::vector<int>& inside = node.set[c];
    add_up(node, inside, part_);
    rest_.pairs.resize(part_.pairs.size());
    rest_.weights.resize(part_.weights.size());
    for (std::size_t k = 0; k < part_.pairs.size(); ++k)
      rest_.pairs[k] = static_cast<T>(node.all.pairs[k] - part_.pairs[k]);
    for (std::size_t k = 0; k < part_.weights.size(); ++k)
      rest_.weights[k] = static_cast<T>(node.all.weights[k] - part_.weights[k]);
    rest_.weight = static_cast<T>(node.all.weight - part_.weight);
    rest_.difference = static_cast<T>(node.all.difference - part_.difference);
    out[node.turned[c] != 0 ? 0 : 1] = best(node, part_, nullptr);
    out[node.turned[c] != 0 ? 1 : 0] = best(node, rest_, nullptr);
  }
  void overlaps(int level, int column, Overlaps& out) override {
    const Node& node = levels_[at(level)];
    const Cost all = node.all.weight;
    out.weights.assign(at(m_), 0);
    out.weight = column < 0 ? all : ones(node, column);
    for (int g = 0; g < m_; ++g) {
      const int c = node.local[at(g)];
      if (c < 0)
        out.weights[at(g)] = node.constant[at(g)] != 0 ? out.weight : 0;
      else if (column < 0)
        out.weights[at(g)] = ones(node, g);
      else
        out.weights[at(g)] = both(node, at(node.local[at(column)]), at(c));
    }
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
    std::vector<int> columns, local;  // those that part the rows; by column: its place there, or -1
    std::vector<char> turned, constant;
    std::vector<std::vector<int>> set;    // by column: the places of the rows where it is set
    std::vector<std::vector<int>> lists;  // by row: the columns that are set
    std::vector<T> weight;                // by row, with the sign of its class
    std::vector<T> values;                // by row and column: that weight where the column is set
    std::size_t stride = 0;
    std::vector<T> pair_weights;
    Table all;
  };

  static T size_of(T x) { return static_cast<T>(x < 0 ? -x : x); }

  void take(Node& node, const std::vector<int>& rows) {
    const ProofProblem& p = facts_.problem;
    node.columns.clear();
    node.turned.clear();
    node.set.clear();
    node.local.assign(at(m_), -1);
    node.constant.assign(at(m_), 0);
    Cost all = 0;
    for (const int r : rows) all += p.weights[r];
    for (int f = 0; f < m_; ++f) {
      const std::int32_t* ranks = p.ranks + static_cast<std::ptrdiff_t>(f) * p.rows;
      Cost heavy = 0;
      for (const int r : rows) heavy += ranks[r] * p.weights[r];
      node.constant[at(f)] = heavy == all;
      if (heavy == 0 || heavy == all) continue;
      const bool turn = 2 * heavy > all;
      node.local[at(f)] = static_cast<int>(node.columns.size());
      node.columns.push_back(f);
      node.turned.push_back(turn);
      node.set.emplace_back();
      for (std::size_t i = 0; i < rows.size(); ++i)
        if ((ranks[rows[i]] == 1) != turn) node.set.back().push_back(static_cast<int>(i));
    }
    node.stride = (node.columns.size() + kLanes - 1) / kLanes * kLanes;
    node.weight.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      node.weight[i] =
          static_cast<T>(p.labels[rows[i]] == 1 ? p.weights[rows[i]] : -p.weights[rows[i]]);
    node.values.assign(rows.size() * node.stride, 0);
    node.lists.assign(rows.size(), {});
    for (std::size_t c = 0; c < node.columns.size(); ++c)
      for (const int i : node.set[c]) {
        node.values[at(i) * node.stride + c] = node.weight[at(i)];
        node.lists[at(i)].push_back(static_cast<int>(c));
      }
  }

  // Sums over some rows of a node. For each column the rows where it is set are added up, a few
  // columns at a time, in registers.
  void add_up(const Node& node, const std::vector<int>& inside, Table& out) {
    const std::size_t m = node.columns.size();
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
    out.resize(node.columns.size() * node.stride);
    for (std::size_t c = 0; c < node.columns.size(); ++c)
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
  Cost ones(const Node& node, int g) const {
    const int c = node.local[at(g)];
    if (c < 0) return node.constant[at(g)] != 0 ? node.all.weight : 0;
    const Cost set = node.all.weights[at(c)];
    return node.turned[at(c)] != 0 ? node.all.weight - set : set;
  }
  Cost both(const Node& node, std::size_t c, std::size_t d) const {
    const Cost set = node.pair_weights[c * node.stride + d], all = node.all.weight;
    const Cost of_c = node.all.weights[c], of_d = node.all.weights[d];
    if (node.turned[c] != 0) return node.turned[d] != 0 ? all - of_c - of_d + set : of_d - set;
    return node.turned[d] != 0 ? of_c - set : set;
  }

  Shallow best(const Node& node, const Table& table, std::vector<Cost>* by_column) {
    const Cost penalty = facts_.problem.penalty;
    const std::size_t stride = node.stride;
    Shallow out;
    start(out, (Cost{table.weight} - size_of(table.difference)) / 2);
    own_.assign(stride, 0);
    for (std::size_t c = 0; c < node.columns.size(); ++c) own_[c] = table.pairs[c * stride + c];
    for (std::size_t c = 0; c < node.columns.size(); ++c) {
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
  int m_;
  std::vector<T> own_, weights_;
  std::vector<int> every_;
  std::vector<std::vector<int>> listed_;  // by column: some rows where it is set
  std::deque<Node> levels_;
  Table part_, rest_;
};

}  // namespace exactree::EXACTREE_ISA
