// Splits with a leaf on one side, of which few can be best.
//
// Let p be a position of a column and the rows before it a leaf. Two rules, for trees without a
// limit on the rows of a leaf:
//   Larger.  If the leaf up to the next position q costs the same, q is no worse than p: the rest
//            has fewer rows, on which the same subtree costs no more.
//   Smaller. If the leaf up to the position o before p costs less by all that the rows between can
//            cost, o is no worse than p: the same subtree costs at most that much more.
// They never lead back: one asks for equal costs of the leaf, the other for unequal ones. So from
// every position they lead to one that neither rules out, or to an end of the column, where there
// is no split: the subtree of the rest serves all rows, or the leaf does. What remains has a leaf
// that costs more from each position to the next, so that there are no more positions than costs.
// The same holds for leaves on the other side.
#pragma once

#include <vector>

#include "search/node.hpp"
#include "search/targets/leaf_cost.hpp"

namespace exactree {

struct Carving {
  int position;
  Cost leaf;  // what the side that is a leaf costs
};

class Carver {
 public:
  explicit Carver(const Problem& data) : data_(data), leaf_cost_(data) {}

  // Reads a column, for list().
  void read(const Node& node, int f);
  // The positions whose leaf on side s costs less than `limit`, from the smallest leaf to the
  // largest. `all`: also those that the rules exclude. Returns how many they exclude.
  int list(const Node& node, int f, int s, Cost limit, bool all, std::vector<Carving>& out);

 private:
  template <class Add>
  int list(const Node& node, int f, int s, Cost limit, bool all, const Add& add,
           std::vector<Carving>& out) const;
  Cost add(int row);

  const Problem& data_;
  LeafCost leaf_cost_;
  const std::uint64_t* ones_ = nullptr;  // two classes of equal weights: which rows are of one
  std::vector<int> classes_;
  std::vector<Cost> costs_, by_class_;
  Cost total_ = 0, most_ = 0;
};

}  // namespace exactree
