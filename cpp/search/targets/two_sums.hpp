// What rows of two classes weigh: sums over words of 64 signed weights, those of class 1 above
// zero. Compiled per instruction set.
#pragma once

#include <algorithm>

#include "search/bits.hpp"
#include "search/value.hpp"

namespace exactree::EXACTREE_ISA {

// What some rows weigh: those of each class.
struct TwoSums {
  Cost zeros = 0, ones = 0;

  TwoSums& operator+=(const TwoSums& more) {
    zeros += more.zeros;
    ones += more.ones;
    return *this;
  }
  friend TwoSums operator+(TwoSums a, const TwoSums& b) { return a += b; }
  friend TwoSums operator-(const TwoSums& a, const TwoSums& b) {
    return {a.zeros - b.zeros, a.ones - b.ones};
  }
};

// The members of a word, their signed weights being given.
EXACTREE_INLINE TwoSums sums_of(const Cost* weights, Word member) {
#if EXACTREE_SIMD512
  __m512i ones = _mm512_setzero_si512(), all = ones;
  for (int k = 0; k < 8; ++k, weights += 8, member >>= 8) {
    const __m512i w = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(member), weights);
    all = _mm512_add_epi64(all, w);
    ones = _mm512_add_epi64(ones, _mm512_max_epi64(w, _mm512_setzero_si512()));
  }
  const Cost one = _mm512_reduce_add_epi64(ones);
  return {one - _mm512_reduce_add_epi64(all), one};
#else
  Cost ones = 0, all = 0;
  for (int i = 0; i < 64; ++i) {
    const Cost w = weights[i] & -static_cast<Cost>(member >> i & 1);
    all += w;
    ones += std::max<Cost>(w, 0);
  }
  return {ones - all, ones};
#endif
}

}  // namespace exactree::EXACTREE_ISA
