// How many rows of a node over binary columns have two columns set, compiled per instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/binary/bit_rows.hpp"

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
        add_part<true>(rows, reinterpret_cast<const std::int8_t*>(part_.data()), x == 0, out);
      }
    }
  }
  // The same, and a table of the rows of both classes.
  template <class Count, class Total>
  void count_both(const RowMatrix& rows, RowList list, Count* out, Total* totals) {
    bool first = true;
    for (int c = 0; c < 2; ++c) {
      const RowBytes all = gather(rows, list.rows, list.per_class[c], more_);
      list.rows += list.per_class[c];
      for (int x = 0; x < all.count; x += kMost, first = false) {
        count_lines<true>(rows, all.part(x, kMost, rows.stride()), {}, part(rows));
        add_both(c == 0 ? -1 : 1, first, rows.table_size(), out, totals);
      }
    }
  }

 private:
  // A byte counts to 255, a signed one to 127.
  static constexpr int kMost = 255 / ByteCounts::kRows, kMostSigned = 127 / ByteCounts::kRows;

  // From so many bytes on, turning a table takes less than counting its other half.
  static constexpr int kWorthMirroring = 4;

  std::uint8_t* part(const RowMatrix& rows) { return part_.room(rows.table_size()); }

  template <class Count>
  void count_class(const RowMatrix& rows, const std::uint32_t* list, int n, Count* out) {
    const RowBytes all = gather(rows, list, n, more_);
    if constexpr (sizeof(Count) == 1) {
      count_lines<false>(rows, all, {}, out);
    } else {
      for (int x = 0; x == 0 || x < all.count; x += kMost) {
        count_lines<false>(rows, all.part(x, kMost, rows.stride()), {}, part(rows));
        add_part<false>(rows, part_.data(), x == 0, out);
      }
    }
  }

  static RowBytes gather(const RowMatrix& rows, const std::uint32_t* list, int n,
                         Buffer<std::uint8_t>& room) {
    const int stride = rows.stride(), count = (n + ByteCounts::kRows - 1) / ByteCounts::kRows;
    std::uint8_t* const bytes =
        room.room(static_cast<std::size_t>(count) * static_cast<std::size_t>(stride));
    std::uint8_t* to = bytes;
    for (; n >= ByteCounts::kRows; n -= ByteCounts::kRows, list += ByteCounts::kRows, to += stride)
      gather_rows(rows, list, ByteCounts::kRows, to);
    if (n > 0) gather_rows(rows, list, n, to);
    return {bytes, count};
  }

  EXACTREE_INLINE static void gather_rows(const RowMatrix& rows, const std::uint32_t* list, int n,
                                          std::uint8_t* to) {
    RowMatrix::Row row[ByteCounts::kRows];
    for (int r = 0; r < n; ++r) row[r] = rows.row(list[r]);
    for (int j = 0; j < rows.stride(); j += 32) {
      __m256i v = _mm256_setzero_si256();
      for (int r = n - 1; r >= 0; --r) v = RowMatrix::appended(v, row[r], j);
      store_all(to + j, v);
    }
  }

  // Two columns i against N times 32 columns j: rows of `plus` less rows of `minus`.
  template <int N>
  void count_block(RowBytes plus, RowBytes minus, int stride, int i, int j,
                   std::uint8_t* out) const {
    __m256i a[N], b[N];
    for (int k = 0; k < N; ++k) a[k] = b[k] = _mm256_setzero_si256();
    add_bytes<N>(minus, stride, i, j, a, b);
    const __m256i zero = _mm256_setzero_si256();
    for (int k = 0; k < N; ++k) {
      a[k] = _mm256_sub_epi8(zero, a[k]);
      b[k] = _mm256_sub_epi8(zero, b[k]);
    }
    add_bytes<N>(plus, stride, i, j, a, b);
    for (int k = 0; k < N; ++k) {
      store_all(out + j + 32 * k, a[k]);
      store_all(out + stride + j + 32 * k, b[k]);
    }
  }
  template <int N>
  EXACTREE_INLINE void add_bytes(RowBytes rows, int stride, int i, int j, __m256i* a,
                                 __m256i* b) const {
    const std::uint8_t* bytes = rows.bytes;
    for (int x = 0; x < rows.count; ++x, bytes += stride) {
      const __m256i with_a = bytes_.of(bytes[i]), with_b = bytes_.of(bytes[i + 1]);
      for (int k = 0; k < N; ++k) {
        const __m256i y = load_all(bytes + j + 32 * k);
        a[k] = _mm256_add_epi8(a[k], ByteCounts::with(with_a, y));
        b[k] = _mm256_add_epi8(b[k], ByteCounts::with(with_b, y));
      }
    }
  }
  template <bool Square>
  void count_lines(const RowMatrix& rows, RowBytes plus, RowBytes minus, std::uint8_t* out) const {
    const int stride = rows.stride();
    const bool mirrors = Square && plus.count + minus.count >= kWorthMirroring;
    std::uint8_t* line = out;
    for (int i = 0; i < rows.columns(); i += 2, line += 2 * stride)
      for (int j = Square && !mirrors ? 0 : i / 32 * 32; j < stride;) {
        const int n = std::min(4, (stride - j) / 32);
        if (n == 4) count_block<4>(plus, minus, stride, i, j, line);
        if (n == 3) count_block<3>(plus, minus, stride, i, j, line);
        if (n == 2) count_block<2>(plus, minus, stride, i, j, line);
        if (n == 1) count_block<1>(plus, minus, stride, i, j, line);
        j += 32 * n;
      }
    if (mirrors) mirror(rows, out);
  }
  // The pair (j, i) is the pair (i, j).
  static void mirror(const RowMatrix& rows, std::uint8_t* table) {
    const int stride = rows.stride();
    for (int j = 32; j < stride; j += 32)
      for (int i = 0; i < j; i += 16)
        mirror_block(table + static_cast<std::ptrdiff_t>(i) * stride + j, stride,
                     std::min(32, rows.columns() - j),
                     table + static_cast<std::ptrdiff_t>(j) * stride + i);
  }
  // 16 lines of 32 numbers become `columns` lines of 16. Each stage interleaves the first half of
  // the registers with the second, in both halves of a register alike.
  static void mirror_block(const std::uint8_t* from, int stride, int columns, std::uint8_t* to) {
    __m256i x[16], y[16];
    for (int k = 0; k < 16; ++k) x[k] = load_all(from + k * stride);
    for (int stage = 0; stage < 2; ++stage) {
      interleave(x, y);
      interleave(y, x);
    }
    for (int k = 0; k < std::min(16, columns); ++k)
      store_half(to + k * stride, _mm256_castsi256_si128(x[k]));
    for (int k = 16; k < columns; ++k)
      store_half(to + k * stride, _mm256_extracti128_si256(x[k - 16], 1));
  }
  static void interleave(const __m256i* x, __m256i* y) {
    for (int k = 0; k < 8; ++k) {
      y[2 * k] = _mm256_unpacklo_epi8(x[k], x[k + 8]);
      y[2 * k + 1] = _mm256_unpackhi_epi8(x[k], x[k + 8]);
    }
  }
  template <class Count, class Total>
  void add_both(int sign, bool first, std::size_t size, Count* out, Total* totals) const {
    const std::uint8_t* from = part_.data();
    for (std::size_t k = 0; k < size; ++k) {
      out[k] = static_cast<Count>((first ? 0 : out[k]) + sign * from[k]);
      totals[k] = static_cast<Total>((first ? 0 : totals[k]) + from[k]);
    }
  }
  template <bool Square, class Byte, class Count>
  static void add_part(const RowMatrix& rows, const Byte* from, bool first, Count* out) {
    const int stride = rows.stride();
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
  template <class Count, class Total>
  void count_both(const RowMatrix& rows, RowList list, Count* out, Total* totals) {
    count_differences(rows, list, out);
    count_class(rows, list.rows, list.per_class[0] + list.per_class[1], totals);
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
        if (rows.has(*list, j)) set_.push_back(static_cast<std::uint32_t>(j));
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
