// What the thresholds of one order of a column with missing values say of those of the other.
//
// Let M be the missing rows of a node (twins.hpp), and L, R the sides of a threshold of the low
// column. The threshold of the high column at the same value has the sides L' = L - M and
// R' = R + M. So, by the two facts of chain.hpp,
//   e(L) - I(M) <= e(L') <= e(L) and e(R) <= e(R') <= e(R) + I(M).
// Apart. A and M have no row in common, and all rows cost the same if they are of another class
// than their leaf: then e(A + M) >= e(A) + l(M), where l(M) is the least that M costs in any tree
// of a side, penalties not counted. Proof: the best tree of A + M costs at least e(A) on A, with
// its splits, and at least l(M) on M. So R' costs at least e(R) + l(M), and L at least e(L') +
// l(M). From below, l(M) is what all but the k largest classes of M cost, k being how many leaves a
// side may have: no tree is right on more classes. Or M is solved by itself, which pays where rows
// cost much. Together. M is on the left of every threshold of the low column, and on the right of
// every one of the high column. So each of these sides costs at least l(M): it is told of the first
// threshold of the low column ("is missing") and of the last of the high one, and spreads along the
// chain.
//
// Both. L' and R are the rows that are not missing: what they and M cost is a bound on both
// thresholds, T(L, R) >= e(L') + l(M) + e(R) and T(L', R') >= e(L') + e(R) + l(M). So at the root
// the side that has the missing rows is solved without them first. That is a side of the threshold
// of the other order, which needs it as well if this bound does not do, and what was solved of L'
// helps with L, of which it is a part.
//
// All this holds without a limit on the rows of a leaf, of which lower bounds speak; upper bounds
// are taken over as those of a relative with the same rows, where there is no such limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/columns/floors.hpp"
#include "search/solution.hpp"

namespace exactree {

// The missing rows of a node in some column.
struct MissingRows {
  Cost influence = 0;
  Cost units = 0;  // the same in units of a row
  Cost least = 0;  // what they add at least to what a side costs: Apart
};

// The list of one order as that of the other: `high` says which is wanted. Bounds that are of no
// use stay out; `floors` are those of the list, both sides of a threshold, or null.
template <class V>
void other_order(const std::vector<Threshold<V>>& list, const std::uint16_t* floors, int stride,
                 bool high, const MissingRows& missing, std::vector<Threshold<V>>& out,
                 std::vector<std::uint16_t>& out_floors) {
  const int with = high ? 1 : 0, without = 1 - with;  // our side that has the missing rows
  out.clear();
  for (const Threshold<V>& e : list) {
    Threshold<V> ours = e;
    ours.rank += high ? -1 : 1;
    ours.kid[0] = ours.kid[1] = -1;
    ours.floors = -1;
    const V nothing = V::constant(0, e.lo[0].budgets());
    ours.lo[0] = ours.lo[1] = nothing;
    raise_to(ours.lo[with], e.lo[with], missing.least);
    raise_to(ours.lo[without], e.lo[without], -missing.influence);
    ours.hi[with] = V::constant(kInfinite, e.hi[with].budgets());
    lower_to(ours.hi[with], e.hi[with], missing.influence);
    if (!any_below(nothing, ours.lo[0]) && !any_below(nothing, ours.lo[1])) continue;
    if (floors != nullptr && e.floors >= 0) {
      ours.floors = static_cast<int>(out_floors.size());
      out_floors.resize(out_floors.size() + static_cast<std::size_t>(2 * stride), 0);
      std::uint16_t* to = &out_floors[static_cast<std::size_t>(ours.floors)];
      for (int s = 0; s < 2; ++s)
        raise_floors(to + s * stride, floors + e.floors + s * stride, s == with ? 0 : missing.units,
                     stride);
    }
    out.push_back(ours);
  }
}

// Together: adds the threshold next to the missing rows to a list, or what is known of that side.
template <class V>
void add_next_to_missing(int rank, bool high, Cost least, int budgets,
                         std::vector<Threshold<V>>& list) {
  const int with = high ? 1 : 0;
  if (list.empty() || (high ? list.back() : list.front()).rank != rank) {
    Threshold<V> next;
    next.rank = rank;
    for (int s = 0; s < 2; ++s) {
      next.lo[s] = V::constant(0, budgets);
      next.hi[s] = V::constant(kInfinite, budgets);
    }
    list.insert(high ? list.end() : list.begin(), next);
  }
  raise_to((high ? list.back() : list.front()).lo[with], V::constant(least, budgets));
}

}  // namespace exactree
