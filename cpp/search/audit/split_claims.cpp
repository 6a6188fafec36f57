#include "search/audit/split_claims.hpp"

#ifdef EXACTREE_AUDIT

#include <algorithm>
#include <string>

#include "search/audit/audit.hpp"

namespace exactree::claims {

namespace {

// Trees of T(splits, levels) by its definition, each of them tried.
class AllTrees {
 public:
  AllTrees(Audit& audit, const RowSet& rows, Trees trees)
      : audit_(audit), most_(std::max(static_cast<int>(rows.count()) - 1, 0)) {
    splits_ = std::min(trees.splits, most_);
    levels_ = std::min(trees.levels, splits_);
  }

  bool affordable(const RowSet& rows) const { return audit_.affords(rows, splits_); }
  Cost optimum(const RowSet& rows) { return optimum(rows, splits_, levels_); }
  Cost of_any_depth(const RowSet& rows) { return optimum(rows, splits_, 0); }

 private:
  Cost optimum(const RowSet& rows, int splits, int levels) {
    if (levels <= 0) return audit_.optimum(rows, {splits, splits, false});
    Cost best = audit_.leaf(rows);
    for (const Audit::Split& split : audit_.splits(rows)) {
      best = std::min(best, of(split.left, split.right, splits, levels));
      best = std::min(best, of(split.right, split.left, splits, levels));
    }
    return best;
  }
  // The deep side beside a leaf, or beside another tree.
  Cost of(const RowSet& deep, const RowSet& other, int splits, int levels) {
    Cost best = audit_.leaf(other) + optimum(deep, splits - 1, levels - 1);
    for (int i = std::max(levels - 1, 1); i <= splits - 2; ++i)
      best = std::min(best, optimum(deep, i, levels - 1) + optimum(other, splits - 1 - i, 0));
    return best + audit_.data().penalty;
  }

  Audit& audit_;
  int most_, splits_ = 0, levels_ = 0;
};

std::string named(const char* name, Cost value) {
  return std::string(" ") + name + " " + std::to_string(value);
}

}  // namespace

void trees(const Node& node, const Trees& trees, Cost low, Cost high) {
  Audit* audit = node.audited.audit.get();
  if (audit == nullptr || trees.bar > 0) return;
  const RowSet& rows = node.audited.rows;
  AllTrees all(*audit, rows, trees);
  if (!all.affordable(rows)) return;
  const Cost least = all.optimum(rows), any = all.of_any_depth(rows);
  if (low > least || high < any)
    false_claim("trees", named("splits", trees.splits) + named("levels", trees.levels) +
                             named("low", low) + named("high", high) + named("optimum", least) +
                             named("of any depth", any));
}

void no_small_side(const Node& node, int f, int side, int splits, const Trees& other, Cost best) {
  Audit* audit = node.audited.audit.get();
  if (audit == nullptr) return;
  const RowSet& rows = node.audited.rows;
  AllTrees all(*audit, rows, other);
  if (!all.affordable(rows)) return;
  for (const Audit::Split& split : audit->splits(rows, f)) {
    const RowSet& small = side == 0 ? split.left : split.right;
    const RowSet& rest = side == 0 ? split.right : split.left;
    const Cost cost =
        audit->optimum(small, {splits, splits, false}) + all.optimum(rest) + audit->data().penalty;
    if (cost < best)
      false_claim("branch", named("column", f) + named("position", split.position) +
                                named("cost", cost) + named("best", best));
  }
}

}  // namespace exactree::claims

#endif
