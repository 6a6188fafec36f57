#include "search/audit/claims.hpp"

#ifdef EXACTREE_AUDIT

#include <algorithm>
#include <string>

#include "search/audit/audit.hpp"
#include "search/audit/mask_claims.hpp"

namespace exactree::claims {

namespace {

std::string name_of(Pruning why) {
  return kPruningNames[static_cast<std::size_t>(why)];
}

std::string named(const char* name, Cost value) {
  return std::string(" ") + name + " " + std::to_string(value);
}

void require(bool holds, const std::string& name, const std::string& numbers) {
  if (!holds) false_claim(name, numbers);
}

// The number of splits that entry k of an optimum speaks of.
template <class V>
int splits_of(int depth, int k) {
  return V::budgets_of(2) == 1 ? (1 << depth) - 1 : k;
}

Audit* audit_of(const Node& node, int depth) {
  Audit* audit = node.audited.audit.get();
  return audit != nullptr && audit->affords(node.audited.rows, depth) ? audit : nullptr;
}

std::string place(const ChainContext& context, int position) {
  return named("rows", context.node->rows()) + named("depth", context.budget.depth) +
         named("column", context.feature) + named("position", position);
}

// The rows on both sides of a position.
struct Sides {
  RowSet rows[2];
};
Sides sides_at(const Node& node, int f, int position) {
  const AuditedRows& all = node.audited;
  if (position <= 0) return {{RowSet{}, all.rows}};
  if (position >= node.rows()) return {{all.rows, RowSet{}}};
  const RowSet left = all.audit->below(all.rows, f, node.rank_at(f, position));
  return {{left, all.rows & ~left}};
}

}  // namespace

template <class V>
void no_better(Pruning why, const ChainContext& context, const V& best, int first, int last) {
  Audit* audit = audit_of(*context.node, context.budget.depth);
  if (audit == nullptr || first > last) return;
  const int depth = context.budget.depth;
  for (const auto& split : audit->splits(context.node->audited.rows, context.feature)) {
    if (split.position < first || split.position > last) continue;
    for (int k = 0; k < best.budgets(); ++k) {
      if (best[k] < 0) continue;
      const Cost cost = audit->split_optimum(split, {depth, splits_of<V>(depth, k), false});
      require(cost >= best[k], name_of(why),
              place(context, split.position) + named("budget", k) + named("optimum", cost) +
                  named("pruned as not below", best[k]));
    }
  }
}

template <class V>
void sides(Pruning why, const ChainContext& context, int position, const V lo[2], const V hi[2]) {
  Audit* audit = audit_of(*context.node, context.budget.depth);
  if (audit == nullptr) return;
  const int depth = context.budget.depth - 1;
  const Sides at = sides_at(*context.node, context.feature, position);
  for (int s = 0; s < 2; ++s)
    for (int k = 0; k < lo[s].budgets(); ++k) {
      const int splits = splits_of<V>(depth, k);
      const Cost free = audit->optimum(at.rows[s], {depth, splits, false});
      const Cost limited = audit->optimum(at.rows[s], {depth, splits, true});
      require(lo[s][k] <= free && limited <= hi[s][k], name_of(why),
              place(context, position) + named("side", s) + named("budget", k) +
                  named("lo", lo[s][k]) + named("hi", hi[s][k]) + named("optimum", free) +
                  named("with least_side", limited));
    }
}

template <class V>
void side_bounds(Pruning why, Node& node, Budget budget, int f, int position, const V& left,
                 const V& right) {
  ChainContext context;
  context.node = &node;
  context.feature = f;
  context.budget = budget;
  const V lo[2] = {left, right}, none = V::constant(kInfinite, left.budgets());
  const V hi[2] = {none, none};
  sides(why, context, position, lo, hi);
}

template <class V>
void bounds(Pruning why, const Node& node, Budget budget, const V& lower, const V& upper) {
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  for (int k = 0; k < upper.budgets(); ++k) {
    const int splits = splits_of<V>(budget.depth, k);
    const Cost free = audit->optimum(node.audited.rows, {budget.depth, splits, false});
    const Cost limited = audit->optimum(node.audited.rows, {budget.depth, splits, true});
    require(lower[k] <= free && limited <= upper[k], name_of(why),
            named("rows", node.rows()) + named("depth", budget.depth) + named("budget", k) +
                named("lower", lower[k]) + named("upper", upper[k]) + named("optimum", free) +
                named("with least_side", limited));
  }
}

void floors(Pruning why, const ChainContext& context, int position, const std::uint16_t* floors) {
  Audit* audit = audit_of(*context.node, 2);
  if (audit == nullptr || floors == nullptr) return;
  const Sides at = sides_at(*context.node, context.feature, position);
  const int columns = context.node->features();
  for (int s = 0; s < 2; ++s)
    for (int g = 0; g < columns; ++g) {
      const Cost cost = audit->one_split(at.rows[s], g, false);
      const Cost floor = floors[s * floor_stride(columns) + g] * audit->data().unit;
      require(floor <= cost, name_of(why),
              place(context, position) + named("side", s) + named("second column", g) +
                  named("floor", floor) + named("optimum", cost));
    }
}

template <class V>
void transferred(const Chain<V>& chain, const ChainContext& context,
                 const std::vector<std::uint16_t>& all_floors) {
  for (int i = 0; i >= 0; i = chain.entry(i).next) {
    const Threshold<V>& e = chain.entry(i);
    sides(Pruning::kTransfer, context, e.position, e.lo, e.hi);
    if (e.floors >= 0)
      floors(Pruning::kTransfer, context, e.position,
             &all_floors[static_cast<std::size_t>(e.floors)]);
  }
}

void scanned(Pruning why, const Node& node, int f, int position, int side,
             const std::vector<int>& columns, bool limited, Cost before, Cost after) {
  Audit* audit = audit_of(node, 2);
  if (audit == nullptr) return;
  const RowSet rows = sides_at(node, f, position).rows[side];
  Cost least = before;
  for (const int g : columns) least = std::min(least, audit->one_split(rows, g, limited));
  // Costs below `before` are of interest; before and after come in whole units.
  require(after == least, name_of(why),
          named("rows", node.rows()) + named("column", f) + named("position", position) +
              named("side", side) + named("second column", columns.front()) +
              named("before", before) + named("after", after) + named("by a plain scan", least));
}

template <class V>
void evaluated(const ChainContext& context, int position, const V& target, const V lo[2],
               const V hi[2]) {
  sides(Pruning::kSideCap, context, position, lo, hi);
  Audit* audit = audit_of(*context.node, context.budget.depth);
  if (audit == nullptr) return;
  const Sides at = sides_at(*context.node, context.feature, position);
  const int depth = context.budget.depth;
  const V found = join(hi[0], hi[1], context.penalty, context.budgets);
  for (int k = 0; k < found.budgets(); ++k) {
    const int splits = splits_of<V>(depth, k);
    const Cost cost =
        audit->split_optimum({position, at.rows[0], at.rows[1]}, {depth, splits, true});
    require(cost >= std::min(target[k], found[k]), name_of(Pruning::kSideCap),
            place(context, position) + named("budget", k) + named("optimum", cost) +
                named("found", found[k]) + named("target", target[k]));
  }
}

template <class V>
void solved(const Node& node, Budget budget, const V& cap, const V& lower, const V& upper) {
  if (const auto* masks = dynamic_cast<const MaskNode*>(&node)) {
    masks_solved(*masks, budget, cap, lower, upper);
    return;
  }
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  const bool subset_holds = !audit->data().least_side.binds();
  for (int k = 0; k < upper.budgets(); ++k) {
    const int splits = splits_of<V>(budget.depth, k);
    const Cost free = audit->optimum(node.audited.rows, {budget.depth, splits, false});
    const Cost limited = audit->optimum(node.audited.rows, {budget.depth, splits, true});
    const bool encloses = lower[k] <= free && limited <= upper[k];
    // With a limit on rows `lower` speaks of another problem, and need not meet `upper`.
    const bool settled = subset_holds ? lower[k] == upper[k] || lower[k] >= cap[k]
                                      : limited == upper[k] || limited >= cap[k];
    require(encloses && settled, "solve",
            named("rows", node.rows()) + named("depth", budget.depth) + named("budget", k) +
                named("cap", cap[k]) + named("lower", lower[k]) + named("upper", upper[k]) +
                named("optimum", free) + named("with least_side", limited));
  }
}

void built(const Node& node) {
  const AuditedRows& at = node.audited;
  if (at.audit == nullptr) return;
  const auto rows = static_cast<Cost>(at.rows.count());
  const Cost leaf = at.audit->leaf(at.rows);
  require(node.rows() == rows && node.leaf() == leaf, "make_child",
          named("rows", node.rows()) + named("instead of", rows) + named("leaf", node.leaf()) +
              named("instead of", leaf));
}

void tree(const char* name, const Node& root, const Tree& tree, Cost cost) {
  const Audit* audit = root.audited.audit.get();
  if (audit == nullptr) return;
  const Cost true_cost = audit->tree_cost(tree);
  // Two leaves of numbers below one split cost up to a unit more together; see squares.hpp.
  const Cost rounding = audit->data().numbers() ? static_cast<Cost>(tree.size() / 2) : 0;
  require(true_cost <= cost && cost <= true_cost + rounding, name,
          named("tree of", true_cost) + named("said", cost));
}

void answer(const Node& root, Budget budget, int splits, Cost objective, Cost lower_bound) {
  Audit* audit = audit_of(root, budget.depth);
  if (audit == nullptr) return;
  if (splits < 0) splits = (1 << budget.depth) - 1;
  const Cost optimum = audit->optimum(root.audited.rows, {budget.depth, splits, true});
  require(lower_bound <= optimum && optimum <= objective, "open_bound",
          named("splits", splits) + named("lower_bound", lower_bound) + named("optimum", optimum) +
              named("objective", objective));
}

#define EXACTREE_CLAIMS_FOR(V)                                                     \
  template void no_better(Pruning, const ChainContext&, const V&, int, int);       \
  template void sides(Pruning, const ChainContext&, int, const V*, const V*);      \
  template void side_bounds(Pruning, Node&, Budget, int, int, const V&, const V&); \
  template void bounds(Pruning, const Node&, Budget, const V&, const V&);          \
  template void transferred(const Chain<V>&, const ChainContext&,                  \
                            const std::vector<std::uint16_t>&);                    \
  template void evaluated(const ChainContext&, int, const V&, const V*, const V*); \
  template void solved(const Node&, Budget, const V&, const V&, const V&);
EXACTREE_CLAIMS_FOR(One)
EXACTREE_CLAIMS_FOR(Curve<8>)
EXACTREE_CLAIMS_FOR(Curve<32>)

}  // namespace exactree::claims

#endif
