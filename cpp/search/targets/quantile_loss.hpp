// Absolute error and quantiles, in whole numbers.
//
// A row of weight w and target y costs above * w * (y - m) if the leaf predicts m <= y, else
// below * w * (m - y). A least sum is at one of the targets: the lowest m with
//
//   below * (weight of targets <= m) >= above * (weight of targets > m),
//
// which is the quantile above / (above + below), the lowest minimiser. All numbers are whole, so
// nothing is rounded; a row by itself costs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "search/targets/number_loss.hpp"

namespace exactree {

class QuantileLoss final : public NumberLoss {
 public:
  QuantileLoss(std::vector<std::int64_t> targets, std::vector<std::int64_t> weights,
               std::int64_t above, std::int64_t below)
      : above_(above), below_(below), targets_(std::move(targets)), weights_(std::move(weights)) {
    Wide all = 0, size = 0, largest = 0;
    for (int i = 0; i < rows(); ++i) {
      const Wide y = target(i) < 0 ? -target(i) : target(i);
      all += weight(i);
      size += y * weight(i);
      largest = std::max(largest, y);
    }
    // D times a target, and Z in quantile_targets.hpp.
    most_ = (all * largest + size) * (above + below);
    order_.resize(targets_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [this](int a, int b) { return target(a) < target(b); });
  }

  Kind kind() const override { return Kind::kQuantile; }
  int rows() const override { return static_cast<int>(targets_.size()); }
  std::int64_t target(int i) const { return targets_[static_cast<std::size_t>(i)]; }
  std::int64_t weight(int i) const {
    return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(i)];
  }
  std::int64_t above() const { return above_; }
  std::int64_t below() const { return below_; }
  const std::vector<int>& order() const { return order_; }  // of the rows by target
  // What no sum of costs that occurs exceeds.
  Wide most() const { return most_; }

  Wide error(const std::vector<int>& rows) const override {
    if (rows.empty()) return 0;
    std::vector<int> sorted = rows;
    std::sort(sorted.begin(), sorted.end(), [this](int a, int b) { return target(a) < target(b); });
    Wide weight_above = 0, weight_below = 0;
    for (const int i : sorted) weight_above += weight(i);
    std::int64_t m = 0;
    for (const int i : sorted) {
      weight_below += weight(i);
      weight_above -= weight(i);
      m = target(i);
      if (below_ * weight_below >= above_ * weight_above) break;
    }
    Wide cost = 0;
    for (const int i : sorted) {
      const Wide off = static_cast<Wide>(target(i)) - m;
      cost += weight(i) * (off > 0 ? above_ * off : -below_ * off);
    }
    return cost;
  }

 private:
  std::int64_t above_, below_;
  std::vector<std::int64_t> targets_, weights_;  // no weights: one
  std::vector<int> order_;
  Wide most_ = 0;
};

}  // namespace exactree
