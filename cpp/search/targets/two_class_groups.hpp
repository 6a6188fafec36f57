// Two classes of rows that all cost the same, eight columns at a time: for AVX-512.
//
// Bounds are made for quarters of words: they are tighter than those of whole words, and leave a
// third as many places to look into. The most promising place comes first, so that what it brings
// spares others.
//
// Twins (twins.hpp; two_classes.hpp has the bound). Here g is what the missing members passed so
// far change err by: before the last of them err - g is the cost of the high column before its
// first row, as it should be.
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
  void scan(int group, const GroupRows& parting, const Word* ends, const int* missing, bool limited,
            GroupScan scans[2], Workspace& work) const {
    const unsigned lanes = scans[0].live | scans[1].live;
    Group here(words_, parting.rows(words_ - 1),
               &ones_of_[static_cast<std::size_t>(group * words_ * kGroup)], ends, missing);
    if (lanes != 0xFF) std::fill_n(here.left, words_ * kGroup, Word{0});
    parting.fill(lanes, 0, words_, here.left);
    if (here.most_missing() == 0)
      look<false>(here, limited, scans, work);
    else
      look<true>(here, limited, scans, work);
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(ones_of_.capacity() * sizeof(Word));
  }

 private:
  struct Group;

  template <bool Twin>
  void look(const Group& here, bool limited, GroupScan scans[2], Workspace& work) const {
    Side sides[2] = {{0, work.class_cost[0]}, {1, work.class_cost[1]}};
    if (!scans[1].open())
      here.template bound<Twin, true, false>(sides);
    else if (!scans[0].open())
      here.template bound<Twin, false, true>(sides);
    else
      here.template bound<Twin, true, true>(sides);
    for (int s = 0; s < 2; ++s) {
      if (!scans[s].open()) continue;
      const std::int64_t looked = sides[s].template look<Twin>(here, limited, scans[s]);
      work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] +=
          4 * static_cast<std::int64_t>(words_) * std::popcount(scans[s].live) - looked;
    }
  }

  // One side of a split. A register has a word of each column: the four quarters of the first,
  // those of the second, and so on.
  struct Side {
    static constexpr int kLanes = 4 * kGroup;
    int side, zeros, all;
    __m512i before, floor, gap;                           // gap: Twins
    alignas(64) std::int16_t err[kMostWords * kLanes];    // cost before it, 0 left and 1 right
    alignas(64) std::int16_t least[kMostWords * kLanes];  // no split inside costs less: Jump

    Side(int which, const std::vector<Cost>& classes)
        : side(which),
          zeros(static_cast<int>(classes[0])),
          all(static_cast<int>(classes[0] + classes[1])),
          before(splat(zeros)),
          floor(splat(kNone)),
          gap(splat(0)) {}

    // The last quarter of each word, for all four.
    EXACTREE_INLINE static __m512i last_quarters(__m512i v) {
      return _mm512_shuffle_epi8(v,
                                 _mm512_set4_epi32(0x0F0E0F0E, 0x0F0E0F0E, 0x07060706, 0x07060706));
    }
    // Sums over the quarters of each word up to each.
    EXACTREE_INLINE static __m512i running(__m512i v) {
      v = _mm512_add_epi16(v, _mm512_slli_epi64(v, 16));
      return _mm512_add_epi16(v, _mm512_slli_epi64(v, 32));
    }
    // Takes the next word of all columns. The gap of a quarter is `gap`, which is that of the whole
    // column but where rows of the word are missing.
    template <bool Twin>
    EXACTREE_INLINE void step(int w, __m512i member, __m512i ones, __m512i missing_so_far) {
      const __m512i one = _mm512_popcnt_epi16(_mm512_and_si512(member, ones));
      const __m512i zero = _mm512_popcnt_epi16(_mm512_andnot_si512(ones, member));
      const __m512i change = _mm512_sub_epi16(one, zero);
      const __m512i sum = running(change);
      const __m512i e = _mm512_add_epi16(before, _mm512_sub_epi16(sum, change));
      __m512i low = e, high = e;
      if (Twin) {
        const __m512i twin = _mm512_sub_epi16(e, missing_so_far);
        low = _mm512_min_epi16(e, twin);
        high = _mm512_max_epi16(e, twin);
      }
      const __m512i other = _mm512_sub_epi16(splat(all), high);
      const __m512i bound =
          _mm512_min_epi16(_mm512_sub_epi16(low, zero), _mm512_sub_epi16(other, one));
      _mm512_store_si512(err + w * kLanes, e);
      _mm512_store_si512(least + w * kLanes, bound);
      floor = _mm512_min_epi16(floor, bound);
      before = _mm512_add_epi16(before, last_quarters(sum));
    }
    // The same where some rows of the word are missing: what those before each quarter change.
    EXACTREE_INLINE __m512i pass_missing(__m512i lost, __m512i ones) {
      const __m512i one = _mm512_popcnt_epi16(_mm512_and_si512(lost, ones));
      const __m512i zero = _mm512_popcnt_epi16(_mm512_andnot_si512(ones, lost));
      const __m512i change = _mm512_sub_epi16(one, zero), sum = running(change);
      const __m512i so_far = _mm512_add_epi16(gap, _mm512_sub_epi16(sum, change));
      gap = _mm512_add_epi16(gap, last_quarters(sum));
      return so_far;
    }

    // Looks into quarters whose bound is below the best; how many.
    template <bool Twin>
    std::int64_t look(const Group& group, bool limited, GroupScan& scan) {
      const auto on = static_cast<__mmask32>(_pdep_u32(scan.live, 0x11111111u) * 15u);
      std::int64_t looked = 0;
      const auto enter = [&](int w, int at) {
        ++looked;
        least[w * kLanes + at] = kNone;
        scan.best = group.template best_in<Twin>(*this, w, at, limited, scan);
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
    const int* missing;  // per column
    alignas(64) Word left[kMostWords * kGroup];

    Group(int how_many, Word last_rows, const Word* ones_of, const Word* ends_of,
          const int* missing_of)
        : words(how_many), last(last_rows), ones(ones_of), ends(ends_of), missing(missing_of) {}

    int most_missing() const { return *std::max_element(missing, missing + kGroup); }
    // Which rows of a word are missing, in each column.
    __m512i missing_in(int w) const {
      alignas(64) Word rows_of[kGroup];
      for (int j = 0; j < kGroup; ++j)
        rows_of[j] = low_bits(std::clamp(missing[j] - w * 64, 0, 64));
      return _mm512_load_si512(rows_of);
    }

    Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }
    Word member(int side, int w, int column) const {
      const Word m = left[w * kGroup + column];
      return side == 0 ? m : ~m & rows(w);
    }
    template <bool Twin, bool Left, bool Right>
    EXACTREE_INLINE void bound(Side sides[2]) const {
      int w = 0;
      if (Twin)
        for (const int most = most_missing(); w * 64 < most; ++w) {
          const __m512i all = _mm512_set1_epi64(static_cast<long long>(rows(w)));
          const __m512i m = _mm512_load_si512(left + w * kGroup);
          const __m512i o = _mm512_loadu_si512(ones + w * kGroup), lost = missing_in(w);
          if (Left)
            sides[0].template step<true>(w, m, o,
                                         sides[0].pass_missing(_mm512_and_si512(m, lost), o));
          if (Right)
            sides[1].template step<true>(w, _mm512_andnot_si512(m, all), o,
                                         sides[1].pass_missing(_mm512_andnot_si512(m, lost), o));
        }
      for (; w < words; ++w) {
        const __m512i all = _mm512_set1_epi64(static_cast<long long>(rows(w)));
        const __m512i m = _mm512_load_si512(left + w * kGroup);
        const __m512i o = _mm512_loadu_si512(ones + w * kGroup);
        if (Left) sides[0].template step<Twin>(w, m, o, sides[0].gap);
        if (Right) sides[1].template step<Twin>(w, _mm512_andnot_si512(m, all), o, sides[1].gap);
      }
    }
    // The best split inside a quarter, if it is better than what is known.
    template <bool Twin>
    EXACTREE_INLINE int best_in(const Side& s, int w, int at, bool limited,
                                const GroupScan& scan) const {
      const int err = s.err[w * Side::kLanes + at];
      const int found = lowest_in<false>(s, w, at, 0, err, limited, scan);
      return Twin ? std::min(found, best_of_follower(s, w, at, err, limited, scan)) : found;
    }
    // The same of the high column, which begins after the missing rows.
    [[gnu::noinline]] int best_of_follower(const Side& s, int w, int at, int err, bool limited,
                                           const GroupScan& scan) const {
      const int lost = missing[at / 4], begin = w * 64 + at % 4 * 16;
      if (lost == 0 || begin + 16 <= lost) return scan.best;
      alignas(64) std::int16_t gaps[Side::kLanes];
      _mm512_store_si512(gaps, s.gap);
      const int high = begin <= lost ? s.zeros : err - gaps[at];
      return lowest_in<true>(s, w, at, lost, high, limited, scan);
    }
    // Cut: the first rows of the column, so many, are not passed.
    template <bool Cut>
    EXACTREE_INLINE int lowest_in(const Side& s, int w, int at, int from, int err, bool limited,
                                  const GroupScan& scan) const {
      const int column = at / 4, shift = at % 4 * 16;
      const auto in = [&](int v) {
        const Word m = member(s.side, v, column);
        return Cut ? m & ~low_bits(std::clamp(from - v * 64, 0, 64)) : m;
      };
      const Word mine = in(w) >> shift & 0xFFFF;
      Word e = ends[column * words + w] >> shift & 0xFFFF;
      if (Cut && from > w * 64 + shift) e &= ~low_bits(from - w * 64 - shift);
      if (limited) {
        int passed = count(in(w) & low_bits(shift));
        for (int v = 0; v < w; ++v) passed += count(in(v));
        e = admissible(e, mine, passed, scan.first_rows, scan.last_rows);
      }
      if (e == 0) return scan.best;
      const Word one = mine & ones[w * kGroup + column] >> shift;
      return std::min(scan.best,
                      lowest_of(static_cast<__mmask16>(one), static_cast<__mmask16>(mine ^ one),
                                static_cast<__mmask16>(e), err, s.all));
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
