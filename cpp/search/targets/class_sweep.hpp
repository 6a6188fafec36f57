// A sweep over classes whose rows all cost the same, compiled per instruction set.
//
// Of a side, a second split within a block has at most so many rows right: of one class on its
// left, those before the end of the block, and of one class on its right, those after its
// beginning. Where the block has one split only, at its end, that many are right. What is left of
// the second split on the right side of the first is what the left side leaves of all rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/columns/twins.hpp"
#include "search/targets/block_sweep.hpp"

namespace exactree::EXACTREE_ISA {

class ClassSweep final : public BlockSweep<ClassSweep> {
  friend BlockSweep<ClassSweep>;

 public:
  // Counts of all rows fit in 16 bits; with very many classes scans are better.
  static constexpr int kMostRows = 32000, kMostClasses = 32;
  static constexpr int kBlock = 32;

  ClassSweep(const Problem& data, const Word*, const Twins& twins)
      : BlockSweep(data, kBlock),
        classes_(data.classes),
        unit_(data.unit),
        twins_(twins),
        labels_(data.labels),
        all_(static_cast<std::size_t>(data.classes), 0) {
    for (int i = 0; i < data.rows; ++i) ++all_[static_cast<std::size_t>(labels_[i])];
  }
  static bool handles(const Problem& data) {
    return data.rows <= kMostRows && data.classes <= kMostClasses;
  }
  static std::int64_t bytes_of(const Problem& data) {
    return RowBlocks::bytes_of(data, kBlock, data.classes);
  }
  // Within a block rows are sorted by class.
  void set_order(int f, const int* rows) {
    blocks_.add(rows);
    std::uint16_t* order = blocks_.order(f);
    int begin = 0;
    for (std::size_t b = blocks_.first(f); b < blocks_.first(f + 1); ++b) {
      std::uint16_t* const at = order + begin;
      std::uint16_t* const end = order + blocks_[b].end;
      std::sort(at, end, [&](int i, int j) { return labels_[i] < labels_[j]; });
      for (int c = 0; c < classes_; ++c)
        counts_.push_back(static_cast<std::uint8_t>(
            std::count_if(at, end, [&](int i) { return labels_[i] == c; })));
      begin = blocks_[b].end;
    }
  }

 private:
  // A number for each split.
  typedef std::int16_t Half __attribute__((vector_size(kMost)));
  typedef std::int8_t HalfBytes __attribute__((vector_size(kMost / 2)));
  static constexpr int kHalf = kMost / 2;
  struct Numbers {
    Half half[2] = {};
  };

  // Both sides of all splits.
  struct Sides {
    std::vector<Numbers> left, passed;  // per class: of the left sides, in all and so far
    std::vector<int> gone;              // per class: of all rows so far
    Numbers rows[2], most[2];           // how many there are, and can be right

    Sides(const ClassSweep& sweep, const Room& room)
        : left(static_cast<std::size_t>(sweep.classes_)), passed(left), gone(left.size()) {
      for (std::size_t row = 0; row < room.left.size(); ++row) {
        Numbers& mine = left[static_cast<std::size_t>(sweep.labels_[row])];
        for (int i = 0; i < kMost; ++i)
          mine.half[i / kHalf][i % kHalf] += static_cast<std::int16_t>(room.left[row] >> i & 1);
      }
      for (int h = 0; h < 2; ++h)
        for (std::size_t c = 0; c < left.size(); ++c) {
          const Half mine = left[c].half[h],
                     other = static_cast<std::int16_t>(sweep.all_[c]) - mine;
          rows[0].half[h] += mine;
          rows[1].half[h] += other;
          raise(most[0].half[h], mine);
          raise(most[1].half[h], other);
        }
      best[0] = leaves[0] = most[0];
      best[1] = leaves[1] = most[1];
    }
    int leaf(int s, int i) const { return at(rows[s], i) - at(leaves[s], i); }
    int least(int s, int i) const { return at(rows[s], i) - at(best[s], i); }
    static int at(const Numbers& x, int i) { return x.half[i / kHalf][i % kHalf]; }

    Numbers leaves[2], best[2];  // `most` with no second split, and over all columns
  };
  Sides start(SweptSplit* splits, int count, const Room& room) const {
    Sides sides(*this, room);
    for (int i = 0; i < count; ++i)
      for (int s = 0; s < 2; ++s) splits[i].leaf[s] = unit_ * sides.leaf(s, i);
    return sides;
  }
  Cost least(const Sides& sides, int s, int i) const { return unit_ * sides.least(s, i); }

  EXACTREE_INLINE static void raise(Half& a, const Half& b) { a = a > b ? a : b; }
  EXACTREE_INLINE static void lower(Half& a, const Half& b) { a = a < b ? a : b; }

  void pass(int g, Sides& sides, Room& room) const {
    std::fill(sides.passed.begin(), sides.passed.end(), Numbers{});
    std::fill(sides.gone.begin(), sides.gone.end(), 0);
    for (int s = 0; s < 2; ++s) sides.most[s] = sides.leaves[s];
    const std::uint16_t* order = blocks_.order(g);
    for (std::size_t b = blocks_.first(g); b < blocks_.first(g + 1); ++b)
      order = take(b, order, sides, room);
    for (int s = 0; s < 2; ++s) {
      std::uint16_t* floors = room.floors_of(g, s);
      for (int h = 0; h < 2; ++h) {
        // A class may have been counted on both sides within a block: no more than all are right.
        lower(sides.most[s].half[h], sides.rows[s].half[h]);
        raise(sides.best[s].half[h], sides.most[s].half[h]);
        const Half wrong = sides.rows[s].half[h] - sides.most[s].half[h];
        std::memcpy(floors + h * kHalf, &wrong, sizeof wrong);
      }
    }
  }
  // One block; where the next one begins.
  const std::uint16_t* take(std::size_t b, const std::uint16_t* order, Sides& sides,
                            const Room& room) const {
    const RowBlock& block = blocks_[b];
    const std::uint8_t* counts = &counts_[b * static_cast<std::size_t>(classes_)];
    Numbers before[2], after[2];  // per side: the most of one class on either side of the split
    for (int c = 0; c < classes_; ++c) {
      const auto at = static_cast<std::size_t>(c);
      alignas(kMost) std::int8_t bytes[kMost];
      count_left(order, order + counts[c], room.left.data(), bytes);
      order += counts[c];
      const auto gone = static_cast<std::int16_t>(sides.gone[at]);
      const auto gone_after = static_cast<std::int16_t>(gone + counts[c]);
      sides.gone[at] = gone_after;
      const auto total = static_cast<std::int16_t>(all_[at]);
      for (int h = 0; h < 2; ++h) {
        HalfBytes narrow;
        std::memcpy(&narrow, bytes + h * kHalf, sizeof narrow);
        const Half passed = sides.passed[at].half[h];
        const Half then = passed + __builtin_convertvector(narrow, Half);
        const Half left = sides.left[at].half[h];
        sides.passed[at].half[h] = then;
        // Where the block's splits begin: before it, or at its end.
        const Half from = block.inside ? passed : then;
        const std::int16_t gone_from = block.inside ? gone : gone_after;
        raise(before[0].half[h], then);
        raise(after[0].half[h], left - from);
        raise(before[1].half[h], gone_after - then);
        raise(after[1].half[h], static_cast<std::int16_t>(total - gone_from) - (left - from));
      }
    }
    if (block.at_end)
      for (int s = 0; s < 2; ++s)
        for (int h = 0; h < 2; ++h)
          raise(sides.most[s].half[h], before[s].half[h] + after[s].half[h]);
    return order;
  }
  // A column and the one that follows it are scanned as one, and have one floor.
  void join_twins(Room& room) const {
    for (int g = 0; g < twins_.leaders; ++g) {
      const int h = twins_.follower[static_cast<std::size_t>(g)];
      for (int s = 0; s < 2 && h >= 0; ++s)
        for (int i = 0; i < kMost; ++i) {
          std::uint16_t &a = room.floors_of(g, s)[i], &b = room.floors_of(h, s)[i];
          a = b = std::min(a, b);
        }
    }
  }

  int classes_;
  Cost unit_;
  const Twins& twins_;
  const std::int32_t* labels_;
  std::vector<int> all_;              // per class: its rows
  std::vector<std::uint8_t> counts_;  // per block and class: its rows
};

}  // namespace exactree::EXACTREE_ISA
