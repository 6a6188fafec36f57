// Pairs of rank columns that one pass looks at: the two orders of a column with missing values.
//
// The low column of such a pair has the missing rows below all others, the high one beside the
// highest: with r the rank in the low column and t the highest rank of the high one, the latter has
// t where r = 0, and r - 1 elsewhere. So the rows that are not missing come in the same order in
// both, and a split of the high column sends left what the split of the low one after the same row
// sends left, but for the missing rows. (All thresholds of the high column are such: it has none
// above t.) A scan along the low column that knows what the missing rows amount to thus knows all
// splits of both: these columns lead, and the high ones follow.
//
// Followers come after all leaders, in their order: then the leaders are the first columns.
#pragma once

#include <algorithm>
#include <vector>

#include "search/problem.hpp"

namespace exactree {

struct Twins {
  int leaders = 0;            // the first columns: those that are scanned
  std::vector<int> follower;  // per column: the one that follows it; -1 if none does
  std::vector<int> leader;    // per column: the one that it follows; -1 if it does not
  std::vector<int> top;       // per column: the highest rank, of followers

  // No column follows another.
  explicit Twins(int features)
      : leaders(features),
        follower(static_cast<std::size_t>(features), -1),
        leader(follower),
        top(static_cast<std::size_t>(features), 0) {}

  // Whatever the columns are: what is found holds for every row. Each column is compared to few
  // others, and is unlike most of them in the first rows.
  static Twins find(const Problem& data) {
    Twins found(data.features);
    int high = data.features - 1;
    for (int low = high - 1; low >= 0 && found.follower[static_cast<std::size_t>(high)] < 0;
         --low) {
      const int top = top_of(data, low, high);
      if (top < 0) continue;
      found.follower[static_cast<std::size_t>(low)] = high;
      found.leader[static_cast<std::size_t>(high)] = low;
      found.top[static_cast<std::size_t>(high)] = top;
      --high;
    }
    found.leaders = high + 1;
    return found;
  }

 private:
  // The highest rank of the second column if it follows the first; else -1.
  static int top_of(const Problem& data, int low, int high) {
    int top = -1, most = -1;
    for (int i = 0; i < data.rows; ++i) {
      const int r = data.rank(low, i), s = data.rank(high, i);
      if (r > 0 ? s != r - 1 : top >= 0 && s != top) return -1;
      if (r == 0) top = s;
      most = std::max(most, s);
    }
    return top == most ? top : -1;
  }
};

}  // namespace exactree
