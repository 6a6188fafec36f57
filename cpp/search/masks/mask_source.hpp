// Side masks as a source of splits.
//
// Letters as in chain.hpp; for a branch of the tree of masks, P are the rows of the node that all
// its masks send left, Q those that all send right.
//
// Branch. Every mask of the branch has P within its left side and Q within its right side, so by
// Subset its sides cost at least e(P) and e(Q), and no mask of the branch is better than
// join(e(P), e(Q)). By Subset again, what holds for P and Q holds for those of every branch below,
// which only grow: the bounds are handed down.
//
// With a limit on rows (least_side) Subset holds for the problem without it, whose optimum is
// never above. Then P and Q, and all that goes to the archives, are of the problem without the
// limit, and only the sides of a single mask are solved with it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "search/driver/source.hpp"
#include "search/driver/worker.hpp"
#include "search/masks/mask_archive.hpp"
#include "search/masks/mask_node.hpp"
#include "search/problem.hpp"
#include "search/value.hpp"

namespace exactree {

// A first split that was found, and what its sides cost.
template <class V>
struct MaskSplit {
  int id = -1;
  V side[2];
};

template <class V>
struct MaskSearch {
  MaskNode* node;
  Budget budget;
  V best;  // only what costs less is of interest; comes down as something is found
  // Whether masks are met in the order of the tree whatever is known. Then the mask that is found
  // is the first of those that cost least: none of them can be pruned before one is found.
  bool in_order = false;
  bool first_only = false;               // the first that costs less than `best` will do
  std::vector<MaskSplit<V>> found = {};  // by budget

  MaskSearch(MaskNode& of, Budget within, const V& below)
      : node(&of), budget(within), best(below), found(static_cast<std::size_t>(below.budgets())) {}

  bool done() const {
    if (!first_only) return false;
    for (const auto& split : found)
      if (split.id >= 0) return true;
    return false;
  }
};

template <class V>
class MaskSource final : public Source<V> {
 public:
  using Source<V>::Source;

  void solve(Budget budget, Node& node, V best, const Relatives<V>& relatives,
             Solution<V>& out) override;
  ChosenSplit<V> first_split(Node& node, Budget budget, int splits, Cost value,
                             const Relatives<V>& relatives) override;
  std::unique_ptr<Frontier<V>> frontier(const Top<V>& top) override;

  // Looks for a better first split among the masks of a branch, whose sides are known to cost at
  // least `lo`.
  void search_branch(MaskSearch<V>& search, int branch, const V lo[2]);
  void search_all(MaskSearch<V>& search);

  static MaskSource& of(Worker<V>& worker) { return static_cast<MaskSource&>(worker.source()); }
  // A mask as a split whose sides have these costs.
  static SolvedSplit<V> split_of(const MaskSplit<V>& split) {
    return {split.id, MaskNode::kPosition, {split.side[0], split.side[1]}};
  }

 private:
  using Source<V>::worker_;
  static int budgets(Budget b) { return V::budgets_of(b.splits); }
  Workspace& work() const { return worker_.work(); }
  Cost penalty() const { return worker_.data().penalty; }

  void search_twig(MaskSearch<V>& search, int branch, const V lo[2]);
  void search_children(MaskSearch<V>& search, int child, const V lo[2]);
  bool known_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]);
  bool branch_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]);
  void try_mask(MaskSearch<V>& search, MaskPlace place, const MaskView& view, V lo[2]);
  V solve_side(MaskSearch<V>& search, const MaskView& view, int s, bool limited, const V& cap,
               V lo[2], const V& hi);
  MaskArchive* archive_of(Budget budget, int words);
  MaskView& view(Budget budget);

  std::vector<std::pair<Budget, std::unique_ptr<MaskArchive>>> archives_;
  std::vector<std::unique_ptr<MaskView>> views_;  // one per depth
};

}  // namespace exactree
