#include "search/binary/binary_frontier.hpp"

#include <algorithm>
#include <utility>

#include "search/audit/claims.hpp"
#include "search/binary/binary_source.hpp"
#include "search/driver/search.hpp"

namespace exactree {

namespace {

// First trees are looked for from so many pairs of columns times rows on: always, or where time is
// limited. Three levels take some milliseconds up to so many triples times rows.
constexpr std::int64_t kLarge = 100'000'000, kLargeInTime = 10'000'000;
constexpr std::int64_t kQuick = 20'000'000'000;
// A limit of so many seconds is none.
constexpr double kNoLimit = 1e100;

}  // namespace

// The tree of one level less is an optimum that is quick to find, and says much about the columns.
// Trees of a few levels are solved at once. Where that takes long, there is a first tree before.
template <class V>
bool BinaryFrontier<V>::plan() {
  const Budget budget = top_.budget;
  const bool solved = budget.depth <= kShallow;
  const auto& columns = root().distinct();
  start_siblings();
  if (!solved && !top_.request.switches.on(Pruning::kIncumbent)) return true;
  if (is_large() && !plan_first()) return false;
  Glance glance;
  const Budget less = Budget::of(solved ? budget.depth : budget.depth - 1, budget.splits);
  Solution<V> ahead;
  if (!solve_all(less, ahead, glance)) return false;
  promising_.clear();
  if (!solved) learn_ahead(ahead.lower);
  for (const int k : best_first(glance, columns.size()))
    order_.push_back(columns[static_cast<std::size_t>(k)]);
  return !solved;
}

// In pairs of columns times rows.
template <class V>
bool BinaryFrontier<V>::is_large() const {
  const int depth = top_.budget.depth;
  if (depth < kShallow || !top_.request.switches.on(Pruning::kIncumbent)) return false;
  const auto columns = static_cast<std::int64_t>(root().distinct().size());
  if (top_.request.switches.everywhere()) return columns > 0;
  const std::int64_t pairs = columns * columns * root().rows();
  if (pairs >= kLarge) return true;
  if (top_.worker.control().time_limit >= kNoLimit) return false;
  return depth > kShallow + 1 || (depth > kShallow && pairs >= kLargeInTime);
}

// Three levels at the end of a tree where they take some milliseconds, else two.
template <class V>
int BinaryFrontier<V>::improved_levels() const {
  if (V::kSizes || !is_large()) return 0;
  const auto columns = static_cast<std::int64_t>(root().distinct().size());
  const std::int64_t rows = root().rows() >> std::max(top_.budget.depth - kShallow, 0);
  return columns * columns * rows >= kQuick / columns ? kImprovedLevels - 1 : kImprovedLevels;
}

// All rows within fewer levels, and the best tree of these. False: it was stopped.
template <class V>
bool BinaryFrontier<V>::solve_all(Budget less, Solution<V>& optimum, Glance& glance) {
  optimum.lower = V::constant(0, V::budgets_of(less.splits));
  optimum.upper = V::constant(root().leaf(), V::budgets_of(less.splits));
  auto& source = BinarySource<V>::of(top_.worker);
  if (!source.solve_columns(less, root(), optimum.upper, optimum, &glance)) return false;
  take_optimum(less, optimum);
  improver_.reset();
  return true;
}

// There may be no time to solve one level less, so there are trees before: plans, and the best tree
// of few levels, which the improver makes deeper.
template <class V>
bool BinaryFrontier<V>::plan_first() {
  this->take_plans({Effort::kGreedy, Effort::kManyRoots}, kBeside);
  order_.clear();
  improve_first();
  if (top_.worker.control().stopped()) return false;
  if (top_.budget.depth <= kShallow + 1) return true;
  Solution<V> few;
  Glance glance;
  if (!solve_all(Budget::of(kShallow, top_.budget.splits), few, glance)) return false;
  improve_first();
  return !top_.worker.control().stopped();
}

// As much work as all before it took.
template <class V>
void BinaryFrontier<V>::improve_first() {
  improver_.reset();
  this->start_improver();
  Incumbents<V>& incumbents = top_.incumbents;
  while (improver_ != nullptr && !top_.worker.control().stopped()) {
    improver_->follow(incumbents[0]);
    if (!improver_->has_turn()) return;
    if (!improver_->step(incumbents[0].value)) continue;
    incumbents.take_tree(0, improver_->cost(), improver_->tree(), kBeside);
    incumbents.report();
  }
}

template <class V>
void BinaryFrontier<V>::start_siblings() {
  siblings_.start(
      static_cast<int>(root().distinct().size()), [&](int k) { return root().left_rows(k); },
      root().rows(), root().largest(), V::budgets_of(top_.budget.child().splits));
}

// All rows within the levels of a side.
template <class V>
void BinaryFrontier<V>::learn_ahead(const V& lower) {
  ahead_ = costs_of(lower);
  if (!top_.request.switches.on(Pruning::kSibling)) return;
  V all = V::constant(0, V::budgets_of(top_.budget.child().splits));
  raise_to(all, lower);
  siblings_.learn_all(all);
}

template <class V>
void BinaryFrontier<V>::note_plan(PlanFacts& plan) const {
  ColumnFrontier<V>::note_plan(plan);
  plan.bound = ahead_;
}

template <class V>
void BinaryFrontier<V>::take_plan(const PlanFacts& plan) {
  ColumnFrontier<V>::take_plan(plan);
  start_siblings();
  const Budget less = Budget::of(top_.budget.depth - 1, top_.budget.splits);
  if (!plan.bound.empty()) learn_ahead(value_of<V>(plan.bound, V::budgets_of(less.splits)));
}

template <class V>
void BinaryFrontier<V>::take_optimum(Budget budget, const Solution<V>& optimum) {
  Incumbents<V>& incumbents = top_.incumbents;
  Extractor<V> extractor(top_.worker);
  for (std::size_t k = 0; k < incumbents.size(); ++k) {
    const Cost cost = optimum.upper[static_cast<int>(k)];
    if (!incumbents.improves(k, cost)) continue;
    Tree tree;
    extractor.extract(root(), budget, std::min(incumbents.splits_of(k), budget.splits), cost, tree);
    if (top_.worker.control().stopped()) return;
    incumbents.take_tree(k, cost, std::move(tree));
    top_.worker.work().counters.count(Pruning::kIncumbent);
  }
  incumbents.report();
}

template <class V>
int BinaryFrontier<V>::distinct(int place) const {
  const auto& columns = root().distinct();
  return static_cast<int>(std::lower_bound(columns.begin(), columns.end(), column(place)) -
                          columns.begin());
}

// What other columns say of the sides; see siblings.hpp.
template <class V>
bool BinaryFrontier<V>::ruled_out(int place, const Task<V>& task, const V& target,
                                  Worker<V>& worker) {
  if (!top_.request.switches.on(Pruning::kSibling)) return false;
  auto& entry = chain(place).entry(task.entry);
  for (int s = 0; s < 2; ++s) raise_to(entry.lo[s], siblings_.lower(distinct(place), s));
  EXACTREE_CLAIM(
      claims::sides(Pruning::kSibling, chain(place).context(), entry.position, entry.lo, entry.hi));
  if (any_below(chain(place).cost_below(entry), target)) return false;
  worker.work().counters.count(Pruning::kSibling);
  chain(place).commit(task);
  return true;
}

template <class V>
void BinaryFrontier<V>::spread(int place, const Task<V>& task) {
  if (!top_.request.switches.on(Pruning::kSibling)) return;
  const auto& entry = chain(place).entry(task.entry);
  std::vector<int> both;
  root().overlaps(distinct(place), both);
  siblings_.learn(distinct(place), entry.lo[0], entry.lo[1], both.data());
}

template class BinaryFrontier<One>;
template class BinaryFrontier<Curve<8>>;
template class BinaryFrontier<Curve<32>>;

}  // namespace exactree
