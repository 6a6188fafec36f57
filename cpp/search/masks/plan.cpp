#include "search/masks/plan.hpp"

#include <algorithm>

namespace exactree {

namespace {
// Most first splits that are tried, how many in vain before giving up, and rounds for each.
constexpr int kStarts = 100, kInVain = 25, kRounds = 20;
}  // namespace

MaskPlanner::MaskPlanner(MaskNode& root, int depth, Cost penalty, LeastSide least_side,
                         Workspace& work)
    : root_(root),
      penalty_(penalty),
      least_side_(least_side),
      work_(work),
      node_(root.make_empty()),
      first_leaf_(1 << depth),
      splits_(first_leaf_ - 1),
      places_(static_cast<std::size_t>(2 * first_leaf_)) {
  place(1).rows = root.row_set();
}

MaskPlan MaskPlanner::run() {
  MaskPlan best = leaf(1);
  for (int i = 0, vain = 0; i < kStarts && vain < kInVain && best.cost > 0; ++i, ++vain) {
    start(i > 0);
    for (int round = 0; round < kRounds && !stopped() && improve(); ++round) {
    }
    if (stopped()) break;
    MaskPlan plan = grown(1);
    if (plan.cost >= best.cost) continue;
    best = std::move(plan);
    vain = 0;
  }
  return best;
}

// Random splits above, best single ones at the bottom; or, to start with, best single ones
// everywhere.
void MaskPlanner::start(bool random) {
  for (int v = 1; v <= splits_; ++v) {
    if (random && !bottom(2 * v)) {
      place(v).id = root_.tree().random(dice_, work_);
      place(v).flipped = false;
    } else {
      choose_single(v);
    }
    Set sides[2];
    send(v, place(v).rows, sides);
    for (int s = 0; s < 2; ++s) place(2 * v + s).rows = std::move(sides[s]);
  }
  pour(1);
}

// One round from the bottom up. True if a split above the bottom changed.
bool MaskPlanner::improve() {
  bool changed = false;
  for (int v = splits_; v >= 1 && !stopped(); --v) {
    if (bottom(2 * v))
      choose_single(v);
    else
      changed |= choose_by_children(v);
    pour(v);
  }
  return changed;
}

void MaskPlanner::choose_single(int v) {
  MaskNode& node = static_cast<MaskNode&>(*node_);
  node.take_rows(place(v).rows.data(), true);
  place(v).id = node.leaf() > 0 ? id_of(node.single(node.leaf(), work_).place) : -1;
  place(v).flipped = false;
}

bool MaskPlanner::choose_by_children(int v) {
  const Set& rows = place(v).rows;
  MaskWish wish;
  for (int s = 0; s < 2; ++s) add_wish(2 * v + s, rows, s, wish);
  Set sides[2];
  send(v, rows, sides);
  MaskNode& node = static_cast<MaskNode&>(*node_);
  node.take_rows(rows.data(), true);
  const MaskChoice choice = node.prefer(sides[0].data(), wish, work_);
  if (!choice.place.found()) return false;
  place(v).id = id_of(choice.place);
  place(v).flipped = choice.swapped;
  return true;
}

// Sends the rows of v down and labels the leaves.
void MaskPlanner::pour(int v) {
  if (bottom(v)) {
    root_.leaf_of(place(v).rows.data(), &place(v).label);
    return;
  }
  Set sides[2];
  send(v, place(v).rows, sides);
  for (int s = 0; s < 2; ++s) {
    place(2 * v + s).rows = std::move(sides[s]);
    pour(2 * v + s);
  }
}

void MaskPlanner::send(int v, const Set& rows, Set out[2]) const {
  out[0] = rows;
  out[1].assign(rows.size(), 0);
  const Place& at = place(v);
  if (at.id < 0) return;
  const std::uint64_t* mask = root_.tree().given(static_cast<std::uint32_t>(at.id));
  for (std::size_t w = 0; w < rows.size(); ++w) {
    out[at.flipped ? 1 : 0][w] = rows[w] & mask[w];
    out[at.flipped ? 0 : 1][w] = rows[w] & ~mask[w];
  }
}

// Adds what the tree at v would answer these rows.
void MaskPlanner::add_wish(int v, const Set& rows, int side, MaskWish& wish) const {
  if (bottom(v)) {
    root_.add_wish(place(v).label, rows.data(), side, wish);
    return;
  }
  Set sides[2];
  send(v, rows, sides);
  for (int s = 0; s < 2; ++s) add_wish(2 * v + s, sides[s], side, wish);
}

MaskPlan MaskPlanner::leaf(int v) const {
  MaskPlan plan;
  plan.tree.resize(1);
  plan.cost = root_.leaf_of(place(v).rows.data(), &plan.tree[0].label);
  return plan;
}

// The tree at v without what does not pay or is not allowed.
MaskPlan MaskPlanner::grown(int v) {
  MaskPlan plan = leaf(v);
  if (bottom(v) || plan.cost == 0) return plan;
  int count[2];
  for (int s = 0; s < 2; ++s) count[s] = root_.rows_of(place(2 * v + s).rows.data());
  for (int s = 0; s < 2; ++s)
    if (count[1 - s] == 0) return grown(2 * v + s);
  if (!least_side_.allows(count[0], count[1])) return plan;
  const int first = place(v).flipped ? 1 : 0;
  const MaskPlan sides[2] = {grown(2 * v + first), grown(2 * v + 1 - first)};
  const Cost cost = sides[0].cost + sides[1].cost + penalty_;
  if (cost >= plan.cost) return plan;
  plan.cost = cost;
  plan.splits = sides[0].splits + sides[1].splits + 1;
  MaskNode& node = static_cast<MaskNode&>(*node_);
  node.take_rows(place(v).rows.data(), true);
  TreeNode& top = plan.tree[0];
  top.feature = place(v).id;
  top.low = node.rank_at(top.feature, MaskNode::kPosition - 1);
  top.high = node.rank_at(top.feature, MaskNode::kPosition);
  for (int s = 0; s < 2; ++s) {
    const int offset = static_cast<int>(plan.tree.size());
    (s == 0 ? plan.tree[0].left : plan.tree[0].right) = offset;
    for (TreeNode node_below : sides[s].tree) {
      if (node_below.feature >= 0) node_below.left += offset, node_below.right += offset;
      plan.tree.push_back(node_below);
    }
  }
  return plan;
}

}  // namespace exactree
