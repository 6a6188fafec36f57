// Thresholds of root columns as questions for workers elsewhere, and their answers.
#include <algorithm>
#include <utility>

#include "search/columns/column_frontier.hpp"
#include "search/driver/search.hpp"
#include "search/remote/facts.hpp"

namespace exactree {

namespace {

// Subproblems of fewer levels are solved at once: their thresholds are passes over the rows.
constexpr int kDivisibleLevels = 3;
// Longer lists are not kept with claims: they are made again in less time than it takes to read.
constexpr std::int64_t kMostKept = 4 << 20;

}  // namespace

template <class V>
void ColumnFrontier<V>::describe(const Piece& piece, Question& question) const {
  const auto& mine = static_cast<const ColumnPiece<V>&>(piece);
  question.feature = column(mine.place);
  question.position = mine.job.task.position;
  question.best = costs_of(mine.job.best);
  question.target = costs_of(mine.job.target);
  question.goal = costs_of(goal(mine.place));
  for (int s = 0; s < 2; ++s) {
    question.lo[s] = costs_of(mine.job.lo[s]);
    question.hi[s] = costs_of(mine.job.hi[s]);
  }
  // With a limit on the rows of a leaf, bounds from below are those of another problem (chain.hpp),
  // which a frontier of its own does not find.
  question.divisible = top_.budget.child().depth >= kDivisibleLevels && top_.worker.subset_holds();
}

template <class V>
void ColumnFrontier<V>::accept(Piece& piece, const Reply& reply) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const int n = V::budgets_of(top_.budget.child().splits);
  for (int s = 0; s < 2; ++s) {
    raise_to(mine.job.lo[s], value_of<V>(reply.lo[s], n));
    lower_to(mine.job.hi[s], value_of<V>(reply.hi[s], n));
    if (reply.facts[s].empty()) continue;
    mine.job.kids[s] = std::make_unique<Solution<V>>();
    read_facts(reply.facts[s], top_.root.features(), *mine.job.kids[s]);
  }
}

template <class V>
void ColumnFrontier<V>::reply(const Piece& piece, Reply& reply) const {
  const auto& job = static_cast<const ColumnPiece<V>&>(piece).job;
  for (int s = 0; s < 2; ++s) {
    reply.lo[s] = costs_of(job.lo[s]);
    reply.hi[s] = costs_of(job.hi[s]);
    reply.facts[s] = {};
    const bool wanted = reply.complete || s == job.solving;
    if (wanted && job.kids[s] && !job.kids[s]->lists.empty() && job.kids[s]->bytes() <= kMostKept)
      reply.facts[s] = facts_of(*job.kids[s]);
  }
}

template <class V>
void ColumnFrontier<V>::keep_part(Worker<V>& worker, Piece& piece) {
  auto& job = static_cast<ColumnPiece<V>&>(piece).job;
  if (job.solving < 0 || !job.kids[job.solving]) return;
  auto& kid = job.kids[job.solving];
  if (top_.root.kind() == SplitKind::kColumns && !kid->lists.empty())
    ColumnSource<V>::of(worker).store_open(*kid);
  else
    kid.reset();
}

template <class V>
void ColumnFrontier<V>::add_neighbours(const Piece& piece, Question& question) const {
  const auto& mine = static_cast<const ColumnPiece<V>&>(piece);
  const Chain<V>& chain = *lanes_[static_cast<std::size_t>(mine.place)].chain;
  for (int s = 0; s < 2; ++s) {
    Relatives<V> relatives;
    chain.relatives(mine.job.task.entry, s, frame_.kids, relatives);
    for (int i = 0; i < relatives.count; ++i) {
      const Relative<V>& at = relatives.list[i];
      const int other = at.begin == mine.job.task.position ? at.end : at.begin;
      question.neighbours.push_back({other, s, facts_of(*at.solution)});
    }
  }
}

template <class V>
int ColumnFrontier<V>::place_of(const Question& question) const {
  const auto at = std::find(order_.begin(), order_.end(), question.feature);
  if (lanes_.empty() || at == order_.end()) return -1;
  const int p = question.position;
  const bool splits = p > 0 && p < top_.root.rows() && top_.root.next(question.feature, p) == p;
  return splits ? static_cast<int>(at - order_.begin()) : -1;
}

// As after an evaluation, which may have been for a lower target than that of the round now: then
// the threshold is open again, with what is known of it.
template <class V>
bool ColumnFrontier<V>::restore(const Question& question, const Reply& reply) {
  ColumnPiece<V> piece;
  if (!take(question, piece)) return false;
  accept(piece, reply);
  tell(top_.worker, piece, true);
  V below = goal(piece.place);
  lower_to(below, target(lanes_[static_cast<std::size_t>(piece.place)].round));
  if (any_below(value_of<V>(question.best, budgets()), below))
    chain(piece.place).reconsider(piece.job.task.entry, below);
  chain(piece.place).reopen(top_.root.rows());
  return true;
}

template <class V>
bool ColumnFrontier<V>::take(const Question& question, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  mine.place = place_of(question);
  if (mine.place < 0) return false;
  const auto o = static_cast<std::size_t>(mine.place);
  if (!lanes_[o].chain) start_lane(mine.place, top_.worker);
  mine.job.task = chain(mine.place).task_at(question.position);
  ColumnSource<V>::of(top_.worker).prepare(frame_, chain(mine.place), goal(mine.place), mine.job);
  ++lanes_[o].busy;
  return true;
}

template <class V>
bool ColumnFrontier<V>::open_side(Piece& piece, OpenSide<V>& side) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  auto& source = ColumnSource<V>::of(top_.worker);
  Job<V>& job = mine.job;
  source.retarget(frame_, goal(mine.place), job);
  const int p = job.task.position, larger = 2 * p >= top_.root.rows() ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    if (!source.side_wanted(job, s, top_.budget.child(), side.cap)) continue;
    side.step = {column(mine.place), p, s == 0};
    side.lo = job.lo[s];
    side.hi = job.hi[s];
    side.relatives = {};
    chain(mine.place).relatives(job.task.entry, s, frame_.kids, side.relatives);
    if (job.kids[s] && !job.kids[s]->lists.empty())
      side.relatives.add({std::make_shared<const Solution<V>>(*job.kids[s])});
    return true;
  }
  return false;
}

template <class V>
void ColumnFrontier<V>::close_side(Piece& piece, const OpenSide<V>& side,
                                   std::unique_ptr<Solution<V>> solution) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  const int s = side.step.left ? 0 : 1;
  raise_to(mine.job.lo[s], solution->lower);
  lower_to(mine.job.hi[s], solution->upper);
  mine.job.kids[s] = std::move(solution);
}

template <class V>
std::int64_t ColumnFrontier<V>::bytes() const {
  std::int64_t sum = frame_.bytes;
  for (const Lane& lane : lanes_)
    if (lane.chain) sum += lane.chain->counted();
  return sum;
}

template <class V>
void ColumnFrontier<V>::store(Solution<V>& solution) {
  solution.lists.assign(order_.size(), {});
  for (const Lane& lane : lanes_)
    if (lane.chain) lane.chain->store(V::constant(kInfinite, budgets()), true, solution);
}

#define EXACTREE_REMOTE(V)                                                        \
  template void ColumnFrontier<V>::describe(const Piece&, Question&) const;       \
  template void ColumnFrontier<V>::accept(Piece&, const Reply&);                  \
  template void ColumnFrontier<V>::reply(const Piece&, Reply&) const;             \
  template void ColumnFrontier<V>::keep_part(Worker<V>&, Piece&);                 \
  template void ColumnFrontier<V>::add_neighbours(const Piece&, Question&) const; \
  template int ColumnFrontier<V>::place_of(const Question&) const;                \
  template bool ColumnFrontier<V>::restore(const Question&, const Reply&);        \
  template bool ColumnFrontier<V>::take(const Question&, Piece&);                 \
  template bool ColumnFrontier<V>::open_side(Piece&, OpenSide<V>&);               \
  template void ColumnFrontier<V>::close_side(Piece&, const OpenSide<V>&,         \
                                              std::unique_ptr<Solution<V>>);      \
  template std::int64_t ColumnFrontier<V>::bytes() const;                         \
  template void ColumnFrontier<V>::store(Solution<V>&);
EXACTREE_REMOTE(One)
EXACTREE_REMOTE(Curve<8>)
EXACTREE_REMOTE(Curve<32>)
#undef EXACTREE_REMOTE

}  // namespace exactree
