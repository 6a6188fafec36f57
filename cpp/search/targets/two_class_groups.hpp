// Two classes of rows that all cost the same, eight columns at a time: for AVX-512.
//
// Bounds are made for quarters of words: they are tighter than those of whole words, and leave a
// third as many places to look into. The most promising place comes first, so that what it brings
// spares others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "search/columns/column_group.hpp"
#include "search/targets/unit_targets.hpp"

#if EXACTREE_SIMD512
namespace exactree::EXACTREE_ISA {

class TwoClassGroups {
 public:
  static constexpr int kMostWords = 64;

  void resize(int features, int words) {
    words_ = words;
    ones_of_.resize(static_cast<std::size_t>(groups_of(features) * words * kGroup));
  }
  // Which rows of column f are of class 1.
  void set(int f, const Word* ones) {
    Word* to = &ones_of_[static_cast<std::size_t>(f / kGroup * words_ * kGroup + f % kGroup)];
    for (int w = 0; w < words_; ++w) to[w * kGroup] = ones[w];
  }

  // Looks for the best split of the sides of a split among eight columns. `ends` are those of the
  // first column; those of the others follow.
  template <class Rank>
  void scan(int group, const GroupParting<Rank>& parting, const Word* ends, bool limited,
            GroupScan scans[2], Workspace& work) const {
    const unsigned lanes = scans[0].live | scans[1].live;
    Group here(words_, parting.last, &ones_of_[static_cast<std::size_t>(group * words_ * kGroup)],
               ends);
    if (lanes != 0xFF) std::fill_n(here.left, words_ * kGroup, Word{0});
    parting.fill(lanes, 0, words_, here.left);
    Side sides[2] = {{0, work.class_cost[0]}, {1, work.class_cost[1]}};
    here.bound(sides);
    for (int s = 0; s < 2; ++s) {
      if (!scans[s].open()) continue;
      const std::int64_t looked = sides[s].look(here, limited, scans[s]);
      work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] +=
          4 * static_cast<std::int64_t>(words_) * std::popcount(scans[s].live) - looked;
    }
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(ones_of_.capacity() * sizeof(Word));
  }

 private:
  struct Group;

  // One side of a split. A register has a word of each column: the four quarters of the first,
  // those of the second, and so on.
  struct Side {
    static constexpr int kLanes = 4 * kGroup;
    int side, zeros, all;
    __m512i before, floor;
    alignas(64) std::int16_t err[kMostWords * kLanes];    // cost before it, 0 left and 1 right
    alignas(64) std::int16_t least[kMostWords * kLanes];  // no split inside costs less: Jump

    Side(int which, const std::vector<Cost>& classes)
        : side(which),
          zeros(static_cast<int>(classes[0])),
          all(static_cast<int>(classes[0] + classes[1])),
          before(splat(zeros)),
          floor(splat(kNone)) {}

    // Takes the next word of all columns.
    EXACTREE_INLINE void step(int w, __m512i member, __m512i ones) {
      // The last quarter of each word, for all four.
      const __m512i spread = _mm512_set4_epi32(0x0F0E0F0E, 0x0F0E0F0E, 0x07060706, 0x07060706);
      const __m512i one = _mm512_popcnt_epi16(_mm512_and_si512(member, ones));
      const __m512i zero = _mm512_popcnt_epi16(_mm512_andnot_si512(ones, member));
      const __m512i change = _mm512_sub_epi16(one, zero);
      __m512i sum = _mm512_add_epi16(change, _mm512_slli_epi64(change, 16));
      sum = _mm512_add_epi16(sum, _mm512_slli_epi64(sum, 32));
      const __m512i e = _mm512_add_epi16(before, _mm512_sub_epi16(sum, change));
      const __m512i other = _mm512_sub_epi16(splat(all), e);
      const __m512i bound =
          _mm512_min_epi16(_mm512_sub_epi16(e, zero), _mm512_sub_epi16(other, one));
      _mm512_store_si512(err + w * kLanes, e);
      _mm512_store_si512(least + w * kLanes, bound);
      floor = _mm512_min_epi16(floor, bound);
      before = _mm512_add_epi16(before, _mm512_shuffle_epi8(sum, spread));
    }

    // Looks into quarters whose bound is below the best; how many.
    std::int64_t look(const Group& group, bool limited, GroupScan& scan) {
      const auto on = static_cast<__mmask32>(_pdep_u32(scan.live, 0x11111111u) * 15u);
      std::int64_t looked = 0;
      const auto enter = [&](int w, int at) {
        ++looked;
        least[w * kLanes + at] = kNone;
        scan.best = group.best_in(*this, w, at, limited, scan);
      };
      if (const int lowest = least_of(_mm512_mask_mov_epi16(splat(kNone), on, floor));
          lowest < scan.best) {
        int w = 0;
        __mmask32 first;
        while ((first = _mm512_mask_cmpeq_epi16_mask(on, bounds(w), splat(lowest))) == 0) ++w;
        enter(w, std::countr_zero(static_cast<unsigned>(first)));
        for (w = 0; w < group.words && scan.open(); ++w) {
          const __m512i goal = splat(std::min<int>(scan.best, kNone));
          unsigned hit = _mm512_mask_cmplt_epi16_mask(on, bounds(w), goal);
          for (; hit != 0 && scan.open(); hit &= hit - 1)
            if (const int at = std::countr_zero(hit); least[w * kLanes + at] < scan.best)
              enter(w, at);
        }
      }
      set_floors(scan);
      return looked;
    }
    void set_floors(GroupScan& scan) const {
      __m512i v = _mm512_min_epi16(floor, _mm512_srli_epi64(floor, 32));
      v = _mm512_min_epi16(v, _mm512_srli_epi64(v, 16));
      alignas(16) std::int16_t lowest[kGroup];
      _mm_store_si128(reinterpret_cast<__m128i*>(lowest), _mm512_maskz_cvtepi64_epi16(0xFF, v));
      const int reached = scan.best <= scan.low ? kNone : 0;
      for (int j = 0; j < kGroup; ++j) scan.floor[j] = std::max(scan.best, lowest[j] - reached);
    }
    __m512i bounds(int w) const { return _mm512_load_si512(least + w * kLanes); }
  };

  // The words of eight columns.
  struct Group {
    int words;
    Word last;
    const Word* ones;
    const Word* ends;
    alignas(64) Word left[kMostWords * kGroup];

    Group(int how_many, Word last_rows, const Word* ones_of, const Word* ends_of)
        : words(how_many), last(last_rows), ones(ones_of), ends(ends_of) {}

    Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }
    Word member(int side, int w, int column) const {
      const Word m = left[w * kGroup + column];
      return side == 0 ? m : ~m & rows(w);
    }
    EXACTREE_INLINE void bound(Side sides[2]) const {
      for (int w = 0; w < words; ++w) {
        const __m512i all = _mm512_set1_epi64(static_cast<long long>(rows(w)));
        const __m512i m = _mm512_load_si512(left + w * kGroup);
        const __m512i o = _mm512_loadu_si512(ones + w * kGroup);
        sides[0].step(w, m, o);
        sides[1].step(w, _mm512_andnot_si512(m, all), o);
      }
    }
    // The best split inside a quarter, if it is better than what is known.
    int best_in(const Side& s, int w, int at, bool limited, const GroupScan& scan) const {
      const int column = at / 4, shift = at % 4 * 16;
      const Word mine = member(s.side, w, column) >> shift & 0xFFFF;
      Word e = ends[column * words + w] >> shift & 0xFFFF;
      if (limited) {
        int passed = count(member(s.side, w, column) & low_bits(shift));
        for (int v = 0; v < w; ++v) passed += count(member(s.side, v, column));
        e = admissible(e, mine, passed, scan.first_rows, scan.last_rows);
      }
      if (e == 0) return scan.best;
      const Word one = mine & ones[w * kGroup + column] >> shift;
      return std::min(scan.best,
                      lowest_of(static_cast<__mmask16>(one), static_cast<__mmask16>(mine ^ one),
                                static_cast<__mmask16>(e), s.err[w * Side::kLanes + at], s.all));
    }
  };

  static constexpr std::int16_t kNone = 32767;
  static __m512i splat(int n) { return _mm512_set1_epi16(static_cast<std::int16_t>(n)); }
  // The lowest cost of a split inside 16 rows, at one of the ends: ones and zeros passed move it.
  EXACTREE_INLINE static int lowest_of(__mmask16 ones, __mmask16 zeros, __mmask16 ends, int err,
                                       int all) {
    const __m256i unit = _mm256_set1_epi16(1);
    __m256i sum = _mm256_maskz_mov_epi16(ones, unit);
    sum = _mm256_mask_sub_epi16(sum, zeros, _mm256_setzero_si256(), unit);
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 2));
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 4));
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 8));
    // The total of the lower eight, for the upper eight.
    const __m256i last = _mm256_permutexvar_epi16(_mm256_set1_epi16(7), sum);
    sum = _mm256_mask_add_epi16(sum, 0xFF00, sum, last);
    const __m256i cost = _mm256_add_epi16(_mm256_set1_epi16(static_cast<std::int16_t>(err)), sum);
    const __m256i other = _mm256_sub_epi16(_mm256_set1_epi16(static_cast<std::int16_t>(all)), cost);
    return least_of(
        _mm256_mask_mov_epi16(_mm256_set1_epi16(kNone), ends, _mm256_min_epi16(cost, other)));
  }
  static int least_of(__m512i v) {
    return least_of(_mm256_min_epi16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1)));
  }
  static int least_of(__m256i half) {
    const __m128i part =
        _mm_min_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    // minpos is for numbers without sign.
    const __m128i least = _mm_minpos_epu16(_mm_xor_si128(part, _mm_set1_epi16(-32768)));
    return (_mm_cvtsi128_si32(least) & 0xFFFF) - 32768;
  }

  int words_ = 0;
  std::vector<Word> ones_of_;  // per group and word: those of eight columns
};

}  // namespace exactree::EXACTREE_ISA
#endif
