// A register of counts, compiled per instruction set: 8, 16 or 32 bits each, or sums of 64.
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

// The plain variant: as many counts as 16 bytes hold, for the compiler to do what it can with.
template <class Count>
struct Lanes {
  static constexpr int kSize = 16 / static_cast<int>(sizeof(Count));
  Count v[kSize];

  static Lanes zero() { return splat(0); }
  static Lanes splat(Count x) {
    Lanes out;
    std::fill(out.v, out.v + kSize, x);
    return out;
  }
  static Lanes load(const Count* p) {
    Lanes out;
    std::copy(p, p + kSize, out.v);
    return out;
  }
  template <class Narrow>
  static Lanes load_narrow(const Narrow* p) {
    Lanes out;
    for (int i = 0; i < kSize; ++i) out.v[i] = static_cast<Count>(p[i]);
    return out;
  }
  void store(Count* p) const { std::copy(v, v + kSize, p); }
  friend Lanes operator+(Lanes a, const Lanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = static_cast<Count>(a.v[i] + b.v[i]);
    return a;
  }
  friend Lanes operator-(Lanes a, const Lanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = static_cast<Count>(a.v[i] - b.v[i]);
    return a;
  }
  friend Lanes max(Lanes a, const Lanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = std::max(a.v[i], b.v[i]);
    return a;
  }
  friend Lanes min(Lanes a, const Lanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = std::min(a.v[i], b.v[i]);
    return a;
  }
  Count largest() const { return *std::max_element(v, v + kSize); }
};

#if EXACTREE_SIMD
inline __m128i load_half(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
inline void store_half(void* p, __m128i x) {
  _mm_storeu_si128(static_cast<__m128i*>(p), x);
}
inline __m256i load_all(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
inline void store_all(void* p, __m256i x) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), x);
}

template <>
struct Lanes<std::uint8_t> {
  static constexpr int kSize = 32;
  __m256i v;

  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes splat(std::uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
  static Lanes load(const std::uint8_t* p) { return {load_all(p)}; }
  static Lanes load_narrow(const std::uint8_t* p) { return load(p); }
  void store(std::uint8_t* p) const { store_all(p, v); }
  friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_epi8(a.v, b.v)}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_epi8(a.v, b.v)}; }
  friend Lanes max(Lanes a, Lanes b) { return {_mm256_max_epu8(a.v, b.v)}; }
  std::uint8_t largest() const {
    __m128i x = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    x = _mm_max_epu8(x, _mm_srli_epi16(x, 8));
    // minpos finds the smallest of eight: that of the complements.
    x = _mm_sub_epi16(_mm_set1_epi16(255), _mm_and_si128(x, _mm_set1_epi16(255)));
    return static_cast<std::uint8_t>(255 - (_mm_cvtsi128_si32(_mm_minpos_epu16(x)) & 255));
  }
};

template <>
struct Lanes<std::int8_t> {
  static constexpr int kSize = 32;
  __m256i v;

  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes splat(std::int8_t x) { return {_mm256_set1_epi8(x)}; }
  static Lanes load(const std::int8_t* p) { return {load_all(p)}; }
  static Lanes load_narrow(const std::int8_t* p) { return load(p); }
  void store(std::int8_t* p) const { store_all(p, v); }
  friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_epi8(a.v, b.v)}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_epi8(a.v, b.v)}; }
  friend Lanes max(Lanes a, Lanes b) { return {_mm256_max_epi8(a.v, b.v)}; }
  friend Lanes min(Lanes a, Lanes b) { return {_mm256_min_epi8(a.v, b.v)}; }
};

template <>
struct Lanes<std::int16_t> {
  static constexpr int kSize = 16;
  __m256i v;

  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes splat(std::int16_t x) { return {_mm256_set1_epi16(x)}; }
  static Lanes load(const std::int16_t* p) { return {load_all(p)}; }
  static Lanes load_narrow(const std::uint8_t* p) { return {_mm256_cvtepu8_epi16(load_half(p))}; }
  static Lanes load_narrow(const std::int8_t* p) { return {_mm256_cvtepi8_epi16(load_half(p))}; }
  static Lanes load_narrow(const std::int16_t* p) { return load(p); }
  void store(std::int16_t* p) const { store_all(p, v); }
  friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_epi16(a.v, b.v)}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_epi16(a.v, b.v)}; }
  friend Lanes max(Lanes a, Lanes b) { return {_mm256_max_epi16(a.v, b.v)}; }
  friend Lanes min(Lanes a, Lanes b) { return {_mm256_min_epi16(a.v, b.v)}; }
  std::int16_t largest() const {
    __m128i x = _mm_max_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    x = _mm_sub_epi16(_mm_set1_epi16(32767), x);
    return static_cast<std::int16_t>(32767 - (_mm_cvtsi128_si32(_mm_minpos_epu16(x)) & 0xFFFF));
  }
};

template <>
struct Lanes<std::int32_t> {
  static constexpr int kSize = 8;
  __m256i v;

  static Lanes zero() { return {_mm256_setzero_si256()}; }
  static Lanes splat(std::int32_t x) { return {_mm256_set1_epi32(x)}; }
  static Lanes load(const std::int32_t* p) { return {load_all(p)}; }
  static Lanes load_narrow(const std::uint8_t* p) {
    return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  static Lanes load_narrow(const std::int8_t* p) {
    return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
  }
  static Lanes load_narrow(const std::int32_t* p) { return load(p); }
  void store(std::int32_t* p) const { store_all(p, v); }
  friend Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_epi32(a.v, b.v)}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_epi32(a.v, b.v)}; }
  friend Lanes max(Lanes a, Lanes b) { return {_mm256_max_epi32(a.v, b.v)}; }
  friend Lanes min(Lanes a, Lanes b) { return {_mm256_min_epi32(a.v, b.v)}; }
  // All ones where two lanes are equal.
  friend Lanes equal(Lanes a, Lanes b) { return {_mm256_cmpeq_epi32(a.v, b.v)}; }
  // Of each lane the one if all its bits are set here, the other if none is.
  Lanes choose(Lanes one, Lanes other) const { return {_mm256_blendv_epi8(other.v, one.v, v)}; }
  // Which lanes are below a number, as bits.
  unsigned below(std::int32_t x) const {
    const __m256i less = _mm256_cmpgt_epi32(_mm256_set1_epi32(x), v);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(less)));
  }
  std::int32_t largest() const {
    alignas(32) std::int32_t x[8];
    store(x);
    return *std::max_element(x, x + 8);
  }
};
#endif
#if EXACTREE_SIMD512
template <>
struct Lanes<std::int64_t> {
  static constexpr int kSize = 8;
  __m512i v;

  static Lanes zero() { return {_mm512_setzero_si512()}; }
  static Lanes splat(std::int64_t x) { return {_mm512_set1_epi64(x)}; }
  static Lanes load(const std::int64_t* p) { return {_mm512_loadu_si512(p)}; }
  static Lanes load_narrow(const std::int64_t* p) { return load(p); }
  void store(std::int64_t* p) const { _mm512_storeu_si512(p, v); }
  friend Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_epi64(a.v, b.v)}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_epi64(a.v, b.v)}; }
  friend Lanes max(Lanes a, Lanes b) { return {_mm512_max_epi64(a.v, b.v)}; }
  friend Lanes min(Lanes a, Lanes b) { return {_mm512_min_epi64(a.v, b.v)}; }
  std::int64_t largest() const { return _mm512_reduce_max_epi64(v); }
};
#endif

// Absolute values. Those of bytes are told apart up to 255, so that two can be added.
template <class Count>
Lanes<Count> magnitude(const Lanes<Count>& a) {
  return max(a, Lanes<Count>::zero() - a);
}
#if EXACTREE_SIMD
inline Lanes<std::uint8_t> magnitude(const Lanes<std::int8_t>& a) {
  return {_mm256_abs_epi8(a.v)};
}
#else
inline Lanes<std::uint8_t> magnitude(const Lanes<std::int8_t>& a) {
  Lanes<std::uint8_t> out;
  for (int i = 0; i < a.kSize; ++i)
    out.v[i] = static_cast<std::uint8_t>(a.v[i] < 0 ? -a.v[i] : a.v[i]);
  return out;
}
#endif

}  // namespace exactree::EXACTREE_ISA
