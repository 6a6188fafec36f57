// Numbers of rows: picking some of them.
#pragma once

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

// Copies the numbers at the members of `keep` (whole words of 64) to `out`, in order. May write up
// to four numbers beyond the last. Returns how many were kept.
inline int compact_numbers(const double* in, const Word* keep, int words, double* out) {
  double* o = out;
  for (int w = 0; w < words; ++w)
    for (Word v = keep[w]; v != 0; v &= v - 1) *o++ = in[w * 64 + first(v)];
  return static_cast<int>(o - out);
}

}  // namespace exactree::EXACTREE_ISA
