// Bounds of a subproblem: one number, or one for each number of splits, without ("free") and with
// a limit on the size of sides ("limited"); and what bounds of two sides say of a split.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "proof/rows.hpp"

namespace exactree::proof {

constexpr Cost kInfinite = Cost{1} << 62;

// How many bounds there are.
struct Shape {
  int variants = 1;  // free; or free and limited
  int budgets = 1;   // 1: of the depth alone; else of 0, 1, ... splits
};

inline int budgets_of(int depth, int splits) {
  return splits < 0 ? 1 : std::min(splits, (1 << std::min(depth, 30)) - 1) + 1;
}

template <int Size>
struct Bound {
  std::array<Cost, Size> values{};

  Cost& at(int variant, int k) { return values[place(variant, k)]; }
  Cost at(int variant, int k) const { return values[place(variant, k)]; }
  static constexpr std::size_t place(int variant, int k) {
    return Size == 1 ? 0 : static_cast<std::size_t>(variant * (Size / 2) + k);
  }
  void raise_to(const Bound& other, const Shape& shape, int from, int to, Cost less) {
    for (int k = 0; k < shape.budgets; ++k)
      at(to, k) = std::max(at(to, k), other.at(from, k) - less);
  }
};

// Calls f(k, i, j) for every way to share k splits, one of them the first, among two sides.
template <class F>
void each_share(int budgets, int below, F&& f) {
  if (budgets == 1) {
    f(0, 0, 0);
    return;
  }
  for (int k = 1; k < budgets; ++k)
    for (int i = 0; i <= std::min(k - 1, below - 1); ++i) f(k, i, std::min(k - 1 - i, below - 1));
}

// By how much the bounds of two sides exceed what is needed of a split, at least. The variants are
// those of the needs, of the left and of the right side.
template <int Size>
Cost margin(const Bound<Size>& need, int v, const Bound<Size>& left, int of_left,
            const Bound<Size>& right, int of_right, int budgets, int below, Cost penalty) {
  Cost least = kInfinite;
  each_share(budgets, below, [&](int k, int i, int j) {
    least = std::min(least, left.at(of_left, i) + right.at(of_right, j) + penalty - need.at(v, k));
  });
  return least;
}

}  // namespace exactree::proof
