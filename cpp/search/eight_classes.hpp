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

  void scan(int g, const Word* member, const Word* group_end, bool limited, int s, Scan<int>& scan,
            Workspace& work) const {
    std::uint16_t n[8] = {};
    for (std::size_t c = 0; c < total_.size(); ++c)
      n[lane(static_cast<int>(c))] = static_cast<std::uint16_t>(work.class_cost[s][c]);
    const __m128i right = load(n);
    if (classes_ > 4)
      pass<true>(g, member, group_end, limited, right, work.side_rows[s], scan, work.counters);
    else
      pass<false>(g, member, group_end, limited, right, work.side_rows[s], scan, work.counters);
  }
  std::int64_t bytes() const {
    return UnitTargets::bytes() + static_cast<std::int64_t>(words_of_.capacity() * sizeof(Word) +
                                                            counts_of_.capacity() * 2);
  }

 private:
  // Where the sums below leave the count of class c.
  static std::size_t lane(int c) {
    constexpr std::size_t lanes[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    // Sums come as 64-bit lanes (0 1 | 2 3); the upper 128 bits are moved up by 32 bits, the
    // second four classes by 16.
    return lanes[c];
  }
  std::size_t at(int f, int w) const {
    return (static_cast<std::size_t>(f) * static_cast<std::size_t>(words_) +
            static_cast<std::size_t>(w)) *
           8;
  }
  static __m128i load(const std::uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static __m256i popcounts(__m256i v) {
    const __m256i nibbles = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                             1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i a = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(v, low));
    const __m256i b = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
  }
  // How many of the rows are of each class. Wide: more than four classes.
  template <bool Wide>
  static __m128i class_counts(Word rows, const Word* classes) {
    const __m256i r = _mm256_set1_epi64x(static_cast<long long>(rows));
    const auto* p = reinterpret_cast<const __m256i*>(classes);
    __m256i n = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p)));
    if (Wide) {
      const __m256i upper = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p + 1)));
      n = _mm256_or_si256(n, _mm256_slli_epi64(upper, 16));
    }
    return _mm_or_si128(_mm256_castsi256_si128(n),
                        _mm_slli_epi64(_mm256_extracti128_si256(n, 1), 32));
  }
  static unsigned lowest(__m128i v) {  // value in the low, lane in the high half
    return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_minpos_epu16(v)));
  }
  // The most rows that are right with different labels on the two sides (with equal ones the split
  // is a leaf, which is known already).
  static int most_right(__m128i left, __m128i right) {
    const unsigned a = lowest(left), b = lowest(right);
    const int la = static_cast<int>(a & 0xFFFF), lb = static_cast<int>(b & 0xFFFF);
    if ((a ^ b) >> 16 != 0) return 2 * 65535 - (la + lb);
    alignas(16) std::uint16_t shut[8] = {};
    shut[a >> 16] = 0xFFFF;
    const __m128i out = _mm_load_si128(reinterpret_cast<const __m128i*>(shut));
    const int a2 = static_cast<int>(lowest(_mm_or_si128(left, out)) & 0xFFFF);
    const int b2 = static_cast<int>(lowest(_mm_or_si128(right, out)) & 0xFFFF);
    return 2 * 65535 - std::min(la + b2, a2 + lb);
  }

  template <bool Wide>
  void pass(int g, const Word* member, const Word* group_end, bool limited, __m128i counts, int all,
            Scan<int>& scan, Counters& counters) const {
    const __m128i none = _mm_set1_epi16(-1);
    __m128i left = none, right = _mm_sub_epi16(none, counts);
    int best = scan.best, passed = 0, jumped = 0, floor = std::numeric_limits<int>::max();
    int low_right = static_cast<int>(lowest(right) & 0xFFFF);
    for (int w = 0; w < words_; ++w) {
      const Word m = member[w];
      const Word* classes = &words_of_[at(g, w)];
      const __m128i n = class_counts<Wide>(m, classes);
      const __m128i next = _mm_sub_epi16(left, n);
      int bound = all - 2 * 65535 + low_right + static_cast<int>(lowest(next) & 0xFFFF);
      if (bound < best) [[unlikely]] {
        bound = all - most_right(next, right);
        if (bound < best) {
          Word ends = group_end[w];
          if (limited) ends = admissible(ends, m, passed, scan.first_rows, scan.last_rows);
          best = within<Wide>(m, classes, ends, left, right, all, best);
          if (best <= scan.low) {
            scan.best = scan.floor = best;
            return;
          }
        }
      } else {
        ++jumped;
      }
      floor = std::min(floor, bound);
      left = next;
      right = _mm_add_epi16(right, n);
      low_right = static_cast<int>(lowest(right) & 0xFFFF);
      if (limited) passed += count(m);
    }
    counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
    scan.best = best;
    scan.floor = std::max(best, floor);
  }

  template <bool Wide>
  static int within(Word member, const Word* classes, Word ends, __m128i left, __m128i right,
                    int all, int best) {
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
