// Whether no tree of some levels gets every row right: a bound of one error, where a search for the
// best tree would take days.
//
// Pivots. Let v be a value of a column. If no tree of d - 1 levels is perfect on the rows up to v,
// and none on the rows from v, then no tree of d levels that begins with this column is: a
// threshold at v or above has all rows up to v on its left, one below v all rows from v on its
// right, and a tree that is perfect on one side is so on any part of it. With such a pivot for
// every column, no tree of d levels is perfect, if the rows have more than one class.
//
// The pivot is found by halving. If the rows up to v have a perfect tree of d - 1 levels, so have
// those up to any smaller value, and a pivot has to be above; the same from below. If none is left,
// there is a perfect tree: let v be the largest value up to which there is one, then the rows from
// the next value on have one, too, and the threshold between them parts the rows. So the answer is
// exact, unless the search was stopped.
//
// What is known. The rows of a node are given by an interval of every column. The first pivot tried
// is the middle of all rows in the interval, whatever the other columns are: so nodes that are
// reached by the same splits in another order are the same, of five splits 120 times.
//
// The last split. One threshold parts two classes if the intervals of their values in some column
// do not meet; more rows only make intervals longer, so most sets are refuted by their first rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace exactree {

enum class Perfect { kNone, kFound, kStopped };

// What refutes more than pivots do by themselves, in the order of the bits that switch it off (for
// tests): a side with more classes than leaves, pivots by the intervals of the classes, sets of
// rows that were met before, and columns of two values as bits (perfect_bits.hpp).
enum class PerfectRule { kClasses, kIntervals, kKnown, kBits };
using PerfectCounts = std::array<std::int64_t, 4>;  // how often each of them acted

struct PerfectAnswer {
  Perfect found;
  PerfectCounts pruned;
};

// `ranks` are columns x rows; asks now and then whether to stop. At most 32,767 rows.
PerfectAnswer perfect_tree(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
                           const std::int32_t* labels, int depth, unsigned off,
                           const std::function<bool()>& stop);

}  // namespace exactree
