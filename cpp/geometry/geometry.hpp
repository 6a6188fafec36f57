// What the rest of the core sees of the exact geometry: points with integer coordinates in, packed
// side masks out. Nothing here depends on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bitset.hpp"
#include "geometry/arrangement.hpp"

namespace exactree {

// Vectors with integer coordinates. A coordinate is `words` limbs of two's complement, the lowest
// first; coordinate c of point i starts at limbs[(i * columns + c) * words].
struct PointSet {
  const Word* limbs;
  std::size_t points;
  std::size_t columns;
  std::size_t words;
};

struct MaskList {
  std::vector<Word> masks;  // one after another, (points + 63) / 64 words each
  bool complete;            // false if the poll said stop; then only some are there
};

struct GeometryKernels {
  // All partitions of the points by a linear functional that vanishes on none of them, as the side
  // of point 0, sorted, each once, the trivial one left out. No two points may be multiples of each
  // other, and the points must span the space. `expected` masks are reserved.
  MaskList (*dichotomies)(const PointSet& points, std::size_t expected, const Poll& poll);
  // For each of `count` lists of columns - 1 points: which points are on the positive side of the
  // functional q -> det(owners, q), and which are on the surface. Owners that depend on each other
  // define no surface: every point is then on it.
  void (*sides)(const PointSet& points, const std::uint32_t* owners, std::size_t count,
                Word* positive, Word* on);
  // Rewrites masks over points as masks over rows: row i is where point rows[i] is.
  void (*expand)(const Word* masks, std::size_t count, std::size_t points,
                 const std::uint32_t* rows, std::size_t row_count, Word* out);
  // The partitions of `dichotomies`, not listed but as a tree that is made where one looks.
  std::unique_ptr<Arrangement> (*arrange)(const PointSet& points);
};

}  // namespace exactree
