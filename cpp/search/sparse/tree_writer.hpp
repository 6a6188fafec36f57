// From what the solver knows to trees: a first one, the best one known, and the one by rule.
#pragma once

#include <algorithm>
#include <vector>

#include "search/sparse/solver.hpp"
#include "search/tree.hpp"

namespace exactree::EXACTREE_ISA {

// A tree and what it costs.
struct PricedTree {
  Cost cost = kInfinite;
  Tree tree;
};

template <class Count>
class TreeWriter {
 public:
  using Node = SparseNode<Count>;

  explicit TreeWriter(SparseSolver<Count>& solver) : solver_(solver) {}

  // Records a tree that takes, at every node, the split that is best with one more split on either
  // side. Returns what it costs.
  Cost plan_greedily(int level) {
    Node& node = solver_.at(level);
    const Cost leaf = solver_.cost(node.errors);
    if (leaf <= solver_.penalty() || node.columns == 0 || !solver_.count_pairs(node)) return leaf;
    solver_.first_bounds(node);
    const int j = best_column(node);
    if (solver_.high(node, j) >= leaf) return leaf;
    Bounds known{0, solver_.penalty(), node.id[static_cast<std::size_t>(j)]};
    for (int s = 0; s < 2; ++s) {
      Cost below = solver_.side(node, j, s).high;
      // Less than two prices is one split or none: no tree is better.
      if (below > 2 * solver_.penalty()) {
        solver_.make_child(level, j, s, solver_.too_small());
        below = std::min(below, plan_greedily(level + 1));
      }
      known.high += below;
    }
    solver_.record(node, known);
    return known.high;
  }

  // The best tree that is known of the node of this level, built for the search.
  PricedTree best_known(int level) {
    Node& node = solver_.at(level);
    PricedTree best{solver_.cost(node.errors), leaf_of(node)};
    if (best.cost <= solver_.penalty() || node.columns == 0) return best;
    solver_.count_pairs(node);
    solver_.first_bounds(node);
    const int j = best_column(node);
    if (solver_.high(node, j) < best.cost) {
      best.cost = solver_.high(node, j);
      best.tree = shallow(level, j);
    }
    const Bounds* known = solver_.look_up(node);
    if (known == nullptr || known->split < 0 || known->high >= best.cost) return best;
    const auto place = std::find(node.id.begin(), node.id.end(), known->split);
    if (place == node.id.end()) return best;
    const PricedTree deep = below(level, static_cast<int>(place - node.id.begin()));
    return deep.cost < best.cost ? deep : best;
  }

  // The tree by rule, of an optimum that is known to be `value`: a leaf if it costs no more, else
  // the first column that has a split which does. False: stopped.
  //
  // Columns with a side lighter than a price are left out, which no optimal tree splits by; so are
  // those that part the rows like one before them. The others are judged by their optima, so that
  // the order of the search and its prunings cannot change the tree.
  bool by_rule(int level, Cost value, Tree& tree) {
    Node& node = solver_.at(level);
    if (solver_.cost(node.errors) <= value) {
      tree = leaf_of(node);
      return true;
    }
    const int j = solver_.first_attaining(level, value);
    if (j < 0) return false;
    Tree sides[2];
    for (int s = 0; s < 2; ++s) {
      const Cost optimum = solver_.side(node, j, s).high;
      solver_.make_child(level, j, s, lighter_than_a_price());
      if (!by_rule(level + 1, optimum, sides[s])) return false;
    }
    tree = joined(node, j, sides);
    return true;
  }
  std::int64_t lighter_than_a_price() const {
    return (solver_.penalty() - 1) / solver_.rows().unit;
  }

 private:
  int best_column(Node& node) {
    int best = 0;
    for (int j = 1; j < node.columns; ++j)
      if (solver_.high(node, j) < solver_.high(node, best)) best = j;
    return best;
  }
  static Tree leaf_of(const Node& node) {
    TreeNode leaf;
    leaf.label = node.label;
    return {leaf};
  }
  // A split of column j and a tree for each side; the column's 0 goes left.
  Tree joined(const Node& node, int j, const Tree sides[2]) const {
    const int zero = node.flipped[static_cast<std::size_t>(j)] != 0 ? 1 : 0;
    TreeNode root;
    const auto column = static_cast<std::size_t>(node.id[static_cast<std::size_t>(j)]);
    const auto& threshold = solver_.rows().thresholds[column];
    root.feature = threshold.feature;
    root.low = threshold.rank;
    root.high = threshold.rank + 1;
    root.label = node.label;
    Tree tree{root};
    tree[0].left = append(tree, sides[zero]);
    tree[0].right = append(tree, sides[1 - zero]);
    return tree;
  }
  // Returns where the root of the part is now.
  static int append(Tree& tree, const Tree& part) {
    const int start = static_cast<int>(tree.size());
    for (TreeNode node : part) {
      if (node.feature >= 0) node.left += start, node.right += start;
      tree.push_back(node);
    }
    return start;
  }

  // The split of column j with leaves or single splits below.
  Tree shallow(int level, int j) {
    Node& node = solver_.at(level);
    Tree sides[2];
    for (int s = 0; s < 2; ++s) {
      solver_.make_child(level, j, s, 0);
      Node& child = solver_.at(level + 1);
      sides[s] = leaf_of(child);
      if (solver_.cost(child.errors) > solver_.side(node, j, s).high) sides[s] = single(level + 1);
    }
    return joined(node, j, sides);
  }
  // The best single split.
  Tree single(int level) {
    Node& node = solver_.at(level);
    int best = 0;
    Count fewest = node.errors;
    for (int j = 0; j < node.columns; ++j) {
      const auto errors = static_cast<Count>(node.side_errors(j, 0) + node.side_errors(j, 1));
      if (errors < fewest) best = j, fewest = errors;
    }
    Tree sides[2];
    for (int s = 0; s < 2; ++s) {
      solver_.make_child(level, best, s, 0);
      sides[s] = leaf_of(solver_.at(level + 1));
    }
    return joined(node, best, sides);
  }
  PricedTree below(int level, int j) {
    PricedTree found{solver_.penalty(), {}};
    Tree sides[2];
    for (int s = 0; s < 2; ++s) {
      solver_.make_child(level, j, s, solver_.too_small());
      PricedTree part = best_known(level + 1);
      found.cost += part.cost;
      sides[s] = std::move(part.tree);
    }
    found.tree = joined(solver_.at(level), j, sides);
    return found;
  }

  SparseSolver<Count>& solver_;
};

}  // namespace exactree::EXACTREE_ISA
