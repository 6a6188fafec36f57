// Thresholds of root columns as questions for workers elsewhere, and their answers.
#include <algorithm>
#include <stdexcept>
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

template <class V>
void keep_facts(const Solution<V>& solution, SideFacts& facts) {
  if (!solution.lists.empty()) facts = facts_of(solution, kMostKept);
}

}  // namespace

template <class V>
void ColumnFrontier<V>::describe(const Piece& piece, Question& question) const {
  const auto& mine = static_cast<const ColumnPiece<V>&>(piece);
  question.feature = column(mine.place);
  question.position = mine.job.task.position;
  question.round = mine.round;
  question.proved = costs_of(lanes_[static_cast<std::size_t>(mine.place)].proved);
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
    if (wanted && job.kids[s]) keep_facts(*job.kids[s], reply.facts[s]);
  }
}

// Of a side that was solved before the other, all is known.
template <class V>
void ColumnFrontier<V>::reply_part(const Piece& piece, const Solution<V>& side,
                                   const Solution<V>*& told, Reply& reply) const {
  const auto& job = static_cast<const ColumnPiece<V>&>(piece).job;
  for (int s = 0; s < 2; ++s) {
    reply.lo[s] = costs_of(job.lo[s]);
    V hi = job.hi[s];
    if (s == job.solving) lower_to(hi, side.upper);
    reply.hi[s] = costs_of(hi);
    if (s == job.solving)
      keep_facts(side, reply.facts[s]);
    else if (job.kids[s] && job.kids[s].get() != told)
      keep_facts(*(told = job.kids[s].get()), reply.facts[s]);
  }
}

template <class V>
void ColumnFrontier<V>::keep_part(Worker<V>& worker, Piece& piece) {
  auto& job = static_cast<ColumnPiece<V>&>(piece).job;
  if (job.solving < 0 || !job.kids[job.solving]) return;
  auto& kid = job.kids[job.solving];
  if (top_.root.kind() != SplitKind::kColumns || kid->lists.empty()) {
    kid.reset();
    return;
  }
  ColumnSource<V>::of(worker).store_open(*kid);
  // The best tree that was found of the side. It has lists, so what is found without a search is.
  lower_to(job.hi[job.solving], kid->upper);
}

template <class V>
void ColumnFrontier<V>::add_neighbours(const Piece& piece, Question& question) const {
  const auto& mine = static_cast<const ColumnPiece<V>&>(piece);
  const Chain<V>& chain = *lanes_[static_cast<std::size_t>(mine.place)].chain;
  for (int s = 0; s < 2; ++s) {
    Relatives<V> relatives;
    const int kid = chain.entry(mine.job.task.entry).kid[s];
    if (kid >= 0)  // of an earlier round, or an earlier run
      question.neighbours.push_back(
          {mine.job.task.position, s, facts_of(*frame_.kids[static_cast<std::size_t>(kid)])});
    chain.relatives(mine.job.task.entry, s, frame_.kids, relatives);
    for (int i = 0; i < relatives.count; ++i) {
      const Relative<V>& at = relatives.list[i];
      const int other = at.begin == mine.job.task.position ? at.end : at.begin;
      question.neighbours.push_back({other, s, facts_of(*at.solution)});
    }
  }
}

template <class V>
bool ColumnFrontier<V>::is_split(std::int64_t feature, std::int64_t position) const {
  if (feature < 0 || feature >= top_.root.features()) return false;
  if (position <= 0 || position >= top_.root.rows()) return false;
  const int p = static_cast<int>(position);
  return top_.root.next(static_cast<int>(feature), p) == p;
}

template <class V>
int ColumnFrontier<V>::place_of(const Question& question) const {
  const auto at = std::find(order_.begin(), order_.end(), question.feature);
  if (lanes_.empty() || at == order_.end()) return -1;
  return is_split(question.feature, question.position) ? static_cast<int>(at - order_.begin()) : -1;
}

template <class V>
void ColumnFrontier<V>::note_plan(PlanFacts& plan) const {
  plan.order = order_;
  for (const Promising& at : promising_)
    plan.promising.push_back({at.feature, at.position, at.cost});
  for (const TriedSplit<V>& tried : tried_) {
    PlanFacts::Tried& out = plan.tried.emplace_back();
    out.feature = tried.feature;
    out.position = tried.position;
    for (int s = 0; s < 2; ++s) {
      out.lo[s] = costs_of(tried.lo[s]);
      out.hi[s] = costs_of(tried.hi[s]);
      if (tried.kids[s]) keep_facts(*tried.kids[s], out.facts[s]);
    }
  }
}

template <class V>
void ColumnFrontier<V>::take_plan(const PlanFacts& plan) {
  const auto require = [](bool holds) {
    if (!holds) throw std::invalid_argument("the plan is not as it should be");
  };
  std::vector<bool> listed(static_cast<std::size_t>(top_.data.features), false);
  for (const int f : plan.order) {
    require(f >= 0 && f < top_.data.features && !listed[static_cast<std::size_t>(f)]);
    listed[static_cast<std::size_t>(f)] = true;
  }
  order_ = plan.order;
  for (const auto& at : plan.promising) {
    require(at.size() == 3 && is_split(at[0], at[1]));
    promising_.push_back({static_cast<int>(at[0]), static_cast<int>(at[1]), at[2]});
  }
  const int n = V::budgets_of(top_.budget.child().splits);
  for (const PlanFacts::Tried& at : plan.tried) {
    require(is_split(at.feature, at.position));
    TriedSplit<V>& tried = tried_.emplace_back();
    tried.feature = at.feature;
    tried.position = at.position;
    for (int s = 0; s < 2; ++s) {
      tried.lo[s] = value_of<V>(at.lo[s], n);
      tried.hi[s] = value_of<V>(at.hi[s], n);
      if (at.facts[s].empty()) continue;
      tried.kids[s] = std::make_unique<Solution<V>>();
      read_facts(at.facts[s], top_.root.features(), *tried.kids[s]);
      top_.worker.control().use_memory(tried.kids[s]->bytes());
    }
  }
}

// As after an evaluation, which may have been for a lower target than that of the round now: then
// the threshold is open again, with what is known of it.
template <class V>
bool ColumnFrontier<V>::restore(const Question& question, const Reply& reply) {
  ColumnPiece<V> piece;
  if (!take(question, piece)) return false;
  accept(piece, reply);
  tell(top_.worker, piece, true);
  chain(piece.place)
      .solved_for(piece.job.task.entry, value_of<V>(question.best, budgets()), below(piece.place));
  return true;
}

template <class V>
bool ColumnFrontier<V>::take(const Question& question, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  if (!start_piece(question, mine)) return false;
  ColumnSource<V>::of(top_.worker).prepare(frame_, chain(mine.place), goal(mine.place), mine.job);
  return true;
}

template <class V>
bool ColumnFrontier<V>::start_piece(const Question& question, ColumnPiece<V>& piece) {
  piece.place = place_of(question);
  if (piece.place < 0) return false;
  Lane& lane = lanes_[static_cast<std::size_t>(piece.place)];
  if (!lane.chain) start_lane(piece.place, top_.worker);
  piece.round = question.round;
  if (question.round >= 0) {
    skip_rounds(piece.place, question);
    piece.job.task = lane.chain->task_in_turn(question.position);
  } else {
    piece.job.task = lane.chain->task_at(question.position);
    for (std::size_t i = tried_promising_; i < promising_.size(); ++i)
      if (promising_[i].feature == question.feature && promising_[i].position == question.position)
        tried_promising_ = i + 1;
  }
  keep_slack(question, piece.job.task);
  ++lane.busy;
  return true;
}

// As far beyond the best cost as it was solved before: what it proves then is for its neighbours.
// Of a piece that was divided nothing may be known but where it is.
template <class V>
void ColumnFrontier<V>::keep_slack(const Question& question, Task<V>& task) const {
  if (question.best.empty()) return;
  const V best = value_of<V>(question.best, budgets());
  const V target = value_of<V>(question.target, budgets());
  for (int k = 0; k < budgets(); ++k) task.slack = std::max(task.slack, target[k] - best[k]);
}

// An earlier run has come to this round of a column: it had ended those before. What they proved is
// a fact about the column, and a round of ours is over if its target is no higher. (Targets are
// shares of the best cost and of what is known beforehand, which may both have been others there:
// a side is opened again and again, each time for more.)
template <class V>
void ColumnFrontier<V>::skip_rounds(int place, const Question& question) {
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  if (!question.proved.empty()) raise_to(lane.proved, value_of<V>(question.proved, budgets()));
  const int round = std::min(question.round, static_cast<int>(shares_.size()));
  while (lane.round < round && !lane.done && lane.busy == 0) {
    V reached = target(lane.round);
    lower_to(reached, goal(place));
    if (any_below(lane.proved, reached)) return;
    end_round(place, top_.worker);
  }
}

// It is solved for what it was solved for before, if the best cost still allows that, but for no
// less than the target of the round: it counts as solved in this round.
template <class V>
bool ColumnFrontier<V>::resume(const Question& question, const Reply& reply, Piece& piece) {
  auto& mine = static_cast<ColumnPiece<V>&>(piece);
  if (!start_piece(question, mine)) return false;
  Chain<V>& here = chain(mine.place);
  auto& source = ColumnSource<V>::of(top_.worker);
  const int n = V::budgets_of(top_.budget.child().splits);
  for (int s = 0; s < 2; ++s) {
    auto& entry = here.entry(mine.job.task.entry);
    raise_to(entry.lo[s], value_of<V>(reply.lo[s], n));
    lower_to(entry.hi[s], value_of<V>(reply.hi[s], n));
    if (reply.facts[s].empty()) continue;
    auto kid = std::make_unique<Solution<V>>();
    read_facts(reply.facts[s], top_.root.features(), *kid);
    source.go_on_with(frame_, here, mine.job.task.entry, s, std::move(kid));
  }
  V best = value_of<V>(question.best, budgets());
  raise_to(best, target(lanes_[static_cast<std::size_t>(mine.place)].round));
  lower_to(best, goal(mine.place));
  source.prepare(frame_, here, best, mine.job);
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
    if (!source.side_wanted(frame_, job, s, side.cap)) continue;
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

// Of all rounds: the goal is the target of the last.
template <class V>
bool ColumnFrontier<V>::list_sides(Solution<V>& solution) {
  if (sides_listed_.size() == frame_.kids.size()) return false;  // nothing was solved since
  solution.depth = top_.budget.depth;
  solution.lists.assign(order_.size(), {});
  for (std::size_t o = 0; o < lanes_.size(); ++o)
    if (lanes_[o].chain)
      lanes_[o].chain->list_sides(goal(static_cast<int>(o)), frame_.kids, sides_listed_,
                                  solution.sides);
  sides_listed_.resize(frame_.kids.size(), false);
  return !solution.sides.empty();
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
  template bool ColumnFrontier<V>::is_split(std::int64_t, std::int64_t) const;    \
  template bool ColumnFrontier<V>::start_piece(const Question&, ColumnPiece<V>&); \
  template void ColumnFrontier<V>::skip_rounds(int, const Question&);             \
  template void ColumnFrontier<V>::keep_slack(const Question&, Task<V>&) const;   \
  template void ColumnFrontier<V>::note_plan(PlanFacts&) const;                   \
  template void ColumnFrontier<V>::take_plan(const PlanFacts&);                   \
  template void ColumnFrontier<V>::reply_part(const Piece&, const Solution<V>&,   \
                                              const Solution<V>*&, Reply&) const; \
  template bool ColumnFrontier<V>::resume(const Question&, const Reply&, Piece&); \
  template bool ColumnFrontier<V>::restore(const Question&, const Reply&);        \
  template bool ColumnFrontier<V>::take(const Question&, Piece&);                 \
  template bool ColumnFrontier<V>::open_side(Piece&, OpenSide<V>&);               \
  template void ColumnFrontier<V>::close_side(Piece&, const OpenSide<V>&,         \
                                              std::unique_ptr<Solution<V>>);      \
  template std::int64_t ColumnFrontier<V>::bytes() const;                         \
  template bool ColumnFrontier<V>::list_sides(Solution<V>&);                      \
  template void ColumnFrontier<V>::store(Solution<V>&);
EXACTREE_REMOTE(One)
EXACTREE_REMOTE(Curve<8>)
EXACTREE_REMOTE(Curve<32>)
#undef EXACTREE_REMOTE

}  // namespace exactree
