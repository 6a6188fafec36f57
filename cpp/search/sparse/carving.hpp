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
//   Support. With a price, the rows of a leaf without what it costs have to weigh more than the
//            price: without the split, the rest takes them and costs at most their weight more.
// This one leaves a split less, so it does not lead back either.
// All this holds for leaves of any one label as well as for those of the best label.
#pragma once

#include <utility>
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
  struct Terms {
    Cost limit;              // leaves cost less
    int label;               // of the leaf; -1: the best one
    Cost support;            // less than nothing: any leaf will do
    bool all;                // also positions that Larger and Smaller exclude
    std::size_t most = ~0u;  // no more positions than this
  };
  // How many positions are excluded by Larger and Smaller, and how many of the others by Support.
  // Positions that follow each other and are passed at once count as one.
  struct Excluded {
    int by_others = 0, by_support = 0;
  };
  // Positions with a leaf on side s, from the smallest leaf to the largest.
  Excluded list(const Node& node, int f, int s, const Terms& terms, std::vector<Carving>& out);
  // The largest leaf below a limit, whatever the rules say; its position may be an end.
  Carving last(const Node& node, int f, int s, int label, Cost limit);
  // Whether last() takes far less than a list: it can be asked time and again.
  bool is_quick() const { return masks_.size() == 1; }

 private:
  Excluded list_rows(const Node& node, int f, int s, const Terms& terms, std::vector<Carving>& out);
  void read_rows(const Node& node, int f);
  Cost add(int row, int label);
  // Rows of equal weights.
  Excluded list_masks(const Node& node, int f, int s, const Terms& terms,
                      std::vector<Carving>& out);
  // Two classes of such rows.
  Carving last_of_two(const Node& node, int f, int s, int label, Cost limit);
  void sum_up(int rows);
  int ones_before(int p) const;
  Carving last_of_masks(const Node& node, int f, int s, int label, Cost limit);
  [[gnu::always_inline]] inline bool pass_leading(const Node& node, int f, int s, int label,
                                                  int& here);
  [[gnu::always_inline]] inline int right(int label) const;
  [[gnu::always_inline]] inline std::pair<int, bool> leading() const;
  [[gnu::always_inline]] inline int other_row(int c, int s, int here, int rows) const;
  [[gnu::always_inline]] inline std::uint64_t others(int c, int word) const;
  [[gnu::always_inline]] inline void count(int first, int last, int sign);

  const Problem& data_;
  LeafCost leaf_cost_;
  std::vector<const std::uint64_t*> masks_;  // by class: its rows; of two classes the second only
  std::vector<int> counts_;                  // by class: rows of the leaf
  std::vector<int> sums_;  // two classes, by word: rows of the second before it; empty: not known
  std::vector<int> classes_;
  std::vector<Cost> costs_, by_class_;
  Cost total_ = 0, most_ = 0;
};

}  // namespace exactree
