// Squared error in whole numbers, so that regression is searched like classification.
//
// Before the search every row gets a weight w and a sum p, the rounded product of weight and
// centred target; both are whole numbers, and all |p| and all w add up to less than 2^53, so that
// sums of them in double are exact in any order. With the square q = p^2 / w rounded up, a set S of
// rows has
//
//   error(S) = Q - ceil(P^2 / W),   W, P, Q the sums of w, p, q over S.
//
// That is its squared deviation from the mean, rounded down to a whole number, of targets p / w.
//   Not negative.   Q is whole and Q >= sum p^2 / w >= P^2 / W (Cauchy-Schwarz).
//   Superadditive.  A and B disjoint: error(A) + error(B) <= error(A + B), since the explained
//   parts
//                   satisfy (P_A + P_B)^2 / (W_A + W_B) <= P_A^2 / W_A + P_B^2 / W_B, and
//                   ceil(a + b) <= ceil(a) + ceil(b). So fewer rows never cost more, which is
//                   Subset.
// Costs of the search are such errors in units u = 2^shift, rounded down. Its optimum for the rows
// S, at most d levels and at most k splits, with the penalty c for a split, is defined by
//
//   e(S, 0, k) = e(S, d, 0) = floor(error(S) / u)
//   e(S, 1, k) = e(S, d, 1) = min(e(S, 0, 0), c + min floor((error(L) + error(R)) / u))
//   e(S, d, k) = min(e(S, 0, 0), c + min (e(L, d - 1, i) + e(R, d - 1, k - 1 - i)))   d, k >= 2
//
// over all splits of S into L and R, and all i. Without a limit on splits k is 2^d - 1, and
// e(S, d) = min(e(S, 0), c + min (e(L, d - 1) + e(R, d - 1))) for d >= 2.
//   Last pairs.     The two leaves below a split that is the last, by depth or by splits, are
//                   rounded down together, because a scan knows the sum of their squares and not
//                   each; all other leaves are rounded down by themselves. As
//                   floor(a) + floor(b) <= floor(a + b) <= floor(a) + floor(b) + 1, a pair costs
//                   up to one more than its leaves.
//   Lower bound.    e(S, d, k) u is at most the least error of such a tree, with the penalties, and
//                   above that less one unit for every leaf.
//   More is less.   e(S, d + 1, k) <= e(S, d, k) and e(S, d, k + 1) <= e(S, d, k), by induction:
//                   what was a last pair becomes two leaves, which cost no more.
//   Subset.         A within B: e(A, d, k) <= e(B, d, k). The splits of B part A as well. If both
//                   sides get rows of A, then by induction, or as floor is monotone; if only L
//                   does, e(A, d, k) <= e(L, d - 1, i) by More is less and induction.
//   Budgets.        The optimum does not change where a limit that cannot bind is dropped:
//                   - e(S, d, k) = e(S, k, k) for d >= k: below the root of a tree every level
//                     takes a split, so that d - j >= k - j at level j is no less than the splits
//                     left there, and a pair that is the last by depth is so by splits;
//                   - e(S, d, k) = e(S, d, 2^d - 1) for larger k: the halves of 2^d - 2 are enough
//                     for both sides;
//                   - with n the rows of S, e(S, d) = e(S, n - 1) for d >= n - 1, and
//                     e(S, d, k) = e(S, d) for k >= n - 1: each level has a row less, each side of
//                     m rows can be left m - 1 splits; so a node whose last split this makes has
//                     two rows, and its leaves cost nothing, together or one by one.
//   Useful.         If all trees below some cost have s splits or fewer, s >= 1, then s + 1 levels
//                   are enough: all splits of such a tree are above the last level then, which
//                   makes none of its pairs a last one. With s levels one could be.
// So each subproblem has one optimum, whatever is pruned, and wherever it is met.
//
// What rounding can do is counted in exactree/engines/squares.py. With shift = 0 nothing is lost.
#pragma once

#include <cstdint>

#include "search/value.hpp"

namespace exactree {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

// P^2 / W, rounded up. W is positive.
inline Wide explained(double sum, double weight) {
  const auto p = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const auto w = static_cast<std::uint64_t>(weight);
  return static_cast<Wide>((static_cast<UnsignedWide>(p) * p + (w - 1)) / w);
}

// The nearest number but for a unit in its last place; the library's conversion is slow. |x| <
// 2^115.
inline double as_number(Wide x) {
  const auto high = static_cast<std::int64_t>(x >> 52);
  const auto low = static_cast<std::int64_t>(x & ((Wide{1} << 52) - 1));
  return static_cast<double>(high) * 0x1p52 + static_cast<double>(low);
}

// What rows add up to.
struct SquareSums {
  double weight = 0, sum = 0;
  Wide square = 0;

  static SquareSums of_row(double sum, double weight) {
    return {weight, sum, explained(sum, weight)};
  }
  SquareSums operator+(const SquareSums& o) const {
    return {weight + o.weight, sum + o.sum, square + o.square};
  }
  SquareSums operator-(const SquareSums& o) const {
    return {weight - o.weight, sum - o.sum, square - o.square};
  }
  Wide error() const { return weight <= 0 ? 0 : square - explained(sum, weight); }
  Cost cost(int shift) const { return static_cast<Cost>(error() >> shift); }
};

// The two sides of a split.
struct SquareSides {
  SquareSums sums[2];
  Wide error[2] = {0, 0};
  int shift = 0;
  double lightest = 1;  // the least weight of a row
};

// The cost of a last split, both of whose sides have rows.
inline Cost split_cost(const SquareSums& left, const SquareSums& right, int shift) {
  return static_cast<Cost>((left.error() + right.error()) >> shift);
}

}  // namespace exactree
