// How the two sides of one threshold are solved, or bounded as far as they are of interest: by
// scans where one level is left, by a sweep, or as subproblems of their own.
#include <algorithm>
#include <functional>
#include <numeric>

#include "search/audit/claims.hpp"
#include "search/columns/column_source.hpp"
#include "search/columns/floors.hpp"

namespace exactree {

namespace {
// Subproblems that differ by more rows are not compared: listing the rows would take too long.
constexpr int kMostApart = 48;
// Below one part in so many of what the single leaf costs, little is looked for: see side_most().
constexpr Cost kLittle = 2;
// What a side is solved for at first, of what its rows cost in the best tree: see Fair caps.
// The parts of both make up the target and a third more, or runs of thresholds stay open.
constexpr double kFairPart = 0.72, kFairMore = 4.0 / 3;
// The side with the missing rows is not solved if the threshold is worse than the best without it
// by one part in so many: Both in other_order.hpp.
constexpr Cost kTwinSlack = 20;
// A threshold is scanned by itself if no more than one part in so many of its columns are open: a
// sweep of many takes so much less for each.
constexpr std::int64_t kOpenShare = 8;
}  // namespace

template <class V>
void ColumnSource<V>::evaluate(const Frame<V>& frame, int feature, Job<V>& job) {
  worker_.tick(*frame.node);
  if (!work().switches.on(Pruning::kSideKnown)) {
    for (int s = 0; s < 2; ++s) {
      const int n = budgets(frame.budget.child());
      job.lo[s] = V::constant(0, n);
      job.hi[s] = V::constant(kInfinite, n);
    }
  }
  if (frame.budget.child().depth <= 1)
    by_scans(frame, feature, job);
  else
    by_children(frame, feature, job);
  EXACTREE_CLAIM(if (!worker_.control().stopped()) claims::evaluated(
      context(frame, feature), job.task.position, job.best, job.lo, job.hi));
}

// A sweep finds what the sides cost whatever is of interest of them, or bounds it. In the latter
// case those splits that may be below the best are scanned.
template <class V>
void ColumnSource<V>::evaluate(const Frame<V>& frame, const Sweep& sweep,
                               std::vector<PlacedJob<V>>& jobs, Sweep::Room& room) {
  const int n = budgets(frame.budget.child()), stride = floor_stride(frame.node->features());
  SweptSplit splits[Sweep::kMost];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job<V>& job = jobs[i].job;
    splits[i].feature = jobs[i].feature;
    splits[i].position = job.task.position;
    splits[i].rank = frame.node->rank_at(jobs[i].feature, job.task.position);
    for (int s = 0; s < 2; ++s)
      splits[i].floors[s] =
          !sweep.exact() || job.floors == nullptr ? nullptr : job.floors + s * stride;
  }
  sweep.run(splits, static_cast<int>(jobs.size()), room, work());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job<V>& job = jobs[i].job;
    for (int s = 0; s < 2; ++s) {
      const Cost leaf = splits[i].leaf[s];
      const V found = V::depth_one(leaf, std::min(leaf, splits[i].best[s] + penalty()), n);
      raise_to(job.lo[s], found);
      lower_to(job.hi[s], sweep.exact() ? found : V::constant(leaf, n));
    }
    const V least = join(job.lo[0], job.lo[1], penalty(), budgets(frame.budget));
    const bool open = !sweep.exact() && any_below(least, job.best);
    if (open || (!sweep.exact() && job.floors != nullptr))
      take_floors(room, static_cast<int>(i), frame.node->features(), job);
    if (open) {
      job.target = job.best;  // floors tell enough of what is above the best: no slack is of use
      evaluate(frame, jobs[i].feature, job);
      if (worker_.control().stopped()) return;
      continue;
    }
    ++work().counters.evaluations;
    if (!sweep.exact()) work().counters.count(Pruning::kJump);
    EXACTREE_CLAIM(claims::evaluated(context(frame, jobs[i].feature), job.task.position, job.best,
                                     job.lo, job.hi));
  }
}

// The floors that a sweep found of a split.
template <class V>
void ColumnSource<V>::take_floors(const Sweep::Room& room, int split, int columns,
                                  Job<V>& job) const {
  const int stride = floor_stride(columns);
  job.own_floors.resize(static_cast<std::size_t>(2 * stride), 0);
  job.floors = job.own_floors.data();
  for (int s = 0; s < 2 && work().switches.on(Pruning::kFloor); ++s)
    for (int g = 0; g < columns; ++g) {
      std::uint16_t& floor = job.floors[s * stride + g];
      floor = std::max(floor, room.floors_of(g, s)[split]);
    }
}

template <class V>
bool ColumnSource<V>::lend_floors(const Frame<V>& frame, const Chain<V>& chain, Job<V>& job) const {
  const int columns = frame.node->features(), stride = floor_stride(columns);
  job.own_floors.assign(static_cast<std::size_t>(2 * stride), 0);
  job.floors = job.own_floors.data();
  chain.raise_by_neighbours(job.task.entry, job.floors);
  EXACTREE_CLAIM(claims::floors(Pruning::kFloor, chain.context(), job.task.position, job.floors));
  const int n = budgets(frame.budget.child());
  std::int64_t open = 0;
  for (int s = 0; s < 2; ++s) {
    const Cost cap = side_cap(job.best, job.lo[1 - s], penalty(), n).most() - penalty();
    const Cost bar = std::clamp<Cost>(frame.node->units(cap), 0, 65535);
    const std::uint16_t* floors = job.floors + s * stride;
    for (int g = 0; g < columns; ++g) open += floors[g] < bar ? 1 : 0;
  }
  return open * kOpenShare < columns;
}

// Side cap. The split can cost less than the target only if each side costs less than what the
// target leaves it when the other side costs no more than its lower bound. So a side is solved
// below that cap only, and its lower bound then is the smaller of its optimum and the cap.
//
// The target is the best known cost plus some slack, not that cost itself: knowing that this split
// is worse than the best by the slack removes all its neighbours up to that influence, and is worth
// the extra effort. But a side that costs the best alone removes every threshold at which it is
// larger (Sub-interval), and to know that it costs more is of little use: it is not solved beyond
// the best, which leaves more of the target to the other side. (Scans are: their floors make use of
// it.) Either way a split below the best has both its sides below their caps.
//
// Where little is looked for, as in the first rounds, most sides cost that much by themselves. Then
// both are solved so far, whatever the other costs: all thresholds of the column are ruled out at
// once, those before this one by the right side and those after it by the left one. Without that
// the smaller side would be known up to the slack only, and thresholds nearer and nearer to the
// first would be solved. That pays where one row can cost far more than splits differ by; classes
// are searched faster without it.
template <class V>
V ColumnSource<V>::side_most(const Frame<V>& frame, const Job<V>& job, int side, int n) const {
  if (V::kSizes) return side_cap(job.target, job.lo[1 - side], penalty(), n);
  V most = side_cap(job.best, V::constant(0, n), penalty(), n);
  const bool little = worker_.data().far_apart() && frame.node->leaf() / kLittle >= job.best.most();
  if (!little) lower_to(most, side_cap(job.target, job.lo[1 - side], penalty(), n));
  return most;
}

// Whether a node knows its classes, of which there are several, and all wrong answers of a row cost
// the same. Columns of two values have nodes of their own.
template <class V>
bool ColumnSource<V>::has_many_classes(const Node& node) const {
  const Problem& data = worker_.data();
  return node.kind() == SplitKind::kColumns && data.classes > 2 && data.costs == nullptr &&
         !data.priced() && !data.numbers();
}

// Classes. A tree of k splits has k + 1 leaves, and all rows of the classes that no leaf answers
// are errors: it costs at least k penalties and the rows of all but the k + 1 largest classes. Over
// all k up to the budget that is least if a class has a leaf as long as it costs more than a split.
// So the largest class is free, the others up to the number of leaves cost what they weigh or a
// split, whichever is less, and those after them what they weigh.
template <class V>
void ColumnSource<V>::raise_by_classes(const Node& node, Budget below, Job<V>& job) {
  if (!has_many_classes(node) || !work().switches.on(Pruning::kMajority)) return;
  const Cost unit = worker_.data().weights == nullptr ? worker_.data().unit : 1;
  for (int s = 0; s < 2; ++s) {
    const std::vector<Cost>& sizes = work().class_cost[s];
    largest_ = sizes;
    const auto most =
        std::min<std::size_t>(largest_.size(), static_cast<std::size_t>(below.splits) + 1);
    const auto end = largest_.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(largest_.begin(), end, largest_.end(), std::greater<>());
    // With one leaf all but one class are errors; each leaf more answers one more.
    Cost cost = unit * std::accumulate(sizes.begin(), sizes.end(), Cost{0} - largest_[0]);
    V least = V::constant(cost, job.lo[s].budgets());
    for (std::size_t c = 1; c < most; ++c) {
      cost -= std::max<Cost>(unit * largest_[c] - penalty(), 0);
      for (int k = V::kSizes ? static_cast<int>(c) : 0; k < least.budgets(); ++k)
        least.set(k, cost);
    }
    if (raise_to(job.lo[s], least)) work().counters.count(Pruning::kMajority);
  }
}

template <class V>
void ColumnSource<V>::by_scans(const Frame<V>& frame, int feature, Job<V>& job) {
  ++work().counters.evaluations;
  Node& node = *frame.node;
  const int n = budgets(frame.budget.child()), p = job.task.position;
  const int stride = floor_stride(node.features());
  node.part(feature, p, work());
  SideQuery query[2];
  Cost start[2];
  for (int s = 0; s < 2; ++s) {
    const Cost leaf = work().side_leaf[s];
    std::uint16_t* floors = job.floors == nullptr ? nullptr : job.floors + s * stride;
    V least = V::depth_one(leaf, raise_by_floors(floors, leaf, job.lo[s].most()), n);
    raise_to(job.lo[s], least);
    lower_to(job.hi[s], V::constant(leaf, n));
    query[s].floors = floors;
  }
  raise_by_classes(node, frame.budget.child(), job);
  for (int s = 0; s < 2; ++s) {
    start[s] = job.hi[s].most();
    if (work().switches.on(Pruning::kSideCap)) {
      const Cost cap = side_cap(job.target, job.lo[1 - s], penalty(), n).most();
      if (cap < start[s]) work().counters.count(Pruning::kSideCap), start[s] = cap;
    }
    query[s].low = job.lo[s].most() - penalty();
    query[s].best = start[s] - penalty();
    query[s].wanted = job.lo[s].most() < start[s];
    if (!query[s].wanted) work().counters.count(Pruning::kSideKnown);
  }
  if (query[0].wanted || query[1].wanted) scan_sides(node, feature, p, query, start, job);
}

template <class V>
void ColumnSource<V>::scan_sides(Node& node, int feature, int position, SideQuery query[2],
                                 const Cost start[2], Job<V>& job) {
  const int n = job.lo[0].budgets();
  SideQuery limited[2] = {query[0], query[1]};
  const bool asked[2] = {query[0].wanted, query[1].wanted};
  node.depth_one(feature, position, query, false, work());
  for (int s = 0; s < 2; ++s) {
    limited[s].wanted = false;
    if (!asked[s]) continue;
    const Cost found = query[s].best + penalty();
    raise_to(job.lo[s], V::depth_one(work().side_leaf[s], std::min(found, start[s]), n));
    if (found >= start[s]) continue;
    if (worker_.subset_holds())
      lower_to(job.hi[s], V::depth_one(work().side_leaf[s], found, n));
    else
      limited[s].wanted = true, limited[s].low = query[s].best;
  }
  if (!limited[0].wanted && !limited[1].wanted) return;
  const bool again[2] = {limited[0].wanted, limited[1].wanted};
  node.depth_one(feature, position, limited, true, work());
  for (int s = 0; s < 2; ++s) {
    const Cost found = limited[s].best + penalty();
    if (again[s] && found < start[s])
      lower_to(job.hi[s], V::depth_one(work().side_leaf[s], found, n));
  }
}

// No column of the side can do better than its floor, and the side can do no better than its best
// column, or than no split at all.
template <class V>
Cost ColumnSource<V>::raise_by_floors(const std::uint16_t* floors, Cost leaf, Cost low) const {
  if (floors == nullptr) return std::min(low, leaf);
  const Cost least =
      *std::min_element(floors, floors + worker_.data().features) * worker_.data().unit;
  return std::max(std::min(low, leaf), std::min(leaf, least + penalty()));
}

// Lists the rows by which a side is smaller than a relative. Many rows cost more than they save; of
// those without a known influence (regression) nothing follows, and the sum of a few overflows.
template <class V>
void ColumnSource<V>::tell_apart(Node& node, int feature, int depth, Relatives<V>& relatives) {
  const std::size_t first = static_cast<std::size_t>(depth) * kMostRelatives;
  if (differences_.size() < first + kMostRelatives) differences_.resize(first + kMostRelatives);
  for (int i = 0; i < relatives.count; ++i) {
    Relative<V>& r = relatives.list[i];
    if (!r.larger || r.end - r.begin > kMostApart || r.between >= kInfinite / 2) continue;
    auto& difference = differences_[first + static_cast<std::size_t>(i)];
    if (!difference) difference = std::make_unique<Difference>();
    node.list_between(feature, r.begin, r.end, *difference);
    r.difference = difference.get();
  }
}

template <class V>
bool ColumnSource<V>::side_wanted(const Frame<V>& frame, const Job<V>& job, int s, V& cap) const {
  cap = job.hi[s];
  if (work().switches.on(Pruning::kSideCap)) {
    const V most = side_most(frame, job, s, budgets(frame.budget.child()));
    if (lower_to(cap, most)) work().counters.count(Pruning::kSideCap);
  }
  if (any_below(job.lo[s], cap)) return true;
  work().counters.count(Pruning::kSideKnown);
  return false;
}

// Fair caps. In a round of a low target a side may cost about as much as the target, and to know
// that is nearly as much work as its optimum: in the middle of a column, that of half of the best
// cost. But both sides together need no more than the target. So at first a side is solved no
// further than a good part of what rows like its own cost in the best tree, if the parts of both
// are well above the target. Most thresholds are ruled out by that, and by the sum of a left side
// and a right one those between them (Sub-interval); it takes more of them, and far less for each.
// If the two do not make up the target, they are solved as far as they are without this. Caps never
// decide what is true of a side, only how much is known of it.
template <class V>
Cost ColumnSource<V>::fair_cap(int rows) const {
  return static_cast<Cost>(kFairPart * expected_ * rows);
}

template <class V>
bool ColumnSource<V>::shares_fairly(const Frame<V>& frame, const Job<V>& job) const {
  return !V::kSizes && expected_ > 0 && work().switches.on(Pruning::kSideCap) &&
         static_cast<double>(fair_cap(frame.node->rows())) >=
             kFairMore * static_cast<double>(job.best.most());
}

template <class V>
void ColumnSource<V>::by_children(const Frame<V>& frame, int feature, Job<V>& job) {
  Node& node = *frame.node;
  const Budget below = frame.budget.child();
  const int p = job.task.position, rows[2] = {p, node.rows() - p};
  // The larger side first: it costs more, so it leaves the other less to be solved for.
  const int larger = 2 * p >= node.rows() ? 0 : 1;
  if (worker_.data().classes > below.splits + 1 && has_many_classes(node)) {
    node.part(feature, p, work());
    raise_by_classes(node, below, job);
  }
  if (job.twin) {
    if (!solve_both_orders(frame, feature, job)) return;
    V enough = job.best;
    raise_to(enough, job.best, job.best.most() / kTwinSlack);
    job.spared = !any_below(join(job.lo[0], job.lo[1], penalty(), budgets(frame.budget)), enough);
    if (job.spared) {
      work().counters.count(Pruning::kTransfer);
      return;
    }
  }
  if (shares_fairly(frame, job)) {
    for (const int s : {larger, 1 - larger}) {
      V cap;
      if (!side_wanted(frame, job, s, cap)) continue;
      lower_to(cap, V::constant(fair_cap(rows[s]), cap.budgets()));
      if (any_below(job.lo[s], cap) && !solve_side(frame, feature, job, s, cap, true)) return;
    }
    if (!any_below(join(job.lo[0], job.lo[1], penalty(), budgets(frame.budget)), job.best)) {
      work().counters.count(Pruning::kSideCap);
      return;
    }
  }
  for (const int s : {larger, 1 - larger}) {
    V cap;
    if (side_wanted(frame, job, s, cap) && !solve_side(frame, feature, job, s, cap, true)) return;
  }
}

// Solves a side up to a cap, with what an earlier solution of it knows; false: it was stopped. Not
// of the piece: others are not told of it.
template <class V>
bool ColumnSource<V>::solve_side(const Frame<V>& frame, int feature, Job<V>& job, int s,
                                 const V& cap, bool of_piece) {
  Node& node = *frame.node;
  const Budget below = frame.budget.child();
  Relatives<V>& relatives = job.relatives[s];
  if (job.kids[s]) {
    const Relative<V> before{std::shared_ptr<const Solution<V>>(std::move(job.kids[s]))};
    if (relatives.count < kMostRelatives)
      relatives.add(before);
    else
      relatives.list[kMostRelatives - 1] = before;
  }
  Node& side = worker_.child(node, feature, job.task.position, s == 0, frame.budget.depth);
  tell_apart(node, feature, frame.budget.depth, relatives);
  job.kids[s] = std::make_unique<Solution<V>>();
  job.solving = s;
  side_of_piece_ = frame.is_root && of_piece;
  whole_ = frame.is_root && below.depth > 2 && !V::kSizes;  // else the lists are long
  worker_.solve(below, side, cap, job.lo[s], job.hi[s], relatives, *job.kids[s]);
  side_of_piece_ = whole_ = false;  // where nothing was to be solved
  if (worker_.control().stopped()) return false;
  raise_to(job.lo[s], job.kids[s]->lower);
  lower_to(job.hi[s], job.kids[s]->upper);
  return true;
}

#define EXACTREE_SIDES(V)                                                                      \
  template void ColumnSource<V>::evaluate(const Frame<V>&, int, Job<V>&);                      \
  template void ColumnSource<V>::evaluate(const Frame<V>&, const Sweep&,                       \
                                          std::vector<PlacedJob<V>>&, Sweep::Room&);           \
  template bool ColumnSource<V>::lend_floors(const Frame<V>&, const Chain<V>&, Job<V>&) const; \
  template bool ColumnSource<V>::side_wanted(const Frame<V>&, const Job<V>&, int, V&) const;   \
  template V ColumnSource<V>::side_most(const Frame<V>&, const Job<V>&, int, int) const;       \
  template bool ColumnSource<V>::solve_side(const Frame<V>&, int, Job<V>&, int, const V&, bool);
EXACTREE_SIDES(One)
EXACTREE_SIDES(Curve<8>)
EXACTREE_SIDES(Curve<32>)
#undef EXACTREE_SIDES

}  // namespace exactree
