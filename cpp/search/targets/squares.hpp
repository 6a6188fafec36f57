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
// Costs of the search are such errors in units of 2^shift, rounded down. A leaf costs
// error(S) >> shift, and two leaves below one last split cost (error(L) + error(R)) >> shift:
// rounding down keeps both monotone in the rows, and a leaf of equal targets costs nothing.
//
// What rounding can do. The sum of all q is the same for every tree, so trees are compared by their
// explained parts: exactly but for one unit of 2^shift a leaf, and for the rounding of p, half of
// one a row. The units are chosen (exactree/engines/squares.py) so that both together stay below
// 1e-9 of the error of the single leaf, so the best tree of the search is within that of the
// optimum.
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
