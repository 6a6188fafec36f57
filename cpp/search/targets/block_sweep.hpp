// What sweeps have in common that look at sums where blocks of rows end; compiled per instruction
// set. `Mine` has the sides of all splits as start() makes them, takes them along a column by
// pass(), which writes its floors, and tells by least() what they cost at least in the end.
#pragma once

#include <cstdint>

#include "search/targets/row_blocks.hpp"

namespace exactree::EXACTREE_ISA {

template <class Mine>
class BlockSweep : public Sweep {
 public:
  int most() const override { return kMost; }
  bool exact() const override { return false; }

  void run(SweptSplit* splits, int count, Room& room, Workspace& work) const override {
    const Mine& mine = static_cast<const Mine&>(*this);
    blocks_.part(splits, count, room.left);
    room.floors.resize(static_cast<std::size_t>(blocks_.columns()) * 2 * kMost);
    auto sides = mine.start(splits, count, room);
    for (int g = 0; g < blocks_.columns(); ++g) {
      work.spend(1 + blocks_.rows() / 128);
      mine.pass(g, sides, room);
    }
    mine.join_twins(room);
    for (int i = 0; i < count; ++i)
      for (int s = 0; s < 2; ++s) splits[i].best[s] = mine.least(sides, s, i);
    work.counters.scans += std::int64_t{2} * count * blocks_.columns();
  }

 protected:
  BlockSweep(const Problem& data, int rows) : blocks_(data, rows) {}

  RowBlocks blocks_;
};

}  // namespace exactree::EXACTREE_ISA
