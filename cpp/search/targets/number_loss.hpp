// Losses of rows of numbers other than the squared error of one target, in whole numbers.
//
// Each is a least sum of row losses over a set of predictions, in whole numbers from the start:
//
//   least(S) = min over predictions m of the sum over the rows i of S of c(i, m)
//   error(S) = least(S) - sum of least({i})
//
//   Not negative.   Each row costs its own least at least.
//   Superadditive.  A and B disjoint: least(A) + least(B) <= least(A + B), since the prediction of
//                   the union may be used for both. What rows cost by themselves adds up.
// No rounding can break either: the numbers c(i, m) may be any whole numbers. So the optimum in
// units that squares.hpp defines, and its proofs, which use nothing else of an error, hold for
// these errors as well. How far whole numbers are from the loss itself is counted where they are
// made (exactree/engines/losses.py).
#pragma once

#include <vector>

#include "search/targets/squares.hpp"

namespace exactree {

class NumberLoss {
 public:
  // A kind of targets for each: sum_targets.hpp (all but the last), quantile_targets.hpp.
  enum class Kind { kLogarithm, kPower, kOutputs, kQuantile };

  virtual ~NumberLoss() = default;
  virtual Kind kind() const = 0;
  virtual int rows() const = 0;
  // The error of a set of rows, by a plain pass.
  virtual Wide error(const std::vector<int>& rows) const = 0;
};

}  // namespace exactree
