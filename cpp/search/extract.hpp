// From the value of an optimum to a tree that attains it.
//
// The search for the value is free to work in any order, on any number of threads, with bounds that
// depend on their timing. The tree must not. So it is found afterwards, by a fresh worker alone:
// given that some tree costs at most v, take the first split met whose sides allow v, and go on in
// the sides. That is quick, because almost everything costs more than v.
#pragma once

#include <vector>

#include "search/tree.hpp"
#include "search/worker.hpp"

namespace exactree {

template <class V>
class Extractor {
 public:
  Extractor(const Columns& data, Control& control, Switches switches);

  // Appends a tree of cost at most `value` with at most `splits` splits; there must be one. Only
  // the columns listed are tried at the root (empty: all).
  void extract(Node& node, Budget budget, int splits, Cost value, const std::vector<int>& columns,
               Tree& tree);
  // The same with a given split at the root, whose sides have trees of these costs.
  void extract_at(Node& node, Budget budget, int splits, Cost value, int feature, int position,
                  const V hi[2], Tree& tree);
  // Appends the split of `node` at a position and makes its sides ready for what is below.
  int open_split(Node& node, int feature, int position, Tree& tree);
  static int close_leaf(const Node& node, Tree& tree);

  Worker<V>& worker() { return worker_; }

 private:
  struct Found {
    int feature = -1, position = 0;
    int splits[2] = {0, 0};
    Cost cost[2] = {0, 0};
  };
  Found share(const V hi[2], Budget budget, int splits, Cost value) const;
  void extract_sides(Node& node, Budget budget, const Found& found, Tree& tree);
  Found find(Node& node, Budget budget, int splits, Cost value, const std::vector<int>& columns);

  Worker<V> worker_;
};

}  // namespace exactree
