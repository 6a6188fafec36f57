// Many splits of one node at once: what the best second splits of their sides cost.
//
// Where there are very many columns, ranks of pairs of columns take more time to make than they
// save. A sweep needs none: it passes once over every column's order, and each row it meets is
// added to all sides that have it, one lane of a register for each (two_class_sweep.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/value.hpp"

namespace exactree {

struct Workspace;

// A split, and what was found of its two sides.
struct SweptSplit {
  int feature = 0, position = 0;
  std::uint16_t* floors[2] = {nullptr, nullptr};  // per column (floors.hpp): raised
  Cost leaf[2] = {0, 0}, best[2] = {0, 0};        // found: no second split, and the best one
};

class Sweep {
 public:
  static constexpr int kSides = 64, kMost = kSides / 2;  // at once

  // What one thread keeps between sweeps.
  struct alignas(64) Line {
    std::int8_t lane[kSides];
  };
  using Room = std::vector<Line>;

  virtual ~Sweep() = default;
  // At most kMost splits. Throws Stopped at a limit.
  virtual void run(SweptSplit* splits, int count, Room& room, Workspace& work) const = 0;
};

}  // namespace exactree
