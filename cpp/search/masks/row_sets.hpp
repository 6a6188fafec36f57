// What the masks of a branch cost at least as single splits, compiled per instruction set.
//
// Letters: S the rows of the node, P and O those that all and that some masks of a branch send
// left.
//
// Forced errors. Whatever mask of a branch is chosen, P and S goes left and S - O right. A split
// below the cost of a leaf gives its sides different classes, so for some classes c != d it costs
// at least what the rows of P that are not c and those outside O that are not d cost. The least of
// that over all c and d bounds every split of the branch. For a single mask (P = O) it is its cost.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/value.hpp"

namespace exactree::EXACTREE_ISA {

// Two sets of rows to be parted: what a branch sends to the wrong side at least, either way round.
template <class Measure>
struct TwoSets {
  const Measure& measure;
  std::size_t words;
  const Word *one, *two;
  Cost sums[2] = {0, 0};

  TwoSets(const Measure& m, std::size_t n, const Word* a, const Word* b)
      : measure(m), words(n), one(a), two(b) {
    for (std::size_t w = 0; w < words; ++w) {
      sums[0] += measure.sum(w, one[w]);
      sums[1] += measure.sum(w, two[w]);
    }
  }
  // With `one` on the left, and with it on the right.
  EXACTREE_INLINE void costs(const Word* all, const Word* some, Cost out[2]) const {
    Cost straight = sums[0], swapped = sums[1];
    for (std::size_t w = 0; w < words; ++w) {
      straight += measure.sum(w, all[w] & two[w]) - measure.sum(w, some[w] & one[w]);
      swapped += measure.sum(w, all[w] & one[w]) - measure.sum(w, some[w] & two[w]);
    }
    out[0] = straight;
    out[1] = swapped;
  }
  EXACTREE_INLINE Cost bound(const Word* all, const Word* some) const {
    Cost out[2];
    costs(all, some, out);
    return std::min(out[0], out[1]);
  }
};

// The rows of any number of classes.
template <class Measure>
struct ManySets {
  const Measure& measure;
  std::size_t words;
  const std::vector<Word>& of_class;  // class after class

  Cost bound(const Word* all, const Word* some) const {
    Cost total = 0;
    Cost top[2][2] = {{0, 0}, {0, 0}};  // per side: the heaviest class and the next
    std::size_t which[2] = {0, 0};
    const std::size_t classes = of_class.size() / words;
    for (std::size_t c = 0; c < classes; ++c) {
      const Word* rows = &of_class[c * words];
      Cost sum[2] = {0, 0};
      for (std::size_t w = 0; w < words; ++w) {
        sum[0] += measure.sum(w, rows[w] & all[w]);
        sum[1] += measure.sum(w, rows[w] & ~some[w]);
      }
      for (int s = 0; s < 2; ++s) {
        total += sum[s];
        if (c == 0 || sum[s] > top[s][0])
          top[s][1] = c == 0 ? 0 : top[s][0], top[s][0] = sum[s], which[s] = c;
        else
          top[s][1] = std::max(top[s][1], sum[s]);
      }
    }
    if (which[0] != which[1]) return total - top[0][0] - top[1][0];
    return total - std::max(top[0][0] + top[1][1], top[0][1] + top[1][0]);
  }
};

}  // namespace exactree::EXACTREE_ISA
