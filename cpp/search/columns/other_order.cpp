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
  if (costs_much || work().switches.everywhere())
    known = std::max(known, solve_missing(frame, low, rows));
  return known;
}

// What the missing rows cost in the best tree of a side, penalties not counted, after part(); 0
// where that takes too long.
template <class V>
Cost ColumnSource<V>::solve_missing(const Frame<V>& frame, int low, int rows) {
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
  worker_.solve(below, side, any, V::constant(0, n), any, {}, found);
  if (worker_.control().stopped()) return 0;
  return std::max<Cost>(found.lower.most() - below.splits * penalty(), 0);
}

#define EXACTREE_ORDERS(V)                                                              \
  template int ColumnSource<V>::other_order_of(int);                                    \
  template void ColumnSource<V>::add_other_order(                                       \
      Frame<V>&, int, const V&, const std::vector<Threshold<V>>&, const std::uint16_t*, \
      Solution<V>&, Relatives<V>&);
EXACTREE_ORDERS(One)
EXACTREE_ORDERS(Curve<8>)
EXACTREE_ORDERS(Curve<32>)
#undef EXACTREE_ORDERS

}  // namespace exactree
