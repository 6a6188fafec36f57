// A search for the first split of a node among side masks.
#pragma once

#include <vector>

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

}  // namespace exactree
