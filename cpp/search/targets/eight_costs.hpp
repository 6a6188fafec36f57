// Costs of eight answers at a time, compiled per instruction set: sums and the least of them.
//
// A row has as many blocks of eight costs as it takes. What lies beyond the last answer is zero in
// rows, and kBeyond in the sums of a side before any row: so it is never the least, neither in what
// has been passed nor in what is left (sums of all are twice that).
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/bits.hpp"
#include "search/value.hpp"

namespace exactree::EXACTREE_ISA {

// Read and written anywhere, by vector instructions where there are any.
typedef Cost Eight __attribute__((vector_size(64), aligned(8), may_alias));
inline constexpr int kEight = 8;
inline constexpr Cost kBeyond = kInfinite;

EXACTREE_INLINE const Eight* eights(const Cost* p) {
  return reinterpret_cast<const Eight*>(p);
}

EXACTREE_INLINE Cost least_of(const Eight& x) {
#if EXACTREE_SIMD512
  return _mm512_reduce_min_epi64(_mm512_loadu_si512(&x));
#else
  Cost least = x[0];
  for (int i = 1; i < kEight; ++i) least = std::min<Cost>(least, x[i]);
  return least;
#endif
}

// The sums of N blocks; with N = 0 of as many as there are, in room of the caller's.
template <int N>
class CostSums {
 public:
  CostSums(Cost* room, int blocks) : blocks_(blocks) {
    if constexpr (N == 0) at_ = reinterpret_cast<Eight*>(room);
  }

  EXACTREE_INLINE void read(const Cost* from) {
    for (int b = 0; b < blocks(); ++b) at(b) = eights(from)[b];
  }
  EXACTREE_INLINE void copy(const CostSums& other) {
    for (int b = 0; b < blocks(); ++b) at(b) = other.at(b);
  }
  // What another sum lacks to these.
  EXACTREE_INLINE void read_rest(const Cost* all, const CostSums& part) {
    for (int b = 0; b < blocks(); ++b) at(b) = eights(all)[b] - part.at(b);
  }
  EXACTREE_INLINE void add(const Cost* row) {
    for (int b = 0; b < blocks(); ++b) at(b) += eights(row)[b];
  }
  EXACTREE_INLINE Cost least() const {
    Eight low = at(0);
    for (int b = 1; b < blocks(); ++b) low = at(b) < low ? at(b) : low;
    return least_of(low);
  }
  // The least of what is left of `all`.
  EXACTREE_INLINE Cost least_left(const Cost* all) const {
    Eight low = eights(all)[0] - at(0);
    for (int b = 1; b < blocks(); ++b) {
      const Eight rest = eights(all)[b] - at(b);
      low = rest < low ? rest : low;
    }
    return least_of(low);
  }

 private:
  EXACTREE_INLINE int blocks() const { return N > 0 ? N : blocks_; }
  EXACTREE_INLINE Eight& at(int b) {
    if constexpr (N > 0) return own_[b];
    return at_[b];
  }
  EXACTREE_INLINE const Eight& at(int b) const {
    if constexpr (N > 0) return own_[b];
    return at_[b];
  }

  int blocks_;
  Eight* at_ = nullptr;
  Eight own_[N > 0 ? N : 1];
};

}  // namespace exactree::EXACTREE_ISA
