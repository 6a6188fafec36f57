// How a subproblem makes use of columns with missing values: the bounds are in other_order.hpp.
#include "search/columns/other_order.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "search/columns/column_source.hpp"

namespace exactree {

namespace {
// Missing rows are solved by themselves where the best tree errs on one row in so many: where it
// errs on few, what some rows cost says little. At the root that takes a subproblem, below it a
// scan; deeper ones would take too long.
constexpr Cost kCostsMuch = 3;
constexpr int kLevelsSolved = 2;
}  // namespace

template <class V>
int ColumnSource<V>::other_order_of(int feature) {
  if (!twins_) twins_ = std::make_unique<Twins>(Twins::find(worker_.data()));
  const auto f = static_cast<std::size_t>(feature);
  return std::max(twins_->follower[f], twins_->leader[f]);
}

template <class V>
void ColumnSource<V>::add_other_order(Frame<V>& frame, int feature, const V& best,
                                      const std::vector<Threshold<V>>& list,
                                      const std::uint16_t* floors, Solution<V>& room,
                                      Relatives<V>& relatives) {
  if (relatives.count == kMostRelatives || !work().switches.on(Pruning::kTransfer)) return;
  const int leader = twins_->leader[static_cast<std::size_t>(feature)];
  const bool high = leader >= 0;
  const int low = high ? leader : feature;
  const Node& node = *frame.node;
  const int rows = node.position_of(low, 1, 0);
  MissingRows missing;
  missing.influence = node.influence(low, 0, rows);
  missing.units = node.units(missing.influence);
  missing.least = least_of_missing(frame, low, rows, best);
  if (list.empty() && missing.least == 0) return;
  room.depth = frame.budget.depth;
  room.best_feature = -1;
  room.lists.resize(static_cast<std::size_t>(node.features()));
  room.floors.clear();
  auto& ours = room.lists[static_cast<std::size_t>(feature)];
  other_order(list, floors, floor_stride(node.features()), high, missing, ours, room.floors);
  const int next = high ? twins_->top[static_cast<std::size_t>(feature)] : 1;
  if (missing.least > 0)
    add_next_to_missing(next, high, missing.least, budgets(frame.budget.child()), ours);
  relatives.add({{std::shared_ptr<void>(), &room}});
}

// The l(M) of other_order.hpp; both orders ask for it.
template <class V>
Cost ColumnSource<V>::least_of_missing(Frame<V>& frame, int low, int rows, const V& best) {
  const Problem& data = worker_.data();
  if (data.weights != nullptr || data.far_apart()) return 0;
  frame.missing.resize(static_cast<std::size_t>(frame.node->features()), -1);
  Cost& known = frame.missing[static_cast<std::size_t>(low)];
  if (known >= 0) return known;
  known = 0;
  if (rows == 0) return known;
  frame.node->part(low, rows, work());
  std::vector<Cost> classes = work().class_cost[0];
  std::sort(classes.rbegin(), classes.rend());
  for (auto c = static_cast<std::size_t>(frame.budget.child().splits) + 1; c < classes.size(); ++c)
    known += data.unit * classes[c];
  const bool costs_much = best.most() >= frame.node->rows() * data.unit / kCostsMuch;
  const bool pays = costs_much || (frame.is_root && frame.budget.child().depth == kLevelsSolved);
  if (pays || work().switches.everywhere())
    known = std::max(known, solve_missing(frame, low, rows, best.most()));
  return known;
}

// What the missing rows cost in the best tree of a side, penalties not counted, after part(); 0
// where that takes too long.
template <class V>
Cost ColumnSource<V>::solve_missing(const Frame<V>& frame, int low, int rows, Cost most) {
  const Budget below = frame.budget.child();
  if (below.depth == 1) {
    SideQuery query[2];
    query[0].wanted = true;
    query[0].best = work().side_leaf[0];
    frame.node->depth_one(low, rows, query, false, work());
    return query[0].best;
  }
  // A subproblem of fewer rows than a leaf has to have cannot be posed.
  if (!frame.is_root || below.depth > kLevelsSolved || !worker_.subset_holds()) return 0;
  const int n = budgets(below);
  const V any = V::constant(kInfinite, n);
  Solution<V> found;
  Node& side = worker_.child(*frame.node, low, rows, true, frame.budget.depth);
  worker_.solve(below, side, V::constant(most, n), V::constant(0, n), any, {}, found);
  if (worker_.control().stopped()) return 0;
  return std::max<Cost>(found.lower.most() - below.splits * penalty(), 0);
}

template <class V>
int ColumnSource<V>::side_with_missing(int feature) const {
  return twins_->leader[static_cast<std::size_t>(feature)] >= 0 ? 1 : 0;
}

template <class V>
void ColumnSource<V>::prepare_twin(Frame<V>& frame, int feature, Chain<V>& other, const V& best,
                                   Job<V>& job) {
  if (V::kSizes || frame.budget.child().depth != kLevelsSolved || !worker_.subset_holds()) return;
  const int with = side_with_missing(feature), twin = other.context().feature;
  const int low = with == 0 ? feature : twin;
  if (frame.missing.empty() || frame.missing[static_cast<std::size_t>(low)] < 0) return;
  const Node& node = *frame.node;
  const int rank = node.rank_at(feature, job.task.position) + (with == 0 ? -1 : 1);
  const int p = node.position_of(twin, rank, 0);
  if (p <= 0 || p >= node.rows()) return;
  auto at = std::make_unique<Job<V>>();
  at->task = other.task_at(p);
  const Threshold<V>& e = other.entry(at->task.entry);
  if (e.closed || !any_below(other.cost_below(e), best)) return;
  prepare(frame, other, best, *at);
  job.twin = std::move(at);
  job.twin_feature = twin;
  job.missing = frame.missing[static_cast<std::size_t>(low)];
}

// The larger of the two sides without the missing rows first, as elsewhere. False: it was stopped.
template <class V>
bool ColumnSource<V>::solve_both_orders(const Frame<V>& frame, int feature, Job<V>& job) {
  Job<V>& twin = *job.twin;
  const int with = side_with_missing(feature), other = 1 - with;
  const int rows = frame.node->rows(), p = twin.task.position, q = job.task.position;
  const int ours = with == 0 ? p : rows - p, theirs = with == 0 ? rows - q : q;
  for (const bool first : {true, false}) {
    V cap;
    if ((theirs > ours) == first) {
      if (side_wanted(frame, job, other, cap) && !solve_side(frame, feature, job, other, cap, true))
        return false;
    } else if (side_wanted(frame, job, with, cap)) {
      V without = V::constant(0, cap.budgets());
      raise_to(without, cap, -job.missing);
      if (any_below(twin.lo[with], without) &&
          !solve_side(frame, job.twin_feature, twin, with, without, false))
        return false;
      raise_to(job.lo[with], twin.lo[with], job.missing);
    }
  }
  Relatives<V>& known = job.relatives[with];
  if (twin.kids[with] && known.count < kMostRelatives)
    known.add({{std::shared_ptr<void>(), twin.kids[with].get()}, kInfinite / 2});
  return true;
}

template <class V>
void ColumnSource<V>::learn_twin(Frame<V>& frame, int feature, Chain<V>& other, Job<V>& job) {
  Job<V>& twin = *job.twin;
  const int with = side_with_missing(feature);
  raise_to(twin.lo[1 - with], job.lo[1 - with], job.missing);
  take_sides(frame, other, twin);
  other.learn(twin.task.entry);
}

#define EXACTREE_ORDERS(V)                                                                   \
  template int ColumnSource<V>::other_order_of(int);                                         \
  template int ColumnSource<V>::side_with_missing(int) const;                                \
  template void ColumnSource<V>::add_other_order(                                            \
      Frame<V>&, int, const V&, const std::vector<Threshold<V>>&, const std::uint16_t*,      \
      Solution<V>&, Relatives<V>&);                                                          \
  template bool ColumnSource<V>::solve_both_orders(const Frame<V>&, int, Job<V>&);           \
  template void ColumnSource<V>::prepare_twin(Frame<V>&, int, Chain<V>&, const V&, Job<V>&); \
  template void ColumnSource<V>::learn_twin(Frame<V>&, int, Chain<V>&, Job<V>&);
EXACTREE_ORDERS(One)
EXACTREE_ORDERS(Curve<8>)
EXACTREE_ORDERS(Curve<32>)
#undef EXACTREE_ORDERS

}  // namespace exactree
