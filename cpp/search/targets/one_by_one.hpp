// The plain scan of a column over weighted rows, which looks at every member.
//
// Jump, as for unit costs: passing rows of total influence c lowers the cost of a split by at most
// c, so after a split that costs g more than the best, nothing can be better before more than g has
// been passed. The influence of a row is what it costs at most.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_scans.hpp"

namespace exactree::EXACTREE_ISA {

// `counts` are prefix sums of the rows each row stands for; null: one.
template <class Targets>
void one_by_one(const Targets& targets, int g, const Parting& parting, const Word* group_end,
                const int* counts, int s, Scan<Cost>& scan, Workspace& work) {
  std::vector<Cost> left(static_cast<std::size_t>(targets.classes()), 0);
  std::vector<Cost> right = work.class_cost[s];
  Cost slack = targets.leaf_cost(right) - scan.best;
  int passed = 0;
  for (int w = 0; w < parting.words; ++w) {
    const Word member = parting.side(s, w);
    // Only what happens at members and at ends of groups matters.
    for (Word v = member | group_end[w]; v != 0; v &= v - 1) {
      const int bit = first(v), i = w * 64 + bit;
      if (member >> bit & 1) {
        const Cost c = targets.weight_at(g, i);
        left[static_cast<std::size_t>(targets.class_at(g, i))] += c;
        right[static_cast<std::size_t>(targets.class_at(g, i))] -= c;
        slack -= targets.cost_at(g, i, 1);
        passed += counts == nullptr ? 1 : counts[i + 1] - counts[i];
      }
      if ((group_end[w] >> bit & 1) == 0) continue;
      if (slack >= 0) {
        work.counters.count(Pruning::kJump);
        continue;
      }
      const Cost c = targets.leaf_cost(left) + targets.leaf_cost(right);
      if (passed >= scan.first_rows && passed <= scan.last_rows) scan.best = std::min(scan.best, c);
      if (scan.best <= scan.low) return;
      slack = c - scan.best;
    }
  }
}

}  // namespace exactree::EXACTREE_ISA
