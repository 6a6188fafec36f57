// What the second split of a side costs at least, column by column: its floors.
//
// A threshold has the floors of its left side, then those of its right one. Each side has room for
// a multiple of eight columns, so that whole registers are raised; the rest is zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "search/value.hpp"

namespace exactree {

// From how many rows on floors spare more than they cost, and from how many columns. So many
// columns have floors at the root alone: the lists of a subproblem have those of all pairs of
// columns.
inline constexpr int kFloorRows = 1024, kFloorColumns = 256;

inline int floor_stride(int columns) {
  return (columns + 7) / 8 * 8;
}

// Raises one floor. It is not negative: a side is scanned for something below a positive cost only,
// since its lower bound is at least the penalty (Worker::raise_by_floors). As 16 bits without a
// sign a negative one would bar the best column.
inline void raise_floor(std::uint16_t& floor, Cost least) {
  constexpr Cost kMost = std::numeric_limits<std::uint16_t>::max();
  if (least < 0) throw std::logic_error("exactree: a floor is negative; please report this");
  floor = std::max(floor, static_cast<std::uint16_t>(std::min(least, kMost)));
}

// Raises the floors of a side to those of another less some units.
inline void raise_floors(std::uint16_t* to, const std::uint16_t* from, Cost less, int stride) {
  constexpr Cost kMost = std::numeric_limits<std::uint16_t>::max();
  const auto lost = static_cast<std::uint16_t>(std::min(less, kMost));
  for (int g = 0; g < stride; g += 8)
    for (int i = g; i < g + 8; ++i) {
      const auto kept = static_cast<std::uint16_t>(std::max(from[i], lost) - lost);
      to[i] = std::max(to[i], kept);
    }
}

// The same, with some units more. What is above all numbers is the largest one.
inline void raise_floors_more(std::uint16_t* to, const std::uint16_t* from, Cost more, int stride) {
  constexpr Cost kMost = std::numeric_limits<std::uint16_t>::max();
  const auto added = static_cast<std::uint16_t>(std::min(more, kMost));
  const auto most = static_cast<std::uint16_t>(kMost - added);
  for (int g = 0; g < stride; g += 8)
    for (int i = g; i < g + 8; ++i) {
      const auto grown = static_cast<std::uint16_t>(std::min(from[i], most) + added);
      to[i] = std::max(to[i], grown);
    }
}

}  // namespace exactree
