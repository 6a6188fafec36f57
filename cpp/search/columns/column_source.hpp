// Rank columns as a source of splits: a chain of thresholds for every column.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/columns/chain.hpp"
#include "search/columns/greedy_split.hpp"
#include "search/columns/other_order.hpp"
#include "search/columns/quadrants.hpp"
#include "search/columns/twins.hpp"
#include "search/driver/source.hpp"
#include "search/driver/worker.hpp"

namespace exactree {

// A threshold to evaluate with all that it takes, so that it can be done without the chain.
template <class V>
struct Job {
  Task<V> task;
  V best;    // only what could cost less than this is of interest
  V target;  // and what the sides are solved for
  V lo[2], hi[2];
  Relatives<V> relatives[2];
  std::uint16_t* floors = nullptr;
  std::vector<std::uint16_t> own_floors;  // of a job that has some of its own
  Solution<V> across[2];                  // what other columns say of the sides
  std::unique_ptr<Solution<V>> kids[2];
  int solving = -1;  // the side that is being solved, or was when the search was stopped
  // The threshold of the other order of the column, one side of which is ours without the missing
  // rows, and what these cost at least: Both in other_order.hpp.
  std::unique_ptr<Job<V>> twin;
  int twin_feature = -1;
  Cost missing = 0;
  bool spared = false;  // the side that has them was not solved
};

// A subproblem that is being solved.
template <class V>
struct Frame {
  Node* node;
  Budget budget;
  std::vector<std::shared_ptr<const Solution<V>>> kids;
  std::vector<std::vector<Crossing>> crossed = {};  // per column, by rank
  std::int64_t bytes = 0;                           // of the kids
  bool is_root = false;                             // what its chains know is not handed on
  bool swept = false;                               // many thresholds at once; floors are lent
  std::vector<Cost> missing = {};  // per column: what its missing rows cost at least; -1: not known
};

// A threshold of a root column; its place is that of the column in the order of the search.
template <class V>
struct PlacedJob {
  int place = 0, feature = 0;
  Job<V> job;
};

template <class V>
class ColumnSource : public Source<V> {
 public:
  using Source<V>::Source;

  void solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
             Solution<V>& out) override;
  ChosenSplit<V> first_split(Node& node, Budget budget, int splits, Cost value,
                             const Relatives<V>& relatives) override;
  std::unique_ptr<Frontier<V>> frontier(const Top<V>& top) override;

  // For plans. The best single split of a node, as best_split() has it; and for every column its
  // best split on top of a tree of two levels, with what such trees cost, and the value of the
  // best.
  virtual SingleSplit single_split(Node& node, Criterion criterion, Cost* cost);
  virtual std::vector<Promising> two_levels(Node& node, Budget two, V& value);

  // What all rows of the root cost in the best tree, while less is looked for; 0: nothing is
  // expected. See Fair caps in column_sides.cpp.
  void expect(Cost whole, int rows) { expected_ = static_cast<double>(whole) / rows; }
  // What is solved next keeps all thresholds that it looks at.
  void keep_whole() { whole_ = true; }

  // The source of a worker over columns.
  static ColumnSource& of(Worker<V>& worker) { return static_cast<ColumnSource&>(worker.source()); }

  ChainContext context(const Frame<V>& frame, int feature) const;
  // Fills a job from the chain, solves its sides, and brings the result back.
  void prepare(Frame<V>& frame, Chain<V>& chain, const V& best, Job<V>& job);
  // The same, once a better tree is known.
  void retarget(const Frame<V>& frame, const V& best, Job<V>& job) const {
    lower_to(job.best, best);
    job.target = with_slack(frame, job.best, job.task.slack);
  }
  // What one side of a job has to be solved for; false: enough is known of it.
  bool side_wanted(const Frame<V>& frame, const Job<V>& job, int s, V& cap) const;
  // Adds what is known of a subproblem that was being solved when the search was stopped.
  void store_open(Solution<V>& out);
  void evaluate(const Frame<V>& frame, int feature, Job<V>& job);
  // Gives a job floors of its own: other thresholds of its column may be evaluated meanwhile. True
  // if few columns are open by them, so that it is better evaluated by itself.
  bool lend_floors(const Frame<V>& frame, const Chain<V>& chain, Job<V>& job) const;
  // The same for many thresholds at once, whose sides have one level.
  void evaluate(const Frame<V>& frame, const Sweep& sweep, std::vector<PlacedJob<V>>& jobs,
                Sweep::Room& room);
  V commit(Frame<V>& frame, Chain<V>& chain, Job<V>& job);
  // The part of that which does not go along the chain.
  void take_sides(Frame<V>& frame, Chain<V>& chain, Job<V>& job);
  // Takes over what somebody else found of one side of an entry, if there is room for it.
  void adopt(Frame<V>& frame, Chain<V>& chain, int entry, int side,
             std::shared_ptr<const Solution<V>> kid);
  // The same for one that was stopped half-way: of columns that it had not come to, what was known
  // before counts.
  void go_on_with(Frame<V>& frame, Chain<V>& chain, int entry, int side,
                  std::unique_ptr<Solution<V>> part);
  // The same for what relatives with the same rows had solved of the sides of a chain.
  void adopt(Frame<V>& frame, Chain<V>& chain, const Relatives<V>& relatives);

  // What the missing rows of a column, and the list of its other order, say of its thresholds, as
  // one more relative (other_order.hpp). The lists that it makes live in `room`.
  void add_other_order(Frame<V>& frame, int feature, const V& best,
                       const std::vector<Threshold<V>>& list, const std::uint16_t* floors,
                       Solution<V>& room, Relatives<V>& relatives);
  // The column that has the other order of its values; -1 if there is none.
  int other_order_of(int feature);
  // Root columns. Adds the threshold of the other order to a job of the first, if it is open below
  // `best`; and brings back what was found of it.
  void prepare_twin(Frame<V>& frame, int feature, Chain<V>& other, const V& best, Job<V>& job);
  void learn_twin(Frame<V>& frame, int feature, Chain<V>& other, Job<V>& job);

  // The first threshold of a chain that costs at most `value` with budget k; -1 if none does.
  int first_threshold(Frame<V>& frame, Chain<V>& chain, int feature, int k, Cost value);
  // An entry of a chain as a split; the frame keeps what was solved.
  static SolvedSplit<V> split_at(const Frame<V>& frame, const Chain<V>& chain, int entry);

 protected:
  using Source<V>::worker_;
  static int budgets(Budget b) { return V::budgets_of(b.splits); }
  Workspace& work() const { return worker_.work(); }
  Cost penalty() const { return worker_.data().penalty; }

  ChosenSplit<V> first_threshold_of_all(Node& node, Budget budget, int splits, Cost value,
                                        const Relatives<V>& relatives);

 private:
  // What was solved of a side is kept, in place of what was known of it before.
  bool keep(Frame<V>& frame, Threshold<V>& e, int side, std::shared_ptr<const Solution<V>> kid);
  void cross(Frame<V>& frame, const Chain<V>& chain, const Threshold<V>& e);
  V side_most(const Frame<V>& frame, const Job<V>& job, int side, int n) const;
  V with_slack(const Frame<V>& frame, const V& best, Cost influence) const;
  bool floors_pay(const Frame<V>& frame) const;
  void relate(Frame<V>& frame, const Chain<V>& chain, Job<V>& job);
  Cost least_of_missing(Frame<V>& frame, int low, int rows, const V& best);
  Cost solve_missing(const Frame<V>& frame, int low, int rows, Cost most);
  void by_scans(const Frame<V>& frame, int feature, Job<V>& job);
  void take_floors(const Sweep::Room& room, int split, int columns, Job<V>& job) const;
  void by_children(const Frame<V>& frame, int feature, Job<V>& job);
  bool shares_fairly(const Frame<V>& frame, const Job<V>& job) const;
  Cost fair_cap(int rows) const;
  bool solve_side(const Frame<V>& frame, int feature, Job<V>& job, int s, const V& cap,
                  bool of_piece);
  bool solve_both_orders(const Frame<V>& frame, int feature, Job<V>& job);
  int side_with_missing(int feature) const;
  void tell_part(const Frame<V>& frame, Chain<V>& chain, const V& best, std::vector<bool>& sides,
                 std::vector<bool>& columns, const Solution<V>& out) const;
  void tell_apart(Node& node, int feature, int depth, Relatives<V>& relatives);
  void scan_sides(Node& node, int feature, int position, SideQuery query[2], const Cost start[2],
                  Job<V>& job);
  bool has_many_classes(const Node& node) const;
  void raise_by_classes(const Node& node, Budget below, Job<V>& job);
  Cost raise_by_floors(const std::uint16_t* floors, Cost leaf, Cost low) const;

  std::unique_ptr<Twins> twins_;
  double expected_ = 0;         // cost of a row
  bool whole_ = false;          // what is solved next keeps its lists whole, for a later round
  bool side_of_piece_ = false;  // what is solved next is one: others may go on with it
  std::vector<std::unique_ptr<Chain<V>>> chains_;         // one per depth
  std::vector<Cost> largest_;                             // of the classes of a side
  std::vector<std::unique_ptr<Difference>> differences_;  // as many as relatives per depth
};

}  // namespace exactree
