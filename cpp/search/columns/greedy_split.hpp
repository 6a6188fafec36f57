// Single splits of a node, by plain passes: for what happens a few times in a solve.
#pragma once

#include "search/node.hpp"

namespace exactree {

struct SingleSplit {
  int feature = -1;  // -1: there is none
  int position = 0;
  double score = 0;  // the lower the better
};

// A split of a node, and what the best tree that is known to start with it costs.
struct Promising {
  int feature = -1, position = 0;
  Cost cost = 0;
};

// The split with the fewest errors, or the one with the least Gini impurity (which is what greedy
// trees use, because it also rewards progress that does not show in errors yet). Ties: the lowest
// column, then the lowest rank. In regression both are the one with the least squared error, with
// costs per row the one of least cost. Throws Stopped at a limit.
enum class Criterion { kErrors, kGini };
SingleSplit best_split(const Node& node, const Problem& data, Criterion criterion, Cost* cost,
                       Workspace& work);

}  // namespace exactree
