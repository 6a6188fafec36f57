// The rows of a node over binary columns as bytes, and how many of them have two columns set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "search/bits.hpp"
#include "search/lanes.hpp"

namespace exactree::EXACTREE_ISA {

// Room that only grows and is not cleared.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  T* room(std::size_t n) {
    if (n > size_) {
      release();
      size_ = n + n / 2 + 64;
      data_ = static_cast<T*>(::operator new(size_ * sizeof(T), std::align_val_t{64}));
    }
    return data_;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  void release() {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t{64});
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// One bit of each of eight bytes, transposed: bit b of byte z becomes bit z of byte b.
inline Word transposed(Word x) {
  Word t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
  x = x ^ t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
  x = x ^ t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
  return x ^ t ^ (t << 28);
}
// Every bit of a byte as a byte of its own.
inline Word spread(Word byte) {
#if EXACTREE_SIMD
  return _pdep_u64(byte, 0x0101010101010101);
#else
  Word out = 0;
  for (int z = 0; z < 8; ++z) out |= (byte >> z & 1) << (8 * z);
  return out;
#endif
}

// The rows of a node, class after class, one byte per column: 0 or 1.
class RowMatrix {
 public:
  // From `columns` bit sets of `words` words each, of which the members of `keep` are rows.
  void build(const Word* bits, int columns, const Word* keep, int words, int rows) {
    columns_ = columns;
    rows_ = rows;
    stride_ = std::max(1, (columns + 31) / 32) * 32;
    words_ = (rows + 63) / 64;
    Word* packed = packed_.room(static_cast<std::size_t>(stride_) * at(words_));
    for (int j = 0; j < columns; ++j)
      compact_bits(bits + at(j) * at(words), keep, words, packed + at(j) * at(words_), words_);
    std::fill(packed + at(columns) * at(words_), packed + at(stride_) * at(words_), Word{0});
    std::uint8_t* bytes = bytes_.room(at(words_) * 64 * at(stride_));
    for (int w = 0; w < words_; ++w)
      for (int j = 0; j < stride_; j += 8) write_block(w, j, bytes);
  }

  int columns() const { return columns_; }
  int stride() const { return stride_; }
  int rows() const { return rows_; }
  const std::uint8_t* row(std::uint32_t i) const { return bytes_.data() + i * at(stride_); }
  // The rows with column j set.
  void list(int j, std::uint32_t* out) const {
    const Word* p = packed_.data() + at(j) * at(words_);
    for (int w = 0; w < words_; ++w)
      for (Word v = p[w]; v != 0; v &= v - 1)
        *out++ = static_cast<std::uint32_t>(w * 64 + first(v));
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // 64 rows of eight columns.
  void write_block(int w, int j, std::uint8_t* bytes) {
    Word in[8];
    for (int z = 0; z < 8; ++z) in[z] = packed_.data()[at(j + z) * at(words_) + at(w)];
    const int last = std::min(64, rows_ - w * 64);
    for (int b = 0; 8 * b < last; ++b) {
      Word x = 0;
      for (int z = 0; z < 8; ++z) x |= (in[z] >> (8 * b) & 255) << (8 * z);
      x = transposed(x);
      std::uint8_t* to = bytes + at(w * 64 + 8 * b) * at(stride_) + at(j);
      for (int z = 0; z < 8; ++z, x >>= 8, to += stride_) {
        const Word out = spread(x & 255);
        std::memcpy(to, &out, 8);
      }
    }
  }

  int columns_ = 0, rows_ = 0, stride_ = 0, words_ = 0;
  Buffer<Word> packed_;  // per column, rows packed
  Buffer<std::uint8_t> bytes_;
};

// Counts, per class, the rows of a list that have both of two columns set. The list goes through
// the classes in order. Only the pairs (i, j) with j >= i, and those in the same 32 columns, are
// sure to be counted.
class PairCounter {
 public:
#if EXACTREE_SIMD
  PairCounter() {
    for (int a = 0; a < 16; ++a)
      for (int b = 0; b < 32; ++b)
        both_[a][b] = static_cast<std::uint8_t>(count(static_cast<Word>(a & b & 15)));
  }
#endif

  static std::size_t table_size(const RowMatrix& rows) {
    return static_cast<std::size_t>(rows.columns() + 2) * static_cast<std::size_t>(rows.stride());
  }

#if EXACTREE_SIMD
  // Four rows at a time: a nibble per column, and a table of 16 entries tells how many of the four
  // have i set as well. One shuffle looks up 32 columns j.
  template <class Count>
  void count_pairs(const RowMatrix& rows, const std::uint32_t* list, const int* per_class,
                   int classes, Count* out) {
    for (int c = 0; c < classes; ++c, out += table_size(rows)) {
      const int chunks = gather(rows, list, per_class[c]);
      list += per_class[c];
      if constexpr (sizeof(Count) == 1) {
        count_chunks(rows, nibbles_.data(), chunks, out);
      } else {
        add_blocks(rows, chunks, out);
      }
    }
  }
#else
  template <class Count>
  void count_pairs(const RowMatrix& rows, const std::uint32_t* list, const int* per_class,
                   int classes, Count* out) {
    const auto stride = static_cast<std::size_t>(rows.stride());
    for (int c = 0; c < classes; ++c, out += table_size(rows)) {
      std::fill(out, out + table_size(rows), Count{0});
      for (int n = per_class[c]; n > 0; --n, ++list) {
        set_.clear();
        for (int j = 0; j < rows.columns(); ++j)
          if (rows.row(*list)[j] != 0) set_.push_back(static_cast<std::uint32_t>(j));
        for (const auto i : set_)
          for (const auto j : set_) ++out[i * stride + j];
      }
    }
  }
#endif

 private:
#if EXACTREE_SIMD
  static constexpr int kMostChunks = 63;  // 252 rows: a byte counts to 255

  int gather(const RowMatrix& rows, const std::uint32_t* list, int n) {
    const int stride = rows.stride(), chunks = (n + 3) / 4;
    std::uint8_t* to =
        nibbles_.room(static_cast<std::size_t>(chunks + 1) * static_cast<std::size_t>(stride));
    for (int i = 0; i < n; i += 4, to += stride) {
      const int k = std::min(4, n - i);
      for (int j = 0; j < stride; j += 32) {
        __m256i v = load_all(rows.row(list[i + k - 1]) + j);
        for (int r = k - 2; r >= 0; --r)
          v = _mm256_add_epi8(_mm256_add_epi8(v, v), load_all(rows.row(list[i + r]) + j));
        store_all(to + j, v);
      }
    }
    return chunks;
  }

  // Two columns i against N vectors of columns j.
  template <int N>
  void count_two(const std::uint8_t* nibbles, int chunks, int stride, int i, int j,
                 std::uint8_t* out) const {
    __m256i a[N], b[N];
    for (int k = 0; k < N; ++k) a[k] = b[k] = _mm256_setzero_si256();
    for (int x = 0; x < chunks; ++x, nibbles += stride) {
      const __m256i ta = load_all(both_[nibbles[i]]), tb = load_all(both_[nibbles[i + 1]]);
      for (int k = 0; k < N; ++k) {
        const __m256i y = load_all(nibbles + j + 32 * k);
        a[k] = _mm256_add_epi8(a[k], _mm256_shuffle_epi8(ta, y));
        b[k] = _mm256_add_epi8(b[k], _mm256_shuffle_epi8(tb, y));
      }
    }
    for (int k = 0; k < N; ++k) {
      store_all(out + j + 32 * k, a[k]);
      store_all(out + stride + j + 32 * k, b[k]);
    }
  }
  void count_chunks(const RowMatrix& rows, const std::uint8_t* nibbles, int chunks,
                    std::uint8_t* out) const {
    const int stride = rows.stride();
    for (int i = 0; i < rows.columns(); i += 2, out += 2 * stride)
      for (int j = i / 32 * 32; j < stride;) {
        const int n = std::min(4, (stride - j) / 32);
        if (n == 4) count_two<4>(nibbles, chunks, stride, i, j, out);
        if (n == 3) count_two<3>(nibbles, chunks, stride, i, j, out);
        if (n == 2) count_two<2>(nibbles, chunks, stride, i, j, out);
        if (n == 1) count_two<1>(nibbles, chunks, stride, i, j, out);
        j += 32 * n;
      }
  }
  template <class Count>
  void add_blocks(const RowMatrix& rows, int chunks, Count* out) {
    std::uint8_t* part = part_.room(table_size(rows));
    const int stride = rows.stride();
    for (int x = 0; x == 0 || x < chunks; x += kMostChunks) {
      count_chunks(rows, nibbles_.data() + static_cast<std::ptrdiff_t>(x) * stride,
                   std::min(kMostChunks, chunks - x), part);
      for (int i = 0; i < rows.columns(); ++i) {
        const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(i) * stride;
        for (int j = i / 32 * 32; j < stride; ++j)
          out[from + j] = static_cast<Count>((x == 0 ? 0 : out[from + j]) + part[from + j]);
      }
    }
  }

  alignas(32) std::uint8_t both_[16][32];
  Buffer<std::uint8_t> nibbles_, part_;
#else
  std::vector<std::uint32_t> set_;
#endif
};

}  // namespace exactree::EXACTREE_ISA
