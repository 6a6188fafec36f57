// Costs of eight answers at a time, compiled per instruction set: sums and the least of them.
//
// A row has as many blocks of eight costs as it takes. What lies beyond the last answer is zero in
// rows, and kBeyond in the sums of a side before any row: so it is never the least, neither in what
// has been passed nor in what is left (sums of all are twice that).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "search/bits.hpp"
#include "search/value.hpp"

namespace exactree::EXACTREE_ISA {

typedef Cost Eight __attribute__((vector_size(64)));
inline constexpr int kEight = 8;
inline constexpr Cost kBeyond = kInfinite;

// The b-th eight of costs that lie anywhere. (A vector type of less alignment will not do: clang
// forgets that within templates. Vectors are not returned, for want of a convention.)
EXACTREE_INLINE void read_eight(const Cost* costs, int b, Eight& x) {
  std::memcpy(&x, costs + b * kEight, sizeof x);
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
  CostSums(Cost* room, int blocks) : blocks_(blocks), room_(room) {}

  EXACTREE_INLINE void read(const Cost* from) {
    Eight x;
    for (int b = 0; b < blocks(); ++b) read_eight(from, b, x), put(b, x);
  }
  EXACTREE_INLINE void copy(const CostSums& other) {
    Eight x;
    for (int b = 0; b < blocks(); ++b) other.get(b, x), put(b, x);
  }
  // What another sum lacks to these.
  EXACTREE_INLINE void read_rest(const Cost* all, const CostSums& part) {
    Eight rest;
    for (int b = 0; b < blocks(); ++b) part.get_rest(all, b, rest), put(b, rest);
  }
  EXACTREE_INLINE void add(const Cost* row) {
    Eight x, sum;
    for (int b = 0; b < blocks(); ++b) {
      get(b, sum);
      read_eight(row, b, x);
      put(b, sum + x);
    }
  }
  EXACTREE_INLINE Cost least() const {
    Eight low, x;
    get(0, low);
    for (int b = 1; b < blocks(); ++b) {
      get(b, x);
      low = x < low ? x : low;
    }
    return least_of(low);
  }
  // The least of what is left of `all`.
  EXACTREE_INLINE Cost least_left(const Cost* all) const {
    Eight low, x;
    get_rest(all, 0, low);
    for (int b = 1; b < blocks(); ++b) {
      get_rest(all, b, x);
      low = x < low ? x : low;
    }
    return least_of(low);
  }

 private:
  EXACTREE_INLINE int blocks() const { return N > 0 ? N : blocks_; }
  EXACTREE_INLINE void get(int b, Eight& x) const {
    if constexpr (N > 0)
      x = own_[b];
    else
      read_eight(room_, b, x);
  }
  EXACTREE_INLINE void get_rest(const Cost* all, int b, Eight& x) const {
    Eight mine;
    get(b, mine);
    read_eight(all, b, x);
    x -= mine;
  }
  EXACTREE_INLINE void put(int b, const Eight& x) {
    if constexpr (N > 0)
      own_[b] = x;
    else
      std::memcpy(room_ + b * kEight, &x, sizeof x);
  }

  int blocks_;
  Cost* room_;  // where N is 0
  Eight own_[N > 0 ? N : 1];
};

}  // namespace exactree::EXACTREE_ISA
