#include "search/columns/column_frontier.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/audit/claims.hpp"
#include "search/columns/greedy_split.hpp"
#include "search/driver/search.hpp"

namespace exactree {

namespace {
// How many thresholds each column may have before any has more; then twice as many, and so on.
// Where the ranks of a column are kept only while it is searched, it is searched to its end.
constexpr int kFirstTurn = 4, kNoTurns = std::numeric_limits<int>::max();
// Both orders of a column are looked at together as long as one try in so many spares a side.
constexpr int kTwinTries = 8, kTwinTriesEach = 3;
}  // namespace

template <class V>
bool ColumnFrontier<V>::open(PlanFacts* kept) {
  if (top_.data.features == 0) return true;
  if (top_.incumbents.size() > 1) settle_one_split();
  started_ = take_start();
  const bool improves_alone = started_ && !top_.request.prove;
  bool more = true;
  if (kept != nullptr && kept->known)
    take_plan(*kept), more = kept->more;
  else if (!improves_alone)
    more = plan();
  if (!top_.request.prove) {
    start_improver();
    return true;
  }
  complete_order();
  // A limit may be reached before there is anything to search.
  if (top_.worker.control().stopped()) return false;
  if (kept != nullptr && !kept->known) note_plan(*kept), kept->more = more, kept->known = true;
  if (!more || top_.budget.depth < 2) return true;
  frame_ = {&top_.root, top_.budget, {}, {}, 0, true};
  lanes_.resize(order_.size());
  list_shares();
  start_sweeps();
  // A side of a divided piece has no first tree and is searched as a worker would, column by
  // column.
  const bool whole = top_.request.switches.on(Pruning::kIncumbent);
  turn_ = whole && top_.budget.depth > 2 && top_.root.keeps_pairs() ? kFirstTurn : kNoTurns;
  start_improver();
  return true;
}

template <class V>
int ColumnFrontier<V>::improved_levels() const {
  return Improver<V>::helps(top_.budget, top_.request.switches) ? kImprovedLevels : 0;
}

template <class V>
void ColumnFrontier<V>::start_improver() {
  const int levels = improved_levels();
  if (improver_ == nullptr && levels > 0)
    improver_ = std::make_unique<Improver<V>>(top_.worker, top_.root, top_.budget, promising_,
                                              levels, started_ && !top_.request.prove);
}

// A tree to begin with decides nothing, like those that are found beside the search. With sizes
// there would have to be one for every size.
template <class V>
bool ColumnFrontier<V>::take_start() {
  if (V::kSizes || top_.request.start.empty()) return false;
  Tree tree;
  const Cost cost =
      Rewriter<V>(top_.worker).rewrite(top_.root, top_.budget, 0, top_.request.start, tree);
  if (top_.worker.control().stopped() || static_cast<int>(tree.size() / 2) > top_.budget.splits)
    return false;
  if (!top_.incumbents.improves(0, cost)) return false;
  EXACTREE_CLAIM(claims::tree("incumbent", top_.root, tree, cost));
  top_.incumbents.take_tree(0, cost, std::move(tree), kBeside);
  top_.incumbents.report();
  return true;
}

// A tree of two levels is over before a thread has started, unless there are very many columns.
template <class V>
bool ColumnFrontier<V>::worth_threads() const {
  return (top_.budget.depth >= 3 || sweep_all_) && !lanes_.empty();
}

template <class V>
void ColumnFrontier<V>::complete_order() {
  std::vector<bool> listed(static_cast<std::size_t>(top_.data.features), false);
  for (const int f : order_) listed[static_cast<std::size_t>(f)] = true;
  for (int f = 0; f < top_.data.features; ++f)
    if (!listed[static_cast<std::size_t>(f)]) order_.push_back(f);
  // For a side: the column in which a relative found its optimum probably has ours, too.
  for (int i = 0; i < top_.relatives.count; ++i) {
    const int best = top_.relatives.list[i].solution->best_feature;
    const auto at = std::find(order_.begin(), order_.end(), best);
    if (at != order_.end()) std::rotate(order_.begin(), at, at + 1);
  }
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
  cost += top_.data.penalty;
  if (split.feature >= 0 && cost < top_.root.leaf()) {
    Tree tree;
    Extractor<V>(worker).extract(top_.root, Budget::of(1, 1), 1, cost, tree);
    if (worker.control().stopped()) return;  // the tree may be a mere leaf: nothing is settled
    top_.incumbents.take_tree(1, cost, std::move(tree));
  }
  top_.incumbents.settle(1);
}

template <class V>
bool ColumnFrontier<V>::plan() {
  return take_plans({Effort::kGreedy, Effort::kManyRoots, Effort::kLookAhead, Effort::kThreeLevels},
                    kAnyPlace);
}

template <class V>
bool ColumnFrontier<V>::take_plans(std::initializer_list<Effort> efforts, int place) {
  Worker<V>& worker = top_.worker;
  Incumbents<V>& incumbents = top_.incumbents;
  Planner<V> planner(worker);
  planner.on_better = [this, &planner](const Plan<V>& plan) { show_plan(planner, plan); };
  for (const Effort effort : efforts) {
    if (top_.budget.depth <= 2 && effort == Effort::kManyRoots) break;
    if (top_.budget.depth <= 4 && effort == Effort::kLookAhead) break;
    if (V::kSizes && effort == Effort::kLookAhead) continue;
    if (started_ && effort == Effort::kLookAhead) break;  // that tree took as much already
    if (incumbents.reached(0)) break;
    // One split is found by a pass; deeper trees need the search, and it a start to be pruned by.
    if (top_.budget.depth >= 2 && !top_.request.switches.on(Pruning::kIncumbent)) break;
    const auto plan = planner.plan(top_.root, top_.budget, effort, incumbents.goal(kAnyPlace));
    for (std::size_t k = 0; k < incumbents.size(); ++k) {
      const Cost cost = plan->value[static_cast<int>(k)];
      if (!incumbents.improves(k, cost)) continue;
      if (worker.control().stopped()) return false;
      Tree tree;
      planner.draw(top_.root, *plan, incumbents.splits_of(k), tree);
      if (worker.control().stopped()) return false;
      EXACTREE_CLAIM(claims::tree("incumbent", top_.root, tree, cost));
      incumbents.take_tree(k, cost, std::move(tree), place);
      worker.work().counters.count(Pruning::kIncumbent);
    }
    incumbents.report();
    if (effort == Effort::kGreedy && !worker.control().stopped()) prove_first();
    if (worker.control().stopped()) break;
  }
  order_ = planner.columns();
  promising_ = planner.promising();
  tried_ = planner.take_tried();
  return true;
}

// The best tree of a plan that is still being made, for a search that is stopped before it is. No
// value is taken from it: whether there is time to write it down depends on timing.
template <class V>
void ColumnFrontier<V>::show_plan(Planner<V>& planner, const Plan<V>& plan) {
  Incumbents<V>& incumbents = top_.incumbents;
  if (top_.worker.control().seconds() < kFirstTree && !top_.request.switches.everywhere()) return;
  for (std::size_t k = 0; k < incumbents.size(); ++k) {
    // A plan of two levels has no more than three splits.
    const Cost cost = plan.value[std::min(static_cast<int>(k), plan.value.budgets() - 1)];
    if (!incumbents.improves(k, cost) || cost >= incumbents[k].cost) continue;
    Tree tree;
    planner.draw(top_.root, plan, incumbents.splits_of(k), tree);
    if (top_.worker.control().stopped()) return;
    EXACTREE_CLAIM(claims::tree("incumbent", top_.root, tree, cost));
    incumbents.written(k, cost, std::move(tree));
  }
}

// The lowest round first, and in it the columns in turn: so trees of all columns are met early, and
// what the other columns have to prove is less (raisin at three levels: 37 thousand evaluations
// instead of 45, bank 960 instead of 1080, wilt 5230 instead of 4840, others within 2 %).
template <class V>
Asked ColumnFrontier<V>::ask(Worker<V>& worker, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  mine.swept.clear();
  if (sweep_all_) return sweep_all(worker, mine);
  if (sweep_first(worker, mine) || take_promising(worker, mine)) return Asked::kPiece;
  for (int round = 0;; ++round) {
    Open open = ask_round(round, worker, mine);
    while (open.waiting) {
      turn_ = 2 * turn_ + 1;
      open = ask_round(round, worker, mine);
    }
    if (open.taken) return Asked::kPiece;
    if (!open.later) return open.busy ? Asked::kBusy : Asked::kNone;
  }
}

template <class V>
typename ColumnFrontier<V>::Open ColumnFrontier<V>::ask_round(int round, Worker<V>& worker,
                                                              ColumnPiece<V>& piece) {
  Open open;
  for (int o = 0; o < static_cast<int>(lanes_.size()); ++o) {
    Lane& lane = lanes_[static_cast<std::size_t>(o)];
    if (lane.done || lane.round > round) {
      open.later = open.later || !lane.done;
    } else if (lane.begun >= turn_) {
      open.waiting = true;
    } else if (take_threshold(o, worker, piece.job)) {
      begin(piece, o);
      return {.taken = true};
    } else if (lane.busy > 0) {
      open.busy = true;  // which may open more
    } else {
      end_round(o, worker);
      open.later = open.later || !lane.done;
    }
  }
  return open;
}

template <class V>
void ColumnFrontier<V>::begin(ColumnPiece<V>& piece, int place) {
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  piece.place = place;
  piece.round = lane.round;
  piece.whole = expected(lane.round);
  lane.chain->entry(piece.job.task.entry).under_way = true;
  ++lane.busy;
  ++lane.begun;
  under_way_.push_back(&piece);
}

// What is looked for in the round that a column is in.
template <class V>
V ColumnFrontier<V>::below(int place) {
  V below = goal(place);
  lower_to(below, target(lanes_[static_cast<std::size_t>(place)].round));
  return below;
}

template <class V>
bool ColumnFrontier<V>::take_threshold(int place, Worker<V>& worker, Job<V>& job) {
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  if (!lane.chain) start_lane(place, worker);
  const V below = this->below(place);
  while (lane.chain->pick(below, job.task, worker.work().counters)) {
    if (ruled_out(place, job.task, below, worker)) continue;
    ColumnSource<V>::of(worker).prepare(frame_, *lane.chain, below, job);
    prepare_twin(place, below, worker, job);
    return true;
  }
  return false;
}

// The chain of the other order of a column with missing values, begun if it was not; null if there
// is none.
template <class V>
Chain<V>* ColumnFrontier<V>::other_order(int place, Worker<V>& worker) {
  const int other = ColumnSource<V>::of(worker).other_order_of(column(place));
  if (other < 0) return nullptr;
  const auto at = static_cast<int>(std::find(order_.begin(), order_.end(), other) - order_.begin());
  Lane& lane = lanes_[static_cast<std::size_t>(at)];
  if (!lane.chain) start_lane(at, worker);
  return lane.chain.get();
}

template <class V>
void ColumnFrontier<V>::prepare_twin(int place, const V& below, Worker<V>& worker, Job<V>& job) {
  if (twins_tried_ > kTwinTries + kTwinTriesEach * twins_spared_) return;
  if (Chain<V>* other = other_order(place, worker); other != nullptr)
    ColumnSource<V>::of(worker).prepare_twin(frame_, column(place), *other, below, job);
}

// Starts with what the planner solved. It looked for less than the best plan until then, so a
// threshold that may cost as much as the best is open again where a tie matters.
template <class V>
void ColumnFrontier<V>::start_lane(int place, Worker<V>& worker) {
  auto& source = ColumnSource<V>::of(worker);
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  lane.proved = V::constant(top_.request.lower_bound, budgets());
  lane.chain = std::make_unique<Chain<V>>();
  Relatives<V> beside = top_.relatives;
  Solution<V> room;
  std::vector<Threshold<V>> known;
  if (const int other = source.other_order_of(column(place)); other >= 0) {
    const auto at = std::find(order_.begin(), order_.end(), other) - order_.begin();
    if (const auto& theirs = lanes_[static_cast<std::size_t>(at)].chain)
      for (int i = theirs->entry(0).next; theirs->entry(i).next >= 0; i = theirs->entry(i).next)
        known.push_back(theirs->entry(i));
    source.add_other_order(frame_, column(place), goal(place), known, nullptr, room, beside);
  }
  lane.chain->start(source.context(frame_, column(place)), beside, top_.budget.depth == 2,
                    worker.work().counters);
  source.adopt(frame_, *lane.chain, top_.relatives);
  for (TriedSplit<V>& tried : tried_) {
    if (tried.feature != column(place)) continue;
    Job<V> job;
    job.task = lane.chain->task_at(tried.position);
    for (int s = 0; s < 2; ++s) {
      job.lo[s] = tried.lo[s];
      job.hi[s] = tried.hi[s];
      job.kids[s] = std::move(tried.kids[s]);
      if (job.kids[s]) top_.worker.control().use_memory(-job.kids[s]->bytes());  // counted anew
    }
    const V found = source.commit(frame_, *lane.chain, job);
    take_values(place, found, job.task.entry);
    lane.chain->reconsider(job.task.entry, goal(place));
  }
  begin_round(lane, goal(place));
}

template <class V>
void ColumnFrontier<V>::answer(Worker<V>& worker, Node& root, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const Frame<V> frame{&root, top_.budget, {}, {}, 0, true};
  auto& source = ColumnSource<V>::of(worker);
  if (!mine.swept.empty()) return source.evaluate(frame, *sweep_, mine.swept, mine.room);
  source.expect(mine.whole, root.rows());
  source.evaluate(frame, column(mine.place), mine.job);
  source.expect(0, root.rows());
}

template <class V>
void ColumnFrontier<V>::tell(Worker<V>& worker, Piece& piece, bool complete) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  if (mine.swept.empty()) {
    --lanes_[static_cast<std::size_t>(mine.place)].busy;
    std::erase(under_way_, &mine);
    if (complete) take_over(mine.place, mine.job, worker);
  }
  for (PlacedJob<V>& at : mine.swept) {
    --lanes_[static_cast<std::size_t>(at.place)].busy;
    if (!complete) continue;
    if (lends_floors_ && at.job.floors != nullptr)
      chain(at.place).keep_floors(at.job.task.entry, at.job.own_floors);
    take_over(at.place, at.job, worker);
  }
}

template <class V>
void ColumnFrontier<V>::take_over(int place, Job<V>& job, Worker<V>& worker) {
  const V found = ColumnSource<V>::of(worker).commit(frame_, chain(place), job);
  worker.control().use_memory(chain(place).growth());
  if (job.twin) {
    Chain<V>& other = *other_order(place, worker);
    ColumnSource<V>::of(worker).learn_twin(frame_, column(place), other, job);
    ++twins_tried_;
    twins_spared_ += job.spared ? 1 : 0;
    worker.control().use_memory(other.growth());
  }
  spread(place, job.task);
  take_values(place, found, job.task.entry);
}

template <class V>
void ColumnFrontier<V>::take_values(int place, const V& found, int entry) {
  const V below = goal(place);
  for (std::size_t k = 0; k < top_.incumbents.size(); ++k)
    if (top_.incumbents.take_value(k, found[static_cast<int>(k)], column(place), below) &&
        top_.incumbents.lacks_tree(k))
      top_.incumbents.write_later(k, ColumnSource<V>::split_at(frame_, chain(place), entry));
}

template <class V>
V ColumnFrontier<V>::bound() const {
  const V known = V::constant(top_.request.lower_bound, budgets());
  if (lanes_.empty()) return known;
  V bound = V::constant(kInfinite, budgets());
  for (const Lane& lane : lanes_) {
    V mine = known;
    if (lane.chain) {
      mine = lane.chain->open_bound();
      raise_to(mine, lane.proved);
    }
    lower_to(bound, mine);
  }
  return bound;
}

// Thresholds: of a column that was not begun, all that it has.
template <class V>
std::int64_t ColumnFrontier<V>::open_pieces() const {
  std::int64_t open = 0;
  for (int place = 0; place < static_cast<int>(lanes_.size()); ++place) {
    const Lane& lane = lanes_[static_cast<std::size_t>(place)];
    const int f = column(place);
    if (lane.chain)
      open += lane.done ? 0 : lane.chain->open_thresholds(goal(place));
    else
      open += top_.root.rank_at(f, top_.root.rows() - 1) - top_.root.rank_at(f, 0);
  }
  return open;
}

template <class V>
SolvedSplit<V> ColumnFrontier<V>::first_best(int k) {
  const Incumbent& best = top_.incumbents[static_cast<std::size_t>(k)];
  auto& source = ColumnSource<V>::of(top_.worker);
  const auto lane = std::find(order_.begin(), order_.end(), best.place) - order_.begin();
  Chain<V>& chain = this->chain(static_cast<int>(lane));
  const int at = source.first_threshold(frame_, chain, best.place, k, best.value);
  return top_.worker.control().stopped() ? SolvedSplit<V>{}
                                         : ColumnSource<V>::split_at(frame_, chain, at);
}

template class ColumnFrontier<One>;
template class ColumnFrontier<Curve<8>>;
template class ColumnFrontier<Curve<32>>;

}  // namespace exactree
