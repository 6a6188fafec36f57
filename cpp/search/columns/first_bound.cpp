// A bound that is there at once, before better trees are looked for.
//
// The thresholds of all columns are searched for trees below a small share of what the first tree
// costs, then below larger shares. That nothing is below so little is proved by very few
// thresholds: one side alone costs as much (ColumnSource::side_most). A round that ends has proved
// that no tree costs less than its target; the rounds end when they have taken a small part of what
// a whole search takes, or when there is a tree below the target, which the search itself will
// find.
//
// Nothing else comes of it: the search, its rounds and its tree are as they would be without. So
// that a bound is there early may depend on anything, also on what pays.
#include <algorithm>
#include <memory>
#include <vector>

#include "search/columns/column_frontier.hpp"
#include "search/driver/search.hpp"

namespace exactree {

namespace {

// The targets, as shares (in 1/256) of what the first tree costs. At two levels the lowest takes as
// long as the next.
constexpr int kLowest = 24, kTargets[] = {kLowest, 64, 128, 176};
// How many evaluations there may be, by depth: so many times as many as it takes to evaluate every
// column at one threshold of every column, on both sides for every level above. And the most that
// they may take of a limit of time: the first, without which nothing is proved, and all others.
constexpr std::int64_t kRepeats[] = {0, 0, 4, 8};
constexpr double kFirstShareOfTime = 0.6, kShareOfTime = 0.25;
// Tables of so many numbers have such a bound, by depth: two levels, and three. Losses of numbers
// and costs per row take many times as long as classes. More levels have low rounds of their own.
constexpr int kMostLevels = 3;
constexpr std::int64_t kMany = 20'000'000, kManyDeep = 1'000'000;
constexpr std::int64_t kManySlow = 50'000, kManySlowDeep = 5'000;

}  // namespace

template <class V>
bool ColumnFrontier<V>::first_bound_pays() const {
  if (top_.root.kind() != SplitKind::kColumns) return false;
  if (V::kSizes || top_.budget.depth < 2 || top_.budget.depth > kMostLevels) return false;
  if (top_.request.switches.everywhere()) return true;
  const std::int64_t numbers = std::int64_t{top_.root.rows()} * top_.root.features();
  const bool deep = top_.budget.depth > 2;
  if (top_.data.loss != nullptr || top_.data.priced())
    return numbers >= (deep ? kManySlowDeep : kManySlow);
  return numbers >= (deep ? kManyDeep : kMany);
}

template <class V>
void ColumnFrontier<V>::prove_first() {
  if (!first_bound_pays()) return;
  const std::int64_t columns = top_.root.features();
  std::int64_t most = kRepeats[top_.budget.depth] * columns;
  for (int level = 2; level < top_.budget.depth; ++level) most *= 2 * columns;
  Probe probe;
  probe.frame = {&top_.root, top_.budget, {}, {}, 0, false};
  probe.chains.resize(static_cast<std::size_t>(columns));
  const Control& control = top_.worker.control();
  probe.last_evaluation = top_.worker.work().counters.evaluations + most;
  const double start = control.seconds();
  probe.last_second = start + control.time_limit * kFirstShareOfTime;
  const Cost best = top_.incumbents[0].value;
  for (const int share : kTargets) {
    if (share == kLowest && top_.budget.depth == 2) continue;
    const V target = V::constant(best / 256 * share + best % 256 * share / 256, budgets());
    if (!any_below(V::constant(top_.request.lower_bound, budgets()), target)) continue;
    // A tree that an earlier round met may cost less than this one looks for.
    if (probe.found < target.most() || !none_below(target, probe)) break;
    if (top_.incumbents.raise_bound(target)) top_.incumbents.report();
    probe.last_second = start + control.time_limit * kShareOfTime;
  }
  top_.worker.control().use_memory(-probe.frame.bytes);
}

// Whether no first split leads to a tree below the target; false also if that is not known.
template <class V>
bool ColumnFrontier<V>::none_below(const V& target, Probe& probe) {
  auto& source = ColumnSource<V>::of(top_.worker);
  Counters& counters = top_.worker.work().counters;
  Job<V> job;
  for (int f = 0; f < top_.root.features(); ++f) {
    auto& chain = probe.chains[static_cast<std::size_t>(f)];
    if (!chain) {
      chain = std::make_unique<Chain<V>>();
      chain->start(source.context(probe.frame, f), {}, false, counters);
    }
    chain->begin_round(target);
    while (chain->pick(target, job.task, counters)) {
      if (counters.evaluations > probe.last_evaluation) return false;
      if (top_.worker.control().seconds() > probe.last_second) return false;
      source.prepare(probe.frame, *chain, target, job);
      source.evaluate(probe.frame, f, job);
      if (top_.worker.control().stopped()) return false;
      probe.found = std::min(probe.found, source.commit(probe.frame, *chain, job).most());
      if (probe.found < target.most()) return false;
    }
  }
  return true;
}

#define EXACTREE_FIRST_BOUND(V)                              \
  template bool ColumnFrontier<V>::first_bound_pays() const; \
  template void ColumnFrontier<V>::prove_first();            \
  template bool ColumnFrontier<V>::none_below(const V&, Probe&);
EXACTREE_FIRST_BOUND(One)
EXACTREE_FIRST_BOUND(Curve<8>)
EXACTREE_FIRST_BOUND(Curve<32>)
#undef EXACTREE_FIRST_BOUND

}  // namespace exactree
