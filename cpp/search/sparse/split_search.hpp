// Trees over rank columns that only their splits limit: at most so many, or a price for each.
//
// What is known of a set of rows does not depend on the depth at which it is met, so it is kept by
// the set (box_table.hpp). A tree is a leaf, or a split with a leaf on one side (carving.hpp), or
// one with splits on both sides. The first are few; the others are searched by intervals.
//
// Letters: e(A, k) is the optimum on the rows A with at most k splits. As in columns/chain.hpp,
//   Subset.     A within B: e(A, k) <= e(B, k).
//   Similarity. A within B: e(B, k) <= e(A, k) + influence(B - A).
//
// Order. Two classes, and a leaf beside a rest has a label c. Follow the splits of a tree from rest
// to rest while their leaves have that label, up to a last split with two leaves, one of which has
// it: the tree predicts c on the union of these leaves. So the splits can change places, and of two
// in the same column with their leaves on the same side one is enough. There is an optimal tree in
// which such splits follow each other in the order of their columns and sides.
//   A last split has a leaf of either label. So beside a leaf it is asked for only in the column of
//   that leaf's split or a later one.
//   By label. A rest beside a leaf of label c is barred from beginning with a leaf of that label up
//   to the same column and side. Let e(A, k, bar) be the optimum over the trees of k splits that
//   keep to the bar, and all trees of fewer splits (with a price, these cost one more).
// Subset and Similarity hold for both: which trees keep to the order does not depend on the rows,
// and a split that parts none of the rows of a subset leaves a tree of fewer splits. Leaves have to
// be listed for either label then, and a set of rows is met with several bars. So bars are used
// only where a class is rare and nearly all leaves beside rests have the other label.
#pragma once

#include <memory>
#include <vector>

#include "search/driver/control.hpp"
#include "search/driver/search.hpp"
#include "search/node.hpp"
#include "search/sparse/box_table.hpp"
#include "search/sparse/carving.hpp"
#include "search/tree.hpp"

namespace exactree {

class SplitSearch {
 public:
  // No limit on the number of splits, where there is a price.
  static constexpr int kUnlimited = 1 << 20;

  SplitSearch(const Problem& data, int max_splits, Switches switches, Control& control,
              std::int64_t table_bytes);

  std::unique_ptr<Node> read(MakeRoot make_root) { return make_root(data_, work_); }
  // Looks for a tree that costs less than `upper`: raises the bound and shows both.
  void run(Node& root, Cost upper, SearchProgress& progress, SearchResult& result);

 private:
  using Outcome = BoxTable::Bounds;
  using Floors = std::vector<std::uint16_t>;  // per column; empty: none are kept
  // What is known of the two sides at a position of a column, by their number of splits.
  struct Cut {
    int position;
    std::vector<Cost> low[2];
    Floors floors[2];
  };
  // How many splits the two sides may have, and where in a Cut that is.
  struct Shares {
    int splits[2];
    std::size_t place[2];
  };
  // A subproblem that is being solved.
  struct Frame {
    Node& node;
    int depth;
    int splits;
    int bar;
    Outcome best;  // best.low is what the rest must cost less than
  };
  struct Level {
    std::unique_ptr<Node> child;
    std::vector<Carving> carvings[2];
  };
  struct Run {
    int first, last;
    int left;         // the carving before, if it was solved
    Cost left_value;  // and what its rest costs at least
    Cost right_value;
    Floors left_floors, right_floors;
  };

  // The optimum with at most so many splits if it is below `cap`, else that it is not. `first`:
  // whatever is known of it is not enough.
  Outcome solve(Node& node, int depth, int splits, int bar, Cost cap, bool first = false);
  bool solve_small(Node& node, int& splits, Cost limit, Outcome& out);
  int useful(int splits, Cost limit) const;
  void solve_fewer(Frame& frame);
  // What the order asks of a side: its bar and, if it has one split at most, the first column.
  struct After {
    int bar = 0, column = 0;
  };
  // One side of a split, with at most so many splits: the optimum if it is below `cap`.
  Outcome solve_side(Frame& frame, int f, int p, int side, int splits, After after, Cost cap,
                     Floors& floors);
  std::uint16_t* barred(const Node& node, int from, Floors& floors);
  bool in_order() const;
  bool has_rare_class() const;
  // A bar as a number; 0: none.
  static int bar_of(int f, int s, int label) { return 1 + 2 * (2 * f + s) + label; }
  static bool is_barred(int bar, int f, int s, int label) {
    return bar > 0 && (bar - 1) % 2 == label && 2 * f + s <= (bar - 1) / 2;
  }
  Floors no_floors(const Frame& frame) const;
  void take_floors(const Floors& from, Cost influence, Floors& to) const;
  static Cost between(const Frame& frame, int f, int p, int q);

  void carve(Frame& frame, int f);
  void carve(Frame& frame, int f, int s, int label);
  void carve(Frame& frame, int f, int s, int label, Run run);
  Cost carve_at(Frame& frame, int f, int s, int label, Carving at, Cost cap, Floors& floors);
  Cost support() const;
  bool trim(const Frame& frame, int f, const std::vector<Carving>& list, Run& run);

  void both(Frame& frame, int f);
  int ways(int splits) const { return unlimited() ? 1 : splits - 2; }
  Shares shares(int i, int splits) const;
  bool open_between(const Frame& frame, int f, const Cut& a, const Cut& b, int& first, int& last);
  void evaluate(Frame& frame, int f, const Cut& a, const Cut& b, Cut& cut);
  void raise_both(Frame& frame, int f, const Cut& a, const Cut& b, const Shares& shares,
                  std::vector<Cost> high[2], Cut& cut);
  void improve(Frame& frame, int f, int p, const int splits[2], const Cost cost[2], int bar);
  void improve(Frame& frame, const Outcome& found);

  // Appends a tree of this cost, of which there is one; `known` may tell how it starts.
  void write(Node& node, int depth, int splits, int bar, Cost value, const Outcome& known,
             Tree& tree);
  Outcome look_up(const Node& node, int splits, int bar);
  void take(Node& root, const Outcome& out, SearchAnswer& answer);
  Cost next_target(Cost target, Cost bound, Cost upper) const;
  Node& child(Node& node, int depth, int f, int p, int side);
  Level& level(int depth);
  bool unlimited() const { return max_splits_ >= kUnlimited; }

  const Problem& data_;
  Cost penalty_;
  int max_splits_;
  Control& control_;
  Workspace work_;
  Carver carver_;
  BoxTable table_;
  std::vector<std::unique_ptr<Level>> levels_;
  bool by_label_;
  Floors bars_;
  Outcome found_;  // the best tree of all rows so far
};

// The same for a problem: looks for trees below `upper` with at most `max_splits` splits (-1: any
// number, at a price). If there is none, the answer is the single leaf, and `upper` its bound. No
// answer: stopped while the columns were read.
SearchResult search_splits(const Problem& given, int max_splits, Cost upper, Switches switches,
                           MakeRoot make_root, Control& control, SearchProgress& progress);

}  // namespace exactree
