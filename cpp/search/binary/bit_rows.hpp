// The rows of a node over binary columns, compiled per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "search/binary/packed_node.hpp"
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

// The rows of a node over its distinct columns, the smaller side of each as 1. A row is found by
// its place in the sets of the node.
class RowMatrix {
 public:
  void build(const PackedNode& node, const std::uint32_t* list) {
    const BinaryTable& table = node.table();
    columns_ = static_cast<int>(node.distinct().size());
    stride_ = std::max(1, (columns_ + 31) / 32) * 32;
    words_ = (columns_ + 63) / 64;
    choose_columns(node);
    const auto places = static_cast<std::size_t>(table.words) * 64;
    Word* to = bits_.room(places * at(words_));
#if !EXACTREE_SIMD512
    bytes_.room(places * at(stride_));
#endif
    for (int n = node.rows(); n > 0; --n, ++list) {
      const Word* from = table.row(static_cast<int>(*list));
      if (table.row_words == 1) {
        to[*list] = gather_bits(*from ^ flip_[0], keep_[0]);
      } else {
        for (std::size_t k = 0; k < keep_.size(); ++k) flipped_[k] = from[k] ^ flip_[k];
        compact_bits(flipped_.data(), keep_.data(), table.row_words, to + *list * at(words_),
                     words_);
      }
#if !EXACTREE_SIMD512
      write_bytes(*list);
#endif
    }
  }

  int columns() const { return columns_; }
  int stride() const { return stride_; }
  std::size_t bytes() const { return bits_.bytes() + bytes_.bytes(); }
  std::size_t table_size() const { return at(columns_ + 2) * at(stride_); }
  // A row's columns, a bit for each.
  const Word* bits(std::uint32_t i) const { return bits_.data() + i * at(words_); }
  bool has(std::uint32_t i, int column) const {
    return (bits_.data()[i * at(words_) + at(column / 64)] >> (column % 64) & 1) != 0;
  }

#if EXACTREE_SIMD512
  using Row = const char*;
  Row row(std::uint32_t i) const {
    return reinterpret_cast<const char*>(bits_.data() + i * at(words_));
  }
  // Twice v, and one more where a row has a 1 in the 32 columns from j on.
  static __m256i appended(__m256i v, Row row, int j) {
    __mmask32 ones;
    std::memcpy(&ones, row + j / 8, 4);
    v = _mm256_add_epi8(v, v);
    return _mm256_mask_add_epi8(v, ones, v, _mm256_set1_epi8(1));
  }
#elif EXACTREE_SIMD
  using Row = const std::uint8_t*;
  Row row(std::uint32_t i) const { return bytes_.data() + i * at(stride_); }
  static __m256i appended(__m256i v, Row row, int j) {
    return _mm256_add_epi8(_mm256_add_epi8(v, v), load_all(row + j));
  }
#endif

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void choose_columns(const PackedNode& node) {
    keep_.assign(at(node.table().row_words), 0);
    flip_ = flipped_ = keep_;
    for (int k = 0; k < columns_; ++k) {
      const int f = node.distinct()[at(k)];
      const Word bit = Word{1} << (f % 64);
      keep_[at(f / 64)] |= bit;
      if (node.flipped(k)) flip_[at(f / 64)] |= bit;
    }
  }
#if !EXACTREE_SIMD512
  void write_bytes(std::uint32_t i) {
    const Word* from = bits_.data() + i * at(words_);
    std::uint8_t* to = bytes_.data() + i * at(stride_);
    for (int j = 0; j < stride_; j += 8, to += 8) {
      const Word out = spread(from[j / 64] >> (j % 64) & 255);
      std::memcpy(to, &out, 8);
    }
  }
#endif

  int columns_ = 0, stride_ = 0, words_ = 0;
  std::vector<Word> keep_, flip_, flipped_;
  Buffer<Word> bits_;           // per row, a bit per column
  Buffer<std::uint8_t> bytes_;  // the same as bytes, for processors without masks
};

}  // namespace exactree::EXACTREE_ISA
