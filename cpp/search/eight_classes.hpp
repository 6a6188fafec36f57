// Three to eight classes in vector registers.
//
// The words of the classes lie side by side, so that one AND, one nibble look-up and one horizontal
// sum count all classes of 64 rows at once. Counts are kept as 65535 - count in eight 16-bit lanes:
// SSE4.1 has a horizontal minimum of just that shape, which then is the largest count.
#pragma once

#include "search/unit_targets.hpp"

#if EXACTREE_SIMD
namespace exactree::EXACTREE_ISA {

class EightClasses : public UnitTargets {
 public:
  static constexpr int kMostRows = 65000;

  void finish(Cost unit, Cost& leaf, int& label) {
    UnitTargets::finish(unit, leaf, label);
    const auto size = static_cast<std::size_t>(features_) * static_cast<std::size_t>(words_) * 8;
    words_of_.resize(size);
    counts_of_.resize(size);
    for (int f = 0; f < features_; ++f)
      for (int w = 0; w < words_; ++w)
        for (int c = 0; c < 8; ++c) {
          const Word v = c < classes_ ? mask(f, c)[w] : 0;
          words_of_[at(f, w) + static_cast<std::size_t>(c)] = v;
          counts_of_[at(f, w) + lane(c)] = static_cast<std::uint16_t>(count(v));
        }
  }

  void part(int f, int p, Workspace& work) const {
    for (auto& side : work.class_cost) side.assign(total_.size(), 0);
    __m128i sum = _mm_setzero_si128();
    int w = 0;
    for (; w < p / 64; ++w) sum = _mm_add_epi16(sum, load(&counts_of_[at(f, w)]));
    if (p % 64 != 0)
      sum = _mm_add_epi16(sum, class_counts<true>(low_bits(p % 64), &words_of_[at(f, w)]));
    std::uint16_t n[8];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(n), sum);
    for (std::size_t c = 0; c < total_.size(); ++c)
      work.class_cost[0][c] = n[lane(static_cast<int>(c))];
    finish_part(p, work);
  }

  // One side under way, column after column.
  struct Pass {
    __m128i start, left, right;
    int all, best, low, first_rows, last_rows, reached = 0;
    int start_low, low_right = 0, floor = 0, passed = 0, jumped = 0;
    bool wanted = false, done = false;

    Pass(const Scan<int>& scan, const Workspace& work, int s)
        : all(work.side_rows[s]),
          best(scan.best),
          low(scan.low),
          first_rows(scan.first_rows),
          last_rows(scan.last_rows) {
      std::uint16_t n[8] = {};
      for (std::size_t c = 0; c < work.class_cost[s].size(); ++c)
        n[lane(static_cast<int>(c))] = static_cast<std::uint16_t>(work.class_cost[s][c]);
      start = _mm_sub_epi16(_mm_set1_epi16(-1), load(n));
      start_low = static_cast<int>(lowest(start) & 0xFFFF);
    }
    void begin(bool is_wanted) {
      wanted = is_wanted;
      left = _mm_set1_epi16(-1);
      right = start;
      low_right = start_low;
      floor = std::numeric_limits<int>::max();
      passed = jumped = 0;
    }

    // n: how many of the members are of each class.
    template <bool Wide>
    EXACTREE_INLINE void step(Word member, __m128i n, const Word* classes, Word group_end,
                              bool limited) {
      const __m128i next = _mm_sub_epi16(left, n);
      int bound = all - 2 * 65535 + low_right + static_cast<int>(lowest(next) & 0xFFFF);
      if (bound < best) [[unlikely]] {
        bound = all - most_right(next, right);
        if (bound < best) {
          Word ends = group_end;
          if (limited) ends = admissible(ends, member, passed, first_rows, last_rows);
          best = within<Wide>(member, classes, ends, left, right, all, best);
          if (best <= low) done = true, reached = best, best = std::numeric_limits<int>::min() / 2;
        }
      } else {
        ++jumped;
      }
      floor = std::min(floor, bound);
      left = next;
      right = _mm_add_epi16(right, n);
      low_right = static_cast<int>(lowest(right) & 0xFFFF);
      if (limited) passed += count(member);
    }
    void end(Scan<int>& scan, Counters& counters) const {
      counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
      scan.best = done ? reached : best;
      scan.floor = done ? reached : std::max(best, floor);
    }
  };
  struct Passes {
    Pass side[2];
    Passes(const Scan<int> scan[2], const Workspace& work)
        : side{Pass(scan[0], work, 0), Pass(scan[1], work, 1)} {}
  };
  template <class Rank>
  void scan(int g, const Parting<Rank>& parting, const Word* group_end, bool limited, const int*,
            Passes& passes, Scan<int> scan[2], Workspace& work) const {
    Pass* pass = passes.side;
    for (int s = 0; s < 2; ++s) pass[s].begin(scan[s].wanted);
    if (classes_ > 4)
      choose<true>(g, parting, group_end, limited, pass);
    else
      choose<false>(g, parting, group_end, limited, pass);
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) pass[s].end(scan[s], work.counters);
  }
  std::int64_t bytes() const {
    return UnitTargets::bytes() + static_cast<std::int64_t>(words_of_.capacity() * sizeof(Word) +
                                                            counts_of_.capacity() * 2);
  }

 private:
  // Where the sums below leave the count of class c.
  static std::size_t lane(int c) {
#if EXACTREE_SIMD512
    return static_cast<std::size_t>(c);
#else
    constexpr std::size_t lanes[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    // Sums come as 64-bit lanes (0 1 | 2 3); the upper 128 bits are moved up by 32 bits, the
    // second four classes by 16.
    return lanes[c];
#endif
  }
  std::size_t at(int f, int w) const {
    return (static_cast<std::size_t>(f) * static_cast<std::size_t>(words_) +
            static_cast<std::size_t>(w)) *
           8;
  }
  static __m128i load(const std::uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
#if !EXACTREE_SIMD512
  EXACTREE_INLINE static __m256i popcounts(__m256i v) {
    const __m256i nibbles = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                             1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i a = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(v, low));
    const __m256i b = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
  }
#endif
  // How many of the rows are of each class. Wide: more than four classes.
  template <bool Wide>
  EXACTREE_INLINE static __m128i class_counts(Word rows, const Word* classes) {
#if EXACTREE_SIMD512
    const __m512i r = _mm512_set1_epi64(static_cast<long long>(rows));
    const __m512i n = _mm512_popcnt_epi64(_mm512_and_si512(r, _mm512_loadu_si512(classes)));
    return _mm512_maskz_cvtepi64_epi16(0xFF, n);
#else
    const __m256i r = _mm256_set1_epi64x(static_cast<long long>(rows));
    const auto* p = reinterpret_cast<const __m256i*>(classes);
    __m256i n = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p)));
    if (Wide) {
      const __m256i upper = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p + 1)));
      n = _mm256_or_si256(n, _mm256_slli_epi64(upper, 16));
    }
    return _mm_or_si128(_mm256_castsi256_si128(n),
                        _mm_slli_epi64(_mm256_extracti128_si256(n, 1), 32));
#endif
  }
  EXACTREE_INLINE static unsigned lowest(__m128i v) {  // value in the low, lane in the high half
    return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_minpos_epu16(v)));
  }
  // The most rows that are right with different labels on the two sides (with equal ones the split
  // is a leaf, which is known already).
  EXACTREE_INLINE static int most_right(__m128i left, __m128i right) {
    const unsigned a = lowest(left), b = lowest(right);
    const int la = static_cast<int>(a & 0xFFFF), lb = static_cast<int>(b & 0xFFFF);
    if ((a ^ b) >> 16 != 0) return 2 * 65535 - (la + lb);
    const __m128i lane_index = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i out = _mm_cmpeq_epi16(lane_index, _mm_set1_epi16(static_cast<short>(a >> 16)));
    const int a2 = static_cast<int>(lowest(_mm_or_si128(left, out)) & 0xFFFF);
    const int b2 = static_cast<int>(lowest(_mm_or_si128(right, out)) & 0xFFFF);
    return 2 * 65535 - std::min(la + b2, a2 + lb);
  }

  template <bool Wide, class Rank>
  void choose(int g, const Parting<Rank>& parting, const Word* ends, bool limited,
              Pass pass[2]) const {
    if (pass[0].wanted && pass[1].wanted)
      run<Wide, true, true>(g, parting, ends, limited, pass);
    else if (pass[0].wanted)
      run<Wide, true, false>(g, parting, ends, limited, pass);
    else
      run<Wide, false, true>(g, parting, ends, limited, pass);
  }
  template <bool Wide, bool Left, bool Right, class Rank>
  [[gnu::noinline]] void run(int g, const Parting<Rank>& parting, const Word* ends, bool limited,
                             Pass pass[2]) const {
    Pass left = pass[0], right = pass[1];
    for (int w = 0; w < parting.words; ++w) {
      const Word m = parting.left(w);
      const Word* classes = &words_of_[at(g, w)];
      const __m128i n = class_counts<Wide>(m, classes);
      if (Left) left.template step<Wide>(m, n, classes, ends[w], limited);
      if (Right) {
        // What is not on the left: the counts of the whole word are known.
        const __m128i rest = _mm_sub_epi16(load(&counts_of_[at(g, w)]), n);
        right.template step<Wide>(~m & parting.rows(w), rest, classes, ends[w], limited);
      }
      if ((!Left || left.done) && (!Right || right.done)) break;
    }
    pass[0] = left;
    pass[1] = right;
  }

  template <bool Wide>
  [[gnu::noinline]] static int within(Word member, const Word* classes, Word ends, __m128i left,
                                      __m128i right, int all, int best) {
    int err = all - most_right(left, right);
    for (;;) {
      const int need = err - best + 1;
      int from = 0;
      if (need > 0) {
        const Word at = kth_member(member, need);
        if (at == 0) return best;
        from = first(at);
      }
      const Word rest = ends & (~Word{0} << from);
      if (rest == 0) return best;
      const Word done = up_to(first(rest));
      const __m128i n = class_counts<Wide>(member & done, classes);
      left = _mm_sub_epi16(left, n);
      right = _mm_add_epi16(right, n);
      err = all - most_right(left, right);
      best = std::min(best, err);
      member &= ~done;
      ends &= ~done;
      if (best <= 0 || member == 0) return best;
    }
  }

  std::vector<Word> words_of_;            // per column and word: the words of the eight classes
  std::vector<std::uint16_t> counts_of_;  // and how many rows of each class it has
};

}  // namespace exactree::EXACTREE_ISA
#endif
