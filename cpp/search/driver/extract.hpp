// From the value of an optimum to a tree that attains it.
//
// The search for the value is free to work in any order, on any number of threads, with bounds that
// depend on their timing. The tree must not. So among all trees that attain the value one is
// defined: at every node a leaf if it does, else the first column that has a split that does, and
// in it the lowest such threshold, with the fewest splits below, and of those the fewest on the
// left. (Masks: the first in the order of their tree.) It is found afterwards; whatever bounds the
// search left behind help and cannot change it.
#pragma once

#include <memory>
#include <vector>

#include "search/driver/worker.hpp"
#include "search/tree.hpp"

namespace exactree {

// What is left of solving the same rows, or nearly the same.
template <class V>
struct Family {
  Relative<V> relatives[kMostRelatives] = {};
  int count = 0;
};

// A split that was found to be the best: what its sides cost, and who knows more of them.
template <class V>
struct SolvedSplit {
  int feature = -1, position = 0;
  V hi[2];
  Family<V> sides[2] = {};
};

template <class V>
class Extractor {
 public:
  explicit Extractor(Worker<V>& worker) : worker_(worker) {}

  // Appends a tree of cost at most `value` with at most `splits` splits; there must be one. Those
  // of the family were solved with this budget or a larger one.
  void extract(Node& node, Budget budget, int splits, Cost value, Tree& tree,
               const Family<V>& family = {});
  // The first threshold of a chain that costs at most `value`; -1 if none does.
  int first_threshold(Frame<V>& frame, Chain<V>& chain, int feature, int k, Cost value);
  // The same with a given split at the root, whose sides have trees of these costs.
  void extract_at(Node& node, Budget budget, int splits, Cost value, const SolvedSplit<V>& split,
                  Tree& tree);
  // An entry of a chain as a split; the frame keeps what was solved.
  static SolvedSplit<V> split_at(const Frame<V>& frame, const Chain<V>& chain, int entry);
  // Appends the split of `node` at a position and makes its sides ready for what is below.
  int open_split(Node& node, int feature, int position, Tree& tree);
  static int close_leaf(const Node& node, Tree& tree);

  Worker<V>& worker() { return worker_; }

 private:
  struct Found {
    int feature = -1, position = 0;
    int splits[2] = {0, 0};
    Cost cost[2] = {0, 0};
    Family<V> sides[2] = {};
    std::vector<std::unique_ptr<Solution<V>>> kids = {};  // of whom the families are made
  };
  Found share(const V hi[2], Budget budget, int splits, Cost value) const;
  Found share(const SolvedSplit<V>& split, Budget budget, int splits, Cost value) const;
  void extract_sides(Node& node, Budget budget, const Found& found, Tree& tree);
  Found find_shallow(BinaryNode& node, Budget budget, int splits, Cost value);
  Found find_mask(MaskNode& node, Budget budget, int splits, Cost value);
  Found find(Node& node, Budget budget, int splits, Cost value, const Family<V>& family);

  Worker<V>& worker_;
};

}  // namespace exactree
