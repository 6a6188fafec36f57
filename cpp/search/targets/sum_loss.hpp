// Losses that are functions of sums over the rows of a leaf: deviances, and the squared error of
// several targets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/targets/number_loss.hpp"

namespace exactree {

// Every row has `width` whole numbers, the first of them positive, which add up to less than 2^53
// each, so that sums of them in double are exact in any order. Then error(S) is the sum of what the
// rows explain one by one, less what the sums explain.
class SumLoss : public NumberLoss {
 public:
  SumLoss(std::vector<double> numbers, int width)
      : width_(width),
        rows_(static_cast<int>(numbers.size()) / width),
        numbers_(std::move(numbers)) {}

  int rows() const override { return rows_; }
  int width() const { return width_; }
  const double* row(int i) const {
    return &numbers_[static_cast<std::size_t>(i) * static_cast<std::size_t>(width_)];
  }
  // What row i explains by itself.
  Wide own(int i) const { return own_[static_cast<std::size_t>(i)]; }
  virtual Wide explained(const double* sums) const = 0;

  Wide error(const std::vector<int>& rows) const override {
    std::vector<double> sums(static_cast<std::size_t>(width_), 0.0);
    Wide alone = 0;
    for (const int i : rows) {
      for (int j = 0; j < width_; ++j) sums[static_cast<std::size_t>(j)] += row(i)[j];
      alone += own(i);
    }
    return rows.empty() ? 0 : alone - explained(sums.data());
  }

 protected:
  // For the constructors of kinds, which know what rows explain.
  void set_own() {
    own_.resize(static_cast<std::size_t>(rows_));
    for (int i = 0; i < rows_; ++i) own_[static_cast<std::size_t>(i)] = explained(row(i));
  }

 private:
  int width_, rows_;
  std::vector<double> numbers_;
  std::vector<Wide> own_;
};

// Whole numbers close to a multiple of exp(rate k), from two tables: k in two digits.
struct Powers {
  std::vector<std::uint64_t> high, low;
  std::vector<std::uint8_t> shift;  // per high digit
  int low_bits = 0;

  Wide at(std::int64_t k) const {
    const auto digit = static_cast<std::size_t>(k >> low_bits);
    const auto rest = static_cast<std::size_t>(k & ((std::int64_t{1} << low_bits) - 1));
    return static_cast<Wide>((static_cast<UnsignedWide>(high[digit]) * low[rest]) >> shift[digit]);
  }
};

// Deviances. With sums t (the first number) and x (the second), a leaf costs
//
//   least(t, x) = min over k of A(k) t + B(k) x,   0 <= k < size; and 0 if x = 0
//
// The grid of predictions is even in their logarithm. A(k) is close to scale exp(theta), where
// theta = origin + k / steps, and B(k) to -scale theta (kLogarithm: Poisson, gamma with the sums
// swapped, exponential survival), or A(k) to scale exp((2 - p) theta) / (2 - p) and B(k) to scale
// exp((1 - p) theta) / (p - 1) (kPower: Tweedie). x = 0 is the leaf that predicts 0, at which a row
// with x > 0 is impossible.
//   Convex.  A and B are convex sequences of whole numbers (Python makes them so and says why), so
//            the first k after which A(k) t + B(k) x does not fall is its minimum, from wherever
//            one starts: a start in floating point decides nothing.
class DevianceLoss final : public SumLoss {
 public:
  struct Grid {
    Powers rising;          // A
    Powers falling;         // B, backwards; empty: linear
    int slope = 0;          // log2 of -B(k) / k if it is linear
    std::int64_t size = 0;  // predictions
    double origin = 0, steps = 1, scale = 1, power = 1;
  };

  DevianceLoss(std::vector<double> numbers, Grid grid)
      : SumLoss(std::move(numbers), 2), grid_(std::move(grid)) {
    set_own();
  }
  Kind kind() const override {
    return grid_.falling.high.empty() ? Kind::kLogarithm : Kind::kPower;
  }
  const Grid& grid() const { return grid_; }

  Wide at(std::int64_t k, double t, double x) const {
    const auto a = static_cast<Wide>(static_cast<std::int64_t>(t)) * grid_.rising.at(k);
    const auto whole = static_cast<std::int64_t>(x);
    if (grid_.falling.high.empty()) return a - ((static_cast<Wide>(k) * whole) << grid_.slope);
    return a + static_cast<Wide>(whole) * grid_.falling.at(grid_.size - 1 - k);
  }
  Wide explained(const double* sums) const override {
    const double t = sums[0], x = sums[1];
    if (x <= 0) return 0;
    const double guess = (std::log(x / t) - grid_.origin) * grid_.steps;
    const auto last = grid_.size - 1;
    std::int64_t k = guess > 0 ? static_cast<std::int64_t>(std::min(guess, 0x1p52)) : 0;
    k = std::min(k, last);
    Wide least = at(k, t, x);
    const std::int64_t start = k;
    for (Wide next; k < last && (next = at(k + 1, t, x)) < least; ++k) least = next;
    if (k > start) return -least;
    for (Wide next; k > 0 && (next = at(k - 1, t, x)) < least; --k) least = next;
    return -least;
  }

 private:
  Grid grid_;
};

// The squared error of several targets: a weight, and a sum for every target. What the sums explain
// is squares.hpp's, target by target.
class OutputLoss final : public SumLoss {
 public:
  OutputLoss(std::vector<double> numbers, int width) : SumLoss(std::move(numbers), width) {
    set_own();
    for (int i = 0; i < rows(); ++i)
      lightest_ = i == 0 ? row(0)[0] : std::min(lightest_, row(i)[0]);
  }
  Kind kind() const override { return Kind::kOutputs; }
  double lightest() const { return lightest_; }
  Wide explained(const double* sums) const override {
    Wide all = 0;
    for (int j = 1; j < width(); ++j) all += exactree::explained(sums[j], sums[0]);
    return all;
  }

 private:
  double lightest_ = 1;
};

}  // namespace exactree
