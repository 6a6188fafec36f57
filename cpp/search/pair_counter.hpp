// How many rows of a node over binary columns have two columns set, compiled per instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/binary_rows.hpp"

namespace exactree::EXACTREE_ISA {

// Rows of a node, class after class.
struct RowList {
  const std::uint32_t* rows = nullptr;
  const int* per_class = nullptr;
};

#if EXACTREE_SIMD
// Several rows at a time: a byte per column, with one bit for each of the rows.
struct RowBytes {
  const std::uint8_t* bytes = nullptr;
  int count = 0;

  RowBytes part(int from, int most, int stride) const {
    return {bytes + static_cast<std::ptrdiff_t>(from) * stride,
            std::max(0, std::min(most, count - from))};
  }
};

// How many of these rows have column i and each of 32 columns j set.
#if EXACTREE_SIMD512
struct ByteCounts {
  static constexpr int kRows = 8;
  __m256i of(std::uint8_t i) const { return _mm256_set1_epi8(static_cast<char>(i)); }
  static __m256i with(__m256i i, __m256i j) { return _mm256_popcnt_epi8(_mm256_and_si256(i, j)); }
};
#else
// A shuffle looks up how many of the four bits of j are in i.
struct ByteCounts {
  static constexpr int kRows = 4;
  ByteCounts() {
    for (int a = 0; a < 16; ++a)
      for (int b = 0; b < 32; ++b)
        both[a][b] = static_cast<std::uint8_t>(count(static_cast<Word>(a & b & 15)));
  }
  __m256i of(std::uint8_t i) const { return load_all(both[i]); }
  static __m256i with(__m256i i, __m256i j) { return _mm256_shuffle_epi8(i, j); }

  alignas(32) std::uint8_t both[16][32];
};
#endif
#endif

// Fills tables of pairs: a line of `stride` numbers for every column.
class PairCounter {
 public:
  // A table per class. Only the pairs (i, j) with j >= i, and those in the same 32 columns, are
  // sure to be there.
  template <class Count>
  void count_classes(const RowMatrix& rows, RowList list, int classes, Count* out) {
    for (int c = 0; c < classes; ++c, out += rows.table_size()) {
      count_class(rows, list.rows, list.per_class[c], out);
      list.rows += list.per_class[c];
    }
  }

#if EXACTREE_SIMD
  std::size_t bytes() const { return more_.bytes() + less_.bytes() + part_.bytes(); }

  // One table for two classes: rows of the second less rows of the first, for all pairs.
  template <class Count>
  void count_differences(const RowMatrix& rows, RowList list, Count* out) {
    const int first = list.per_class[0], second = list.per_class[1];
    const RowBytes minus = gather(rows, list.rows, first, less_);
    const RowBytes plus = gather(rows, list.rows + first, second, more_);
    if constexpr (sizeof(Count) == 1) {
      count_lines<true>(rows, plus, minus, reinterpret_cast<std::uint8_t*>(out));
    } else {
      const int stride = rows.stride();
      for (int x = 0; x == 0 || x < std::max(plus.count, minus.count); x += kMostSigned) {
        count_lines<true>(rows, plus.part(x, kMostSigned, stride),
                          minus.part(x, kMostSigned, stride), part(rows));
        add_part<true, std::int8_t>(rows, x == 0, out);
      }
    }
  }

 private:
  // A byte counts to 255, a signed one to 127.
  static constexpr int kMost = 255 / ByteCounts::kRows, kMostSigned = 127 / ByteCounts::kRows;

  std::uint8_t* part(const RowMatrix& rows) { return part_.room(rows.table_size()); }

  template <class Count>
  void count_class(const RowMatrix& rows, const std::uint32_t* list, int n, Count* out) {
    const RowBytes all = gather(rows, list, n, more_);
    if constexpr (sizeof(Count) == 1) {
      count_lines<false>(rows, all, {}, out);
    } else {
      for (int x = 0; x == 0 || x < all.count; x += kMost) {
        count_lines<false>(rows, all.part(x, kMost, rows.stride()), {}, part(rows));
        add_part<false, std::uint8_t>(rows, x == 0, out);
      }
    }
  }

  static RowBytes gather(const RowMatrix& rows, const std::uint32_t* list, int n,
                         Buffer<std::uint8_t>& room) {
    const int stride = rows.stride(), count = (n + ByteCounts::kRows - 1) / ByteCounts::kRows;
    std::uint8_t* const bytes =
        room.room(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride));
    std::uint8_t* to = bytes;
    for (int i = 0; i < n; i += ByteCounts::kRows, to += stride) {
      const int k = std::min(ByteCounts::kRows, n - i);
      for (int j = 0; j < stride; j += 32) {
        __m256i v = load_all(rows.row(list[i + k - 1]) + j);
        for (int r = k - 2; r >= 0; --r)
          v = _mm256_add_epi8(_mm256_add_epi8(v, v), load_all(rows.row(list[i + r]) + j));
        store_all(to + j, v);
      }
    }
    return {bytes, count};
  }

  // Two columns i against N times 32 columns j.
  template <int N>
  void count_block(RowBytes plus, RowBytes minus, int stride, int i, int j,
                   std::uint8_t* out) const {
    __m256i a[N], b[N];
    for (int k = 0; k < N; ++k) a[k] = b[k] = _mm256_setzero_si256();
    for (; minus.count > 0; --minus.count, minus.bytes += stride) {
      const __m256i with_a = bytes_.of(minus.bytes[i]), with_b = bytes_.of(minus.bytes[i + 1]);
      for (int k = 0; k < N; ++k) {
        const __m256i y = load_all(minus.bytes + j + 32 * k);
        a[k] = _mm256_sub_epi8(a[k], ByteCounts::with(with_a, y));
        b[k] = _mm256_sub_epi8(b[k], ByteCounts::with(with_b, y));
      }
    }
    for (; plus.count > 0; --plus.count, plus.bytes += stride) {
      const __m256i with_a = bytes_.of(plus.bytes[i]), with_b = bytes_.of(plus.bytes[i + 1]);
      for (int k = 0; k < N; ++k) {
        const __m256i y = load_all(plus.bytes + j + 32 * k);
        a[k] = _mm256_add_epi8(a[k], ByteCounts::with(with_a, y));
        b[k] = _mm256_add_epi8(b[k], ByteCounts::with(with_b, y));
      }
    }
    for (int k = 0; k < N; ++k) {
      store_all(out + j + 32 * k, a[k]);
      store_all(out + stride + j + 32 * k, b[k]);
    }
  }
  template <bool Square>
  void count_lines(const RowMatrix& rows, RowBytes plus, RowBytes minus, std::uint8_t* out) const {
    const int stride = rows.stride();
    for (int i = 0; i < rows.columns(); i += 2, out += 2 * stride)
      for (int j = Square ? 0 : i / 32 * 32; j < stride;) {
        const int n = std::min(4, (stride - j) / 32);
        if (n == 4) count_block<4>(plus, minus, stride, i, j, out);
        if (n == 3) count_block<3>(plus, minus, stride, i, j, out);
        if (n == 2) count_block<2>(plus, minus, stride, i, j, out);
        if (n == 1) count_block<1>(plus, minus, stride, i, j, out);
        j += 32 * n;
      }
  }
  template <bool Square, class Byte, class Count>
  void add_part(const RowMatrix& rows, bool first, Count* out) const {
    const int stride = rows.stride();
    const auto* from = reinterpret_cast<const Byte*>(part_.data());
    for (int i = 0; i < rows.columns(); ++i, from += stride, out += stride)
      for (int j = Square ? 0 : i / 32 * 32; j < stride; ++j)
        out[j] = static_cast<Count>((first ? 0 : out[j]) + from[j]);
  }

  ByteCounts bytes_;
  Buffer<std::uint8_t> more_, less_, part_;
#else
  std::size_t bytes() const { return set_.capacity() * sizeof set_[0]; }

  template <class Count>
  void count_differences(const RowMatrix& rows, RowList list, Count* out) {
    std::fill(out, out + rows.table_size(), Count{0});
    add_rows(rows, list.rows, list.per_class[0], -1, out);
    add_rows(rows, list.rows + list.per_class[0], list.per_class[1], 1, out);
  }

 private:
  template <class Count>
  void count_class(const RowMatrix& rows, const std::uint32_t* list, int n, Count* out) {
    std::fill(out, out + rows.table_size(), Count{0});
    add_rows(rows, list, n, 1, out);
  }
  template <class Count>
  void add_rows(const RowMatrix& rows, const std::uint32_t* list, int n, int by, Count* out) {
    const auto stride = static_cast<std::size_t>(rows.stride());
    for (; n > 0; --n, ++list) {
      set_.clear();
      for (int j = 0; j < rows.columns(); ++j)
        if (rows.row(*list)[j] != 0) set_.push_back(static_cast<std::uint32_t>(j));
      for (const auto i : set_)
        for (const auto j : set_) {
          Count& pair = out[i * stride + j];
          pair = static_cast<Count>(pair + by);
        }
    }
  }
  std::vector<std::uint32_t> set_;
#endif
};

}  // namespace exactree::EXACTREE_ISA
