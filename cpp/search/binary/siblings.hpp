// What the sides of one column say about the sides of another.
//
// Letters: S the rows of the node, X the left side of a solved column, Y = S - X its right side;
// X', Y' those of another column; e the optimum within the budget of a side, I the influence.
//
// Sibling. By Subset and Similarity (chain.hpp), e(X') >= e(X and X') >= e(X) - I(X - X'). The same
// holds for any solved set in place of X, so each side of the other column gets two bounds:
//   e(X') >= e(X) - I(X - X') and e(X') >= e(Y) - I(Y - X'),
//   e(Y') >= e(X) - I(X - Y') and e(Y') >= e(Y) - I(Y - Y'),
// and all four differences follow from the number of rows in both X and X'. With S itself, solved
// for the budget of a side, in place of X: e(X') >= e(S) - I(Y'), e(Y') >= e(S) - I(X').
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "search/value.hpp"

namespace exactree {

// Second split. A side costs at least as much as its leaf, or as its best single split with one
// penalty, or two penalties if it has more splits: the optimum for each budget is one of these.
template <class V>
V at_least(Cost leaf, Cost single, int budgets, Cost price, Cost penalty) {
  const Cost best[3] = {price * leaf, price * single + penalty, 2 * penalty};
  V v = V::constant(kInfinite, budgets);
  for (int k = 0; k < budgets; ++k)
    for (int j = 0; j <= (V::kSizes ? std::min(k, 2) : 2); ++j) v.set(k, std::min(v[k], best[j]));
  return v;
}

template <class V>
class Siblings {
 public:
  // `size` are the rows on the one side of every column, `unit` is what a row costs at most; the
  // bounds start from zero.
  template <class Size>
  void start(int columns, Size size, int rows, Cost unit, int budgets) {
    rows_ = rows;
    unit_ = unit;
    size_.resize(static_cast<std::size_t>(columns));
    for (int k = 0; k < columns; ++k) size_[static_cast<std::size_t>(k)] = size(k);
    for (auto& bounds : lower_)
      bounds.assign(static_cast<std::size_t>(columns), V::constant(0, budgets));
  }

  const V& lower(int k, int side) const { return lower_[side][static_cast<std::size_t>(k)]; }
  V& lower(int k, int side) { return lower_[side][static_cast<std::size_t>(k)]; }

  // All rows together cost at least this much, within the budget of a side.
  void learn_all(const V& all) {
    for (std::size_t j = 0; j < size_.size(); ++j) {
      raise_to(lower_[0][j], all, -unit_ * (rows_ - size_[j]));
      raise_to(lower_[1][j], all, -unit_ * size_[j]);
    }
  }

  // The sides of column k cost at least these; both[j] rows are on the one side of k and of j.
  void learn(int k, V one, V other, const int* both) {
    const int mine = size_[static_cast<std::size_t>(k)], outside = rows_ - mine;
    const Cost unit = unit_;
    const int* size = size_.data();
    V* lower_one = lower_[0].data();
    V* lower_other = lower_[1].data();
    for (std::size_t j = 0; j < size_.size(); ++j) {
      const int x = both[j];
      raise(lower_one[j], one, unit * (mine - x), other, unit * (outside - size[j] + x));
      raise(lower_other[j], one, unit * x, other, unit * (size[j] - x));
    }
  }

 private:
  // Written without branches, so that it is done for several columns at once.
  static void raise(V& bound, const V& a, Cost less_a, const V& b, Cost less_b) {
    for (int k = 0; k < bound.budgets(); ++k)
      bound.set(k, std::max(bound[k], std::max(a[k] - less_a, b[k] - less_b)));
  }

  int rows_ = 0;
  Cost unit_ = 1;
  std::vector<int> size_;
  std::vector<V> lower_[2];
};

}  // namespace exactree
