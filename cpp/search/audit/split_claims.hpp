// What the search by splits claims (sparse/split_search.hpp), for the audit build to judge.
#pragma once

#include "search/audit/claims.hpp"

#ifdef EXACTREE_AUDIT

#include "search/sparse/box_table.hpp"

namespace exactree::claims {

// No tree of these costs less than `low`, and some tree of so many splits costs no more than
// `high`. What is proved of trees that keep to a bar is taken on trust.
void trees(const Node& node, const Trees& trees, Cost low, Cost high);

// No split of column f with at most so many splits on one side, and one of these trees on the
// other, costs less than `best`.
void no_small_side(const Node& node, int f, int side, int splits, const Trees& other, Cost best);

}  // namespace exactree::claims

#endif
