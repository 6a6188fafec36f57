#include "search/binary/binary_source.hpp"

#include <algorithm>

#include "search/audit/claims.hpp"
#include "search/binary/binary_frontier.hpp"

namespace exactree {

namespace {

// Up to three levels take eight budgets at most.
inline One narrow(const One& v) {
  return v;
}
template <int C>
Curve<8> narrow(const Curve<C>& v) {
  auto out = Curve<8>::constant(0, v.size);
  for (int k = 0; k < v.size; ++k) out.cost[k] = v.cost[k];
  return out;
}
inline void widen(const One& from, One& to) {
  to = from;
}
template <int C>
void widen(const Curve<8>& from, Curve<C>& to) {
  to.size = from.size;
  for (int k = 0; k < from.size; ++k) to.cost[k] = from.cost[k];
}

// An optimum that takes less than the most room an archive gets in all.
constexpr std::int64_t kArchiveBytes = std::int64_t{128} << 20;

// So many rows of a column are counted in the time of one step of the clock.
constexpr std::int64_t kRowsPerTick = 1 << 16;

}  // namespace

template <class V>
Archive<V>* BinarySource<V>::archive(Budget budget, const BinaryNode& node) {
  // The bounds of a problem with a limit on rows are not those of its optimum.
  if (!worker_.subset_holds() || budget.depth < kShallow || !work().switches.on(Pruning::kArchive))
    return nullptr;
  for (auto& [known, archive] : archives_)
    if (known.depth == budget.depth && known.splits == budget.splits) return archive.get();
  std::int64_t bytes = kArchiveBytes;
  if (worker_.control().memory_limit > 0)
    bytes = std::min(bytes, worker_.control().memory_limit / 8);
  archives_.emplace_back(
      budget, std::make_unique<Archive<V>>(node.row_set().size(), node.largest(), bytes));
  return archives_.back().second.get();
}

template <class V>
bool BinarySource<V>::solve_columns(Budget budget, BinaryNode& node, V best, Solution<V>& out,
                                    Glance* glance) {
  // A split costs its penalty, so nothing but the leaf can cost less than that.
  const int n = budgets(budget);
  const V none = V::constant(0, n);
  if (!any_below(join(none, none, penalty(), n), best)) {
    raise_to(out.lower, best);
    return true;
  }
  if (glance == nullptr && solve_with_fewer(budget, node, best, out)) return true;
  Archive<V>* known = archive(budget, node);
  std::uint64_t hash = 0;
  if (known != nullptr) {
    hash = Archive<V>::hash_of(node.row_set());
    const bool met = glance == nullptr && met_before(*known, hash, node, best, out);
    EXACTREE_CLAIM(claims::bounds(Pruning::kArchive, node, budget, out.lower, out.upper));
    if (met) return true;
  }
  if (budget.depth <= kShallow)
    solve_shallow(budget, node, best, out, glance);
  else
    solve_deep(budget, node, best, out, glance);
  if (worker_.control().stopped()) return false;
  if (known != nullptr)
    known->put(node.row_set(), hash, node.rows(), out.lower, out.upper, worker_.control());
  return true;
}

// Useful splits. A tree of k splits costs at least k penalties, so one that costs less than `best`
// has at most (best - 1) / penalty splits, and no more levels than that. The optima with and
// without this limit are the same where they are below `best`.
template <class V>
bool BinarySource<V>::solve_with_fewer(Budget budget, BinaryNode& node, const V& best,
                                       Solution<V>& out) {
  if (V::kSizes || penalty() == 0 || !work().switches.on(Pruning::kUsefulSplits)) return false;
  const Cost most = (best.most() - 1) / penalty();
  if (most >= budget.depth) return false;
  work().counters.count(Pruning::kUsefulSplits);
  const V lower = out.lower;
  const int levels = static_cast<int>(std::max<Cost>(most, 1));
  solve_columns(Budget::of(levels, budget.splits), node, best, out, nullptr);
  lower_to(out.lower, best);
  raise_to(out.lower, lower);
  EXACTREE_CLAIM(claims::bounds(Pruning::kUsefulSplits, node, budget, out.lower, out.upper));
  return true;
}

template <class V>
bool BinarySource<V>::met_before(Archive<V>& known, std::uint64_t hash, BinaryNode& node, V& best,
                                 Solution<V>& out) {
  if (known.find(node.row_set(), hash, out.lower, out.upper)) {
    lower_to(best, out.upper);
    if (!any_below(out.lower, best)) {
      work().counters.count(Pruning::kArchive);
      raise_to(out.lower, best);
      return true;
    }
  }
  if (!work().switches.on(Pruning::kArchiveLike)) return false;
  if (!known.find_alike(node.row_set(), node.rows(), best, out.lower)) return false;
  work().counters.count(Pruning::kArchiveLike);
  return true;
}

template <class V>
void BinarySource<V>::solve_shallow(Budget budget, BinaryNode& node, const V& best,
                                    Solution<V>& out, Glance* glance) {
  using Small = decltype(narrow(best));
  ShallowQuery<Small> query;
  query.budget = budget;
  query.cap = narrow(best);
  query.lower = narrow(out.lower);
  query.upper = narrow(out.upper);
  query.glance = glance;
  work().count_node();
  if (!node.shallow(query, work())) return;
  widen(query.lower, out.lower);
  widen(query.upper, out.upper);
  out.best_feature = query.feature;
}

// Look ahead. The same rows with one level less are solved first, which costs little beside all
// that follows. It gives a tree to start from, an order of the columns, and a bound for every side:
// what all rows cost with the budget of a side (siblings.hpp).
template <class V>
void BinarySource<V>::look_ahead(Budget budget, BinaryNode& node, Siblings<V>& siblings,
                                 Glance& glance, Solution<V>& out) {
  const Budget less = Budget::of(budget.depth - 1, budget.splits);
  const int n = budgets(less);
  Solution<V> ahead;
  ahead.lower = V::constant(0, n);
  ahead.upper = V::constant(node.leaf(), n);
  if (!solve_columns(less, node, ahead.upper, ahead, &glance)) return;
  work().counters.count(Pruning::kLookAhead);
  if (lower_to(out.upper, ahead.upper)) out.best_feature = ahead.best_feature;
  const int sides = budgets(budget.child());
  V all = V::constant(0, sides);
  raise_to(all, ahead.lower);
  if (work().switches.on(Pruning::kSibling)) siblings.learn_all(all);
  EXACTREE_CLAIM(claims::bounds(Pruning::kLookAhead, node, less, ahead.lower, ahead.upper));
  if (!work().switches.on(Pruning::kSecondSplit) || glance.leaf[0].empty()) return;
  for (int k = 0; k < static_cast<int>(node.distinct().size()); ++k) {
    const auto i = static_cast<std::size_t>(k);
    for (int s = 0; s < 2; ++s)
      raise_to(siblings.lower(k, s),
               at_least<V>(glance.leaf[s][i], glance.single[s][i], sides, node.price(), penalty()));
    EXACTREE_CLAIM(claims::side_bounds(Pruning::kSecondSplit, node, budget, node.distinct()[i],
                                       node.left_rows(k), siblings.lower(k, 0),
                                       siblings.lower(k, 1)));
  }
}

template <class V>
void BinarySource<V>::solve_deep(Budget budget, BinaryNode& node, V best, Solution<V>& out,
                                 Glance* scores) {
  node.open();
  work().count_node();
  const auto columns = node.distinct().size();
  Siblings<V> siblings;
  siblings.start(
      static_cast<int>(columns), [&](int k) { return node.left_rows(k); }, node.rows(),
      node.largest(), budgets(budget.child()));
  Glance glance;
  if (work().switches.on(Pruning::kLookAhead)) {
    look_ahead(budget, node, siblings, glance, out);
    if (worker_.control().stopped()) return;
    lower_to(best, out.upper);
  }
  const std::vector<int> order = best_first(glance, columns);
  const Frame<V> frame{&node, budget, {}};
  V seen = V::constant(kInfinite, budgets(budget));
  const V start = out.lower;
  Job<V> job;
  glance.score.resize(columns);
  for (const int k : order) {
    if (!any_below(start, best)) break;
    const V cost = try_column(frame, node, k, siblings, best, job, out);
    if (worker_.control().stopped()) return;
    lower_to(seen, cost);
    glance.score[static_cast<std::size_t>(k)] = cost.most();
  }
  lower_to(seen, best);
  raise_to(out.lower, seen);
  glance.order = order;
  if (scores != nullptr) *scores = std::move(glance);
}

// Solves the sides of one column as far as they matter. Returns a bound on what it costs.
template <class V>
V BinarySource<V>::try_column(const Frame<V>& frame, BinaryNode& node, int k, Siblings<V>& siblings,
                              V& best, Job<V>& job, Solution<V>& out) {
  const int n = budgets(frame.budget), f = node.distinct()[static_cast<std::size_t>(k)];
  const V bound = join(siblings.lower(k, 0), siblings.lower(k, 1), penalty(), n);
  EXACTREE_CLAIM(claims::side_bounds(Pruning::kSibling, node, frame.budget, f, node.left_rows(k),
                                     siblings.lower(k, 0), siblings.lower(k, 1)));
  if (!any_below(bound, best)) {
    work().counters.count(Pruning::kSibling);
    return bound;
  }
  const int left = node.left_rows(k);
  if (!worker_.data().least_side.allows(left, node.rows() - left)) return bound;
  job.task.position = left;
  job.best = job.target = best;
  for (int s = 0; s < 2; ++s) {
    job.lo[s] = siblings.lower(k, s);
    job.hi[s] = V::constant(kInfinite, job.lo[s].budgets());
    job.relatives[s].count = 0;
  }
  this->evaluate(frame, f, job);
  if (worker_.control().stopped()) return bound;
  for (int s = 0; s < 2; ++s) raise_to(siblings.lower(k, s), job.lo[s]);
  const V found = join(job.hi[0], job.hi[1], penalty(), n);
  if (lower_to(out.upper, found)) out.best_feature = f;
  lower_to(best, found);
  const V one = siblings.lower(k, 0), other = siblings.lower(k, 1);
  if (work().switches.on(Pruning::kSibling)) {
    node.overlaps(k, overlaps_);
    siblings.learn(k, one, other, overlaps_.data());
  }
  return join(one, other, penalty(), n);
}

// The first column with a tree below the cap (none: there is no feature), and what its sides cost.
template <class V>
SolvedSplit<V> BinarySource<V>::first_column(Budget budget, BinaryNode& node, const V& cap) {
  using Small = decltype(narrow(cap));
  const int n = budgets(budget);
  ShallowQuery<Small> query;
  query.budget = budget;
  query.cap = narrow(cap);
  query.lower = narrow(V::constant(0, n));
  query.upper = narrow(V::constant(kInfinite, n));
  query.first = true;
  SolvedSplit<V> split;
  if (!node.shallow(query, work()) || query.feature < 0) return split;
  split.feature = query.feature;
  split.position = node.position_of(query.feature, 1, 0);
  for (int s = 0; s < 2; ++s) widen(query.side[s], split.hi[s]);
  return split;
}

template <class V>
ChosenSplit<V> BinarySource<V>::first_split(Node& node, Budget budget, int splits, Cost value,
                                            const Relatives<V>& relatives) {
  auto& mine = static_cast<BinaryNode&>(node);
  if (budget.depth > kShallow) {
    mine.open();
    return this->first_threshold_of_all(node, budget, splits, value, relatives);
  }
  const int n = budgets(budget);
  V cap = V::constant(-kInfinite, n);
  cap.set(n == 1 ? 0 : splits, value + 1);
  const SolvedSplit<V> split = first_column(budget, mine, cap);
  if (split.feature >= 0) return this->share(split, budget, splits, value);
  if (!worker_.control().stopped()) no_tree();
  return {};
}

template <class V>
SingleSplit BinarySource<V>::single_split(Node& node, Criterion criterion, Cost* cost) {
  auto& mine = static_cast<BinaryNode&>(node);
  const int k = mine.best_column(criterion, cost);
  work().spend(1 + std::int64_t{node.features()} * worker_.data().rows / kRowsPerTick);
  if (k < 0) return {};
  return {mine.distinct()[static_cast<std::size_t>(k)], mine.left_rows(k), 0};
}

template <class V>
std::vector<Promising> BinarySource<V>::two_levels(Node& node, Budget two, V& value) {
  auto& mine = static_cast<BinaryNode&>(node);
  const V none = V::constant(kInfinite, budgets(two));
  Solution<V> out;
  out.lower = V::constant(0, budgets(two));
  out.upper = V::constant(node.leaf(), budgets(two));
  Glance glance;
  solve_shallow(two, mine, none, out, &glance);
  value = out.upper;
  std::vector<Promising> splits;
  for (int k = 0; k < static_cast<int>(mine.distinct().size()); ++k) {
    const int left = mine.left_rows(k);
    if (!worker_.data().least_side.allows(left, node.rows() - left)) continue;
    const auto i = static_cast<std::size_t>(k);
    splits.push_back({mine.distinct()[i], left, glance.score[i]});
  }
  return splits;
}

template <class V>
void BinarySource<V>::solve(Budget budget, Node& node, V best, const Relatives<V>&,
                            Solution<V>& out) {
  solve_columns(budget, static_cast<BinaryNode&>(node), best, out, nullptr);
}

template <class V>
std::unique_ptr<Frontier<V>> BinarySource<V>::frontier(const Top<V>& top) {
  return std::make_unique<BinaryFrontier<V>>(top);
}

template class BinarySource<One>;
template class BinarySource<Curve<8>>;
template class BinarySource<Curve<32>>;

}  // namespace exactree
