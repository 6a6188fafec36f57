// From the value of an optimum to a tree that attains it.
//
// The search for the value is free to work in any order, on any number of threads, with bounds that
// depend on their timing. The tree must not. So among all trees that attain the value one is
// defined: at every node a leaf if it does, else the first column that has a split that does, and
// in it the lowest such threshold, with the fewest splits below, and of those the fewest on the
// left. (Masks: the first in the order of their tree.) It is found afterwards; whatever bounds the
// search left behind help and cannot change it.
#pragma once

#include <limits>

#include "search/driver/source.hpp"
#include "search/driver/worker.hpp"
#include "search/tree.hpp"

namespace exactree {

// A side of a split (0: left) of a node with so many levels.
struct SideAt {
  int feature, position, side, depth;
};

template <class V>
class Extractor {
 public:
  explicit Extractor(Worker<V>& worker) : worker_(worker) {}

  // Appends a tree of cost at most `value` with at most `splits` splits; there must be one. The
  // relatives were solved with this budget or a larger one. Gives what the tree costs: less than
  // `value` if that is no optimum, as in rounds that did not look for one.
  Cost extract(Node& node, Budget budget, int splits, Cost value, Tree& tree,
               const Relatives<V>& relatives = {});
  // The same with a given split at the root, whose sides have trees of these costs.
  Cost extract_at(Node& node, Budget budget, int splits, Cost value, const SolvedSplit<V>& split,
                  Tree& tree);
  // Appends the split of `node` at a position and makes its sides ready for what is below.
  int open_split(Node& node, int feature, int position, Tree& tree);
  static int close_leaf(const Node& node, Tree& tree);
  // Appends a side of a split as a leaf if that costs at most this, and gives its cost; else -1.
  // Over rank columns no node is made for it, which takes long if they are very many; the others
  // say -1 unless it has to be a leaf.
  static constexpr Cost kAny = std::numeric_limits<Cost>::max();
  Cost close_side(Node& node, const SideAt& at, Cost most, Tree& tree);

 private:
  Cost extract_sides(Node& node, Budget budget, const ChosenSplit<V>& chosen, Tree& tree);

  Worker<V>& worker_;
};

}  // namespace exactree
