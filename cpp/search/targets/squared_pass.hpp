// The search of one side for the split with the largest gain; see squared_targets.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/columns/column_node.hpp"
#include "search/targets/squares.hpp"

namespace exactree::EXACTREE_ISA {

// One side under way, column after column.
struct SquaredPass {
  SquareSums all;
  Wide error;
  double mean = 0, margin = 0;
  double least = 0;             // u^2 above this times c (C - c) is worth a look
  double least_product = 0;     // what c (C - c) is at least
  double fewest = 1, most = 0;  // the weight that a split may leave on the left
  Cost best, low;
  int shift, first_rows, last_rows;
  bool waits = false;  // `best` is that of a split whose sides were rounded down together
  struct {
    Wide part, both;  // what its left side explains, and the errors of its sides
    int row;
  } waiting{0, 0, 0};

  SquaredPass(const Scan<Cost>& scan, const SquareSides& sides, int s)
      : all(sides.sums[s]),
        error(sides.error[s]),
        best(scan.best),
        low(scan.low),
        shift(sides.shift),
        first_rows(scan.first_rows),
        last_rows(scan.last_rows) {
    if (all.weight <= 0) return;
    mean = all.sum / all.weight;
    // Rounding of u: a few units in the last place of c m, which is at most S; of the gain: of
    // itself, which is at most the error.
    const auto largest = as_number(error) + 1;
    margin = 0x1p-48 * (std::sqrt(largest / sides.lightest) * std::abs(all.sum) + largest) + 4;
    least_product = sides.lightest * std::max(all.weight - sides.lightest, 0.0);
    most = all.weight - 1;
    set_least();
  }
  bool done() const { return best <= low; }
  void set_least() {
    if (done()) {
      least = std::numeric_limits<double>::infinity();
      return;
    }
    // Those that cost as much together as the best may cost one less.
    const Cost carry = shift > 0 ? 1 : 0;
    const Wide gain = error - (static_cast<Wide>(best + carry) << shift);
    least = (as_number(gain) - margin) / all.weight;
  }
  bool near(double weight, double sum) const {
    const double u = sum - weight * mean;
    return u * u > least * (weight * (all.weight - weight));
  }
  // Costs a split that leaves `weight` and `sum` on its left, up to row `row` of the column;
  // `squares(i)` adds up q there up to row i.
  //
  // Carry. The errors l and r of the sides add up to l + r = `both`, for which the squares of the
  // whole side are enough, and floor(l) + floor(r) is c = floor(l + r) or c - 1, in units of
  // 2^shift. So of all splits those of the least c matter, which cost c or c - 1, and no other can
  // cost less than c. The first of them waits; its squares are added up only if another one comes
  // with the same c, or at the end of the column.
  template <class Squares>
  void look(double weight, double sum, int row, const Squares& squares) {
    if (weight < fewest || weight > most) return;
    const Wide part = explained(sum, weight);
    const Wide both = all.square - part - explained(all.sum - sum, all.weight - weight);
    const auto together = static_cast<Cost>(both >> shift);
    if (together > best || (together == best && shift == 0)) return;
    if (together == best) {
      settle(squares);
      if (together > best) return;
    }
    const bool tie = together == best;
    best = together;
    waiting = {part, both, row};
    waits = shift > 0;
    if (tie)
      settle(squares);
    else
      set_least();
  }
  // Costs the split that waits, its sides rounded down by themselves.
  template <class Squares>
  void settle(const Squares& squares) {
    if (!waits) return;
    waits = false;
    const Wide left = squares(waiting.row) - waiting.part;
    best = static_cast<Cost>((left >> shift) + ((waiting.both - left) >> shift));
    set_least();
  }
};

}  // namespace exactree::EXACTREE_ISA
