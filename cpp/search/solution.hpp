// What is known of a subproblem after it was solved, and how others make use of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "search/columns/difference.hpp"
#include "search/value.hpp"

namespace exactree {

// A threshold of a column, and what is known of its two sides; see columns/chain.hpp.
template <class V>
struct Threshold {
  int position = 0;
  int rank = 0;  // rows with a lower rank go left: how other nodes know this threshold
  V lo[2], hi[2];
  int kid[2] = {-1, -1};  // the solutions of the sides, where they were solved as subproblems
  int next = 0, prev = 0;
  int floors = -1;  // where the floors of its second columns start, left side first
  bool closed = false;
  bool under_way = false;  // it is under evaluation, and something may be picked beside it
  std::int16_t round = 0;  // of its chain, that it was solved in last; 0: for all that matters
};

template <class V>
struct Solution;

// A side of a threshold that was solved as a subproblem.
template <class V>
struct SolvedSide {
  int feature = 0, rank = 0, side = 0;
  std::shared_ptr<const Solution<V>> solution;
};

// What is known of a subproblem after it was solved, for the benefit of its neighbours. One that
// was stopped half-way also has the solved sides next to what was open, for whoever goes on: they
// speak of the same rows only.
template <class V>
struct Solution {
  V lower, upper;
  int best_feature = -1;
  int depth = 0;  // what the lists speak of: less than was asked for if no more could be useful
  std::vector<std::vector<Threshold<V>>> lists;  // per column, by position
  std::vector<std::uint16_t> floors;
  std::vector<SolvedSide<V>> sides;

  std::int64_t bytes() const {
    std::size_t sum = floors.capacity() * sizeof(std::uint16_t);
    for (const auto& list : lists) sum += list.capacity() * sizeof(Threshold<V>) + sizeof list;
    for (const auto& at : sides) sum += sizeof at + static_cast<std::size_t>(at.solution->bytes());
    return static_cast<std::int64_t>(sum);
  }
};

// A solved subproblem whose rows differ little from ours: it has some that we have not, or lacks
// some that we have.
template <class V>
struct Relative {
  std::shared_ptr<const Solution<V>> solution;
  Cost between = 0;                        // influence of the rows by which we differ
  bool larger = false;                     // it has them
  int begin = 0, end = 0;                  // where they lie in the column that parts us
  const Difference* difference = nullptr;  // the same rows, if it pays to know them

  bool same_rows() const { return begin == end && between == 0; }
};

// Two neighbours along the column, what other columns say (see quadrants.hpp), and what was known
// of the same subproblem before.
inline constexpr int kMostRelatives = 4;

template <class V>
struct Relatives {
  Relative<V> list[kMostRelatives] = {};
  int count = 0;

  void add(const Relative<V>& relative) { list[count++] = relative; }
};

}  // namespace exactree
