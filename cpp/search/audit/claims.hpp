// What the search claims while it prunes, for the audit build to judge; see audit.hpp.
//
// EXACTREE_CLAIM(call) stands where a pruning is applied. It is nothing in an ordinary build. In
// the audit build the call recomputes by brute force what the pruning rests on, and throws an error
// with the name of the pruning and the numbers if it is false. Claims about subproblems that brute
// force cannot afford are taken on trust: small inputs are for the audit, large ones are not.
#pragma once

#ifndef EXACTREE_AUDIT

#define EXACTREE_CLAIM(...) static_cast<void>(0)

#else

#include <cstdint>
#include <vector>

#include "search/columns/chain.hpp"
#include "search/driver/control.hpp"
#include "search/node.hpp"
#include "search/tree.hpp"

#define EXACTREE_CLAIM(...) __VA_ARGS__

namespace exactree::claims {

// No tree that splits column context.feature at a position from first to last costs less than
// `best`, even without the limit on rows.
template <class V>
void no_better(Pruning why, const ChainContext& context, const V& best, int first, int last);

// lo and hi enclose the optimum of either side: lo that of the problem without a limit on rows, hi
// that with it.
template <class V>
void sides(Pruning why, const ChainContext& context, int position, const V lo[2], const V hi[2]);

// The sides of column f cost at least so much, even without the limit on rows.
template <class V>
void side_bounds(Pruning why, Node& node, Budget budget, int f, int position, const V& left,
                 const V& right);

// What is known of the optimum of a node.
template <class V>
void bounds(Pruning why, const Node& node, Budget budget, const V& lower, const V& upper);

// No second split in a column costs less than its floor, nor does a leaf.
void floors(Pruning why, const ChainContext& context, int position, const std::uint16_t* floors);

// All that is known of the thresholds of a chain when it starts.
template <class V>
void transferred(const Chain<V>& chain, const ChainContext& context,
                 const std::vector<std::uint16_t>& all_floors);

// The cheapest split of column g on one side of (f, position) that costs less than `before` costs
// `after`; none does if the two are equal.
void scanned(Pruning why, const Node& node, int f, int position, int side,
             const std::vector<int>& columns, bool limited, Cost before, Cost after);

// A split that was evaluated costs what its sides are known to cost, or not less than the target.
template <class V>
void evaluated(const ChainContext& context, int position, const V& target, const V lo[2],
               const V hi[2]);

// What Worker::solve promises.
template <class V>
void solved(const Node& node, Budget budget, const V& cap, const V& lower, const V& upper);

// A node has the rows it should have.
void built(const Node& node);

// A tree costs what it is said to cost, and no tree costs less than the bound. `splits` < 0: as
// many as the depth allows.
void tree(const char* name, const Node& root, const Tree& tree, Cost cost);
void answer(const Node& root, Budget budget, int splits, Cost objective, Cost lower_bound);

}  // namespace exactree::claims

#endif
