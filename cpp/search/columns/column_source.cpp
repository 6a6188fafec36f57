#include "search/columns/column_source.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/audit/claims.hpp"
#include "search/columns/column_frontier.hpp"
#include "search/columns/floors.hpp"
#include "search/columns/greedy_split.hpp"

namespace exactree {

namespace {
// The sides of a split are solved for a target above the best cost: by so many per cent of it.
constexpr Cost kChildSlack = 20, kScanSlack = 40, kClassSlack = 100;
}  // namespace

template <class V>
ChainContext ColumnSource<V>::context(const Frame<V>& frame, int feature) const {
  return {frame.node,
          feature,
          penalty(),
          budgets(frame.budget),
          budgets(frame.budget.child()),
          worker_.subset_holds(),
          work().switches,
          frame.budget};
}

template <class V>
void ColumnSource<V>::solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
                            Solution<V>& out) {
  const int n = budgets(budget);
  const bool whole = std::exchange(whole_, false);
  const bool of_piece = std::exchange(side_of_piece_, false), told = of_piece && worker_.on_part;
  if (worker_.settle_small(budget, node, best, out)) return;
  const V lo = out.lower;
  const auto depth = static_cast<std::size_t>(budget.depth);
  if (chains_.size() <= depth) chains_.resize(depth + 1);
  if (!chains_[depth]) chains_[depth] = std::make_unique<Chain<V>>();
  Chain<V>& chain = *chains_[depth];
  Frame<V> frame{&node, budget, {}};
  std::vector<int> order(static_cast<std::size_t>(node.features()));
  std::iota(order.begin(), order.end(), 0);
  // Where a relative found its optimum we probably find ours, and an early optimum prunes more.
  for (int i = 0; i < relatives.count; ++i) {
    const auto at = std::find(order.begin(), order.end(), relatives.list[i].solution->best_feature);
    if (at != order.end()) std::rotate(order.begin(), at, at + 1);
  }
  const Relatives<V> none;
  const Relatives<V>& known = work().switches.on(Pruning::kTransfer) ? relatives : none;
  out.lists.assign(order.size(), {});
  V seen = V::constant(kInfinite, n);
  Job<V> job;
  std::vector<bool> sides_told, columns_told(order.size(), false);
  Solution<V> room;
  for (const int f : order) {
    const int other = other_order_of(f);
    Relatives<V> beside = other < 0 ? none : known;
    if (other >= 0)
      add_other_order(frame, f, best, out.lists[static_cast<std::size_t>(other)], out.floors.data(),
                      room, beside);
    chain.start(context(frame, f), other < 0 ? known : beside, floors_pay(frame), work().counters);
    if (of_piece) adopt(frame, chain, known);
    while (any_below(lo, best) && chain.pick(best, job.task, work().counters)) {
      prepare(frame, chain, best, job);
      evaluate(frame, f, job);
      if (worker_.control().stopped()) {
        worker_.control().use_memory(-frame.bytes);
        sides_told.clear();
        if (of_piece) chain.list_sides(best, frame.kids, sides_told, out.sides);
        return;
      }
      V found = commit(frame, chain, job);
      if (n > 1) found.set(1, kInfinite);  // settled above
      lower_to(seen, chain.cost_below(chain.entry(job.task.entry)));
      if (lower_to(out.upper, found)) out.best_feature = f;
      lower_to(best, found);
      if (told && worker_.takes_part())
        tell_part(frame, chain, best, sides_told, columns_told, out);
    }
    if (!worker_.subset_holds()) lower_to(seen, chain.excluded_bound());
    chain.store(best, whole, out);
  }
  lower_to(seen, best);
  raise_to(out.lower, seen);
  worker_.control().use_memory(-frame.bytes);
}

// The target for the sides of a split: the best cost and some slack. Where one row can cost more
// than splits differ by, bounds that end at the best cost are too weak for Sub-interval. With
// classes, slack beyond the influence that prunes the whole run is of no use.
template <class V>
V ColumnSource<V>::with_slack(const Frame<V>& frame, const V& best, Cost influence) const {
  const bool scans = frame.budget.child().depth <= 1;
  const Cost share = !worker_.data().far_apart() ? kClassSlack : scans ? kScanSlack : kChildSlack;
  const Cost most = worker_.data().far_apart() ? kInfinite : influence;
  // With several sizes an optimum of one also bounds the others, so a cap would cost more time.
  const bool capped = worker_.data().far_apart() || !V::kSizes;
  V target = best;
  for (int k = 0; k < best.budgets(); ++k)
    if (best[k] > 0)
      target.set(
          k, best[k] + (capped ? std::min(most, best[k] / 100 * share + best[k] % 100 * share / 100)
                               : most));
  return target;
}

template <class V>
void ColumnSource<V>::prepare(Frame<V>& frame, Chain<V>& chain, const V& best, Job<V>& job) {
  const Threshold<V>& e = chain.entry(job.task.entry);
  job.best = best;
  job.target = with_slack(frame, best, job.task.slack);
  job.twin.reset();
  job.spared = false;
  for (int s = 0; s < 2; ++s) {
    job.lo[s] = e.lo[s];
    job.hi[s] = e.hi[s];
    job.kids[s].reset();
    job.relatives[s].count = 0;
  }
  if (frame.budget.child().depth > 1) relate(frame, chain, job);
  const bool floors = floors_pay(frame) && worker_.control().has_room(0);
  job.floors = floors ? chain.floors(job.task.entry) : nullptr;
  EXACTREE_CLAIM(claims::floors(Pruning::kFloor, chain.context(), job.task.position, job.floors));
}

template <class V>
bool ColumnSource<V>::floors_pay(const Frame<V>& frame) const {
  if (frame.budget.child().depth > 1 || frame.swept || worker_.data().weights != nullptr ||
      worker_.data().priced() || !work().switches.on(Pruning::kFloor))
    return false;
  if (work().switches.everywhere()) return true;
  if (frame.node->features() >= kFloorColumns) return frame.is_root;
  return frame.node->rows() >= kFloorRows;
}

// Finds solved subproblems that bound the two sides. With several sizes the lists of Quadrants are
// so long that reading them takes more time than they save.
template <class V>
void ColumnSource<V>::relate(Frame<V>& frame, const Chain<V>& chain, Job<V>& job) {
  const Threshold<V>& e = chain.entry(job.task.entry);
  for (int s = 0; s < 2; ++s) {
    chain.relatives(job.task.entry, s, frame.kids, job.relatives[s]);
    if (e.kid[s] >= 0) job.relatives[s].add({frame.kids[static_cast<std::size_t>(e.kid[s])]});
    if (!work().switches.on(Pruning::kQuadrant) || frame.crossed.empty()) continue;
    if (V::kSizes && !work().switches.everywhere()) continue;
    job.across[s].depth = frame.budget.child().depth;
    quadrants(frame.crossed, frame.kids, chain.context().feature, e.rank, s, worker_.subset_holds(),
              job.across[s]);
    // The job lives as long as what it is related to.
    job.relatives[s].add({{std::shared_ptr<void>(), &job.across[s]}});
    work().counters.count(Pruning::kQuadrant);
  }
}

template <class V>
bool ColumnSource<V>::keep(Frame<V>& frame, Threshold<V>& e, int side,
                           std::shared_ptr<const Solution<V>> kid) {
  if (!kid || kid->lists.empty()) return false;
  const std::int64_t bytes = kid->bytes();
  if (!worker_.control().has_room(bytes)) return false;
  worker_.control().use_memory(bytes);
  frame.bytes += bytes;
  if (e.kid[side] < 0) {
    e.kid[side] = static_cast<int>(frame.kids.size());
    frame.kids.push_back(std::move(kid));
    return true;
  }
  auto& before = frame.kids[static_cast<std::size_t>(e.kid[side])];
  worker_.control().use_memory(-before->bytes());
  frame.bytes -= before->bytes();
  before = std::move(kid);
  return true;
}

// Other columns find the solved sides of an entry by its rank.
template <class V>
void ColumnSource<V>::cross(Frame<V>& frame, const Chain<V>& chain, const Threshold<V>& e) {
  frame.crossed.resize(static_cast<std::size_t>(worker_.data().features));
  auto& crossed = frame.crossed[static_cast<std::size_t>(chain.context().feature)];
  const auto at = std::lower_bound(crossed.begin(), crossed.end(), e.rank,
                                   [](const Crossing& x, int rank) { return x.rank < rank; });
  if (at != crossed.end() && at->rank == e.rank)
    *at = {e.rank, {e.kid[0], e.kid[1]}};
  else
    crossed.insert(at, {e.rank, {e.kid[0], e.kid[1]}});
}

template <class V>
void ColumnSource<V>::adopt(Frame<V>& frame, Chain<V>& chain, int entry, int side,
                            std::shared_ptr<const Solution<V>> kid) {
  Threshold<V>& e = chain.entry(entry);
  if (e.kid[side] < 0 && keep(frame, e, side, std::move(kid))) cross(frame, chain, e);
}

template <class V>
void ColumnSource<V>::go_on_with(Frame<V>& frame, Chain<V>& chain, int entry, int side,
                                 std::unique_ptr<Solution<V>> part) {
  Threshold<V>& e = chain.entry(entry);
  if (e.kid[side] >= 0) {
    const Solution<V>& before = *frame.kids[static_cast<std::size_t>(e.kid[side])];
    for (std::size_t f = 0; before.depth == part->depth && f < before.lists.size(); ++f) {
      if (!part->lists[f].empty()) continue;
      part->lists[f] = before.lists[f];
      for (Threshold<V>& at : part->lists[f]) at.floors = -1;  // they stay behind
    }
  }
  if (keep(frame, e, side, std::move(part))) cross(frame, chain, e);
}

template <class V>
void ColumnSource<V>::adopt(Frame<V>& frame, Chain<V>& chain, const Relatives<V>& relatives) {
  const int feature = chain.context().feature;
  for (int i = 0; i < relatives.count; ++i) {
    if (!relatives.list[i].same_rows()) continue;
    for (const SolvedSide<V>& at : relatives.list[i].solution->sides) {
      if (at.feature != feature) continue;
      const int p = frame.node->position_of(feature, at.rank, 0);
      if (p <= 0 || p >= frame.node->rows()) continue;
      adopt(frame, chain, chain.task_at(p).entry, at.side, at.solution);
    }
  }
}

template <class V>
void ColumnSource<V>::take_sides(Frame<V>& frame, Chain<V>& chain, Job<V>& job) {
  Threshold<V>& e = chain.entry(job.task.entry);
  for (int s = 0; s < 2; ++s) {
    raise_to(e.lo[s], job.lo[s]);
    lower_to(e.hi[s], job.hi[s]);
    keep(frame, e, s, std::move(job.kids[s]));
  }
  if (e.kid[0] >= 0 || e.kid[1] >= 0) cross(frame, chain, e);
}

template <class V>
V ColumnSource<V>::commit(Frame<V>& frame, Chain<V>& chain, Job<V>& job) {
  take_sides(frame, chain, job);
  const Threshold<V>& e = chain.entry(job.task.entry);
  const V cost = join(e.hi[0], e.hi[1], penalty(), budgets(frame.budget));
  chain.commit(job.task);
  return cost;
}

// The columns before the open one are stored. Nothing is thinned out: a chain that is half searched
// has no best cost to judge by.
template <class V>
void ColumnSource<V>::store_open(Solution<V>& out) {
  if (out.lists.empty()) return;  // it was stopped before its first column
  Chain<V>& chain = *chains_[static_cast<std::size_t>(out.depth)];
  chain.store(V::constant(kInfinite, chain.context().budgets), true, out);
}

// The same while it goes on, with the columns and solved sides that were not told before.
template <class V>
void ColumnSource<V>::tell_part(const Frame<V>& frame, Chain<V>& chain, const V& best,
                                std::vector<bool>& sides, std::vector<bool>& columns,
                                const Solution<V>& out) const {
  Solution<V> part;
  part.lower = out.lower;
  part.upper = out.upper;
  part.best_feature = out.best_feature;
  part.depth = out.depth;
  part.lists.resize(out.lists.size());
  for (std::size_t f = 0; f < columns.size(); ++f) {
    if (columns[f] || out.lists[f].empty()) continue;
    part.lists[f] = out.lists[f];
    columns[f] = true;
  }
  chain.store(V::constant(kInfinite, chain.context().budgets), true, part);
  chain.list_sides(best, frame.kids, sides, part.sides);
  worker_.on_part(part);
}

template <class V>
ChosenSplit<V> ColumnSource<V>::first_split(Node& node, Budget budget, int splits, Cost value,
                                            const Relatives<V>& relatives) {
  if (budget.depth > 1) return first_threshold_of_all(node, budget, splits, value, relatives);
  Cost cost = 0;
  const SingleSplit split = best_split(node, worker_.data(), Criterion::kErrors, &cost, work());
  ChosenSplit<V> chosen;
  chosen.feature = split.feature;
  chosen.position = split.position;
  return chosen;
}

template <class V>
SingleSplit ColumnSource<V>::single_split(Node& node, Criterion criterion, Cost* cost) {
  return best_split(node, worker_.data(), criterion, cost, work());
}

template <class V>
std::vector<Promising> ColumnSource<V>::two_levels(Node& node, Budget two, V& value) {
  const int n = budgets(two);
  Solution<V> solution;
  const V none = V::constant(kInfinite, n);
  worker_.solve(two, node, none, V::constant(0, n), none, {}, solution);
  value = solution.upper;
  std::vector<Promising> splits;
  for (std::size_t f = 0; f < solution.lists.size(); ++f) {
    Promising best{static_cast<int>(f), 0, kInfinite};
    for (const auto& e : solution.lists[f]) {
      // What bounds come from may leave fewer rows on a side than a leaf has to have.
      if (e.position < node.first_allowed(best.feature)) continue;
      if (e.position > node.last_allowed(best.feature)) continue;
      const Cost cost = e.hi[0].most() + e.hi[1].most();
      if (cost < best.cost) best.position = e.position, best.cost = cost;
    }
    if (best.cost < kInfinite) splits.push_back(best);
  }
  return splits;
}

template <class V>
int ColumnSource<V>::first_threshold(Frame<V>& frame, Chain<V>& chain, int feature, int k,
                                     Cost value) {
  V best = V::constant(-kInfinite, budgets(frame.budget));
  best.set(k, value + 1);
  Job<V> job;
  Counters& counters = work().counters;
  chain.doubt(k, value);
  int found = chain.first_at_most(k, value);
  chain.reopen(found < 0 ? frame.node->rows() : chain.entry(found).position);
  while (!worker_.control().stopped() && chain.pick(best, job.task, counters)) {
    prepare(frame, chain, best, job);
    evaluate(frame, feature, job);
    if (worker_.control().stopped()) break;
    if (commit(frame, chain, job)[k] > value) continue;
    found = job.task.entry;
    chain.reopen(job.task.position);
  }
  return found;
}

template <class V>
SolvedSplit<V> ColumnSource<V>::split_at(const Frame<V>& frame, const Chain<V>& chain, int entry) {
  const Threshold<V>& e = chain.entry(entry);
  SolvedSplit<V> split{chain.context().feature, e.position, {e.hi[0], e.hi[1]}};
  for (int s = 0; s < 2; ++s) {
    chain.relatives(entry, s, frame.kids, split.sides[s]);
    if (e.kid[s] >= 0) split.sides[s].add({frame.kids[static_cast<std::size_t>(e.kid[s])]});
  }
  return split;
}

// The relatives can only rule thresholds out, so the first of those that are left does not depend
// on them.
template <class V>
ChosenSplit<V> ColumnSource<V>::first_threshold_of_all(Node& node, Budget budget, int splits,
                                                       Cost value, const Relatives<V>& relatives) {
  const int k = budgets(budget) == 1 ? 0 : splits;
  const Relatives<V> none;
  const Relatives<V>& known = work().switches.on(Pruning::kTransfer) ? relatives : none;
  Frame<V> frame{&node, budget, {}};
  Chain<V> chain;
  ChosenSplit<V> chosen;
  for (int f = 0; f < node.features() && chosen.feature < 0; ++f) {
    chain.start(context(frame, f), known, budget.child().depth <= 1, work().counters);
    const int at = first_threshold(frame, chain, f, k, value);
    if (worker_.control().stopped()) return {};
    if (at >= 0) chosen = this->share(split_at(frame, chain, at), budget, splits, value);
  }
  if (chosen.feature < 0) no_tree();
  worker_.control().use_memory(-frame.bytes);
  return chosen;
}

template <class V>
std::unique_ptr<Frontier<V>> ColumnSource<V>::frontier(const Top<V>& top) {
  return std::make_unique<ColumnFrontier<V>>(top);
}

template class ColumnSource<One>;
template class ColumnSource<Curve<8>>;
template class ColumnSource<Curve<32>>;

}  // namespace exactree
