#include "search/audit/mask_claims.hpp"

#ifdef EXACTREE_AUDIT

#include <algorithm>
#include <string>

namespace exactree::claims {

namespace {

std::string name_of(Pruning why) {
  return kPruningNames[static_cast<std::size_t>(why)];
}

std::string numbers(const MaskNode& node, int depth, int budget, Cost claimed, Cost optimum) {
  return " masks, rows " + std::to_string(node.rows()) + " depth " + std::to_string(depth) +
         " budget " + std::to_string(budget) + " claimed " + std::to_string(claimed) + " optimum " +
         std::to_string(optimum);
}

Audit* audit_of(const MaskNode& node, int depth) {
  Audit* audit = node.audited.audit.get();
  return audit != nullptr && audit->affords(node.audited.rows, depth) ? audit : nullptr;
}

template <class V>
int splits_of(int depth, int k) {
  return V::kSizes ? k : (1 << depth) - 1;
}

}  // namespace

template <class V>
void no_better_mask(Pruning why, const MaskNode& node, Budget budget, const V& best,
                    const MaskView& view, bool limited) {
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  const RowSet left = audit->unpacked(view.side[0].data());
  const RowSet right = audit->unpacked(view.side[1].data());
  for (const auto& split : audit->splits(node.audited.rows)) {
    if ((left & ~split.left).any() || (right & ~split.right).any()) continue;
    for (int k = 0; k < best.budgets(); ++k) {
      if (best[k] < 0) continue;
      const int splits = splits_of<V>(budget.depth, k);
      const Cost cost = audit->split_optimum(split, {budget.depth, splits, limited});
      if (cost < best[k]) false_claim(name_of(why), numbers(node, budget.depth, k, best[k], cost));
    }
  }
}

template <class V>
void rows_cost(Pruning why, const MaskNode& node, const std::uint64_t* rows, Budget budget,
               const V& lower) {
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  for (int k = 0; k < lower.budgets(); ++k) {
    const int splits = splits_of<V>(budget.depth, k);
    const Cost cost = audit->optimum(audit->unpacked(rows), {budget.depth, splits, false});
    if (cost < lower[k]) false_claim(name_of(why), numbers(node, budget.depth, k, lower[k], cost));
  }
}

template <class V>
void mask_costs(const MaskNode& node, Budget budget, const MaskView& view, const V& cost) {
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  const RowSet all = node.audited.rows, left = audit->unpacked(view.side[0].data());
  for (int k = 0; k < cost.budgets(); ++k) {
    const int splits = splits_of<V>(budget.depth, k);
    const Cost least =
        audit->split_optimum({0, left, all & ~left}, {budget.depth, splits, node.limited()});
    if (cost[k] < least) false_claim("mask", numbers(node, budget.depth, k, cost[k], least));
  }
}

template <class V>
void masks_solved(const MaskNode& node, Budget budget, const V& cap, const V& lower,
                  const V& upper) {
  Audit* audit = audit_of(node, budget.depth);
  if (audit == nullptr) return;
  for (int k = 0; k < upper.budgets(); ++k) {
    const int splits = splits_of<V>(budget.depth, k);
    const Cost optimum = audit->optimum(node.audited.rows, {budget.depth, splits, node.limited()});
    if (lower[k] > optimum)
      false_claim("solve", " lower" + numbers(node, budget.depth, k, lower[k], optimum));
    if (upper[k] < optimum || (upper[k] > optimum && optimum < cap[k]))
      false_claim("solve", " upper" + numbers(node, budget.depth, k, upper[k], optimum));
  }
}

void best_mask(const MaskNode& node, bool limited, Cost below, Cost low, const MaskChoice& found) {
  Audit* audit = audit_of(node, 1);
  if (audit == nullptr) return;
  const Cost penalty = audit->data().penalty;
  Cost least = kInfinite;
  for (const auto& split : audit->splits(node.audited.rows))
    least = std::min(least, audit->split_optimum(split, {1, 1, limited && node.limited()}));
  least -= penalty;
  if (!found.place.found() ? least < below
                           : found.cost != least && (found.cost < least || found.cost > low))
    false_claim("forced", numbers(node, 1, 0, !found.place.found() ? below : found.cost, least));
}

#define EXACTREE_MASK_CLAIMS_FOR(V)                                                                \
  template void no_better_mask(Pruning, const MaskNode&, Budget, const V&, const MaskView&, bool); \
  template void rows_cost(Pruning, const MaskNode&, const std::uint64_t*, Budget, const V&);       \
  template void mask_costs(const MaskNode&, Budget, const MaskView&, const V&);                    \
  template void masks_solved(const MaskNode&, Budget, const V&, const V&, const V&);
EXACTREE_MASK_CLAIMS_FOR(One)
EXACTREE_MASK_CLAIMS_FOR(Curve<8>)
EXACTREE_MASK_CLAIMS_FOR(Curve<32>)

}  // namespace exactree::claims

#endif
