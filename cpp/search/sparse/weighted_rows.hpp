// The rows of a problem as bit sets, a column for every threshold: equal rows merged, weights as
// bit planes.
//
// A row of class c and weight 5 = 101b is a bit in plane 2 and one in plane 0 of class c. A plane
// is a group of whole words, so that the weight of a set of rows of one class is a sum of
// popcounts, one per group, each doubled as often as its plane says.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "search/bits.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

class WeightedRows {
 public:
  // `cancel`: leave out what equal rows of all classes cost in any case (see keep()).
  WeightedRows(const Problem& data, bool cancel) : classes(data.classes) {
    set_unit(data);
    list_thresholds(data);
    std::vector<int> differs(static_cast<std::size_t>(data.rows), 0);  // from the row before
    for (int f = 0; f < data.features; ++f)
      for (int i = 1; i < data.rows; ++i)
        differs[static_cast<std::size_t>(i)] |= data.rank(f, i) ^ data.rank(f, i - 1);
    for (int i = 0; i < data.rows;) {
      int end = i + 1;
      while (end < data.rows && differs[static_cast<std::size_t>(end)] == 0) ++end;
      keep(data, i, end, cancel);
      i = end;
    }
    if (!fits()) return;
    make_groups();
    make_columns(data);
  }
  // Whether weights can be counted in 31 bits; nothing else is known if not.
  bool fits() const { return weight < (std::int64_t{1} << 31); }

  // A column is 1 where the rank is above.
  struct Threshold {
    int feature, rank;
  };
  std::vector<Threshold> thresholds;  // by feature, then by rank

  int classes;
  int words = 0;
  Cost unit = 1;            // what an error of weight one costs
  Cost offset = 0;          // what all trees cost besides
  std::int64_t weight = 0;  // of all rows that are left, in units
  std::int64_t cancelled = 0;
  std::vector<int> group_of_class;  // classes + 1: its first group; the highest plane comes first
  std::vector<int> group_word;      // groups + 1: its first word
  std::vector<Word> all;            // the bits that are rows

  int groups() const { return group_of_class.back(); }
  int columns() const { return static_cast<int>(thresholds.size()); }
  const Word* column(int f) const {
    return columns_.data() + static_cast<std::size_t>(f) * static_cast<std::size_t>(words);
  }

 private:
  struct Kept {
    int row, label;
    std::int64_t weight;
  };

  void set_unit(const Problem& data) {
    unit = data.unit;
    if (data.weights == nullptr) return;
    unit = 0;
    for (int i = 0; i < data.rows; ++i) unit = std::gcd(unit, data.weights[i]);
    unit = std::max<Cost>(unit, 1);
  }

  void list_thresholds(const Problem& data) {
    for (int f = 0; f < data.features; ++f) {
      int top = 0;
      for (int i = 0; i < data.rows; ++i) top = std::max(top, data.rank(f, i));
      for (int rank = 0; rank < top; ++rank) thresholds.push_back({f, rank});
    }
  }

  // Equal rows end in the same leaf of every tree. If each of the C classes has weight w among
  // them, any prediction errs on (C - 1) w of it, and without it the leaf prefers the same class.
  // So all trees cost (C - 1) w less without it, the same are optimal, and it is added to the
  // answer.
  void keep(const Problem& data, int begin, int end, bool cancel) {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(classes), 0);
    for (int i = begin; i < end; ++i)
      sums[static_cast<std::size_t>(data.labels[i])] += data.weights ? data.weights[i] / unit : 1;
    const std::int64_t common = cancel ? *std::min_element(sums.begin(), sums.end()) : 0;
    offset += common * (classes - 1) * unit;
    cancelled += common;
    for (int c = 0; c < classes; ++c) {
      const std::int64_t rest = sums[static_cast<std::size_t>(c)] - common;
      if (rest > 0) kept_.push_back({begin, c, rest});
      weight += rest;
    }
  }

  void make_groups() {
    std::vector<std::int64_t> heaviest(static_cast<std::size_t>(classes), 1);
    for (const Kept& k : kept_) {
      std::int64_t& h = heaviest[static_cast<std::size_t>(k.label)];
      h = std::max(h, k.weight);
    }
    group_of_class.assign(1, 0);
    group_word.assign(1, 0);
    for (int c = 0; c < classes; ++c) {
      const int planes = static_cast<int>(
          std::bit_width(static_cast<std::uint64_t>(heaviest[static_cast<std::size_t>(c)])));
      for (int plane = planes - 1; plane >= 0; --plane) add_plane(c, plane);
      group_of_class.push_back(static_cast<int>(group_word.size()) - 1);
    }
    words = std::max(group_word.back(), 1);
  }
  void add_plane(int label, int plane) {
    const auto begin = static_cast<std::size_t>(group_word.back()) * 64;
    std::size_t slot = begin;
    for (const Kept& k : kept_) {
      if (k.label != label || (k.weight >> plane & 1) == 0) continue;
      if (row_of_.size() < slot + 64) row_of_.resize((slot / 64 + 1) * 64, -1);
      row_of_[slot++] = k.row;
    }
    group_word.push_back(static_cast<int>((slot + 63) / 64));
  }
  void make_columns(const Problem& data) {
    row_of_.resize(static_cast<std::size_t>(words) * 64, -1);
    all.assign(static_cast<std::size_t>(words), 0);
    for (std::size_t i = 0; i < row_of_.size(); ++i)
      if (row_of_[i] >= 0) all[i / 64] |= Word{1} << (i % 64);
    columns_.assign(thresholds.size() * all.size(), 0);
    Word* to = columns_.data();
    for (const Threshold& t : thresholds) {
      for (std::size_t i = 0; i < row_of_.size(); ++i)
        if (row_of_[i] >= 0 && data.rank(t.feature, row_of_[i]) > t.rank)
          to[i / 64] |= Word{1} << (i % 64);
      to += words;
    }
  }

  std::vector<Kept> kept_;
  std::vector<int> row_of_;  // per bit; -1: none
  std::vector<Word> columns_;
};

}  // namespace exactree::EXACTREE_ISA
