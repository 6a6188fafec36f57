// Eight columns at a time, compiled per instruction set: a lane for each.
//
// A scan of one column is a chain of steps that wait for each other. Eight columns have eight such
// chains, and a vector register takes a step of all of them at once.
#pragma once

#include <algorithm>
#include <bit>

#include "search/columns/ranks.hpp"
#include "search/lanes.hpp"

namespace exactree::EXACTREE_ISA {

inline constexpr int kGroup = 8;
inline int groups_of(int columns) {
  return (columns + kGroup - 1) / kGroup;
}

// Where the word of a lane is kept among the eight of a group, so that counts() has them in order.
inline int slot(int lane) {
#if EXACTREE_SIMD512 || !EXACTREE_SIMD
  return lane;
#else
  return lane % 2 * 4 + lane / 2;
#endif
}

#if EXACTREE_SIMD
#if !EXACTREE_SIMD512
EXACTREE_INLINE __m256i popcounts(__m256i v) {
  const __m256i nibbles = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i a = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(v, low));
  const __m256i b = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
  return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}
#endif
// How many rows are in both of two words, for eight pairs of words.
EXACTREE_INLINE Lanes<std::int32_t> counts_of_both(const Word* a, const Word* b) {
#if EXACTREE_SIMD512
  const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
  return {_mm512_maskz_cvtepi64_epi32(0xFF, _mm512_popcnt_epi64(both))};
#else
  const __m256i low = popcounts(_mm256_and_si256(load_all(a), load_all(b)));
  const __m256i high = popcounts(_mm256_and_si256(load_all(a + 4), load_all(b + 4)));
  return {_mm256_or_si256(low, _mm256_slli_epi64(high, 32))};
#endif
}
#endif

// Which of the eight floors are below a cost.
EXACTREE_INLINE unsigned lanes_below(const std::uint16_t* floors, int cost) {
#if EXACTREE_SIMD512
  const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(floors));
  const auto most = static_cast<short>(static_cast<std::uint16_t>(std::clamp(cost, 0, 0xFFFF)));
  return cost > 0xFFFF ? 0xFFu : _mm_cmplt_epu16_mask(f, _mm_set1_epi16(most));
#else
  unsigned lanes = 0;
  for (int j = 0; j < kGroup; ++j) lanes |= static_cast<unsigned>(floors[j] < cost) << j;
  return lanes;
#endif
}

// Which rows a split sends left, in the orders of the columns of a group. The column of the split
// itself has them in front.
template <class Rank>
struct GroupParting {
  const Rank* ranks[kGroup] = {};
  Limit<Rank> limit;
  int own = -1, position = 0;  // the lane of the column that is split, if it is one of these
  int words = 0;
  Word last = 0;  // the rows of the last word

  EXACTREE_INLINE Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }

  // Words from..from + n of some lanes, eight for each word.
  EXACTREE_INLINE void fill(unsigned lanes, int from, int n, Word* out) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      Word* to = out + slot(lane);
      if (lane == own) {
        for (int w = 0; w < n; ++w)
          to[w * kGroup] = low_bits(std::clamp(position - (from + w) * 64, 0, 64));
      } else {
        const Rank* r = ranks[lane] + from * 64;
        for (int w = 0; w < n; ++w) to[w * kGroup] = limit.left(r + w * 64);
      }
    }
  }
};

// The same for any width of ranks, for what is compiled once for all of them: it asks for many
// words at a time.
class GroupRows {
 public:
  // The parting must outlive it.
  template <class Rank>
  explicit GroupRows(const GroupParting<Rank>& parting)
      : parting_(&parting), words_(parting.words), last_(parting.last), fill_(fill_from<Rank>) {}

  Word rows(int w) const { return w + 1 == words_ ? last_ : ~Word{0}; }
  void fill(unsigned lanes, int from, int n, Word* out) const {
    fill_(parting_, lanes, from, n, out);
  }

 private:
  template <class Rank>
  static void fill_from(const void* parting, unsigned lanes, int from, int n, Word* out) {
    static_cast<const GroupParting<Rank>*>(parting)->fill(lanes, from, n, out);
  }

  const void* parting_;
  int words_;
  Word last_;
  void (*fill_)(const void*, unsigned, int, int, Word*);
};

// The scan of a group for one side of a split: what it must beat, and what it found.
struct GroupScan {
  unsigned live = 0;                  // the lanes to be looked at
  int best = 0;                       // in: beat this; out: the lowest cost found, else unchanged
  int low = 0;                        // stop when best has come down to it
  int first_rows = 0, last_rows = 0;  // how many of the side's rows may be left of the split
  int floor[kGroup] = {};             // out: no split of this column is cheaper

  bool open() const { return live != 0 && best > low; }
};

}  // namespace exactree::EXACTREE_ISA
