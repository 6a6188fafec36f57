// A sweep over two classes whose rows all cost the same, compiled per instruction set.
//
// A row counts 1 if it is of the first class and -1 if it is of the second. Of a side with m rows
// that sum up to t, a second split sends rows that sum up to s to its left. The two leaves then err
// on (m - |s| - |t - s|) / 2 rows, and |s| + |t - s| = max(|t|, 2s - t, t - 2s): so all that has to
// be known of a column, and of all columns together, is the largest and the smallest s.
//
// Sums of up to 64 rows fit in bytes, for 64 sides in 64 lanes; those of all rows are kept in
// 16 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/floors.hpp"
#include "search/columns/sweep.hpp"
#include "search/columns/twins.hpp"
#include "search/lanes.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

// One byte for each side.
#if EXACTREE_SIMD512
struct SideBytes {
  __m512i v;

  static SideBytes splat(std::int8_t x) { return {_mm512_set1_epi8(x)}; }
  static SideBytes load(const std::int8_t* p) { return {_mm512_load_si512(p)}; }
  void store(std::int8_t* p) const { _mm512_store_si512(p, v); }
  void add(const SideBytes& b) { v = _mm512_add_epi8(v, b.v); }
  void raise(const SideBytes& b) { v = _mm512_max_epi8(v, b.v); }
  void lower(const SideBytes& b) { v = _mm512_min_epi8(v, b.v); }
};
#else
struct SideBytes {
  using Part = Lanes<std::int8_t>;
  static constexpr int kParts = Sweep::kSides / Part::kSize;
  Part part[kParts];

  static SideBytes splat(std::int8_t x) {
    SideBytes out;
    for (Part& p : out.part) p = Part::splat(x);
    return out;
  }
  static SideBytes load(const std::int8_t* p) {
    SideBytes out;
    for (int i = 0; i < kParts; ++i) out.part[i] = Part::load(p + i * Part::kSize);
    return out;
  }
  void store(std::int8_t* p) const {
    for (int i = 0; i < kParts; ++i) part[i].store(p + i * Part::kSize);
  }
  void add(const SideBytes& b) {
    for (int i = 0; i < kParts; ++i) part[i] = part[i] + b.part[i];
  }
  void raise(const SideBytes& b) {
    for (int i = 0; i < kParts; ++i) part[i] = max(part[i], b.part[i]);
  }
  void lower(const SideBytes& b) {
    for (int i = 0; i < kParts; ++i) part[i] = min(part[i], b.part[i]);
  }
};
#endif

class TwoClassSweep final : public Sweep {
 public:
  // Sums of all rows fit in 16 bits, and so do the numbers of rows.
  static constexpr int kMostRows = 32000;

  // `ends` are those of the node, which outlives this.
  TwoClassSweep(const Problem& data, const Word* ends, const Twins& twins)
      : rows_(data.rows),
        words_((data.rows + 63) / 64),
        features_(data.features),
        unit_(data.unit),
        twins_(twins),
        ends_(ends),
        signs_(static_cast<std::size_t>(data.rows)),
        orders_(index(data.features, data.rows)) {
    for (int i = 0; i < rows_; ++i)
      signs_[static_cast<std::size_t>(i)] = data.labels[i] == 1 ? -1 : 1;
  }
  static std::int64_t bytes_of(const Problem& data) {
    const std::int64_t rows = data.rows;
    return rows * data.features * static_cast<std::int64_t>(sizeof(std::uint16_t)) +
           rows * (kSides + 1);
  }
  void set_order(int f, const int* rows) { std::copy_n(rows, rows_, &orders_[index(f, rows_)]); }

  static bool handles(const Problem& data) { return data.rows <= kMostRows; }
  int most() const override { return kSides / 2; }
  bool exact() const override { return true; }

  void run(SweptSplit* splits, int count, Room& room, Workspace& work) const override {
    Sums sums;
    spread(splits, count, room, sums);
    if (std::any_of(splits, splits + count, [](const auto& at) { return at.floors[0] != nullptr; }))
      column_by_column(splits, count, room, sums, work);
    else
      together(room, sums, work);
    for (int i = 0; i < count; ++i)
      for (int s = 0; s < 2; ++s) {
        splits[i].leaf[s] = unit_ * sums.leaf(2 * i + s);
        splits[i].best[s] = unit_ * sums.errors(2 * i + s);
      }
    work.counters.scans += std::int64_t{2} * count * features_;
  }

 private:
  // Per side: its rows, what they sum up to, and the extreme sums left of a second split. No split
  // at all, the sum 0, is among them: it errs as often as the leaf.
  struct Sums {
    std::int16_t rows[kSides] = {}, total[kSides] = {};
    alignas(64) std::int16_t high[kSides] = {}, low[kSides] = {};

    int leaf(int j) const { return (rows[j] - std::abs(total[j])) / 2; }
    int errors(int j) const {
      const int t = total[j];
      return (rows[j] - std::max({std::abs(t), 2 * high[j] - t, t - 2 * low[j]})) / 2;
    }
    void widen(const Sums& other) {
      for (int j = 0; j < kSides; ++j) {
        high[j] = std::max(high[j], other.high[j]);
        low[j] = std::min(low[j], other.low[j]);
      }
    }
  };

  static std::size_t index(int f, int stride) {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(stride);
  }

  // Per row: what it counts in which sides.
  void spread(const SweptSplit* splits, int count, Room& room, Sums& sums) const {
    room.lines.assign(static_cast<std::size_t>(rows_), Line{});
    for (int i = 0; i < count; ++i) {
      const std::uint16_t* order = &orders_[index(splits[i].feature, rows_)];
      for (int s = 0; s < 2; ++s) {
        const int j = 2 * i + s, p = splits[i].position;
        int total = 0;
        for (int k = s == 0 ? 0 : p; k < (s == 0 ? p : rows_); ++k) {
          const std::int8_t sign = signs_[order[k]];
          room.lines[order[k]].lane[j] = sign;
          total += sign;
        }
        sums.rows[j] = static_cast<std::int16_t>(s == 0 ? p : rows_ - p);
        sums.total[j] = static_cast<std::int16_t>(total);
      }
    }
  }

  // All columns, for their extreme sums alone.
  void together(const Room& room, Sums& sums, Workspace& work) const {
    for (int g = 0; g < features_; ++g) {
      work.spend(1 + rows_ / 256);
      pass(g, room, sums);
    }
  }
  // The same with the extreme sums of each column: no split of it errs less often. A column and the
  // one that follows it are scanned as one, and have one floor.
  void column_by_column(SweptSplit* splits, int count, const Room& room, Sums& sums,
                        Workspace& work) const {
    Sums mine = sums;
    for (int g = 0; g < twins_.leaders; ++g) {
      const int h = twins_.follower[static_cast<std::size_t>(g)];
      work.spend(1 + rows_ / 256);
      std::fill_n(mine.high, kSides, std::int16_t{0});
      std::fill_n(mine.low, kSides, std::int16_t{0});
      pass(g, room, mine);
      if (h >= 0) pass(h, room, mine);
      sums.widen(mine);
      for (int i = 0; i < count; ++i)
        for (int s = 0; s < 2 && splits[i].floors[s] != nullptr; ++s) {
          raise_floor(splits[i].floors[s][g], mine.errors(2 * i + s));
          if (h >= 0) raise_floor(splits[i].floors[s][h], mine.errors(2 * i + s));
        }
    }
  }

  // Along one column, a word of rows at a time. Sums count where a group of equal values ends.
  void pass(int g, const Room& room, Sums& sums) const {
    const std::uint16_t* order = &orders_[index(g, rows_)];
    const Word* ends = ends_ + index(g, words_);
    alignas(64) std::int16_t before[kSides] = {};
    for (int w = 0; w < words_; ++w) {
      const int n = std::min(64, rows_ - w * 64);
      SideBytes sum = SideBytes::splat(0);
      SideBytes high = SideBytes::splat(std::numeric_limits<std::int8_t>::min());
      SideBytes low = SideBytes::splat(std::numeric_limits<std::int8_t>::max());
      if (ends[w] == low_bits(n)) {
        for (int k = 0; k < n; ++k) {
          sum.add(SideBytes::load(room.lines[order[k]].lane));
          high.raise(sum);
          low.lower(sum);
        }
      } else {
        int k = 0;
        for (Word v = ends[w]; v != 0; v &= v - 1) {
          for (const int end = first(v); k <= end; ++k)
            sum.add(SideBytes::load(room.lines[order[k]].lane));
          high.raise(sum);
          low.lower(sum);
        }
        for (; k < n; ++k) sum.add(SideBytes::load(room.lines[order[k]].lane));
      }
      if (ends[w] != 0) note(before, high, low, sums);
      if (w + 1 < words_) move(before, sum);
      order += 64;
    }
  }
  static void note(const std::int16_t* before, const SideBytes& high, const SideBytes& low,
                   Sums& sums) {
    alignas(64) std::int8_t most[kSides], least[kSides];
    high.store(most);
    low.store(least);
    for (int j = 0; j < kSides; ++j) {
      sums.high[j] = std::max(sums.high[j], static_cast<std::int16_t>(before[j] + most[j]));
      sums.low[j] = std::min(sums.low[j], static_cast<std::int16_t>(before[j] + least[j]));
    }
  }
  static void move(std::int16_t* before, const SideBytes& sum) {
    alignas(64) std::int8_t more[kSides];
    sum.store(more);
    for (int j = 0; j < kSides; ++j) before[j] = static_cast<std::int16_t>(before[j] + more[j]);
  }

  int rows_, words_, features_;
  Cost unit_;
  const Twins& twins_;
  const Word* ends_;
  std::vector<std::int8_t> signs_;     // per row
  std::vector<std::uint16_t> orders_;  // per column: its rows
};

}  // namespace exactree::EXACTREE_ISA
