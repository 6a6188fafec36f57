#include "search/columns/planner.hpp"

#include <algorithm>

#include "search/columns/column_source.hpp"

namespace exactree {

namespace {
constexpr std::size_t kRoots = 8;  // more did not pay
// With greedy trees below them so many splits are tried at every node, quantiles of the columns.
constexpr int kLookedAt = 192, kFewQuantiles = 3, kManyQuantiles = 24;

// How many levels are made optimal.
int optimal_levels(Effort effort) {
  return effort == Effort::kGreedy ? 1 : effort == Effort::kManyRoots ? 2 : 3;
}
}  // namespace

template <class V>
std::unique_ptr<Plan<V>> Planner<V>::plan(Node& node, Budget budget, Effort effort, const V& cap) {
  auto best = std::make_unique<Plan<V>>();
  best->budget = budget;
  best->value = V::constant(node.leaf(), worker_.budgets(budget));
  if (budget.depth == 0 || node.leaf() == 0) return best;
  if (budget.depth <= optimal_levels(effort)) return exact_plan(node, budget, cap);
  if (level_ == 0) promising_.clear();
  V goal = best->value;
  lower_to(goal, cap);
  const int level = level_++;
  // With sizes the plan that is taken is not the best for every number of splits.
  keeps_sides_ = !V::kSizes && level == 0 && budget.depth == 3 && effort == Effort::kManyRoots;
  for (const Promising& at : candidates(node, budget, effort, level, kRoots)) {
    if (worker_.control().stopped()) break;
    if (effort == Effort::kGreedy) tell_split(node, at);
    auto found = split_plan(node, budget, at, effort, goal);
    if (keeps_sides_) note_tried(*found);
    if (level == 0) promising_.push_back({at.feature, at.position, found->value.most()});
    if (found->value.most() >= best->value.most()) continue;
    best = std::move(found);
    lower_to(goal, best->value);
    tell(*best);
  }
  level_ = level;
  if (level == 0)
    std::stable_sort(promising_.begin(), promising_.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return best;
}

template <class V>
std::unique_ptr<Plan<V>> Planner<V>::exact_plan(Node& node, Budget budget, const V& cap) {
  auto plan = std::make_unique<Plan<V>>();
  plan->budget = budget;
  const int n = worker_.budgets(budget);
  plan->value = V::constant(node.leaf(), n);
  if (budget.depth == 1) {
    Cost cost = 0;
    const SingleSplit split =
        ColumnSource<V>::of(worker_).single_split(node, Criterion::kErrors, &cost);
    if (split.feature < 0) return plan;
    plan->feature = split.feature;
    plan->position = split.position;
    lower_to(plan->value, V::depth_one(node.leaf(), cost + worker_.data().penalty, n));
    return plan;
  }
  auto solution = std::make_unique<Solution<V>>();
  worker_.solve(budget, node, cap, V::constant(0, n), plan->value, {}, *solution);
  plan->value = solution->upper;
  if (keeps_sides_) plan->solution = std::move(solution);
  return plan;
}

// The first split alone: of a large table the others take long.
template <class V>
void Planner<V>::tell_split(Node& node, const Promising& at) {
  if (!on_better || level_ != 1) return;
  Plan<V> plan;
  plan.budget = Budget::of(1, 1);
  plan.feature = at.feature;
  plan.position = at.position;
  Cost cost = worker_.data().penalty;
  Tree leaves;  // of which the costs are of interest
  for (int s = 0; s < 2; ++s)
    cost +=
        extractor_.close_side(node, {at.feature, at.position, s, 1}, Extractor<V>::kAny, leaves);
  if (worker_.data().rounds_pairs()) ++cost;  // as in split_plan
  plan.value = V::depth_one(node.leaf(), cost, worker_.budgets(plan.budget));
  if (cost < node.leaf()) tell(plan);
}

// Keeps what was solved of a split; a second side that was left out could not have helped. What
// there is no room for is forgotten but for what it costs.
template <class V>
void Planner<V>::note_tried(Plan<V>& plan) {
  if (worker_.control().stopped() || !plan.side[0]) return;
  const int n = worker_.budgets(plan.budget.child());
  TriedSplit<V> tried;
  tried.feature = plan.feature;
  tried.position = plan.position;
  for (int s = 0; s < 2; ++s) {
    tried.lo[s] = V::constant(0, n);
    tried.hi[s] = V::constant(kInfinite, n);
    if (!plan.side[s]) continue;
    tried.hi[s] = plan.side[s]->value;
    if (!plan.side[s]->solution) continue;  // a leaf without errors
    tried.lo[s] = plan.side[s]->solution->lower;
    const std::int64_t bytes = plan.side[s]->solution->bytes();
    if (!worker_.control().has_room(bytes)) continue;
    worker_.control().use_memory(bytes);
    tried.kids[s] = std::move(plan.side[s]->solution);
  }
  tried_.push_back(std::move(tried));
}

template <class V>
std::vector<Promising> Planner<V>::look_ahead(Node& node, Budget budget) {
  Promising best{-1, 0, kInfinite};
  const int count = std::clamp(kLookedAt / node.features(), kFewQuantiles, kManyQuantiles);
  for (int f = 0; f < node.features(); ++f) {
    int before = 0;
    for (std::int64_t q = 1; q <= count; ++q) {
      const int p = node.next(f, static_cast<int>(node.rows() * q / (count + 1)));
      if (p <= before || p < node.first_allowed(f) || p > node.last_allowed(f)) continue;
      before = p;
      const V cap = V::constant(best.cost, worker_.budgets(budget));
      const auto plan = split_plan(node, budget, {f, p, 0}, Effort::kGreedy, cap);
      if (worker_.control().stopped()) return {};
      // A side that alone costs as much as the best is the end of its plan, which is a leaf's then.
      const bool whole = plan->side[0] != nullptr && plan->side[1] != nullptr;
      if (whole && plan->value.most() < best.cost) best = {f, p, plan->value.most()};
    }
  }
  if (best.feature < 0) return {};
  return {best};
}

template <class V>
std::vector<Promising> Planner<V>::candidates(Node& node, Budget budget, Effort effort, int level,
                                              std::size_t roots) {
  if (effort == Effort::kLookAhead) return look_ahead(node, budget);
  std::vector<Promising> list;
  if (effort != Effort::kGreedy) {
    const Budget two = Budget::of(2, budget.splits);
    V value;
    list = ColumnSource<V>::of(worker_).two_levels(node, two, value);
    if (worker_.control().stopped()) return {};
    if (level == 0 && effort == Effort::kManyRoots) {
      Plan<V> plan;
      plan.budget = two;
      plan.value = value;
      tell(plan);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
    if (level == 0) {
      columns_.clear();
      for (const auto& at : list) columns_.push_back(at.feature);
    }
    list.resize(std::min(list.size(), level == 0 ? roots : 1));
  }
  // The greedy split is one more at the top; further down that would double the work per level.
  if (level > 1 && !list.empty()) return list;
  Cost cost = 0;
  const SingleSplit gini = ColumnSource<V>::of(worker_).single_split(node, Criterion::kGini, &cost);
  // A second time it would be no better.
  const auto same = [&](const Promising& c) {
    return c.feature == gini.feature && c.position == gini.position;
  };
  if (gini.feature >= 0 && std::none_of(list.begin(), list.end(), same))
    list.push_back({gini.feature, gini.position, 0});
  return list;
}

template <class V>
std::vector<Promising> Planner<V>::first_splits(Node& node, Budget budget, bool all) {
  std::vector<Promising> splits;
  const auto roots = all ? static_cast<std::size_t>(node.features()) : kRoots;
  for (const Promising& at : candidates(node, budget, Effort::kManyRoots, 0, roots))
    splits.push_back({at.feature, at.position, at.cost});
  return splits;
}

template <class V>
std::unique_ptr<Plan<V>> Planner<V>::split_plan(Node& node, Budget budget, const Promising& at,
                                                Effort effort, const V& cap) {
  auto plan = std::make_unique<Plan<V>>();
  plan->budget = budget;
  plan->feature = at.feature;
  plan->position = at.position;
  const Cost penalty = worker_.data().penalty;
  const int n = worker_.budgets(budget.child());
  plan->value = V::constant(node.leaf(), worker_.budgets(budget));
  const V none = V::constant(0, n);
  V other = none;
  for (int s = 0; s < 2; ++s) {
    const V side_most = side_cap(cap, other, penalty, n);
    // The first side alone costs as much as the best plan. (With sizes, a plan that is no better
    // for one number of splits may be better for another.)
    if (!V::kSizes && !any_below(none, side_most)) return plan;
    Node& side = worker_.child(node, at.feature, at.position, s == 0, budget.depth);
    plan->side[s] = this->plan(side, budget.child(), effort, side_most);
    other = plan->side[s]->value;
  }
  V both = join(plan->side[0]->value, plan->side[1]->value, penalty, worker_.budgets(budget));
  // One split and no more is a last pair (targets/squares.hpp), which costs up to one more.
  if (V::kSizes && worker_.data().rounds_pairs()) both.set(1, both[1] + 1);
  lower_to(plan->value, both);
  return plan;
}

// What a plan costs with at most so many splits.
template <class V>
Cost Planner<V>::value_of(const Plan<V>& plan, int splits) const {
  return plan.value[std::min({splits, plan.budget.splits, worker_.budgets(plan.budget) - 1})];
}

template <class V>
void Planner<V>::draw(Node& node, const Plan<V>& plan, int splits, Tree& tree) {
  splits = std::min(splits, plan.budget.splits);  // a plan of two levels has room for three
  const Cost value = value_of(plan, splits);
  if (plan.feature < 0 || node.leaf() <= value) {
    extractor_.extract(node, plan.budget, splits, value, tree);
    return;
  }
  // The fewest splits that reach the value; with a limit on depth alone, any number.
  const Budget below = plan.budget.child();
  int share[2] = {below.splits, below.splits};
  if (worker_.budgets(plan.budget) > 1 && plan.budget.depth > 1) {
    const auto reaches = [&](int i, int j) {
      return plan.side[0]->value[i] + plan.side[1]->value[j] + worker_.data().penalty <= value;
    };
    bool done = false;
    for (int used = 0; used < splits && !done; ++used)
      for (int i = 0; i <= used && !done; ++i)
        if (reaches(i, used - i)) share[0] = i, share[1] = used - i, done = true;
  }
  const int me = extractor_.open_split(node, plan.feature, plan.position, tree);
  for (int s = 0; s < 2; ++s) {
    const int index = static_cast<int>(tree.size());
    auto& at = tree[static_cast<std::size_t>(me)];
    (s == 0 ? at.left : at.right) = index;
    const bool last = plan.budget.depth == 1;
    const Cost most = last ? Extractor<V>::kAny : value_of(*plan.side[s], share[s]);
    const SideAt side_at{plan.feature, plan.position, s, plan.budget.depth};
    if (extractor_.close_side(node, side_at, most, tree) >= 0) continue;
    Node& side = worker_.child(node, plan.feature, plan.position, s == 0, plan.budget.depth);
    draw(side, *plan.side[s], share[s], tree);
  }
}

template class Planner<One>;
template class Planner<Curve<8>>;
template class Planner<Curve<32>>;

}  // namespace exactree
