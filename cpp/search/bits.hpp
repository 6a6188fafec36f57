// Words of 64 rows: the few operations that are worth an instruction set of their own.
//
// This file is compiled once per instruction set (EXACTREE_ISA); the plain variants are what
// every processor can do, the others use popcnt, BMI2 and AVX2, or the masks of AVX-512.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__) && defined(__BMI2__)
#include <immintrin.h>
#define EXACTREE_SIMD 1
#else
#define EXACTREE_SIMD 0
#endif
#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__) && \
    defined(__AVX512VPOPCNTDQ__) && defined(__AVX512BITALG__)
#define EXACTREE_SIMD512 1
#else
#define EXACTREE_SIMD512 0
#endif

namespace exactree::EXACTREE_ISA {

// For the few functions whose call would cost more than their work.
#define EXACTREE_INLINE [[gnu::always_inline]] inline

using Word = std::uint64_t;

// Whether this copy is for other processors than the one it is built on: one width of integers will
// do then, and is compiled in half the time.
#ifdef EXACTREE_SPARE
inline constexpr bool kSpare = true;
#else
inline constexpr bool kSpare = false;
#endif

EXACTREE_INLINE int count(Word w) {
  return std::popcount(w);
}
inline int first(Word w) {
  return std::countr_zero(w);
}
// The lowest k bits, k <= 64.
inline Word low_bits(int k) {
  return k >= 64 ? ~Word{0} : (Word{1} << k) - 1;
}
// The bits 0..k, k <= 63.
inline Word up_to(int k) {
  return ~Word{0} >> (63 - k);
}

// The k-th member of w (k >= 1) as a single bit; 0 if w has fewer.
EXACTREE_INLINE Word kth_member(Word w, int k) {
#if EXACTREE_SIMD
  return k > 64 ? 0 : _pdep_u64(Word{1} << (k - 1), w);
#else
  for (; w != 0 && k > 1; --k) w &= w - 1;
  return w & (~w + 1);
#endif
}

// The bits of w at the members of `at`, packed to the low end.
inline Word gather_bits(Word w, Word at) {
#if EXACTREE_SIMD
  return _pext_u64(w, at);
#else
  Word out = 0;
  for (int k = 0; at != 0; ++k, at &= at - 1)
    if (w & at & (~at + 1)) out |= Word{1} << k;
  return out;
#endif
}

#if EXACTREE_SIMD512
// Two masks as one, joined where masks live. Widened one by one to words, GCC 12 may keep the lower
// one on the stack as 32 bits and read it back as 64 (seen under ThreadSanitizer).
EXACTREE_INLINE Word both_halves(__mmask32 low, __mmask32 high) {
  return _cvtmask64_u64(_mm512_kunpackd(high, low));
}
#endif

// Bit i tells whether rank[i] < limit, for 64 ranks.
EXACTREE_INLINE Word below(const std::int8_t* rank, std::int8_t limit) {
#if EXACTREE_SIMD512
  return _cvtmask64_u64(_mm512_cmplt_epi8_mask(_mm512_loadu_si512(rank), _mm512_set1_epi8(limit)));
#elif EXACTREE_SIMD
  const __m256i t = _mm256_set1_epi8(limit);
  const auto half = [&](int i) {
    const __m256i r = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rank) + i);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpgt_epi8(t, r)));
  };
  return half(0) | static_cast<Word>(half(1)) << 32;
#else
  Word w = 0;
  for (int i = 0; i < 64; ++i) w |= static_cast<Word>(rank[i] < limit) << i;
  return w;
#endif
}

EXACTREE_INLINE Word below(const std::int16_t* rank, std::int16_t limit) {
#if EXACTREE_SIMD512
  const __m512i t = _mm512_set1_epi16(limit);
  return both_halves(_mm512_cmplt_epi16_mask(_mm512_loadu_si512(rank), t),
                     _mm512_cmplt_epi16_mask(_mm512_loadu_si512(rank + 32), t));
#elif EXACTREE_SIMD
  const __m256i t = _mm256_set1_epi16(limit);
  const auto* p = reinterpret_cast<const __m256i*>(rank);
  const auto half = [&](int i) {
    const __m256i a = _mm256_cmpgt_epi16(t, _mm256_loadu_si256(p + i));
    const __m256i b = _mm256_cmpgt_epi16(t, _mm256_loadu_si256(p + i + 1));
    // packs works within 128-bit lanes: the permutation puts the quarters back in order.
    const __m256i c = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(c));
  };
  return half(0) | static_cast<Word>(half(2)) << 32;
#else
  Word w = 0;
  for (int i = 0; i < 64; ++i) w |= static_cast<Word>(rank[i] < limit) << i;
  return w;
#endif
}

EXACTREE_INLINE Word below(const std::int32_t* rank, std::int32_t limit) {
#if EXACTREE_SIMD512
  const __m512i t = _mm512_set1_epi32(limit);
  const auto quarter = [&](int i) {
    return _mm512_cmplt_epi32_mask(_mm512_loadu_si512(rank + 16 * i), t);
  };
  return both_halves(_mm512_kunpackw(quarter(1), quarter(0)),
                     _mm512_kunpackw(quarter(3), quarter(2)));
#elif EXACTREE_SIMD
  const __m256i t = _mm256_set1_epi32(limit);
  Word w = 0;
  for (int i = 0; i < 8; ++i) {
    const __m256i r = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rank) + i);
    const __m256 c = _mm256_castsi256_ps(_mm256_cmpgt_epi32(t, r));
    w |= static_cast<Word>(static_cast<std::uint32_t>(_mm256_movemask_ps(c))) << (8 * i);
  }
  return w;
#else
  Word w = 0;
  for (int i = 0; i < 64; ++i) w |= static_cast<Word>(rank[i] < limit) << i;
  return w;
#endif
}

// Bit i tells whether rank[i] != rank[i + 1]: a group of equal values ends at i. Reads 65 ranks.
template <class Rank>
Word group_ends(const Rank* rank) {
  Word w = 0;
  for (int i = 0; i < 64; ++i) w |= static_cast<Word>(rank[i] != rank[i + 1]) << i;
  return w;
}
#if EXACTREE_SIMD512
template <>
inline Word group_ends(const std::int16_t* rank) {
  const auto half = [rank](int k) {
    const __m512i next = _mm512_loadu_si512(rank + k + 1);
    return _mm512_cmpneq_epi16_mask(_mm512_loadu_si512(rank + k), next);
  };
  return both_halves(half(0), half(32));
}
#elif EXACTREE_SIMD
template <>
inline Word group_ends(const std::int16_t* rank) {
  Word w = 0;
  for (int k = 0; k < 64; k += 16) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rank + k));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rank + k + 1));
    const __m256i eq = _mm256_cmpeq_epi16(a, b);
    const __m256i c = _mm256_permute4x64_epi64(_mm256_packs_epi16(eq, eq), 0xD8);
    w |= static_cast<Word>(~static_cast<std::uint32_t>(_mm256_movemask_epi8(c)) & 0xFFFF) << k;
  }
  return w;
}
#endif

// Which bytes of eight 16-bit lanes to keep for each of the 256 choices: built once per solve.
struct CompactionTable {
  alignas(16) std::uint8_t shuffle[256][16];
  CompactionTable() {
    std::memset(shuffle, 0x80, sizeof shuffle);
    for (int b = 0; b < 256; ++b)
      for (int i = 0, k = 0; i < 8; ++i)
        if (b >> i & 1) {
          shuffle[b][2 * k] = static_cast<std::uint8_t>(2 * i);
          shuffle[b][2 * k + 1] = static_cast<std::uint8_t>(2 * i + 1);
          ++k;
        }
  }
};

// Copies the values at the members of `keep` (whole words of 64) to `out`, in order. May write up
// to 64 values beyond the last. Returns how many were kept.
template <class T>
int compact(const T* in, const Word* keep, int words, T* out, const CompactionTable&) {
  T* o = out;
  for (int w = 0; w < words; ++w)
    for (Word v = keep[w]; v != 0; v &= v - 1) *o++ = in[w * 64 + first(v)];
  return static_cast<int>(o - out);
}
#if EXACTREE_SIMD512
template <>
inline int compact(const std::int16_t* in, const Word* keep, int words, std::int16_t* out,
                   const CompactionTable&) {
  std::int16_t* o = out;
  for (int w = 0; w < words; ++w) {
    for (int k = 0; k < 64; k += 32) {
      const auto v = static_cast<std::uint32_t>(keep[w] >> k);
      const __m512i lanes = _mm512_loadu_si512(in + w * 64 + k);
      _mm512_storeu_si512(o, _mm512_maskz_compress_epi16(v, lanes));
      o += std::popcount(v);
    }
  }
  return static_cast<int>(o - out);
}
#elif EXACTREE_SIMD
template <>
inline int compact(const std::int16_t* in, const Word* keep, int words, std::int16_t* out,
                   const CompactionTable& table) {
  std::int16_t* o = out;
  for (int w = 0; w < words; ++w) {
    const Word v = keep[w];
    const std::int16_t* s = in + w * 64;
    if (v == 0) continue;
    if (v == ~Word{0}) {
      std::memcpy(o, s, 64 * sizeof *s);
      o += 64;
      continue;
    }
    for (int k = 0; k < 8; ++k) {
      const int b = static_cast<int>(v >> (8 * k) & 255);
      const __m128i lanes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + 8 * k));
      const __m128i order = _mm_load_si128(reinterpret_cast<const __m128i*>(table.shuffle[b]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(o), _mm_shuffle_epi8(lanes, order));
      o += std::popcount(static_cast<unsigned>(b));
    }
  }
  return static_cast<int>(o - out);
}
#endif

#if EXACTREE_SIMD
template <>
inline int compact(const std::int8_t* in, const Word* keep, int words, std::int8_t* out,
                   const CompactionTable&) {
  std::int8_t* o = out;
  for (int w = 0; w < words; ++w) {
    const std::int8_t* s = in + w * 64;
#if EXACTREE_SIMD512
    const __m512i lanes = _mm512_maskz_compress_epi8(keep[w], _mm512_loadu_si512(s));
    _mm512_storeu_si512(o, lanes);
    o += count(keep[w]);
#else
    for (int k = 0; k < 64; k += 8) {
      const Word bits = keep[w] >> k & 255;
      Word bytes;
      std::memcpy(&bytes, s + k, 8);
      // Each bit as a byte of ones.
      bytes = _pext_u64(bytes, _pdep_u64(bits, 0x0101010101010101u) * 255);
      std::memcpy(o, &bytes, 8);
      o += count(bits);
    }
#endif
  }
  return static_cast<int>(o - out);
}
#endif

#if EXACTREE_SIMD512
inline constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 64> places{};
  for (std::size_t i = 0; i < 64; ++i) places[i] = static_cast<std::uint8_t>(i);
  return places;
}();
#endif
// Writes the members of a set of whole words, from 0 on. May write up to 64 values beyond the last.
inline void list_members(const Word* set, int words, std::uint32_t* out) {
  for (int w = 0; w < words; ++w) {
#if EXACTREE_SIMD512
    // The zeroing variants, since gcc warns of the others.
    const __m512i from = _mm512_set1_epi32(w * 64);
    __m512i members = _mm512_maskz_compress_epi8(set[w], _mm512_loadu_si512(kPlaces.data()));
    int n = count(set[w]);
    for (; n > 0; n -= 16, out += 16) {
      const __m128i next = _mm512_maskz_extracti32x4_epi32(0xF, members, 0);
      const __m512i wide = _mm512_maskz_cvtepu8_epi32(0xFFFF, next);
      _mm512_storeu_si512(out, _mm512_add_epi32(wide, from));
      members = _mm512_maskz_shuffle_i64x2(0xFF, members, members, 0x39);
    }
    out += n;  // the last 16 were not all members
#else
    for (Word v = set[w]; v != 0; v &= v - 1)
      *out++ = static_cast<std::uint32_t>(w * 64 + first(v));
#endif
  }
}

// Copies the bits at the members of `keep` to `out`, in order; fills `out` up to `out_words` with
// zeros.
inline void compact_bits(const Word* in, const Word* keep, int words, Word* out, int out_words) {
  Word pending = 0;
  int filled = 0;
  Word* o = out;
  for (int w = 0; w < words; ++w) {
    const Word v = keep[w];
    if (v == 0) continue;
    const Word bits = gather_bits(in[w], v);
    const int n = count(v);
    pending |= bits << filled;
    if (filled + n >= 64) {
      *o++ = pending;
      pending = filled != 0 ? bits >> (64 - filled) : 0;
      filled += n - 64;
    } else {
      filled += n;
    }
  }
  if (filled != 0) *o++ = pending;
  while (o < out + out_words) *o++ = 0;
}

// The bits of an array of so many, the first `n` of them last; there is at least one.
inline void rotate_bits(const Word* in, int bits, int n, Word* out, int words) {
  const int skip = n / 64, shift = n % 64;
  for (int w = 0; w < words; ++w) {
    const auto at = [&](int i) { return i < words ? in[i] : Word{0}; };
    out[w] = at(w + skip) >> shift;
    if (shift != 0) out[w] |= at(w + skip + 1) << (64 - shift);
  }
  const int from = bits - n;
  for (int i = 0; i < n; i += 64) {
    const Word v = n - i >= 64 ? in[i / 64] : in[i / 64] & low_bits(n - i);
    const int to = from + i, word = to / 64, by = to % 64;
    out[word] |= v << by;
    if (by != 0 && word + 1 < words) out[word + 1] |= v >> (64 - by);
  }
}

}  // namespace exactree::EXACTREE_ISA
