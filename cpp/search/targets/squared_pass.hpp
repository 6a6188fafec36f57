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
  bool wanted = false;

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
    const Wide gain = error - (static_cast<Wide>(best) << shift);
    least = (as_number(gain) - margin) / all.weight;
  }
  bool near(double weight, double sum) const {
    const double u = sum - weight * mean;
    return u * u > least * (weight * (all.weight - weight));
  }
  // Costs a split of which `weight` and `sum` are left.
  void look(double weight, double sum) {
    if (weight < fewest || weight > most) return;
    const Wide part = explained(sum, weight) + explained(all.sum - sum, all.weight - weight);
    const auto cost = static_cast<Cost>((all.square - part) >> shift);
    if (cost >= best) return;
    best = cost;
    set_least();
  }
};

}  // namespace exactree::EXACTREE_ISA
