// A register of counts, one per column, that counts the rows two bit sets have in common.
//
// A lane is also as many rows as it has bits: lane j of a chunk is a piece of column j. So one
// instruction intersects a piece of one column with the same piece of many others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

// Memory on the boundaries of cache lines.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const LineAllocator<U>&) const {
    return true;
  }
};
template <class T>
using Lines = std::vector<T, LineAllocator<T>>;

#if EXACTREE_SIMD512
template <class Count>
struct CountLanes {
  static_assert(sizeof(Count) == 2 || sizeof(Count) == 4);
  static constexpr bool kHalf = sizeof(Count) == 2;
  static constexpr int kSize = 64 / static_cast<int>(sizeof(Count));
  __m512i v;

  static CountLanes zero() { return {_mm512_setzero_si512()}; }
  static CountLanes splat(Count x) {
    if constexpr (kHalf) return {_mm512_set1_epi16(static_cast<short>(x))};
    return {_mm512_set1_epi32(static_cast<int>(x))};
  }
  static CountLanes load(const Count* p) { return {_mm512_load_si512(p)}; }
  void store(Count* p) const { _mm512_store_si512(p, v); }
  friend CountLanes operator+(CountLanes a, CountLanes b) {
    if constexpr (kHalf) return {_mm512_add_epi16(a.v, b.v)};
    return {_mm512_add_epi32(a.v, b.v)};
  }
  friend CountLanes operator-(CountLanes a, CountLanes b) {
    if constexpr (kHalf) return {_mm512_sub_epi16(a.v, b.v)};
    return {_mm512_sub_epi32(a.v, b.v)};
  }
  friend CountLanes min(CountLanes a, CountLanes b) {
    if constexpr (kHalf) return {_mm512_maskz_min_epu16(~__mmask32{0}, a.v, b.v)};
    return {_mm512_maskz_min_epu32(0xFFFF, a.v, b.v)};
  }
  friend CountLanes max(CountLanes a, CountLanes b) {
    if constexpr (kHalf) return {_mm512_maskz_max_epu16(~__mmask32{0}, a.v, b.v)};
    return {_mm512_maskz_max_epu32(0xFFFF, a.v, b.v)};
  }
  // All bits of a lane that is at most `most`, else none.
  friend CountLanes at_most(CountLanes a, CountLanes most) {
    if constexpr (kHalf) return {_mm512_movm_epi16(_mm512_cmple_epu16_mask(a.v, most.v))};
    return {_mm512_movm_epi32(_mm512_cmple_epu32_mask(a.v, most.v))};
  }
  friend CountLanes operator|(CountLanes a, CountLanes b) { return {_mm512_or_si512(a.v, b.v)}; }
  // How many bits the lanes of two registers have in common, added to these.
  CountLanes plus_common(CountLanes a, CountLanes b) const {
    const __m512i both = _mm512_and_si512(a.v, b.v);
    if constexpr (kHalf) return *this + CountLanes{_mm512_popcnt_epi16(both)};
    return *this + CountLanes{_mm512_popcnt_epi32(both)};
  }
  Count smallest() const {
    if constexpr (kHalf) {
      const __m256i half = _mm256_min_epu16(_mm512_maskz_extracti64x4_epi64(0xF, v, 0),
                                            _mm512_maskz_extracti64x4_epi64(0xF, v, 1));
      const __m128i quarter =
          _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
      return static_cast<Count>(_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xFFFF);
    } else {
      alignas(64) Count all[kSize];
      store(all);
      return *std::min_element(all, all + kSize);
    }
  }
};
#else
// For the compiler to do what it can with.
template <class Count>
struct CountLanes {
  static constexpr int kSize = 32 / static_cast<int>(sizeof(Count));
  Count v[kSize];

  static CountLanes zero() { return splat(0); }
  static CountLanes splat(Count x) {
    CountLanes out;
    std::fill(out.v, out.v + kSize, x);
    return out;
  }
  static CountLanes load(const Count* p) {
    CountLanes out;
    std::copy(p, p + kSize, out.v);
    return out;
  }
  void store(Count* p) const { std::copy(v, v + kSize, p); }
  friend CountLanes operator+(CountLanes a, const CountLanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = static_cast<Count>(a.v[i] + b.v[i]);
    return a;
  }
  friend CountLanes operator-(CountLanes a, const CountLanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = static_cast<Count>(a.v[i] - b.v[i]);
    return a;
  }
  friend CountLanes min(CountLanes a, const CountLanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = std::min(a.v[i], b.v[i]);
    return a;
  }
  friend CountLanes max(CountLanes a, const CountLanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = std::max(a.v[i], b.v[i]);
    return a;
  }
  friend CountLanes at_most(CountLanes a, const CountLanes& most) {
    for (int i = 0; i < kSize; ++i)
      a.v[i] = a.v[i] <= most.v[i] ? static_cast<Count>(~Count{0}) : Count{0};
    return a;
  }
  friend CountLanes operator|(CountLanes a, const CountLanes& b) {
    for (int i = 0; i < kSize; ++i) a.v[i] = static_cast<Count>(a.v[i] | b.v[i]);
    return a;
  }
  CountLanes plus_common(const CountLanes& a, const CountLanes& b) const {
    CountLanes out = *this;
    for (int i = 0; i < kSize; ++i)
      out.v[i] = static_cast<Count>(out.v[i] + ones(static_cast<Count>(a.v[i] & b.v[i])));
    return out;
  }
  Count smallest() const { return *std::min_element(v, v + kSize); }

 private:
  // Bits summed in pairs, in fours, in bytes: no table, so that it goes for many lanes at once.
  static Count ones(Count x) {
    std::uint32_t w = x;
    w -= w >> 1 & 0x55555555u;
    w = (w & 0x33333333u) + (w >> 2 & 0x33333333u);
    w = (w + (w >> 4)) & 0x0F0F0F0Fu;
    w += w >> 8;
    if constexpr (sizeof(Count) == 4) w += w >> 16;
    return static_cast<Count>(w & 0x3F);
  }
};
#endif

}  // namespace exactree::EXACTREE_ISA
