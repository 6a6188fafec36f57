// Two classes: the best second splits of both sides of every column, from differences of classes.
//
// Letters
//   i, j        columns; the rows with i set are its inner side, the others its outer side
//   d           rows of the second class less rows of the first, in some set of rows:
//               d(i) with i set, d(i, j) with both set
//   margin      rows right less rows wrong: |d| of a leaf, and the sum of that over leaves. A tree
//               over n rows makes (n - margin) / 2 errors.
//
// The inner side of j, split by i, has the margin f(d(i, j)) with f(x) = |x| + |d(j) - x|. As f is
// convex, its largest value over all i is at the largest or at the least d(i, j). On the outer side
// the same holds of d(i) - d(i, j), with d less d(j) in place of d(j). So a pass over the pairs
// that keeps four extremes for every column solves depth two. With rows that weigh something of
// their own the same holds of weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "search/binary/bit_rows.hpp"

namespace exactree::EXACTREE_ISA {

// The fewest errors with at most 0, 1, 2 and 3 splits, in at most two levels; of weighted rows the
// least weight.
template <class Errors>
using Fewest = std::array<Errors, 4>;
using FewestErrors = Fewest<int>;

// What holds the sum of two absolute differences.
template <class Count>
using SumOf = std::conditional_t<sizeof(Count) == 1, std::uint8_t, Count>;
// What all rows amount to.
template <class Count>
using TotalOf = std::conditional_t<sizeof(Count) == 8, Count, int>;

// A set of rows of two classes.
template <class Count>
struct SetDifferences {
  int columns = 0, stride = 0;
  TotalOf<Count> rows = 0;
  const Count* set = nullptr;  // d(i); zero beyond the last column
  TotalOf<Count> total = 0;    // d of all rows
};

template <class Count>
class MarginSplits {
 public:
  // The pairs are those of `table`, less those of `minus` if there is one.
  template <class Minus>
  Fewest<TotalOf<Count>> find(const SetDifferences<Count>& rows, const Count* table,
                              const Minus* minus) {
    in_.room(static_cast<std::size_t>(rows.stride));
    out_.room(static_cast<std::size_t>(rows.stride));
    Best best;
    for (int j = 0; j < rows.stride;) {
      const int n = std::min(kBlock, (rows.stride - j) / kSize);
      if (n == 4) find_block<4>(rows, table, minus, j, best);
      if (n == 3) find_block<3>(rows, table, minus, j, best);
      if (n == 2) find_block<2>(rows, table, minus, j, best);
      if (n == 1) find_block<1>(rows, table, minus, j, best);
      j += n * kSize;
    }
    Fewest<TotalOf<Count>> e{
        (rows.rows - std::abs(rows.total)) / 2, (rows.rows - best.one.largest()) / 2,
        (rows.rows - best.two.largest()) / 2, (rows.rows - best.three.largest()) / 2};
    for (std::size_t k = 1; k < 4; ++k) e[k] = std::min(e[k], e[k - 1]);
    return e;
  }

  // The largest margins with at most one more split, on the sides of each column.
  TotalOf<Count> in(int i) const { return in_.data()[i]; }
  TotalOf<Count> out(int i) const { return out_.data()[i]; }

 private:
  using Register = Lanes<Count>;
  using Sum = SumOf<Count>;
  using Sums = Lanes<Sum>;
  static constexpr int kSize = Register::kSize;
  static constexpr int kBlock = EXACTREE_SIMD512 ? 4 : 2;  // what the registers have room for

  // The largest margins with at most one, two and three splits.
  struct Best {
    Sums one = Sums::zero(), two = one, three = one;
  };

  template <int N, class Minus>
  void find_block(const SetDifferences<Count>& rows, const Count* table, const Minus* minus, int j,
                  Best& best) {
    Register most_in[N], least_in[N], most_out[N], least_out[N];
    for (int k = 0; k < N; ++k)
      most_in[k] = least_in[k] = most_out[k] = least_out[k] = Register::zero();
    std::ptrdiff_t from = j;
    for (int i = 0; i < rows.columns; ++i, from += rows.stride) {
      const Register with_i = Register::splat(rows.set[i]);
      for (int k = 0; k < N; ++k) {
        Register both = Register::load(table + from + k * kSize);
        if (minus != nullptr) both = both - Register::load_narrow(minus + from + k * kSize);
        const Register only_i = with_i - both;
        most_in[k] = max(most_in[k], both);
        least_in[k] = min(least_in[k], both);
        most_out[k] = max(most_out[k], only_i);
        least_out[k] = min(least_out[k], only_i);
      }
    }
    for (int k = 0; k < N; ++k, j += kSize) {
      const Register with_j = Register::load(rows.set + j);
      const Register without = Register::splat(static_cast<Count>(rows.total)) - with_j;
      const Sums in = max(margin(with_j, most_in[k]), margin(with_j, least_in[k]));
      const Sums out = max(margin(without, most_out[k]), margin(without, least_out[k]));
      const Sums leaf_in = magnitude(with_j), leaf_out = magnitude(without);
      best.one = max(best.one, leaf_in + leaf_out);
      best.two = max(best.two, max(leaf_in + out, in + leaf_out));
      best.three = max(best.three, in + out);
      in.store(in_.data() + j);
      out.store(out_.data() + j);
    }
  }
  static Sums margin(const Register& all, const Register& part) {
    return magnitude(part) + magnitude(all - part);
  }

  Buffer<Sum> in_, out_;
};

}  // namespace exactree::EXACTREE_ISA
