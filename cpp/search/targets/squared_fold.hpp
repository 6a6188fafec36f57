// Numbers of rows: picking some of them, and folding them for the scan.
#pragma once

#include <algorithm>
#include <cmath>

#include "search/targets/squared_lanes.hpp"

namespace exactree::EXACTREE_ISA {

// Copies the numbers at the members of `keep` (whole words of 64) to `out`, in order. May write up
// to four numbers beyond the last. Returns how many were kept.
inline int compact_numbers(const double* in, const Word* keep, int words, double* out) {
  double* o = out;
  for (int w = 0; w < words; ++w)
    for (Word v = keep[w]; v != 0; v &= v - 1) *o++ = in[w * 64 + first(v)];
  return static_cast<int>(o - out);
}

#if EXACTREE_SIMD
// Folds a column by words, see squared_lanes.hpp, and writes for its blocks: sums, sums of absolute
// values, sums of all before, and the largest absolute value for its weight (null: one).
inline void fold_column(const double* in, const double* weights, int words, double* out,
                        double* by_block) {
  constexpr int kLanes = Lanes64::kSize, kRows = 64 / kLanes;
  const int blocks = words * kLanes;
  double before = 0;
  for (int b = 0; b < blocks; ++b) {
    const double* from = in + b * kRows;
    double* to = out + (b / kLanes) * 64 + b % kLanes;
    double sum = 0, size = 0, peak = 0;
    for (int k = 0; k < kRows; ++k) {
      to[k * kLanes] = from[k];
      sum += from[k];
      size += std::abs(from[k]);
      // Rows beyond the last weigh nothing, and have nothing.
      const double w = weights == nullptr ? 1 : std::max(weights[b * kRows + k], 1.0);
      peak = std::max(peak, std::abs(from[k]) / w);
    }
    by_block[b] = sum;
    by_block[blocks + b] = size;
    by_block[2 * blocks + b] = before;
    by_block[3 * blocks + b] = peak * (1 + 0x1p-40);
    before += sum;
  }
}
#endif

}  // namespace exactree::EXACTREE_ISA
