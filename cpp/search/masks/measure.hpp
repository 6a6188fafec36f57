// What sets of rows cost, compiled per instruction set.
#pragma once

#include <cstddef>
#include <vector>

#include "search/bits.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

// Rows that all cost the same.
class UnitMeasure {
 public:
  explicit UnitMeasure(const Problem& data) : unit_(data.unit) {}
  EXACTREE_INLINE Cost sum(std::size_t, Word v) const { return count(v); }
  Cost cost(Cost sum) const { return sum * unit_; }
  Cost at_least_for(int rows) const { return rows * unit_; }
  // The least and the greatest sum with at least, or at most, this cost.
  Cost at_least(Cost c) const { return c <= 0 ? c : (c + unit_ - 1) / unit_; }
  Cost at_most(Cost c) const { return c < 0 ? -1 : c / unit_; }

 private:
  Cost unit_;
};

// Rows with costs of their own: sums for every byte of a set.
class TableMeasure {
 public:
  explicit TableMeasure(const Problem& data) : TableMeasure(data.rows, data.weights) {}
  template <class T>
  TableMeasure(int rows, const T* weights)
      : table_(static_cast<std::size_t>((rows + 63) / 64) * 8 * 256, 0) {
    for (std::size_t b = 0; b < table_.size() / 256; ++b)
      for (std::size_t v = 1; v < 256; ++v) {
        const std::size_t row = b * 8 + static_cast<std::size_t>(first(v));
        const Cost weight = row < static_cast<std::size_t>(rows) ? weights[row] : 0;
        table_[b * 256 + v] = table_[b * 256 + (v & (v - 1))] + weight;
      }
  }
  EXACTREE_INLINE Cost sum(std::size_t w, Word v) const {
    const Cost* table = &table_[w * 8 * 256];
    Cost total = 0;
    for (; v != 0; v >>= 8, table += 256) total += table[v & 255];
    return total;
  }
  Cost cost(Cost sum) const { return sum; }
  Cost at_least_for(int) const { return 0; }  // rows may cost anything
  Cost at_least(Cost c) const { return c; }
  Cost at_most(Cost c) const { return c; }

 private:
  std::vector<Cost> table_;
};

}  // namespace exactree::EXACTREE_ISA
