// Many splits of one node at once: what the best second splits of their sides cost, or what they
// cost at least.
//
// Where there are very many columns, ranks of pairs of columns take more time to make than they
// save. A sweep needs none: it passes once over every column's order, and each row it meets is
// added to all sides that have it, one lane of a register for each.
//
// Of two classes (two_class_sweep.hpp) a sweep finds what the sides cost. Of more classes and of
// numbers (class_sweep.hpp, squared_sweep.hpp) it looks at sums only where a block of rows ends,
// and bounds the splits within: most thresholds are known to be too costly then. The others are
// scanned one by one, in the columns that may hold something better by the floors which the sweep
// found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/value.hpp"

namespace exactree {

struct Workspace;

// A split, and what was found of its two sides.
struct SweptSplit {
  int feature = 0, position = 0;
  int rank = 0;                                   // rows of a lower one go left
  std::uint16_t* floors[2] = {nullptr, nullptr};  // per column (floors.hpp): raised
  Cost leaf[2] = {0, 0}, best[2] = {0, 0};        // found: no second split, and the best one
};

class Sweep {
 public:
  static constexpr int kSides = 64, kMost = 64;  // at once: sides with lanes of their own; splits

  // What one thread keeps between sweeps.
  struct alignas(64) Line {
    std::int8_t lane[kSides];
  };
  struct Room {
    std::vector<Line> lines;
    std::vector<std::uint64_t> left;    // per row: the splits that send it left
    std::vector<std::uint16_t> floors;  // bounds: per column and side, a floor for each split

    std::uint16_t* floors_of(int column, int side) { return &floors[first_floor(column, side)]; }
    const std::uint16_t* floors_of(int column, int side) const {
      return &floors[first_floor(column, side)];
    }
    static std::size_t first_floor(int column, int side) {
      return (static_cast<std::size_t>(column) * 2 + static_cast<std::size_t>(side)) * kMost;
    }
  };

  virtual ~Sweep() = default;
  // How many splits it takes at once, no more than kMost.
  virtual int most() const = 0;
  // Whether it finds what the sides cost. If not, `best` is a bound, and the floors are in the
  // room.
  virtual bool exact() const = 0;
  // Throws Stopped at a limit.
  virtual void run(SweptSplit* splits, int count, Room& room, Workspace& work) const = 0;
};

}  // namespace exactree
