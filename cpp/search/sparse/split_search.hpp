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
//   that leaf's split or a later one. Columns that one scan looks at (columns/twins.hpp) follow
//   each other in this order, and are asked for together.
//   By label. A rest beside a leaf of label c is barred from beginning with a leaf of that label up
//   to the same column and side. Let e(A, k, bar) be the optimum over the trees of k splits that
//   keep to the bar, and all trees of fewer splits (with a price, these cost one more).
// Subset and Similarity hold for both: which trees keep to the order does not depend on the rows,
// and a split that parts none of the rows of a subset leaves a tree of fewer splits. Leaves have to
// be listed for either label then, and a set of rows is met with several bars. So bars are used
// only where a class is rare and nearly all leaves beside rests have the other label.
//
// Levels. Trees of few levels may have been searched before, and only deeper ones be of interest.
// Let T(k, d) be the trees of at most k splits that have d levels at least, or could be made so
// without more than k splits. For d = 0 it has all trees of k splits, else the single leaf, a leaf
// beside a tree of T(k - 1, d - 1), and trees with i and k - 1 - i splits on their sides of which
// one is in T(i, d - 1), i >= d - 1, or the same for the other side.
//   By induction, T(k, d) holds T(k - 1, d - 1) (give the deep side one split more), T(k - 1, d)
//   and T(k, d + 1), and so all trees of k - d splits. If one of its trees loses a split which
//   parts nothing, what is left is in T(k - 1, d - 1): a rest is by definition, so is a side that
//   is deep, and one that is not has k - d splits at most.
// So Subset and Similarity hold for the optimum over T(k, d), and so do the rules of carving.hpp
// and Order, which leave the shape as it is or take a split away. Where either side may be the deep
// one, both are searched for all their trees: what is found are trees and what is proved holds.
// Only for budgets without a price: a split that is made up costs one.
//
// Aims. The rest beside a leaf is asked for more than that leaf needs, so that smaller leaves of
// the column are settled with it. To prove all that the best tree of the rest costs takes longest,
// since no split below it may be left with any slack. So once a tree is known that costs more than
// is needed, a share of what lies beyond the need is not proved: what is proved still settles most
// of the smaller leaves. Below the need all is proved: trees are found as if there were no aims.
//
// Leaves can be cut off in any order, with thresholds that differ a little each time. What was
// proved of the rests in one order rules out most leaves in the others: face_table.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "search/driver/control.hpp"
#include "search/driver/search.hpp"
#include "search/node.hpp"
#include "search/sparse/box_table.hpp"
#include "search/sparse/carving.hpp"
#include "search/sparse/face_table.hpp"
#include "search/tree.hpp"

namespace exactree {

class SplitSearch {
 public:
  // No limit on the number of splits, where there is a price.
  static constexpr int kUnlimited = 1 << 20;

  SplitSearch(const Problem& data, Trees trees, Switches switches, Control& control,
              std::int64_t table_bytes);

  std::unique_ptr<Node> read(MakeRoot make_root);
  // Looks for a tree that costs less than `upper`, where none costs less than `lower`: raises the
  // bound and shows both.
  void run(Node& root, Cost lower, Cost upper, SearchProgress& progress, SearchResult& result);

 private:
  using Outcome = BoxTable::Bounds;
  using Floors = std::vector<std::uint16_t>;  // per column; empty: none are kept
  // What is not proved beyond a need: one part of so many.
  static constexpr Cost kShareLeft = 2;
  // What is known of the two sides at a position of a column, by their number of splits.
  struct Cut {
    int position;
    std::vector<Cost> low[2];
    Floors floors[2];
  };
  // Which trees the two sides may be, and where in a Cut that is.
  struct Shares {
    bool open;  // some tree of the node is like that
    Trees trees[2];
    std::size_t place[2];
  };
  // How far a subproblem is to be solved: its optimum if that is below `need`. Otherwise bounds up
  // to `cap` are welcome.
  struct Wanted {
    Cost cap, need;

    Wanted(Cost both) : cap(both), need(both) {}
    Wanted(Cost most, Cost least) : cap(most), need(std::min(most, least)) {}
    // What to prove where a tree of cost `high` is known: see Aims.
    Cost aim(Cost high) const {
      if (high <= need) return high;
      return std::min(cap, high - (high - need) / kShareLeft);
    }
  };
  // A subproblem that is being solved.
  struct Frame {
    Node& node;
    int depth;
    Trees trees;
    Wanted wanted;
    Outcome best;  // best.low is what the rest must cost less than
    // By column and side: whether nothing is to be found with a leaf there, or with one split.
    std::vector<char> settled[2] = {};
    bool covered = false;  // covers_ tells which last splits there may be beside its leaves
  };
  // In which columns a last split is asked for: from this one on, and of those these (a bit each).
  struct Last {
    int from = 0;
    const std::uint64_t* among = nullptr;
  };
  struct Level {
    std::unique_ptr<Node> child;
    std::vector<Carving> carvings[2];
    int column = 0;                      // in which the latest tree at this depth begins
    Faces faces;                         // of the node at this depth
    std::vector<FaceTable::Step> steps;  // of a column and side that is carved
  };
  struct Run {
    int first, last;
    int left;         // the carving before, if it was solved
    Cost left_value;  // and what its rest costs at least
    Cost right_value;
    Floors left_floors, right_floors;
  };

  // The optimum over these trees as far as it is wanted.
  enum class Asked {
    kOptimum,
    kAnew,     // whatever is known of it is not enough
    kWhether,  // whether it is below: some tree will do, and then no more is proved
  };
  Outcome solve(Node& node, int depth, Trees trees, const Wanted& wanted,
                Asked asked = Asked::kOptimum);
  bool solve_small(Frame& frame, Cost limit);
  void carve_all(Frame& frame, const std::function<bool()>& over);
  Cost too_many_classes(int side, int splits) const;
  int useful(int splits, Cost limit) const;
  void solve_fewer(Frame& frame);
  Trees with_one_less(const Trees& trees) const;
  // One side of a split, as far as it is wanted. One of a single split is asked for in some
  // columns.
  Outcome solve_side(Frame& frame, int f, int p, int side, const Trees& trees, const Last& last,
                     const Wanted& wanted, Floors& floors);
  std::uint16_t* barred(const Node& node, const Last& last, Floors& floors);
  Last last_beside(const Frame& frame, int f, int s) const;
  bool in_order() const;
  bool has_rare_class() const;
  // A bar as a number; 0: none.
  int bar_of(int f, int s, int label) const { return 1 + 2 * in_order(f, s) + label; }
  bool is_barred(int bar, int f, int s, int label) const {
    return bar > 0 && (bar - 1) % 2 == label && in_order(f, s) <= (bar - 1) / 2;
  }
  int in_order(int f, int s) const { return 2 * places_[static_cast<std::size_t>(f)] + s; }
  Floors no_floors(const Frame& frame) const;
  void take_floors(const Floors& from, Cost influence, Floors& to) const;
  static Cost between(const Frame& frame, int f, int p, int q);

  // A side of a column that is a leaf or has one split, the largest there may be.
  struct SmallSide {
    int column, side, position, rows;
  };
  // How often groups were ruled out where that is in doubt.
  struct Luck {
    std::int64_t tried = 0, dear = 0;

    void note(bool ruled_out) { ++tried, dear += ruled_out ? 1 : 0; }
    bool often() const;
  };
  void settle_groups(Frame& frame, int splits);
  std::vector<SmallSide> small_sides(Frame& frame, int splits);
  int largest_side(Frame& frame, int f, int s, Cost limit);
  bool is_dear(Frame& frame, const SmallSide* sides, std::size_t count, const Trees& other);
  bool is_settled(const Frame& frame, int f, const Shares& way) const;
  void settle_pairs(Frame& frame);
  bool find_steps(const Frame& frame, int f, int s, const Trees& rest);
  bool rule_out(Frame& frame, int f, int s, const Trees& rest, std::vector<Carving>& list);
  Trees rest_of(const Frame& frame, int f, int s, int label) const;
  void carve(Frame& frame, int f);
  void carve(Frame& frame, int f, int s, int label);
  void carve(Frame& frame, int f, int s, int label, Run run);
  void carve_down(Frame& frame, int f, int s, int label, Carving least, Cost rest);
  Cost carve_at(Frame& frame, int f, int s, int label, Carving at, Cost cap, Floors& floors);
  Cost support() const;
  bool trim(const Frame& frame, int f, const std::vector<Carving>& list, Run& run);

  void both(Frame& frame, int f);
  int ways(int splits) const { return unlimited() ? 1 : splits - 2; }
  Shares shares(int i, const Trees& trees) const;
  bool open_between(const Frame& frame, int f, const Cut& a, const Cut& b, int& first, int& last);
  void evaluate(Frame& frame, int f, const Cut& a, const Cut& b, Cut& cut);
  void raise_both(Frame& frame, int f, const Cut& a, const Cut& b, const Shares& shares,
                  std::vector<Cost> high[2], Cut& cut);
  void improve(Frame& frame, int f, int p, const Trees trees[2], const Cost cost[2]);
  void improve(Frame& frame, const Outcome& found);

  // Appends a tree of this cost, of which there is one; `known` may tell how it starts.
  void write(Node& node, int depth, const Trees& trees, Cost value, const Outcome& known,
             Tree& tree);
  Outcome look_up(const Node& node, const Trees& trees);
  void take(Node& root, const Outcome& out, SearchAnswer& answer);
  Cost next_target(Cost target, Cost bound, Cost upper) const;
  Node& child(Node& node, int depth, int f, int p, int side);
  Node* common(Frame& frame);
  template <class Make>
  Node* made(Node& node, int depth, Make make);
  void spend_on(const Node& node);
  Level& level(int depth);
  bool unlimited() const { return trees_.splits >= kUnlimited; }

  const Problem& data_;
  Cost penalty_;
  Trees trees_;
  Control& control_;
  Workspace work_;
  Carver carver_;
  BoxTable table_;
  FaceTable face_table_;
  Faces asked_;  // for which something is looked up or kept
  std::vector<SplitSide> others_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<int> places_;  // of the columns in the order of splits
  Covers covers_;
  bool by_label_;
  Floors bars_;
  Outcome found_;  // the best tree of all rows so far
  Luck pay_;
};

// What is asked of it for a problem: trees below `upper` with at most `max_splits` splits (-1: any
// number, at a price). No tree is below `lower`, and none of up to `levels` levels is below
// `upper`: they need not be looked for.
struct SplitsRequest {
  int max_splits = -1, levels = 0;
  Cost lower = 0, upper = kInfinite;
};

// If there is no such tree, the answer is the single leaf, and `upper` its bound. No answer:
// stopped while the columns were read.
SearchResult search_splits(const Problem& given, const SplitsRequest& request, Switches switches,
                           MakeRoot make_root, Control& control, SearchProgress& progress);

}  // namespace exactree
