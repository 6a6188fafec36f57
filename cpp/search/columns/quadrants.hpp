// What the subproblems of one root column say about those of another.
//
// Split first at (f, t) and then at (g, x), or the other way round: the same four sets of rows come
// out, with the same budgets left. So when the side of (f, t) is to be solved, each side of (g, x)
// that was solved before has, in its list of column f, bounds for two of the four; between two of
// its thresholds Subset gives the lower bound of the smaller set and the upper bound of the larger.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "search/columns/chain.hpp"

namespace exactree {

// A threshold of some column whose sides were solved as subproblems.
struct Crossing {
  int rank;
  int kid[2];
};

// The bounds of the rows of `kid` on the given side of (feature, rank), if it has any.
template <class V>
bool quadrant(const Solution<V>& kid, int feature, int rank, int side, bool subset_holds, V& lo,
              V& hi, const std::uint16_t*& floors, int stride) {
  if (kid.lists.empty()) return false;
  const auto& list = kid.lists[static_cast<std::size_t>(feature)];
  const auto after = std::lower_bound(list.begin(), list.end(), rank,
                                      [](const auto& e, int r) { return e.rank < r; });
  const bool same = after != list.end() && after->rank == rank;
  const auto before = same ? after : after == list.begin() ? list.end() : after - 1;
  // The left side grows with the rank, the right one shrinks.
  const auto smaller = side == 0 ? before : after, larger = side == 0 ? after : before;
  if (smaller == list.end()) return false;
  lo = smaller->lo[side];
  hi = subset_holds && larger != list.end() ? larger->hi[side]
                                            : V::constant(kInfinite, lo.budgets());
  floors = smaller->floors < 0
               ? nullptr
               : &kid.floors[static_cast<std::size_t>(smaller->floors + side * stride)];
  return true;
}

// All that is known of the splits of one side of (feature, rank), as the lists of a solution of the
// depth that `out` asks for.
template <class V>
void quadrants(const std::vector<std::vector<Crossing>>& crossed,
               const std::vector<std::shared_ptr<const Solution<V>>>& kids, int feature, int rank,
               int side, bool subset_holds, Solution<V>& out) {
  const int stride = floor_stride(static_cast<int>(crossed.size()));
  out.lists.assign(crossed.size(), {});
  out.floors.clear();
  out.best_feature = -1;
  for (std::size_t g = 0; g < crossed.size(); ++g) {
    if (static_cast<int>(g) == feature) continue;
    for (const Crossing& x : crossed[g]) {
      Threshold<V> e;
      e.rank = x.rank;
      bool known[2] = {false, false};
      const std::uint16_t* floors[2] = {nullptr, nullptr};
      for (int s = 0; s < 2; ++s) {
        if (x.kid[s] < 0) continue;
        const Solution<V>& kid = *kids[static_cast<std::size_t>(x.kid[s])];
        if (kid.depth != out.depth) continue;
        known[s] =
            quadrant(kid, feature, rank, side, subset_holds, e.lo[s], e.hi[s], floors[s], stride);
        if (known[s]) out.depth = std::min(out.depth, kid.depth);
      }
      const V nothing = V::constant(0, e.lo[known[0] ? 0 : 1].budgets());
      // Upper bounds alone prune nothing.
      if (!(known[0] && any_below(nothing, e.lo[0])) && !(known[1] && any_below(nothing, e.lo[1])))
        continue;
      for (int s = 0; s < 2; ++s)
        if (!known[s]) {
          e.lo[s] = nothing;
          e.hi[s] = V::constant(kInfinite, nothing.budgets());
        }
      if (floors[0] != nullptr || floors[1] != nullptr) {
        e.floors = static_cast<int>(out.floors.size());
        out.floors.resize(out.floors.size() + static_cast<std::size_t>(2 * stride), 0);
        for (int s = 0; s < 2; ++s)
          if (floors[s] != nullptr)
            std::copy(floors[s], floors[s] + stride,
                      out.floors.end() - (s == 0 ? 2 * stride : stride));
      }
      out.lists[g].push_back(e);
    }
  }
}

}  // namespace exactree
