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
  std::size_t bytes() const { return packed_.bytes() + bytes_.bytes(); }
  std::size_t table_size() const { return at(columns_ + 2) * at(stride_); }
  int rows() const { return rows_; }
  const std::uint8_t* row(std::uint32_t i) const { return bytes_.data() + i * at(stride_); }
  // The rows with column j set.
  void list(int j, std::uint32_t* out) const {
    const Word* p = packed_.data() + at(j) * at(words_);
    for (int w = 0; w < words_; ++w)
      for (Word v = p[w]; v != 0; v &= v - 1)
        *out++ = static_cast<std::uint32_t>(w * 64 + first(v));
  }
  // How many rows have column j and each other column set.
  void overlaps(int j, int* out) const {
    const Word* p = packed_.data() + at(j) * at(words_);
    const Word* q = packed_.data();
    for (int i = 0; i < columns_; ++i) {
      int n = 0;
      for (int w = 0; w < words_; ++w) n += count(p[w] & *q++);
      out[i] = n;
    }
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

}  // namespace exactree::EXACTREE_ISA
