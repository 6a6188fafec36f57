// What is open at the root over rank columns: a chain of thresholds for every column, in rounds.
//
// Rounds. A column is first searched for a threshold that costs less than a small share of the best
// cost known, then for higher and higher targets, the last of which is that cost. A round that ends
// has proved that no threshold of its column costs less than its target, or has found it (rounds in
// chain.hpp). So every column has a bound from its last round, every first split is in one column,
// and the least bound of all holds for all trees with a first split. Where the target is low far
// more is pruned, and what a round found of the sides of its thresholds is where the next one
// starts: all rounds together take about as long as the last one alone.
//
// All columns finish a round before one starts the next, unless a thread had nothing else to do.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "search/columns/column_source.hpp"
#include "search/columns/improver.hpp"
#include "search/columns/planner.hpp"
#include "search/driver/frontier.hpp"

namespace exactree {

// One threshold of a root column; its place is that of the column in the order of the search. Or
// many, of many columns.
template <class V>
struct ColumnPiece : Piece {
  Job<V> job;
  int round = 0;   // -1: promising
  Cost whole = 0;  // of the best tree, if less is looked for
  std::vector<PlacedJob<V>> swept;
  Sweep::Room room;
};

template <class V>
class ColumnFrontier : public Frontier<V> {
 public:
  using Frontier<V>::Frontier;

  bool open(PlanFacts* plan) override;
  bool worth_threads() const override;
  std::unique_ptr<Piece> piece() const override { return std::make_unique<ColumnPiece<V>>(); }
  Asked ask(Worker<V>& worker, Piece& piece) override;
  bool ask_ahead(Worker<V>& worker, Piece& piece) override;
  void answer(Worker<V>& worker, Node& root, Piece& piece) override;
  void tell(Worker<V>& worker, Piece& piece, bool complete) override;
  void describe(const Piece& piece, Question& question) const override;
  void accept(Piece& piece, const Reply& reply) override;
  void reply(const Piece& piece, Reply& reply) const override;
  void keep_part(Worker<V>& worker, Piece& piece) override;
  void reply_part(const Piece& piece, const Solution<V>& side, const Solution<V>*& told,
                  Reply& reply) const override;
  void add_neighbours(const Piece& piece, Question& question) const override;
  void lend_run(Piece& piece, Question& question) override;
  void accept_other(const Piece& piece, const SolvedThreshold& other) override;
  bool restore(const Question& question, const Reply& reply) override;
  bool take(const Question& question, Piece& piece) override;
  bool resume(const Question& question, const Reply& reply, Piece& piece) override;
  bool open_side(Piece& piece, OpenSide<V>& side) override;
  void close_side(Piece& piece, const OpenSide<V>& side,
                  std::unique_ptr<Solution<V>> solution) override;
  bool list_sides(Solution<V>& solution) override;
  void store(Solution<V>& solution) override;
  TreeImprover* improver() override { return improver_.get(); }
  std::int64_t bytes() const override;
  V bound() const override;
  std::int64_t open_pieces() const override;
  SolvedSplit<V> first_best(int k) override;

 protected:
  using Frontier<V>::top_;
  using Frontier<V>::budgets;

  // First trees, and an order of the columns. False if there is nothing left to search.
  virtual bool plan();
  // Takes the trees of plans of growing effort, as trees of this place. False: it was stopped.
  bool take_plans(std::initializer_list<Effort> efforts, int place);
  // What plan() found, but for the trees, and back again. Throws std::invalid_argument if it makes
  // no sense.
  virtual void note_plan(PlanFacts& plan) const;
  virtual void take_plan(const PlanFacts& plan);
  // Whether a threshold is ruled out by something that its chain does not know.
  virtual bool ruled_out(int /*place*/, const Task<V>& /*task*/, const V& /*target*/,
                         Worker<V>& /*worker*/) {
    return false;
  }
  // What was told of a threshold, for other columns.
  virtual void spread(int /*place*/, const Task<V>& /*task*/) {}

  Chain<V>& chain(int place) { return *lanes_[static_cast<std::size_t>(place)].chain; }
  int column(int place) const { return order_[static_cast<std::size_t>(place)]; }
  // What a tree of this place must cost less than. Ties go to the first column of the data: the
  // order in which columns are searched decides nothing.
  V goal(int place) const { return top_.incumbents.goal(column(place)); }
  // Adds the columns that are missing in the order.
  void complete_order();

  // What makes the best tree better: the last levels that it solves exactly, 0 if it does not pay.
  virtual int improved_levels() const;
  void start_improver();

  std::vector<int> order_;            // of the root's columns
  std::vector<Promising> promising_;  // of the root's splits, the best plan first
  std::unique_ptr<Improver<V>> improver_;

 private:
  // A column of the root. Its place is that in the order of the search.
  struct Lane {
    std::unique_ptr<Chain<V>> chain;
    V proved;       // by the rounds that have ended
    int round = 0;  // under way
    int busy = 0;   // thresholds under evaluation
    int begun = 0;  // thresholds taken so far
    bool done = false;
    int swept = 0;  // thresholds that came first, many at once
  };

  // What ask() met in a round.
  struct Open {
    bool taken = false;    // a threshold
    bool waiting = false;  // columns that have had their turn
    bool busy = false;     // columns whose thresholds are all under way
    bool later = false;    // columns that are in a later round
  };

  void settle_one_split();
  bool take_start();
  void show_plan(Planner<V>& planner, const Plan<V>& plan);
  bool take_threshold(int place, Worker<V>& worker, Job<V>& job);
  V below(int place);
  Open ask_round(int round, Worker<V>& worker, ColumnPiece<V>& piece);
  void begin(ColumnPiece<V>& piece, int place);
  void start_lane(int place, Worker<V>& worker);
  Chain<V>* other_order(int place, Worker<V>& worker);
  void prepare_twin(int place, const V& below, Worker<V>& worker, Job<V>& job);
  void take_over(int place, Job<V>& job, Worker<V>& worker);
  void take_values(int place, const V& found, int entry);
  // column_rounds.cpp
  void list_shares();
  const V& target(int round);
  bool take_promising(Worker<V>& worker, ColumnPiece<V>& piece);
  Cost expected(int round) const;
  void begin_round(Lane& lane, const V& goal);
  void end_round(int place, Worker<V>& worker);
  // first_bound.cpp
  struct Probe {
    Frame<V> frame{};
    std::vector<std::unique_ptr<Chain<V>>> chains;
    std::int64_t last_evaluation = 0;
    double last_second = 0;
    Cost found = kInfinite;  // the cheapest tree that was met
  };
  bool first_bound_pays() const;
  void prove_first();
  bool none_below(const V& target, Probe& probe);
  // column_sweeps.cpp
  void start_sweeps();
  bool add_swept(int place, Worker<V>& worker);
  Asked sweep_all(Worker<V>& worker, ColumnPiece<V>& piece);
  bool take_narrow(ColumnPiece<V>& piece);
  bool sweep_first(Worker<V>& worker, ColumnPiece<V>& piece);
  bool is_split(std::int64_t feature, std::int64_t position) const;
  int place_of(const Question& question) const;
  bool start_piece(const Question& question, ColumnPiece<V>& piece);
  void skip_rounds(int place, const Question& question);
  void keep_slack(const Question& question, Task<V>& task) const;

  std::vector<TriedSplit<V>> tried_;  // of the root, by the planner
  Frame<V> frame_{};
  std::size_t tried_promising_ = 0;  // how many of them were taken
  std::vector<Lane> lanes_;
  std::vector<ColumnPiece<V>*> under_way_;
  std::vector<bool> sides_listed_;          // by their place in the frame
  std::vector<V> targets_;                  // of the rounds so far
  std::vector<int> shares_;                 // what they are of the best cost, but for the last
  int twins_tried_ = 0, twins_spared_ = 0;  // thresholds of both orders at once, and sides by that
  std::unique_ptr<Sweep> sweep_;
  bool started_ = false;    // with a tree that was given
  bool sweep_all_ = false;  // only narrow thresholds are evaluated by themselves
  bool lends_floors_ = false;
  // Thresholds to be evaluated: those of which few columns are open by the floors that they were
  // lent, and those to be swept.
  std::vector<PlacedJob<V>> narrow_, to_sweep_;
  int turn_ = 0;        // so many thresholds a column may have begun for now
  int first_open_ = 0;  // no column before it has anything open
};

}  // namespace exactree
