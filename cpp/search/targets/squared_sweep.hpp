// A sweep over numbers, compiled per instruction set; see squared_targets.hpp for gains, and for
// the bound within a block.
//
// Sums are whole numbers of 32 bits, for which targets are rounded to multiples of 2^e: p is within
// 2^e / 2 of 2^e q. Of a side with C rows, a second split that sends c of them left has u = P - c m
// in which the rounding of those c rows counts 1 - c / C each, that of the others c / C: 2^e times
// c (C - c) / C, which is at most C / 4, in all. Beside it, what is done with such sums in single
// precision is wrong by some 2^-24 of the |q| of all rows, of which 2^-20 is allowed; and the gain
// by some 2^-23 of itself, of which 2^-18 is.
//
// Within a block u goes from u1 to u2 by steps that add up to V in size, so |u| <= (|u1 + u2| + V)
// / 2. V is at most the |q| of the side's rows and c |m| for the c of them, and the |q| are known:
// the rows above the mean of all come first, so that sums are read once more in between.
//
// Ends. The c rows that a split sends left have u^2 <= c (their squared distances from m), by
// Cauchy-Schwarz, and so do the C - c rows that it sends right. If the former are all of one block,
// with squared distances D, the gain is therefore at most C D / (C - c), which grows with c; if the
// latter are, at most C D / c. (With a guard x on u, (u + x)^2 <= (1 + 2^-10) u^2 + (1 + 2^10)
// x^2.)
//
// A split costs (error - gain) / unit rounded down, but for the explained parts, which were rounded
// up: two of these, so at least (error - gain - 2) / unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/columns/twins.hpp"
#include "search/targets/block_sweep.hpp"
#include "search/targets/squares.hpp"

namespace exactree::EXACTREE_ISA {

class SquaredSweep final : public BlockSweep<SquaredSweep> {
  friend BlockSweep<SquaredSweep>;

 public:
  // Smaller blocks take longer, larger ones have bounds that rule out far fewer thresholds.
  static constexpr int kMostRows = 32000, kBlock = 16;

  SquaredSweep(const Problem& data, const Word*, const Twins&)
      : BlockSweep(data, kBlock), data_(data), rounded_(static_cast<std::size_t>(data.rows)) {
    double all = 0;
    for (int i = 0; i < data.rows; ++i) all += std::abs(data.sums[i]);
    while (all > 0x1p29) all /= 2, scale_ *= 2;
    for (int i = 0; i < data.rows; ++i) {
      total_ = total_ + row(i);
      rounded_[at(i)] = static_cast<std::int32_t>(std::nearbyint(data.sums[i] / scale_));
      size_ += std::abs(rounded_[at(i)]);
      sum_ += rounded_[at(i)];
    }
  }
  // Rows of weights are scanned.
  static bool handles(const Problem& data) {
    return data.masses == nullptr && data.rows <= kMostRows;
  }
  static std::int64_t bytes_of(const Problem& data) {
    return RowBlocks::bytes_of(data, kBlock, sizeof(Steps));
  }
  // Within a block the rows above the mean come first.
  void set_order(int f, const int* rows) {
    blocks_.add(rows);
    std::uint16_t* order = blocks_.order(f);
    int begin = 0;
    for (std::size_t b = blocks_.first(f); b < blocks_.first(f + 1); ++b) {
      std::uint16_t* const end = order + blocks_[b].end;
      const auto above = [this](int i) { return rounded_[at(i)] > 0; };
      std::uint16_t* const middle = std::partition(order + begin, end, above);
      Steps steps{static_cast<int>(middle - order), 0, 0, 0};
      double squares = 0;
      for (int i = begin; i < blocks_[b].end; ++i) {
        const std::int32_t step = std::abs(rounded_[order[i]]);
        steps.all += step;
        steps.sum += rounded_[order[i]];
        squares += static_cast<double>(step) * static_cast<double>(step);
      }
      steps.squares = up(squares);
      steps_.push_back(steps);
      begin = blocks_[b].end;
    }
  }

 private:
  static constexpr int kLanes = 16, kParts = kMost / kLanes;
  typedef std::int32_t Ints __attribute__((vector_size(4 * kLanes)));
  typedef float Floats __attribute__((vector_size(4 * kLanes)));
  static constexpr Ints kBits = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                 1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  typedef std::int16_t Shorts __attribute__((vector_size(2 * kLanes)));
  typedef std::uint16_t Floors __attribute__((vector_size(2 * kLanes)));
  // Of what is rounded up after it was divided.
#if EXACTREE_SIMD512
  static constexpr float kLoose = 1 + 0x1p-12F;
#else
  static constexpr float kLoose = 1 + 0x1p-18F;
#endif
  struct Steps {
    int middle;             // where the rows above the mean end
    std::int32_t all, sum;  // of |q| in a block, and of q
    float squares;          // of q^2
  };
  // One side of some splits.
  struct Side {
    Floats rows, mean, slope, guard, spare;  // slope: |mean|; spare: for the guard at the ends
    Floats fewest;                           // the least product of a split with rows on both sides
    Floats gain = {}, best = {};             // u^2 / (c (C - c)): of this column, and of all
    Floats cost, per_gain;                   // in units of floors
  };
  struct Sides {
    Side side[2][kParts];
    Wide error[2][kMost];
  };
  // How far a side was passed.
  struct Place {
    Floats rows = {}, off = {}, product = {};  // c, u and c (C - c)
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  SquareSums row(int i) const {
    const auto whole = static_cast<std::int64_t>(data_.sums[i]);
    return {1, data_.sums[i], static_cast<Wide>(whole) * whole};
  }
  static float up(double x) { return static_cast<float>(x) * (1 + 0x1p-20F); }

  static void join_twins(Room&) {}

  Sides start(SweptSplit* splits, int count, const Room& room) const {
    Sides sides;
    for (int i = 0; i < kMost; ++i) {
      SquareSums sums[2];
      std::int64_t rounded[2] = {0, sum_};
      for (int r = 0; i < count && r < data_.rows; ++r)
        if (room.left[at(r)] >> i & 1) sums[0] = sums[0] + row(r), rounded[0] += rounded_[at(r)];
      sums[1] = total_ - sums[0];
      rounded[1] -= rounded[0];
      for (int s = 0; s < 2; ++s) {
        Side& side = sides.side[s][i / kLanes];
        const int j = i % kLanes;
        const double rows = sums[s].weight,
                     mean = static_cast<double>(rounded[s]) / std::max(rows, 1.0);
        const Wide error = sides.error[s][i] = sums[s].error();
        side.rows[j] = static_cast<float>(rows);
        side.mean[j] = static_cast<float>(mean);
        side.slope[j] = static_cast<float>(std::abs(mean)) * (1 + 0x1p-20f);
        side.guard[j] =
            static_cast<float>((scale_ > 1 ? rows / 4 : 0) + 0x1p-20 * static_cast<double>(size_));
        side.fewest[j] = std::max(side.rows[j] - 1, 1.0F);
        side.spare[j] = side.guard[j] * side.guard[j] * (0x1p10F + 1) / side.fewest[j];
        const double unit = static_cast<double>(data_.unit) * std::ldexp(1.0, data_.shift);
        side.cost[j] = static_cast<float>(as_number(error) / unit);
        side.per_gain[j] = static_cast<float>(rows * scale_ * scale_ / unit * kLoose);
        if (i < count) splits[i].leaf[s] = static_cast<Cost>(error >> data_.shift);
      }
    }
    return sides;
  }
  Cost least(const Sides& sides, int s, int i) const {
    const Side& side = sides.side[s][i / kLanes];
    const double gain = static_cast<double>(side.best[i % kLanes]) *
                        static_cast<double>(side.rows[i % kLanes]) * scale_ * scale_ * kLoose;
    const Wide error = sides.error[s][i];
    if (!(gain < as_number(error))) return 0;
    return static_cast<Cost>(std::max(error - static_cast<Wide>(gain) - 3, Wide{0}) >> data_.shift);
  }

  void pass(int g, Sides& sides, Room& room) const {
    const std::uint16_t* order = blocks_.order(g);
    Ints sum[kParts] = {};
    alignas(64) std::int16_t counts[kMost] = {};
    Place place[2][kParts];
    std::int32_t all = 0;
    for (auto& parts : sides.side)
      for (Side& side : parts) side.gain = Floats{};
    int begin = 0;
    for (std::size_t b = blocks_.first(g); b < blocks_.first(g + 1); ++b) {
      const RowBlock& block = blocks_[b];
      const Steps& steps = steps_[b];
      Ints above[kParts], before[kParts];
      for (int part = 0; part < kParts; ++part) before[part] = sum[part];
      add(order + begin, order + steps.middle, order + block.end, room.left.data(), sum, above,
          counts);
      all += steps.sum;
      begin = block.end;
      for (int part = 0; part < kParts; ++part) {
        Shorts rows;
        std::memcpy(&rows, counts + part * kLanes, sizeof rows);
        const Floats left = __builtin_convertvector(rows, Floats);
        const Floats right = static_cast<float>(begin) - left;
        const Ints travel = above[part] + above[part] - sum[part] + before[part];
        look(block, steps, left, sum[part], travel, sides.side[0][part], place[0][part]);
        look(block, steps, right, all - sum[part], steps.all - travel, sides.side[1][part],
             place[1][part]);
      }
    }
    for (int s = 0; s < 2; ++s)
      for (int part = 0; part < kParts; ++part)
        write_floors(sides.side[s][part], room.floors_of(g, s) + part * kLanes);
  }
  // Adds the rows of a block to the splits that send them left: their numbers, with what those
  // before the middle amount to, and how many they are.
  [[gnu::noinline]] void add(const std::uint16_t* rows, const std::uint16_t* middle,
                             const std::uint16_t* end, const std::uint64_t* left, Ints sums[kParts],
                             Ints above[kParts], std::int16_t* counts) const {
    alignas(64) std::int8_t bytes[kMost];
    count_left(rows, end, left, bytes);
    for (int i = 0; i < kMost; ++i) counts[i] = static_cast<std::int16_t>(counts[i] + bytes[i]);
    Ints sum[kParts];
    for (int part = 0; part < kParts; ++part) sum[part] = sums[part];
    add_numbers(rows, middle, left, sum);
    for (int part = 0; part < kParts; ++part) above[part] = sum[part] - sums[part];
    add_numbers(middle, end, left, sum);
    for (int part = 0; part < kParts; ++part) sums[part] = sum[part];
  }
  EXACTREE_INLINE void add_numbers(const std::uint16_t* rows, const std::uint16_t* end,
                                   const std::uint64_t* left, Ints sum[kParts]) const {
    for (; rows < end; ++rows) {
      const std::int32_t* q = &rounded_[*rows];
      const std::uint64_t splits = left[*rows];
      for (int part = 0; part < kParts; ++part) {
#if EXACTREE_SIMD512
        const auto mine = static_cast<__mmask16>(splits >> (part * kLanes));
        const auto before = reinterpret_cast<__m512i>(sum[part]);
        sum[part] = reinterpret_cast<Ints>(
            _mm512_mask_add_epi32(before, mine, before, _mm512_set1_epi32(*q)));
#else
        const Ints mine = static_cast<std::int32_t>(splits >> (part * kLanes) & 0xFFFF) & kBits;
        sum[part] += (mine != 0) & *q;
#endif
      }
    }
  }
  // The end of a block: c of a side's rows were passed, and add up to `sum`; `travel` is the |q| of
  // those in the block.
  EXACTREE_INLINE static void look(const RowBlock& block, const Steps& steps, const Floats& rows,
                                   const Ints& sum, const Ints& travel, Side& side, Place& place) {
    const Floats off = __builtin_convertvector(sum, Floats) - rows * side.mean;
    const Floats product = rows * (side.rows - rows);
    if (block.at_end) {
      Floats most = off + off, least = product;
      if (block.inside) {
        most = place.off + off;
        least = product < place.product ? product : place.product;
      }
      most = most < 0.0F ? -most : most;
      if (block.inside)
        most += __builtin_convertvector(travel, Floats) + (rows - place.rows) * side.slope;
      most = most * 0.5F + side.guard;
      least = least > side.fewest ? least : side.fewest;
      Floats gain = most * most;
      divide(gain, least);
      const Ints first = place.rows == 0.0F, last = rows == side.rows;
      if (block.inside && any(first | last)) at_ends(steps, rows, side, place, first, last, gain);
      side.gain = side.gain > gain ? side.gain : gain;
    }
    place.rows = rows;
    place.off = off;
    place.product = product;
  }
  // Nearly the quotient; kLoose makes up for what it lacks.
  EXACTREE_INLINE static void divide(Floats& x, const Floats& by) {
#if EXACTREE_SIMD512
    x *= reinterpret_cast<Floats>(_mm512_rcp14_ps(reinterpret_cast<__m512>(by)));
#else
    x /= by;
#endif
  }
  EXACTREE_INLINE static bool any(const Ints& x) {
#if EXACTREE_SIMD512
    const auto bits = reinterpret_cast<__m512i>(x);
    return _mm512_test_epi32_mask(bits, bits) != 0;
#else
    std::int32_t all = 0;
    for (int j = 0; j < kLanes; ++j) all |= x[j];
    return all != 0;
#endif
  }
  // If all rows passed so far are of this block, or all to come were, one of the ends of the side
  // is within, and the bound by the product of its parts is of no use there.
  [[gnu::noinline]] static void at_ends(const Steps& steps, const Floats& rows, const Side& side,
                                        const Place& place, const Ints& at_first,
                                        const Ints& at_last, Floats& gain) {
    const Floats passed = rows - place.rows, rest = side.rows - rows;
    Floats squares =
        steps.squares + side.slope * (2 * static_cast<float>(steps.all) + passed * side.slope);
    squares *= 1 + 0x1p-9F;
    const Floats ahead = rest > 1.0F ? rest : 1.0F + Floats{};
    const Floats behind = place.rows > 1.0F ? place.rows : 1.0F + Floats{};
    const Floats first = squares / ahead + side.spare, last = squares / behind + side.spare;
    gain = (at_first & (first < gain)) ? first : gain;
    gain = (at_last & (last < gain)) ? last : gain;
  }
  void write_floors(Side& side, std::uint16_t* floors) const {
    side.best = side.best > side.gain ? side.best : side.gain;
    // Some less, for the two explained parts and the rounding of all this.
    Floats floor = side.cost - side.gain * side.per_gain - 4.0F;
    floor = floor > 0.0F ? floor : Floats{};
    floor = floor < 65535.0F ? floor : 65535.0F + Floats{};
    const Floors found = __builtin_convertvector(__builtin_convertvector(floor, Ints), Floors);
    std::memcpy(floors, &found, sizeof found);
  }

  const Problem& data_;
  double scale_ = 1;  // 2^e
  SquareSums total_;
  std::int64_t size_ = 0, sum_ = 0;    // of all |q|, and of all q
  std::vector<std::int32_t> rounded_;  // per row: q
  std::vector<Steps> steps_;           // per block
};

}  // namespace exactree::EXACTREE_ISA
