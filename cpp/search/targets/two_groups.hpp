// The least squared error of some numbers in two groups of any kind, number by number; compiled per
// instruction set. The best two groups are the numbers below and above a cut.
#pragma once

#include <algorithm>

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

class TwoGroups {
 public:
  static constexpr int kMost = 128;  // numbers

  void add(double number) {
    const int here =
        static_cast<int>(std::upper_bound(numbers_, numbers_ + count_, number) - numbers_);
    std::copy_backward(numbers_ + here, numbers_ + count_, numbers_ + count_ + 1);
    numbers_[here] = number;
    for (int i = count_; i >= here; --i) sums_[i + 1] = sums_[i] + number;
    squares_ += number * number;
    ++count_;
  }
  // The error of those so far, or a little less: sums of up to 128 numbers are wrong by 2^-46 of
  // their sizes, which are at most 12 roots of all squares, and so is what they explain by 2^-41 of
  // the squares; 2^-36 is allowed.
  double error() const {
    double explained[kLanes] = {};
    int i = 1;
    for (; i + kLanes <= count_; i += kLanes)
      for (int j = 0; j < kLanes; ++j) {
        const double gain = explained_by(i + j);
        explained[j] = gain > explained[j] ? gain : explained[j];
      }
    for (; i < count_; ++i) explained[0] = std::max(explained[0], explained_by(i));
    const double most = *std::max_element(explained, explained + kLanes);
    return count_ < 3 ? 0 : std::max(squares_ * (1 - 0x1p-36) - most, 0.0);
  }

 private:
  static constexpr int kLanes = 8;

  EXACTREE_INLINE double explained_by(int i) const {
    const double below = sums_[i], above = sums_[count_] - below;
    return below * below / i + above * above / (count_ - i);
  }

  int count_ = 0;
  double numbers_[kMost + 1];  // from the least on
  double sums_[kMost + 2] = {0}, squares_ = 0;
};

}  // namespace exactree::EXACTREE_ISA
