// The local search for a tree: its nodes are improved in turn, each with the others fixed.
//
// A tree may have splits with an empty side for a while; written() leaves them out. Otherwise it
// keeps to all budgets after every public call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "oblique/answers.hpp"
#include "oblique/targets.hpp"

namespace KERNEL_NAMESPACE {

struct Shape {
  int max_depth, max_splits;  // max_splits -1: what the depth allows
  int plane_columns;          // 0: all
};

template <class Targets>
class TreeSearch {
 public:
  TreeSearch(const ObliqueData& data, Shape shape, Random random, Pace pace)
      : data_(data), shape_(shape), targets_(data), random_(random), pace_(pace) {}

  // Starts from a tree; splits whose sides have too few rows here are dropped.
  void set(const ObliqueTree& tree);
  // What a single leaf costs.
  Cost leaf_cost() {
    Node leaf;
    targets_.fill(all_rows(), leaf);
    return leaf.cost;
  }
  // Starts from a tree grown by random choices, whose first split may be one between corners.
  void grow_anew(bool corners);
  // Passes over the nodes whose rows or prices have changed since they were looked at, until
  // `idle_passes` of them have brought nothing.
  void alternate(int idle_passes, Cost target);
  // Changes something at random; the tree may get worse. Only the nodes that this concerns are
  // looked at afterwards, and those that what is found there concerns.
  void perturb();

  Cost cost() const { return total_; }
  // The tree in preorder, without splits that are of no use.
  ObliqueTree written();
  long scans() const { return scans_; }
  Random& random() { return random_; }

 private:
  using Node = ObliqueTree::Node;
  using Rows = std::vector<int>;

  Node& at(int n) { return nodes_[static_cast<std::size_t>(n)]; }
  const Node& at(int n) const { return nodes_[static_cast<std::size_t>(n)]; }
  bool is_leaf(int n) const { return at(n).left < 0; }
  bool goes_right(int n, int i) const {
    return right_[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)] != 0;
  }
  double end_value(int n, int i) const {
    while (!is_leaf(n)) {
      const int sides[2] = {at(n).left, at(n).right};
      n = sides[goes_right(n, i) ? 1 : 0];
    }
    return at(n).value;
  }
  int depth_of(int n) const {
    int d = 0;
    for (; at(n).parent >= 0; n = at(n).parent) ++d;
    return d;
  }
  int splits_below(int n) const {
    return is_leaf(n) ? 0 : 1 + splits_below(at(n).left) + splits_below(at(n).right);
  }
  Cost cost_below(int n) const {
    return is_leaf(n) ? at(n).cost
                      : data_.penalty + cost_below(at(n).left) + cost_below(at(n).right);
  }
  bool limited() const { return data_.penalty > 0 || shape_.max_splits >= 0; }
  int patience() const {
    const int columns = shape_.plane_columns > 0 ? shape_.plane_columns : data_.columns;
    return 12 + std::min(columns, 30);
  }

  int add_leaf(int parent);
  void open_around(int n);
  void cut_to_leaf(int n) { at(n).left = at(n).right = -1; }
  void replace(int n, int by);
  void route(int n);
  void part(int n, const Rows& rows, Rows sides[2]) const;
  Rows all_rows() const;
  Rows rows_of(int n) const;
  std::int64_t count(const Rows& rows) const;
  void collect(int n, std::vector<int>& found) const;
  std::vector<int> inner_nodes() const;
  std::vector<int> open_leaves() const;
  std::vector<int> columns_for(const Plane& plane);

  Cost relabel(int n, const Rows& rows);
  void repair(int n, const Rows& rows);
  Cost simplify(int n, const Rows& rows);
  void keep_budgets();
  void settle();

  // Improving one node: tree_search.cpp.
  SomeRows thinned(int n, Rows rows);
  Cost price(int n, int i) const;
  void leave_out_free(int n, Rows& rows) const;
  bool improve_node(int n);
  template <class Meter>
  bool search_split(int n, const NodeRows& rows, Meter& meter, Plane& found);
  // Growing: growing.cpp.
  void grow(int n, const Rows& rows, int depth, double corners);
  Plane start_plane(const NodeRows& rows);
  bool between_corners(const NodeRows& rows, Plane& plane);
  Plane bisector(const Rows& rows, const std::vector<int>& columns);
  void extend();
  void jitter(int n);

  const ObliqueData& data_;
  Shape shape_;
  Targets targets_;
  Random random_;
  Pace pace_;
  std::vector<Node> nodes_;                       // the root first; some may be cut off
  std::vector<std::vector<std::uint8_t>> right_;  // of every inner node: which rows it sends right
  std::vector<char> open_;  // of every node: whether something has changed for it, as for new ones
  Cost total_ = kInfinite;
  long scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
