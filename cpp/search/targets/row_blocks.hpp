// The rows of all columns in blocks, for sweeps; compiled per instruction set.
//
// A block ends where a group of equal values does, if one does within so many rows; if it has no
// other such end within, its only split is there. Within a block the order of rows is free.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/sweep.hpp"
#include "search/node.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

struct RowBlock {
  int end = 0;
  bool inside = false;  // there are splits before its end
  bool at_end = false;  // and one there
};

class RowBlocks {
 public:
  static constexpr int kMostRows = 64;

  // Blocks have up to so many rows.
  RowBlocks(const Problem& data, int rows)
      : data_(data),
        most_(rows),
        orders_(static_cast<std::size_t>(data.rows) * static_cast<std::size_t>(data.features)),
        starts_{0} {}
  // What a sweep takes, room for its floors included.
  static std::int64_t bytes_of(const Problem& data, int most, std::int64_t bytes_per_block) {
    const std::int64_t rows = data.rows, blocks = 2 * rows / most + 2;
    constexpr std::int64_t kShort = sizeof(std::uint16_t), kBlock = sizeof(RowBlock);
    return rows * std::int64_t{sizeof(std::uint64_t)} +
           data.features *
               (rows * kShort + blocks * (bytes_per_block + kBlock) + 2 * Sweep::kMost * kShort);
  }
  // The next column, by its rows in their order.
  void add(const int* rows) {
    const int f = columns(), n = data_.rows;
    std::copy_n(rows, n, order(f));
    for (int begin = 0; begin < n;) {
      RowBlock block{std::min(begin + most_, n)};
      for (int p = begin + 1; p <= begin + most_ && p <= n; ++p)
        if (p == n || data_.rank(f, rows[p - 1]) != data_.rank(f, rows[p])) {
          block.inside = block.at_end;
          block.at_end = true;
          block.end = p;
        }
      blocks_.push_back(block);
      begin = block.end;
    }
    starts_.push_back(blocks_.size());
  }

  int columns() const { return static_cast<int>(starts_.size()) - 1; }
  int rows() const { return data_.rows; }
  std::uint16_t* order(int f) {
    return &orders_[static_cast<std::size_t>(f) * static_cast<std::size_t>(data_.rows)];
  }
  const std::uint16_t* order(int f) const {
    return &orders_[static_cast<std::size_t>(f) * static_cast<std::size_t>(data_.rows)];
  }
  // The blocks of column f are numbered from first(f) to before first(f + 1).
  std::size_t first(int f) const { return starts_[static_cast<std::size_t>(f)]; }
  const RowBlock& operator[](std::size_t b) const { return blocks_[b]; }

  // Which splits send each row left.
  void part(const SweptSplit* splits, int count, std::vector<std::uint64_t>& left) const {
    left.assign(static_cast<std::size_t>(data_.rows), 0);
    for (int i = 0; i < count; ++i) {
      const std::int32_t* ranks = data_.ranks + static_cast<std::size_t>(splits[i].feature) *
                                                    static_cast<std::size_t>(data_.rows);
      for (int row = 0; row < data_.rows; ++row)
        left[static_cast<std::size_t>(row)] |=
            static_cast<std::uint64_t>(ranks[row] < splits[i].rank ? 1 : 0) << i;
    }
  }

 private:
  const Problem& data_;
  int most_;
  std::vector<std::uint16_t> orders_;
  std::vector<RowBlock> blocks_;
  std::vector<std::size_t> starts_;
};

// A bit in each byte; the first one lowest, as in memory.
inline constexpr std::array<std::uint64_t, 256> kSpreadBits = [] {
  std::array<std::uint64_t, 256> out{};
  for (unsigned x = 0; x < 256; ++x)
    for (unsigned i = 0; i < 8; ++i) out[x] |= static_cast<std::uint64_t>(x >> i & 1) << 8 * i;
  return out;
}();

// How many of some rows each split sends left; no more than 127 rows. Not inline: among the many
// registers of its callers the sum would not be kept in one.
[[gnu::noinline]] inline void count_left(const std::uint16_t* rows, const std::uint16_t* end,
                                         const std::uint64_t* left, std::int8_t* counts) {
#if EXACTREE_SIMD512
  __m512i sum = _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi8(1);
  for (; rows < end; ++rows) sum = _mm512_mask_add_epi8(sum, left[*rows], sum, one);
  _mm512_storeu_si512(counts, sum);
#else
  std::uint64_t sum[8] = {};
  for (; rows < end; ++rows)
    for (int i = 0; i < 8; ++i) sum[i] += kSpreadBits[left[*rows] >> 8 * i & 255];
  std::memcpy(counts, sum, sizeof sum);
#endif
}

}  // namespace exactree::EXACTREE_ISA
