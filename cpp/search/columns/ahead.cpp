// Thresholds that are taken before those in whose turn they would come, for workers that have
// nothing to do.
//
// A run is divided by the threshold in its middle: what is open of either half is known once that
// is evaluated. As a rule something is, since a threshold settles those near to it alone. So the
// wider a half is, the surer is one of its thresholds to be evaluated in any case, and the widest
// of all halves comes first. Nothing is lost: the half becomes a run of its own, and each threshold
// of the column is in a run or settled, as ever. What is proved of one does not depend on the
// order.
#include <stdexcept>

#include "search/columns/column_frontier.hpp"
#include "search/remote/facts.hpp"

namespace exactree {

namespace {

// Only halves that have so large a part of all rows, and that are so many times as wide as what the
// thresholds at the ends of their runs have settled of them: others are often settled with these.
constexpr Cost kWide = 8, kSettled = 3;

}  // namespace

template <class V>
Cost Chain<V>::width_ahead(const Task<V>& from, bool after, const V& best) const {
  Counters unused;
  Gap at;
  Open open;
  const int begin = after ? from.entry : from.run_begin, end = after ? from.run_end : from.entry;
  if (!choose(begin, end, best, at, open, unused)) return 0;
  const Cost width = influence(open.first, open.last);
  for (const int i : {from.run_begin, from.run_end}) {
    const V cost = cost_below(entry(i));
    for (int k = 0; k < best.budgets(); ++k)
      if (kSettled * (cost[k] - best[k]) > width) return 0;
  }
  return width;
}

template <class V>
bool Chain<V>::pick_ahead(Task<V>& from, bool after, const V& best, Task<V>& task,
                          Counters& counters) {
  Gap at;
  Open open;
  const int begin = after ? from.entry : from.run_begin, end = after ? from.run_end : from.entry;
  if (!choose(begin, end, best, at, open, counters)) return false;
  task = task_in(at, open);
  (after ? from.run_end : from.run_begin) = from.entry;
  return true;
}

template <class V>
bool ColumnFrontier<V>::ask_ahead(Worker<V>& worker, Piece& piece) {
  ColumnPiece<V>* widest = nullptr;
  bool after = false;
  Cost width = top_.root.influence(0, 0, top_.root.rows()) / kWide;
  for (ColumnPiece<V>* one : under_way_)
    for (const bool side : {false, true}) {
      const Cost open = chain(one->place).width_ahead(one->job.task, side, below(one->place));
      if (open > width) widest = one, after = side, width = open;
    }
  if (widest == nullptr) return false;
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const int place = widest->place;
  Chain<V>& here = chain(place);
  const V best = below(place);
  if (!here.pick_ahead(widest->job.task, after, best, mine.job.task, worker.work().counters))
    return false;
  ColumnSource<V>::of(worker).prepare(frame_, here, best, mine.job);
  begin(mine, place);
  return true;
}

// Nothing of a run that is lent is asked for ahead: the worker is at it.
template <class V>
void ColumnFrontier<V>::lend_run(Piece& piece, Question& question) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  if (std::erase(under_way_, &mine) == 0) return;
  const Chain<V>& here = chain(mine.place);
  for (int i = mine.job.task.run_begin;; i = here.entry(i).next) {
    const Threshold<V>& e = here.entry(i);
    question.run.push_back({e.position, e.closed, {costs_of(e.lo[0]), costs_of(e.lo[1])}});
    if (i == mine.job.task.run_end) break;
  }
}

// It was solved for what its piece was asked for, or for less if less was found: as if it had been
// asked for by itself.
template <class V>
void ColumnFrontier<V>::accept_other(const Piece& piece, const SolvedThreshold& other) {
  const int place = static_cast<const ColumnPiece<V>&>(piece).place;
  if (!is_split(column(place), other.position))
    throw std::invalid_argument("there is no such split");
  const int n = V::budgets_of(top_.budget.child().splits);
  Job<V> job;
  job.task = chain(place).task_at(other.position);
  job.task.run_begin = job.task.run_end = job.task.entry;  // the run is that of the piece
  for (int s = 0; s < 2; ++s) {
    job.lo[s] = value_of<V>(other.lo[s], n);
    job.hi[s] = value_of<V>(other.hi[s], n);
    if (other.facts[s].empty()) continue;
    job.kids[s] = std::make_unique<Solution<V>>();
    read_facts(other.facts[s], top_.root.features(), *job.kids[s]);
  }
  take_over(place, job, top_.worker);
}

template <class V>
void Chain<V>::lend(const std::vector<KnownThreshold>& run) {
  int first = kFirst, last = kLast;
  for (const KnownThreshold& at : run) {
    const bool inside = at.position > 0 && at.position < context_.node->rows();
    last = inside ? task_at(at.position).entry : at.position <= 0 ? kFirst : kLast;
    if (&at == &run.front()) first = last;
    for (int s = 0; s < 2; ++s)
      raise_to(entry(last).lo[s], value_of<V>(at.lo[s], context_.side_budgets));
    entry(last).closed |= at.closed;
  }
  runs_.assign(1, {first, last});
  next_run_ = 0;
}

#define EXACTREE_AHEAD(V)                                                              \
  template Cost Chain<V>::width_ahead(const Task<V>&, bool, const V&) const;           \
  template bool Chain<V>::pick_ahead(Task<V>&, bool, const V&, Task<V>&, Counters&);   \
  template bool ColumnFrontier<V>::ask_ahead(Worker<V>&, Piece&);                      \
  template void ColumnFrontier<V>::lend_run(Piece&, Question&);                        \
  template void ColumnFrontier<V>::accept_other(const Piece&, const SolvedThreshold&); \
  template void Chain<V>::lend(const std::vector<KnownThreshold>&);
EXACTREE_AHEAD(One)
EXACTREE_AHEAD(Curve<8>)
EXACTREE_AHEAD(Curve<32>)
#undef EXACTREE_AHEAD

}  // namespace exactree
