// What the search over side masks claims while it prunes, for the audit build; see claims.hpp.
#pragma once

#include "search/audit/claims.hpp"

#ifdef EXACTREE_AUDIT

#include "search/masks/mask_node.hpp"

namespace exactree::claims {

// No tree costs less than `best` whose first split sends the rows of view.side[0] left and those of
// view.side[1] right, whatever it does with the others; with `limited` only if it leaves enough
// rows on both sides.
template <class V>
void no_better_mask(Pruning why, const MaskNode& node, Budget budget, const V& best,
                    const MaskView& view, bool limited);

// These rows cost at least so much, even without the limit on rows.
template <class V>
void rows_cost(Pruning why, const MaskNode& node, const std::uint64_t* rows, Budget budget,
               const V& lower);

// A tree whose first split parts the rows like this can be had at this cost.
template <class V>
void mask_costs(const MaskNode& node, Budget budget, const MaskView& view, const V& cost);

// What Worker::solve promises: `lower` and `upper` enclose the optimum, and meet it below the cap.
template <class V>
void masks_solved(const MaskNode& node, Budget budget, const V& cap, const V& lower,
                  const V& upper);

// No single split costs less than the one that was found, or none less than `below` if id < 0; a
// search may stop at `low`.
void best_mask(const MaskNode& node, bool limited, Cost below, Cost low, const MaskChoice& found);

}  // namespace exactree::claims

#endif
