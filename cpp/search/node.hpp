// The samples of a subproblem, sorted by every column: what the recursion may ask of them.
//
// A position p in column f stands for the split that sends the first p rows of that column's order
// left. The hard work (building a child, finding the best second split of both sides) is done by
// classes that are compiled for an instruction set; see column_node.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "search/audit/audit.hpp"
#include "search/columns/covers.hpp"
#include "search/columns/difference.hpp"
#include "search/columns/sweep.hpp"
#include "search/driver/control.hpp"
#include "search/problem.hpp"
#include "search/targets/squares.hpp"
#include "search/value.hpp"

namespace exactree {

// One side of a split, whose own best single split is sought.
struct SideQuery {
  bool wanted = false;
  Cost low = 0;   // a value the optimum is known not to be below: stop when it is reached
  Cost best = 0;  // in: only costs below it are of interest; out: the lowest found, else unchanged
  std::uint16_t* floors = nullptr;  // per column: no split in it is cheaper (in units); in and out
};

// One side of a split: side 0 are the rows before a position of a column.
struct SplitSide {
  int column, position, side;
};

// What the kernels of a kind of node keep between calls.
struct KernelScratch {
  virtual ~KernelScratch() = default;
};

// What a worker keeps between calls, so that nothing is allocated in the inner loops.
struct Workspace {
  Counters counters;
  Switches switches;
  Control* control = nullptr;
  bool calling_thread = false;
  std::int64_t ticks = 0;
  std::int64_t effort = 0;  // all of it, whatever the clock says
  std::unique_ptr<KernelScratch> scratch;
  std::vector<Cost> class_cost[2];  // per side and class: cost of its rows
  SquareSides squares;              // regression: what the sides add up to
  int side_rows[2] = {0, 0};
  Cost side_leaf[2] = {0, 0};

  // A subproblem was opened.
  void count_node() {
    ++counters.nodes;
    if (control != nullptr) control->count_nodes(1);
  }
  // Looks at the clock after so much effort (64: some ten microseconds). True: stop.
  bool tick(std::int64_t more) {
    ticks += more;
    effort += more;
    if (ticks < 64 || control == nullptr) return control != nullptr && control->stopped();
    ticks = 0;
    if (calling_thread)
      control->poll();
    else
      control->check_time();
    return control->stopped();
  }
  // The same in the middle of something that is of no use half done.
  void spend(std::int64_t more) {
    if (tick(more)) throw Stopped{};
  }
  // For loops over columns, whose passes over all rows take long in large nodes only.
  void spend_on(int rows) {
    if (rows >= kManyRows) spend(1 + rows / 4096);
  }
  // Before such a loop, which over very many columns takes long with few rows, too.
  void spend_over(int columns) {
    if (columns >= kManyColumns) spend(columns / 16);
  }
  // The order in which second columns are tried after a first one, the latest best ones first.
  // One order serves all first columns if there are very many: the orders would be quadratic.
  std::vector<int>& order_after(int first, int features) {
    const auto shared = features > kManyColumns;
    if (orders_.empty()) orders_.resize(shared ? 1 : static_cast<std::size_t>(features));
    std::vector<int>& order = orders_[shared ? 0 : static_cast<std::size_t>(first)];
    if (order.empty()) {
      order.resize(static_cast<std::size_t>(features));
      std::iota(order.begin(), order.end(), 0);
    }
    return order;
  }

 private:
  static constexpr int kManyRows = 8192, kManyColumns = 1024;
  std::vector<std::vector<int>> orders_;
};

// What a node is split by; all nodes of a search are of one kind.
enum class SplitKind {
  kColumns,  // thresholds of rank columns: columns/
  kBinary,   // columns of two values: binary/
  kMasks,    // side masks: masks/
};

class Node {
 public:
  virtual ~Node() = default;

  int rows() const { return rows_; }
  int features() const { return features_; }
  Cost leaf() const { return leaf_; }
  int label() const { return label_; }

  // The first split position of column f at or after p; rows() if there is none.
  int next(int f, int p) const {
    if (p < 1) p = 1;
    if (p >= rows_) return rows_;
    const std::uint64_t* e = ends(f);
    int w = (p - 1) / 64;
    std::uint64_t v = e[w] & ~std::uint64_t{0} << ((p - 1) % 64);
    while (v == 0) {
      if (++w >= words_) return rows_;
      v = e[w];
    }
    return w * 64 + std::countr_zero(v) + 1;
  }
  // The last split position of column f at or before p; 0 if there is none.
  int prev(int f, int p) const {
    if (p < 1) return 0;
    if (p > rows_) p = rows_;
    const std::uint64_t* e = ends(f);
    int w = (p - 1) / 64;
    std::uint64_t v = e[w] & ~std::uint64_t{0} >> (63 - (p - 1) % 64);
    while (v == 0) {
      if (--w < 0) return 0;
      v = e[w];
    }
    return w * 64 + 63 - std::countl_zero(v) + 1;
  }

  // Whether nothing is known of what rows can cost at most.
  bool unbounded() const { return unbounded_; }
  // The cost that the rows between two positions can make at most: their influence.
  Cost influence(int f, int a, int b) const {
    if (unbounded_) return a == b ? 0 : kInfinite / 2;
    if (prefix_.empty()) return unit_ * (b - a);
    const Cost* sum = prefix(f);
    return sum[b] - sum[a];
  }
  // An influence in units of a row, for rows that all cost the same; else rounded up.
  Cost units(Cost influence) const { return (influence + unit_ - 1) / unit_; }
  Cost whole_units(Cost cost) const { return cost / unit_; }
  // The first position from a on whose rows since a have at least this influence.
  int reach(int f, int a, Cost cost) const {
    if (cost <= 0) return a;
    if (unbounded_) return a + 1;
    if (prefix_.empty()) {
      const Cost steps = (cost + unit_ - 1) / unit_;
      return steps > rows_ - a ? rows_ + 1 : a + static_cast<int>(steps);
    }
    const Cost* sum = prefix(f);
    return static_cast<int>(std::lower_bound(sum + a, sum + rows_ + 1, sum[a] + cost) - sum);
  }
  // The last position up to b such that the rows from it to b have at least this influence.
  int reach_back(int f, int b, Cost cost) const {
    if (cost <= 0) return b;
    if (unbounded_) return b - 1;
    if (prefix_.empty()) {
      const Cost steps = (cost + unit_ - 1) / unit_;
      return steps > b ? -1 : b - static_cast<int>(steps);
    }
    const Cost* sum = prefix(f);
    return static_cast<int>(std::upper_bound(sum, sum + b + 1, sum[b] - cost) - sum) - 1;
  }

  // The positions that leave enough rows on both sides lie between these two.
  int first_allowed(int f) const { return allowed(f, true); }
  int last_allowed(int f) const { return allowed(f, false); }

  // The column whose scan looks at the splits of column f, too (columns/twins.hpp); most often f.
  virtual int leader(int f) const { return f; }
  // The rank of the first row right of position p < rows(), and the number of rows below a rank.
  virtual int rank_at(int f, int p) const = 0;
  virtual int position_of(int f, int rank, int from) const = 0;

  // Builds one side of a split. This node must outlive the child.
  virtual void make_child(int f, int p, bool left, Node& child, Workspace&) = 0;
  virtual std::unique_ptr<Node> make_empty() const = 0;
  // Rank columns: builds the rows that are on all of these sides. False: there are none.
  virtual bool make_common(std::span<const SplitSide> /*sides*/, Node& /*child*/, Workspace&) {
    return false;
  }

  // The rows between two positions of column f.
  virtual void list_between(int /*f*/, int /*a*/, int /*b*/, Difference&) {}

  // Prepares `split`: class costs, rows and leaf costs of both sides.
  virtual void part(int f, int p, Workspace&) const = 0;
  // Rank columns: the label of a side as a leaf, of which a node need not be made. part() came
  // before.
  virtual int side_label(int /*side*/, const Workspace&) const { return 0; }
  // Finds the best second split of the sides of (f, p) that are wanted; part() came before. With
  // `limited`, second splits must leave enough rows on both of their sides.
  virtual void depth_one(int f, int p, SideQuery side[2], bool limited, Workspace&) = 0;

  // The best single split of all rows, as depth_one() for a side that has them all.
  virtual void whole(SideQuery& query, bool limited, Workspace&) = 0;

  // The rows in column f's order, for what need not be fast: their classes and costs.
  virtual void list_rows(int f, int* classes, Cost* costs) const = 0;
  // If all rows cost the same: which of them are of a class, a bit for each in column f's order. Of
  // two classes only the second one has a mask. Null: list_rows() tells.
  virtual const std::uint64_t* class_mask(int /*f*/, int /*c*/) const { return nullptr; }
  // Two classes, if all rows cost the same: which two columns can make a tree of two splits with
  // fewer errors (at least one) than this. False: not known.
  virtual bool find_covers(int /*errors*/, Covers&) { return false; }
  // Costs per row: which of all rows these are, in column f's order.
  virtual void list_order(int /*f*/, int* /*rows*/) const {}
  // Numbers: what splits of column f at these positions cost if they are the last.
  virtual void split_costs(int /*f*/, const std::vector<int>& /*positions*/, Cost* /*out*/) const {}
  // Numbers: the least, over all positions between two of column f, of what the rows before it and
  // those after it cost in two groups each, of whatever kind; or less. See Between in chain.cpp.
  virtual Cost between(int /*f*/, int /*a*/, int /*b*/) const { return 0; }
  int count_at(int f, int i) const {
    if (counts_.empty()) return 1;
    const int* sum = &counts_[index(f, rows_ + 1)];
    return sum[i + 1] - sum[i];
  }
  // Without the ranks of pairs of columns, which count themselves.
  virtual std::int64_t bytes() const = 0;
  virtual SplitKind kind() const { return SplitKind::kColumns; }
  // Whether there is room to keep the ranks of all pairs of columns.
  virtual bool keeps_pairs() const { return true; }
  // Many splits of this node at once; null if its kind cannot, or has no room for it.
  virtual std::unique_ptr<Sweep> make_sweep(Workspace&) { return nullptr; }

#ifdef EXACTREE_AUDIT
  AuditedRows audited;
#endif

 protected:
  std::size_t index(int f, int stride) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(stride);
  }
  const std::uint64_t* ends(int f) const { return &ends_[index(f, words_)]; }
  const Cost* prefix(int f) const { return &prefix_[index(f, rows_ + 1)]; }
  int allowed(int f, bool from_left) const {
    const int least = least_side_.least;
    if (counts_.empty()) return from_left ? least : rows_ - least;
    const int* sum = &counts_[index(f, rows_ + 1)];
    if (from_left) return static_cast<int>(std::lower_bound(sum, sum + rows_ + 1, least) - sum);
    const int most = sum[rows_] - least;
    return static_cast<int>(std::upper_bound(sum, sum + rows_ + 1, most) - sum) - 1;
  }

  int rows_ = 0;
  int words_ = 0;
  int features_ = 0;
  int label_ = 0;
  LeastSide least_side_;
  bool unbounded_ = false;  // the influence of rows is not known
  Cost unit_ = 1;
  Cost leaf_ = 0;
  std::vector<std::uint64_t> ends_;  // per column: a group of equal values ends at this row
  std::vector<Cost> prefix_;         // per column: sums of row costs; empty if all cost unit_
  std::vector<int> counts_;          // per column: sums of row counts; empty if all are one
};

}  // namespace exactree
