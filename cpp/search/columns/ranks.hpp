// The ranks of one column in the order of another, compiled per instruction set: how they are
// coded, where they are kept, and which rows they send left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

// Ranks are stored with an offset so that the signed compare of AVX2 can be used, with the largest
// value as padding beyond the last row.
template <class Rank>
struct RankCode {
  static constexpr int kOffset = sizeof(Rank) == 4 ? 0 : 1 << (8 * sizeof(Rank) - 1);
  static constexpr Rank kPad = std::numeric_limits<Rank>::max();
  // Ranks up to this one can be told from the padding.
  static constexpr int kMost = kPad - 1 + kOffset;

  static Rank encode(int rank) { return static_cast<Rank>(rank - kOffset); }
};

// Vector code reads so many ranks past the last one.
inline constexpr std::size_t kGatherPad = 4;

// The ranks of a column in another order of the rows.
template <class Rank>
void gather_ranks(const Rank* column, const int* order, int rows, Rank* to) {
  int i = 0;
#if EXACTREE_SIMD512
  // Words of 32 bits from where a rank begins; what follows it is cut off.
  if constexpr (sizeof(Rank) < 4)
    for (; i + 16 <= rows; i += 16) {
      const __m512i at = _mm512_loadu_si512(order + i);
      const __m512i found = _mm512_i32gather_epi32(at, column, sizeof(Rank));
      if constexpr (sizeof(Rank) == 2)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm512_cvtepi32_epi16(found));
      else
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm512_cvtepi32_epi8(found));
    }
#endif
  for (; i < rows; ++i) to[i] = column[order[i]];
}

// A column of few values has its ranks in bytes: twice as many in a vector, and half the memory,
// which is what large nodes of many columns wait for.
using Narrow = std::int8_t;

// Which ranks a split sends left: those below its limit. If its column follows another (twins.hpp)
// they are ranks of that one, and those of missing rows, the lowest, go right.
template <class Rank>
struct Limit {
  Rank below = 0;
  bool follows = false;

  EXACTREE_INLINE Word left(const Rank* ranks) const {
    const Word rows = exactree::EXACTREE_ISA::below(ranks, below);
    return follows ? rows & ~exactree::EXACTREE_ISA::below(ranks, RankCode<Rank>::encode(1)) : rows;
  }
  void write(const Rank* ranks, int words, Word* out) const {
    for (int w = 0; w < words; ++w) out[w] = left(ranks + w * 64);
  }
};

// Which rows of one column's order a split of another column sends left.
struct Parting {
  const Word* left_rows;
  int words;
  Word last;  // the rows of the last word

  EXACTREE_INLINE Word left(int w) const { return left_rows[w]; }
  EXACTREE_INLINE Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }
  Word side(int s, int w) const { return s == 0 ? left(w) : ~left(w) & rows(w); }
};

// An array of ranks of either width. It is kept for the next ones of the same place.
class RankRoom {
 public:
  // Room for so many ranks of a type; what was there is gone. Returns by how many bytes it grew.
  template <class Rank>
  std::int64_t resize(std::size_t size) {
    const std::size_t bytes = size * sizeof(Rank);
    if (bytes <= bytes_) return 0;
    const auto more = static_cast<std::int64_t>(bytes - bytes_);
    ranks_.reset();  // first, so that there are not two at once
    ranks_.reset(new std::byte[bytes]);
    bytes_ = bytes;
    return more;
  }
  template <class Rank>
  Rank* as() {
    return reinterpret_cast<Rank*>(ranks_.get());
  }
  template <class Rank>
  const Rank* as() const {
    return reinterpret_cast<const Rank*>(ranks_.get());
  }

  std::uint64_t made_for = 0;  // whose ranks these are: see RankBlock

 private:
  std::unique_ptr<std::byte[]> ranks_;
  std::size_t bytes_ = 0;
};

// The ranks of one column in the orders of all columns, those that were asked for.
struct RankBlock {
  std::vector<RankRoom> in_order_of;  // per column; made if it has this block's number
  std::uint64_t number = 0;           // a new one for every column, and every node, that takes it
  int feature = -1;
};

}  // namespace exactree::EXACTREE_ISA
