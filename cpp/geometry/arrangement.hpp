// Cells of an arrangement, made one by one where somebody looks at them: what the search sees.
// Nothing here depends on the instruction set.
//
// Vectors z_i and cells as in cells.hpp. A cell of some of the z_i (those on its path, each with
// its sign) is a cone; whatever further z_i vanishes somewhere inside it parts it into two cells,
// and all others have one sign on it. So the cells of all z_i are the leaves of a binary tree,
// each once. Antipodal cells are one partition: z_0 is positive on all cells here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bitset.hpp"

namespace exactree {

// Points that the rays of some cells have signs for, with their coordinates, rounded.
struct CellPoints {
  std::vector<std::uint32_t> ids;
  std::vector<double> values;  // column by column, filled up to whole words

  std::size_t words() const { return (ids.size() + 63) / 64; }
};

struct Cell {
  std::shared_ptr<const CellPoints> points;
  std::vector<std::uint32_t> path;  // 2 * point + 1 if it is positive here
  std::vector<Word> data;           // the points that part the cell, then ray after ray

  std::size_t bytes() const {
    return sizeof(Cell) + path.capacity() * sizeof(std::uint32_t) + data.capacity() * sizeof(Word);
  }
};

// A cell and the points that became decided when it was cut off: positive, or negative.
struct CellSide {
  Cell cell;
  std::vector<std::uint32_t> left, right;
};

// Asked at least every 50 ms; true means stop.
struct Poll {
  bool (*stop)(void* context);
  void* context;
};

class Arrangement {
 public:
  virtual ~Arrangement() = default;
  // All cells with z_0 on their positive side, as one.
  virtual void start(CellSide& all) = 0;
  // How many points part a cell, and which, in increasing order.
  virtual std::size_t open_points(const Cell& cell) const = 0;
  virtual void list_open(const Cell& cell, std::vector<std::uint32_t>& out) const = 0;
  // Cuts a cell that some points part by one of them: where it is positive, and where negative.
  // False if the poll, asked for every new ray, said stop.
  virtual bool cut(const Cell& cell, CellSide out[2], const Poll& poll) = 0;
};

}  // namespace exactree
