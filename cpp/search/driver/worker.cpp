#include "search/driver/worker.hpp"

#include <algorithm>
#include <numeric>

#include "search/audit/claims.hpp"

namespace exactree {

namespace {
// How many per cent of the best cost the sides of a split are solved beyond it.
constexpr Cost kChildSlack = 20, kScanSlack = 40, kClassSlack = 100;
// From how many rows on floors spare more than they cost.
constexpr int kFloorRows = 1024;
// By how many rows two subproblems may differ for it to pay to know which.
constexpr int kMostApart = 48;
}  // namespace

template <class V>
Worker<V>::Worker(const Problem& data, Control& control, Switches switches, bool calling_thread)
    : data_(data), control_(control) {
  work_.switches = switches;
  work_.control = &control;
  work_.calling_thread = calling_thread;
  work_.order.resize(static_cast<std::size_t>(data.features));
  for (auto& order : work_.order) {
    order.resize(static_cast<std::size_t>(data.features));
    std::iota(order.begin(), order.end(), 0);
  }
}

template <class V>
void Worker<V>::tick(const Node& node) {
  work_.tick(1 + static_cast<std::int64_t>(node.rows()) * node.features() / 4096);
}

template <class V>
Node& Worker<V>::child(Node& node, int f, int p, bool left, int depth) {
  const auto slot = static_cast<std::size_t>(2 * depth + (left ? 0 : 1));
  if (pool_.size() <= slot) pool_.resize(slot + 1);
  if (!pool_[slot]) pool_[slot] = node.make_empty();
  const std::int64_t before = pool_[slot]->bytes();
  node.make_child(f, p, left, *pool_[slot], work_);
  if (pool_[slot]->bytes() != before) control_.use_memory(pool_[slot]->bytes() - before);
  ++work_.counters.nodes;
  return *pool_[slot];
}

template <class V>
ChainContext Worker<V>::context(const Frame<V>& frame, int feature) const {
  return {frame.node,
          feature,
          data_.penalty,
          budgets(frame.budget),
          budgets(frame.budget.child()),
          subset_holds(),
          work_.switches,
          frame.budget};
}

// The best single split and its penalty if that is below a cost, else that cost.
template <class V>
Cost Worker<V>::one_split(Node& node, Cost below, bool limited) {
  SideQuery query;
  query.wanted = true;
  query.low = 0;
  query.best = below - data_.penalty;
  node.whole(query, limited, work_);
  return query.best + data_.penalty;
}

// Useful. A tree of s splits costs at least s penalties, so one below `best` has fewer than
// best / penalty splits, and is no deeper than that. Where what a split costs depends on whether it
// is the last that the depth allows (Last pairs in targets/squares.hpp), one more level is left, so
// that none of its splits is.
template <class V>
void Worker<V>::limit_to_useful(const V& best, Budget& budget) {
  if (data_.penalty == 0 || !work_.switches.on(Pruning::kUsefulSplits)) return;
  Cost most = 0;
  for (int k = 0; k < best.budgets(); ++k) most = std::max(most, best[k]);
  const Cost useful = most <= 0 ? 0 : (most - 1) / data_.penalty;
  const Cost levels = useful > 0 && data_.rounds_pairs() ? useful + 1 : useful;
  if (levels >= budget.depth) return;
  work_.counters.count(Pruning::kUsefulSplits);
  budget.depth = static_cast<int>(levels);
}

// Finds what one split achieves, and takes that budget (or, at depth one, every budget) off the
// list of what is sought.
template <class V>
void Worker<V>::settle_one(Node& node, Budget budget, V& best, V& lo, V& upper) {
  const int n = best.budgets(), first = n > 1 ? 1 : 0, last = budget.depth <= 1 ? n - 1 : first;
  Cost below = 0;
  for (int k = first; k <= last; ++k)
    if (lo[k] < best[k]) below = std::max(below, best[k]);
  // At depth zero there is no useful split at all: nothing is below best.
  Cost one = below, real = below;
  if (below > 0 && budget.depth > 0) {
    one = one_split(node, below, false);
    real = subset_holds() || one >= below ? one : one_split(node, below, true);
  }
  for (int k = first; k <= last; ++k) {
    if (lo[k] < best[k]) {
      if (real < std::min(best[k], below)) upper.set(k, real);
      lo.set(k, std::max(lo[k], std::min(one, best[k])));
    }
    best.set(k, -kInfinite);
  }
}

template <class V>
void Worker<V>::solve(Budget budget, Node& node, const V& cap, const V& known, V hi,
                      const Relative<V>* relatives, int count, Solution<V>& out) {
  const int n = budgets(budget);
  V lo = known;
  lower_to(hi, V::constant(node.leaf(), n));
  V best = hi;
  lower_to(best, cap);
  out.lower = lo;
  out.upper = hi;
  // Nothing to be found between what is known and what is of interest.
  if (!any_below(lo, best)) {
    raise_to(out.lower, best);
    EXACTREE_CLAIM(claims::solved(node, budget, cap, out.lower, out.upper));
    return;
  }
  if (BinaryNode* two = node.binary()) {
    solve_binary(budget, *two, best, out, nullptr);
    EXACTREE_CLAIM(if (!control_.stopped())
                       claims::solved(node, budget, cap, out.lower, out.upper));
    return;
  }
  [[maybe_unused]] const Budget whole = budget;
  limit_to_useful(best, budget);
  out.depth = budget.depth;
  // No split and one split need no search. (With split budgets the chains would be slow to find
  // that one split is no better than none, because they bound its two leaves one by one.)
  if (n > 1 || budget.depth <= 1) {
    if (n > 1) lo.set(0, node.leaf());
    settle_one(node, budget, best, lo, out.upper);
  }
  out.lower = lo;
  if (!any_below(lo, best)) {
    raise_to(out.lower, best);
    EXACTREE_CLAIM(claims::solved(node, whole, cap, out.lower, out.upper));
    return;
  }
  if (MaskNode* masks = node.masks()) {
    solve_by_masks(budget, *masks, best, out);
    EXACTREE_CLAIM(if (!control_.stopped()) claims::solved(node, whole, cap, out.lower, out.upper));
    return;
  }
  const auto depth = static_cast<std::size_t>(budget.depth);
  if (chains_.size() <= depth) chains_.resize(depth + 1);
  if (!chains_[depth]) chains_[depth] = std::make_unique<Chain<V>>();
  Chain<V>& chain = *chains_[depth];
  Frame<V> frame{&node, budget, {}};
  std::vector<int> order(static_cast<std::size_t>(node.features()));
  std::iota(order.begin(), order.end(), 0);
  // Where a relative found its optimum we probably find ours, and an early optimum prunes more.
  for (int i = 0; i < count; ++i) {
    const auto at = std::find(order.begin(), order.end(), relatives[i].solution->best_feature);
    if (at != order.end()) std::rotate(order.begin(), at, at + 1);
  }
  if (!work_.switches.on(Pruning::kTransfer)) count = 0;
  out.lists.assign(order.size(), {});
  V seen = V::constant(kInfinite, n);
  Job<V> job;
  for (const int f : order) {
    chain.start(context(frame, f), relatives, count, floors_pay(frame), work_.counters);
    while (any_below(lo, best) && chain.pick(best, job.task, work_.counters)) {
      prepare(frame, chain, best, job);
      evaluate(frame, f, job);
      if (control_.stopped()) return;
      V found = commit(frame, chain, job);
      if (n > 1) found.set(1, kInfinite);  // settled above
      lower_to(seen, chain.cost_below(chain.entry(job.task.entry)));
      if (lower_to(out.upper, found)) out.best_feature = f;
      lower_to(best, found);
    }
    if (!subset_holds()) lower_to(seen, chain.excluded_bound());
    chain.store(best, out);
  }
  lower_to(seen, best);
  raise_to(out.lower, seen);
  control_.use_memory(-frame.bytes);
  EXACTREE_CLAIM(claims::solved(node, whole, cap, out.lower, out.upper));
}

// What the sides are solved for: the best and a share of it. Rows of numbers: without that, capped
// bounds ruin Sub-interval. Rows of classes: no more than the influence that removes the whole run.
template <class V>
V Worker<V>::with_slack(const Frame<V>& frame, const V& best, Cost influence) const {
  const bool scans = frame.budget.child().depth <= 1;
  const Cost share = !data_.squared() ? kClassSlack : scans ? kScanSlack : kChildSlack;
  const Cost most = data_.squared() ? kInfinite : influence;
  // Optima of several sizes are found for the others' sake too: there the cap costs more.
  const bool capped = data_.squared() || !V::kSizes;
  V target = best;
  for (int k = 0; k < best.budgets(); ++k)
    if (best[k] > 0)
      target.set(
          k, best[k] + (capped ? std::min(most, best[k] / 100 * share + best[k] % 100 * share / 100)
                               : most));
  return target;
}

template <class V>
void Worker<V>::prepare(Frame<V>& frame, Chain<V>& chain, const V& best, Job<V>& job) {
  const Threshold<V>& e = chain.entry(job.task.entry);
  job.target = with_slack(frame, best, job.task.slack);
  for (int s = 0; s < 2; ++s) {
    job.lo[s] = e.lo[s];
    job.hi[s] = e.hi[s];
    job.kids[s].reset();
    job.relative_count[s] = 0;
  }
  if (frame.budget.child().depth > 1) relate(frame, chain, job);
  job.floors = floors_pay(frame) ? chain.floors(job.task.entry) : nullptr;
  EXACTREE_CLAIM(claims::floors(Pruning::kFloor, chain.context(), job.task.position, job.floors));
}

template <class V>
bool Worker<V>::floors_pay(const Frame<V>& frame) const {
  return frame.budget.child().depth <= 1 && data_.weights == nullptr &&
         work_.switches.on(Pruning::kFloor) &&
         (frame.node->rows() >= kFloorRows || work_.switches.everywhere());
}

// Finds who else knows something of the two sides. Quadrants of several sizes are long lists of
// long entries, and cost more than they spare.
template <class V>
void Worker<V>::relate(Frame<V>& frame, const Chain<V>& chain, Job<V>& job) {
  const Threshold<V>& e = chain.entry(job.task.entry);
  for (int s = 0; s < 2; ++s) {
    int& n = job.relative_count[s];
    n = chain.relatives(job.task.entry, s, frame.kids, job.relatives[s]);
    if (!work_.switches.on(Pruning::kQuadrant) || frame.crossed.empty()) continue;
    if (V::kSizes && !work_.switches.everywhere()) continue;
    job.across[s].depth = frame.budget.child().depth;
    quadrants(frame.crossed, frame.kids, chain.context().feature, e.rank, s, subset_holds(),
              job.across[s]);
    job.relatives[s][n++] = {&job.across[s]};
    work_.counters.count(Pruning::kQuadrant);
  }
}

template <class V>
V Worker<V>::commit(Frame<V>& frame, Chain<V>& chain, Job<V>& job) {
  Threshold<V>& e = chain.entry(job.task.entry);
  for (int s = 0; s < 2; ++s) {
    raise_to(e.lo[s], job.lo[s]);
    lower_to(e.hi[s], job.hi[s]);
    if (!job.kids[s] || job.kids[s]->lists.empty()) continue;
    control_.use_memory(job.kids[s]->bytes());
    frame.bytes += job.kids[s]->bytes();
    e.kid[s] = static_cast<int>(frame.kids.size());
    frame.kids.push_back(std::move(job.kids[s]));
  }
  if (e.kid[0] >= 0 || e.kid[1] >= 0) {
    frame.crossed.resize(static_cast<std::size_t>(data_.features));
    auto& crossed = frame.crossed[static_cast<std::size_t>(chain.context().feature)];
    const auto at = std::lower_bound(crossed.begin(), crossed.end(), e.rank,
                                     [](const Crossing& x, int rank) { return x.rank < rank; });
    crossed.insert(at, {e.rank, {e.kid[0], e.kid[1]}});
  }
  const V cost = join(e.hi[0], e.hi[1], data_.penalty, budgets(frame.budget));
  chain.commit(job.task);
  return cost;
}

template <class V>
void Worker<V>::evaluate(const Frame<V>& frame, int feature, Job<V>& job) {
  tick(*frame.node);
  if (!work_.switches.on(Pruning::kSideKnown)) {
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
  EXACTREE_CLAIM(if (!control_.stopped()) claims::evaluated(
      context(frame, feature), job.task.position, job.target, job.lo, job.hi));
}

// Side cap. The split can cost less than the target only if each side costs less than what the
// target leaves it when the other side costs no more than its lower bound. So a side is solved
// below that cap only, and its lower bound then is the smaller of its optimum and the cap.
//
// The target is the best known cost plus some slack, not that cost itself: knowing that this split
// is worse than the best by the slack removes all its neighbours up to that influence, and is worth
// the extra effort.
template <class V>
void Worker<V>::by_scans(const Frame<V>& frame, int feature, Job<V>& job) {
  ++work_.counters.evaluations;
  Node& node = *frame.node;
  const int n = budgets(frame.budget.child()), p = job.task.position;
  const int stride = floor_stride(node.features());
  node.part(feature, p, work_);
  SideQuery query[2];
  Cost start[2];
  for (int s = 0; s < 2; ++s) {
    const Cost leaf = work_.side_leaf[s];
    std::uint16_t* floors = job.floors == nullptr ? nullptr : job.floors + s * stride;
    V least = V::depth_one(leaf, raise_by_floors(floors, leaf, job.lo[s].most()), n);
    raise_to(job.lo[s], least);
    lower_to(job.hi[s], V::constant(leaf, n));
    query[s].floors = floors;
  }
  for (int s = 0; s < 2; ++s) {
    start[s] = job.hi[s].most();
    if (work_.switches.on(Pruning::kSideCap)) {
      const Cost cap = side_cap(job.target, job.lo[1 - s], data_.penalty, n).most();
      if (cap < start[s]) work_.counters.count(Pruning::kSideCap), start[s] = cap;
    }
    query[s].low = job.lo[s].most() - data_.penalty;
    query[s].best = start[s] - data_.penalty;
    query[s].wanted = job.lo[s].most() < start[s];
    if (!query[s].wanted) work_.counters.count(Pruning::kSideKnown);
  }
  if (query[0].wanted || query[1].wanted) scan_sides(node, feature, p, query, start, job);
}

template <class V>
void Worker<V>::scan_sides(Node& node, int feature, int position, SideQuery query[2],
                           const Cost start[2], Job<V>& job) {
  const int n = job.lo[0].budgets();
  SideQuery limited[2] = {query[0], query[1]};
  const bool asked[2] = {query[0].wanted, query[1].wanted};
  node.depth_one(feature, position, query, false, work_);
  for (int s = 0; s < 2; ++s) {
    limited[s].wanted = false;
    if (!asked[s]) continue;
    const Cost found = query[s].best + data_.penalty;
    raise_to(job.lo[s], V::depth_one(work_.side_leaf[s], std::min(found, start[s]), n));
    if (found >= start[s]) continue;
    if (subset_holds())
      lower_to(job.hi[s], V::depth_one(work_.side_leaf[s], found, n));
    else
      limited[s].wanted = true, limited[s].low = query[s].best;
  }
  if (!limited[0].wanted && !limited[1].wanted) return;
  const bool again[2] = {limited[0].wanted, limited[1].wanted};
  node.depth_one(feature, position, limited, true, work_);
  for (int s = 0; s < 2; ++s) {
    const Cost found = limited[s].best + data_.penalty;
    if (again[s] && found < start[s])
      lower_to(job.hi[s], V::depth_one(work_.side_leaf[s], found, n));
  }
}

// No column of the side can do better than its floor, and the side can do no better than its best
// column, or than no split at all.
template <class V>
Cost Worker<V>::raise_by_floors(const std::uint16_t* floors, Cost leaf, Cost low) const {
  if (floors == nullptr) return std::min(low, leaf);
  const Cost least = *std::min_element(floors, floors + data_.features) * data_.unit;
  return std::max(std::min(low, leaf), std::min(leaf, least + data_.penalty));
}

// Lists the rows by which a side is smaller than a relative. Many rows cost more than they save; of
// those without a known influence (regression) nothing follows, and the sum of a few overflows.
template <class V>
void Worker<V>::tell_apart(Node& node, int feature, int depth, Relative<V>* relatives, int count) {
  const std::size_t first = static_cast<std::size_t>(depth) * kMostRelatives;
  if (differences_.size() < first + kMostRelatives) differences_.resize(first + kMostRelatives);
  for (int i = 0; i < count; ++i) {
    Relative<V>& r = relatives[i];
    if (!r.larger || r.end - r.begin > kMostApart || r.between >= kInfinite / 2) continue;
    auto& difference = differences_[first + static_cast<std::size_t>(i)];
    if (!difference) difference = std::make_unique<Difference>();
    node.between(feature, r.begin, r.end, *difference);
    r.difference = difference.get();
  }
}

template <class V>
void Worker<V>::by_children(const Frame<V>& frame, int feature, Job<V>& job) {
  Node& node = *frame.node;
  const Budget below = frame.budget.child();
  const int n = budgets(below), p = job.task.position;
  // The larger side first: it costs more, so it leaves the other less to be solved for.
  const int larger = 2 * p >= node.rows() ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    V cap = job.hi[s];
    if (work_.switches.on(Pruning::kSideCap)) {
      const V most = side_cap(job.target, job.lo[1 - s], data_.penalty, n);
      if (lower_to(cap, most)) work_.counters.count(Pruning::kSideCap);
    }
    if (!any_below(job.lo[s], cap)) {
      work_.counters.count(Pruning::kSideKnown);
      continue;
    }
    Node& side = child(node, feature, p, s == 0, frame.budget.depth);
    tell_apart(node, feature, frame.budget.depth, job.relatives[s], job.relative_count[s]);
    job.kids[s] = std::make_unique<Solution<V>>();
    solve(below, side, cap, job.lo[s], job.hi[s], job.relatives[s], job.relative_count[s],
          *job.kids[s]);
    if (control_.stopped()) return;
    raise_to(job.lo[s], job.kids[s]->lower);
    lower_to(job.hi[s], job.kids[s]->upper);
  }
}

template class Worker<One>;
template class Worker<Curve<8>>;
template class Worker<Curve<32>>;

}  // namespace exactree
