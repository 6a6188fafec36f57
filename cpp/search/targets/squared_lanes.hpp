// A register of numbers (Lanes64), compiled per instruction set, and the rows of a word as its
// lanes.
//
// The 64 rows of a word are as many blocks of consecutive rows as a register has lanes; a block
// goes down its lane. So the numbers of a word are stored folded: the first rows of all blocks,
// then the second ones, and so on.
#pragma once

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

#if EXACTREE_SIMD512

struct Lanes64 {
  static constexpr int kSize = 8;
  // GCC takes the operands that the forms without a mask leave undefined for mistakes.
  static constexpr __mmask8 kAll = 0xFF;
  __m512d v;

  static Lanes64 splat(double x) { return {_mm512_set1_pd(x)}; }
  static Lanes64 load(const double* p) { return {_mm512_loadu_pd(p)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
  Lanes64 operator+(Lanes64 o) const { return {_mm512_add_pd(v, o.v)}; }
  Lanes64 operator-(Lanes64 o) const { return {_mm512_sub_pd(v, o.v)}; }
  Lanes64 operator*(Lanes64 o) const { return {_mm512_mul_pd(v, o.v)}; }
  Lanes64 absolute() const { return {_mm512_abs_pd(v)}; }
  static Lanes64 lower(Lanes64 a, Lanes64 b) { return {_mm512_maskz_min_pd(kAll, a.v, b.v)}; }
  static Lanes64 higher(Lanes64 a, Lanes64 b) { return {_mm512_maskz_max_pd(kAll, a.v, b.v)}; }
  // Bit i tells whether lane i of a is above that of b.
  static unsigned above(Lanes64 a, Lanes64 b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ); }
  // Each lane with all before it.
  Lanes64 running() const {
    const __m512i zero = _mm512_setzero_si512();
    const auto bits = [](__m512d x) { return _mm512_castpd_si512(x); };
    const auto real = [](__m512i x) { return _mm512_castsi512_pd(x); };
    __m512d x = _mm512_add_pd(v, real(_mm512_maskz_alignr_epi64(kAll, bits(v), zero, 7)));
    x = _mm512_add_pd(x, real(_mm512_maskz_alignr_epi64(kAll, bits(x), zero, 6)));
    return {_mm512_add_pd(x, real(_mm512_maskz_alignr_epi64(kAll, bits(x), zero, 4)))};
  }
  // The last lane in all of them.
  Lanes64 last() const { return {_mm512_maskz_permutexvar_pd(kAll, _mm512_set1_epi64(7), v)}; }
  // How many members each block has, and all blocks up to it.
  static void count_blocks(Word w, Lanes64& own, Lanes64& up_to) {
    const __m512i ends = _mm512_setr_epi64(0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF,
                                           0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, -1);
    const __m512i starts = _mm512_setr_epi64(0, 8, 16, 24, 32, 40, 48, 56);
    const __m512i all = _mm512_set1_epi64(static_cast<long long>(w));
    const __m512i block =
        _mm512_and_si512(_mm512_maskz_srlv_epi64(kAll, all, starts), _mm512_set1_epi64(0xFF));
    own.v = _mm512_cvtepi64_pd(_mm512_popcnt_epi64(block));
    up_to.v = _mm512_cvtepi64_pd(_mm512_popcnt_epi64(_mm512_and_si512(all, ends)));
  }
};

// The members of a word, from the last row of every block to the first.
class Picked {
 public:
  explicit Picked(Word w) : rest_(w) {}
  // The blocks that have a member.
  static unsigned any(Word w) {
    const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(w));
    return _mm_test_epi8_mask(bytes, bytes) & 0xFFu;
  }
  void next() { rest_ <<= 1; }
  unsigned bits() const { return static_cast<unsigned>(_pext_u64(rest_, 0x8080808080808080)); }
  Lanes64 add(Lanes64 to, Lanes64 x) const {
    return {_mm512_mask_add_pd(to.v, static_cast<__mmask8>(bits()), to.v, x.v)};
  }
  Lanes64 take(Lanes64 from, Lanes64 x) const {
    return {_mm512_mask_sub_pd(from.v, static_cast<__mmask8>(bits()), from.v, x.v)};
  }

 private:
  Word rest_;
};

#elif EXACTREE_SIMD

struct Lanes64 {
  static constexpr int kSize = 4;
  __m256d v;

  static Lanes64 splat(double x) { return {_mm256_set1_pd(x)}; }
  static Lanes64 load(const double* p) { return {_mm256_loadu_pd(p)}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
  Lanes64 operator+(Lanes64 o) const { return {_mm256_add_pd(v, o.v)}; }
  Lanes64 operator-(Lanes64 o) const { return {_mm256_sub_pd(v, o.v)}; }
  Lanes64 operator*(Lanes64 o) const { return {_mm256_mul_pd(v, o.v)}; }
  Lanes64 absolute() const { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), v)}; }
  static Lanes64 lower(Lanes64 a, Lanes64 b) { return {_mm256_min_pd(a.v, b.v)}; }
  static Lanes64 higher(Lanes64 a, Lanes64 b) { return {_mm256_max_pd(a.v, b.v)}; }
  // Bit i tells whether lane i of a is above that of b.
  static unsigned above(Lanes64 a, Lanes64 b) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a.v, b.v, _CMP_GT_OQ)));
  }
  // Each lane with all before it.
  Lanes64 running() const {
    const __m256d zero = _mm256_setzero_pd();
    const __m256d pairs = _mm256_add_pd(v, _mm256_shuffle_pd(zero, v, 0));
    const __m256d low = _mm256_permute4x64_pd(pairs, 0x55);
    return {_mm256_add_pd(pairs, _mm256_blend_pd(zero, low, 12))};
  }
  // The last lane in all of them.
  Lanes64 last() const { return {_mm256_permute4x64_pd(v, 0xFF)}; }
  // How many members each block has, and all blocks up to it.
  static void count_blocks(Word w, Lanes64& own, Lanes64& up_to) {
    const int a = count(w & 0xFFFF), b = count(w & 0xFFFFFFFF), c = count(w & 0xFFFFFFFFFFFF);
    const int d = count(w);
    own.v = _mm256_setr_pd(a, b - a, c - b, d - c);
    up_to.v = _mm256_setr_pd(a, b, c, d);
  }
};

// The members of a word, from the last row of every block to the first.
class Picked {
 public:
  // The sign of a lane tells whether its row is a member.
  explicit Picked(Word w)
      : rest_(_mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<long long>(w)),
                                _mm256_setr_epi64x(48, 32, 16, 0))) {}
  // The blocks that have a member.
  static unsigned any(Word w) {
    return ((w & 0xFFFF) != 0 ? 1u : 0u) | ((w & 0xFFFF0000) != 0 ? 2u : 0u) |
           ((w & 0xFFFF00000000) != 0 ? 4u : 0u) | (w >> 48 != 0 ? 8u : 0u);
  }
  void next() { rest_ = _mm256_slli_epi64(rest_, 1); }
  unsigned bits() const {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(rest_)));
  }
  Lanes64 add(Lanes64 to, Lanes64 x) const { return to + Lanes64{of(x)}; }
  Lanes64 take(Lanes64 from, Lanes64 x) const { return from - Lanes64{of(x)}; }

 private:
  __m256d of(Lanes64 x) const {
    return _mm256_blendv_pd(_mm256_setzero_pd(), x.v, _mm256_castsi256_pd(rest_));
  }
  __m256i rest_;
};

#endif

}  // namespace exactree::EXACTREE_ISA
