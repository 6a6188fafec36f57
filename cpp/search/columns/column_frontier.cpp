#include "search/columns/column_frontier.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/audit/claims.hpp"
#include "search/columns/greedy_split.hpp"
#include "search/driver/search.hpp"

namespace exactree {

template <class V>
bool ColumnFrontier<V>::open() {
  if (top_.data.features == 0) return true;
  if (top_.incumbents.size() > 1) settle_one_split();
  const bool more = plan();
  complete_order();
  // A limit may be reached before there is anything to search.
  if (top_.worker.control().stopped()) return false;
  if (!more || top_.budget.depth < 2) return true;
  // Where the ranks of a column are not kept, it is searched to its end while they are there.
  if (top_.budget.depth == 2 && !top_.root.keeps_pairs()) share_ = std::numeric_limits<int>::max();
  frame_ = {&top_.root, top_.budget, {}};
  chains_.resize(order_.size());
  taken_.assign(order_.size(), 0);
  return true;
}

// A tree of two levels is over before a thread has started.
template <class V>
bool ColumnFrontier<V>::worth_threads() const {
  return top_.budget.depth >= 3 && !chains_.empty();
}

template <class V>
void ColumnFrontier<V>::complete_order() {
  std::vector<bool> listed(static_cast<std::size_t>(top_.data.features), false);
  for (const int f : order_) listed[static_cast<std::size_t>(f)] = true;
  for (int f = 0; f < top_.data.features; ++f)
    if (!listed[static_cast<std::size_t>(f)]) order_.push_back(f);
}

template <class V>
void ColumnFrontier<V>::settle_one_split() {
  Worker<V>& worker = top_.worker;
  if (!top_.incumbents[1].wanted) {
    top_.incumbents.settle(1);
    return;
  }
  Cost cost = 0;
  const SingleSplit split =
      best_split(top_.root, top_.data, Criterion::kErrors, &cost, worker.work());
  top_.incumbents.settle(1);
  cost += top_.data.penalty;
  if (split.feature < 0 || cost >= top_.root.leaf()) return;
  Tree tree;
  Extractor<V>(worker).extract(top_.root, Budget::of(1, 1), 1, cost, tree);
  if (worker.control().stopped()) return;  // the tree may be a mere leaf
  top_.incumbents.take_tree(1, cost, std::move(tree));
}

template <class V>
bool ColumnFrontier<V>::plan() {
  Worker<V>& worker = top_.worker;
  Incumbents<V>& incumbents = top_.incumbents;
  Planner<V> planner(worker);
  planner.on_better = [this, &planner](const Plan<V>& plan) { show_plan(planner, plan); };
  for (const Effort effort : {Effort::kGreedy, Effort::kManyRoots}) {
    if (top_.budget.depth <= 2 && effort == Effort::kManyRoots) break;
    if (incumbents.reached(0)) break;
    // One split is found by a pass; deeper trees need the search, and it a start to be pruned by.
    if (top_.budget.depth >= 2 && !top_.request.switches.on(Pruning::kIncumbent)) break;
    const auto plan = planner.plan(top_.root, top_.budget, effort, incumbents.goal(0));
    for (std::size_t k = 0; k < incumbents.size(); ++k) {
      const Cost cost = plan->value[static_cast<int>(k)];
      if (!incumbents.improves(k, cost)) continue;
      if (worker.control().stopped()) return false;
      Tree tree;
      planner.draw(top_.root, *plan, incumbents.splits_of(k), tree);
      if (worker.control().stopped()) return false;
      EXACTREE_CLAIM(claims::tree("incumbent", top_.root, tree, cost));
      incumbents.take_tree(k, cost, std::move(tree));
      worker.work().counters.count(Pruning::kIncumbent);
    }
    incumbents.report();
    if (worker.control().stopped()) break;
  }
  order_ = planner.columns();
  tried_ = planner.take_tried();
  return true;
}

// The best tree of a plan that is still being made, for a search that is stopped before it is. No
// value is taken from it: whether there is time to write it down depends on timing.
template <class V>
void ColumnFrontier<V>::show_plan(Planner<V>& planner, const Plan<V>& plan) {
  Incumbents<V>& incumbents = top_.incumbents;
  if (top_.worker.control().seconds() < kFirstTree) return;
  for (std::size_t k = 0; k < incumbents.size(); ++k) {
    const Cost cost = plan.value[static_cast<int>(k)];
    if (!incumbents.improves(k, cost) || cost >= incumbents[k].cost) continue;
    Tree tree;
    planner.draw(top_.root, plan, incumbents.splits_of(k), tree);
    if (top_.worker.control().stopped()) return;
    EXACTREE_CLAIM(claims::tree("incumbent", top_.root, tree, cost));
    incumbents.written(k, cost, std::move(tree));
  }
}

// All columns get one threshold, then two more, then four more, and so on: the bound of the whole
// is that of the column of which least is known, and a search that is stopped should have proved
// much.
template <class V>
Asked ColumnFrontier<V>::ask(Worker<V>& worker, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const int places = static_cast<int>(chains_.size());
  for (int passes = 0; passes < 2;) {
    for (; turn_ < places; ++turn_) {
      if (taken_[static_cast<std::size_t>(turn_)] >= share_) {
        had_share_ = true;
      } else if (take_threshold(turn_, worker, mine.job)) {
        mine.place = turn_;
        ++busy_;
        return Asked::kPiece;
      }
    }
    turn_ = 0;
    // What one thread is at may open more in a column that had nothing left when it was passed.
    if (!std::exchange(had_share_, false))
      ++passes;
    else
      share_ = 2 * share_ + 1;
  }
  return busy_ > 0 ? Asked::kBusy : Asked::kNone;
}

template <class V>
bool ColumnFrontier<V>::take_threshold(int place, Worker<V>& worker, Job<V>& job) {
  const auto o = static_cast<std::size_t>(place);
  if (!chains_[o]) start_chain(o, worker);
  const V target = top_.incumbents.goal(place);
  if (!chains_[o]->pick(target, job.task, worker.work().counters)) return false;
  if (ruled_out(place, job.task, target, worker)) return false;
  ++taken_[o];
  ColumnSource<V>::of(worker).prepare(frame_, *chains_[o], target, job);
  return true;
}

// What the planner solved is known from the start. It was solved for a target, the best plan until
// then, that the best cost is not above now: as after an evaluation, there is no more to look for.
template <class V>
void ColumnFrontier<V>::start_chain(std::size_t place, Worker<V>& worker) {
  auto& source = ColumnSource<V>::of(worker);
  chains_[place] = std::make_unique<Chain<V>>();
  chains_[place]->start(source.context(frame_, order_[place]), {}, top_.budget.depth == 2,
                        worker.work().counters);
  for (TriedSplit<V>& tried : tried_) {
    if (tried.feature != order_[place]) continue;
    Job<V> job;
    job.task = chains_[place]->task_at(tried.position);
    for (int s = 0; s < 2; ++s) {
      job.lo[s] = tried.lo[s];
      job.hi[s] = tried.hi[s];
      job.kids[s] = std::move(tried.kids[s]);
    }
    source.commit(frame_, *chains_[place], job);
  }
  chains_[place]->reopen(top_.root.rows());
}

template <class V>
void ColumnFrontier<V>::answer(Worker<V>& worker, Node& root, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const Frame<V> frame{&root, top_.budget, {}};
  ColumnSource<V>::of(worker).evaluate(frame, column(mine.place), mine.job);
}

template <class V>
void ColumnFrontier<V>::tell(Worker<V>& worker, Piece& piece, bool complete) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const int o = mine.place;
  --busy_;
  if (!complete) return;
  const V found = ColumnSource<V>::of(worker).commit(frame_, chain(o), mine.job);
  worker.control().use_memory(chain(o).growth());
  spread(o, mine.job.task);
  const V goal = top_.incumbents.goal(o);
  for (std::size_t k = 0; k < top_.incumbents.size(); ++k)
    if (top_.incumbents.take_value(k, found[static_cast<int>(k)], o, goal) &&
        top_.incumbents.lacks_tree(k))
      top_.incumbents.write_later(k,
                                  ColumnSource<V>::split_at(frame_, chain(o), mine.job.task.entry));
}

template <class V>
V ColumnFrontier<V>::bound() const {
  const V known = V::constant(top_.request.lower_bound, budgets());
  if (chains_.empty()) return known;
  V bound = V::constant(kInfinite, budgets());
  for (const auto& chain : chains_) lower_to(bound, chain ? chain->open_bound() : known);
  return bound;
}

template <class V>
SolvedSplit<V> ColumnFrontier<V>::first_best(int k) {
  const Incumbent& best = top_.incumbents[static_cast<std::size_t>(k)];
  auto& source = ColumnSource<V>::of(top_.worker);
  const int at =
      source.first_threshold(frame_, chain(best.place), column(best.place), k, best.value);
  return top_.worker.control().stopped() ? SolvedSplit<V>{}
                                         : ColumnSource<V>::split_at(frame_, chain(best.place), at);
}

template class ColumnFrontier<One>;
template class ColumnFrontier<Curve<8>>;
template class ColumnFrontier<Curve<32>>;

}  // namespace exactree
