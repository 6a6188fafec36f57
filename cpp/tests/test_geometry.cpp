#include <array>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"

namespace exactree::tests {

namespace {

bool never(void*) {
  return false;
}

bool at_once(void*) {
  return true;
}

std::vector<Word> packed(const std::vector<std::int64_t>& values) {
  std::vector<Word> words;
  for (const std::int64_t value : values) words.push_back(static_cast<Word>(value));
  return words;
}

std::size_t count_cells(Arrangement& arrangement, const Cell& cell) {
  if (arrangement.open_points(cell) == 0) return 1;
  CellSide sides[2];
  check(arrangement.cut(cell, sides, Poll{never, nullptr}));
  return count_cells(arrangement, sides[0].cell) + count_cells(arrangement, sides[1].cell);
}

// The same points as trees of cells, the trivial partition included.
void check_cells(const GeometryKernels& geometry, const PointSet& points, std::size_t expected) {
  const auto arrangement = geometry.arrange(points);
  CellSide all;
  arrangement->start(all);
  check(count_cells(*arrangement, all.cell) == expected + 1);
}

// Points (1, i, i^2, ..., i^d) are in general position: Cover's number.
void check_moment_curve(const GeometryKernels& geometry, std::size_t n, std::size_t d,
                        std::size_t expected) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t power = 1;
    for (std::size_t k = 0; k <= d; ++k, power *= static_cast<std::int64_t>(i)) {
      values.push_back(power);
    }
  }
  const std::vector<Word> limbs = packed(values);
  const PointSet points{limbs.data(), n, d + 1, 1};
  const MaskList found = geometry.dichotomies(points, 1, Poll{never, nullptr});
  check(found.complete);
  check(found.masks.size() == expected * ((n + 63) / 64));
  check_cells(geometry, points, expected);
}

// The 3 x 3 grid: points with many collinear triples, in words of the given width.
void check_grid(const GeometryKernels& geometry, std::size_t words) {
  std::vector<Word> limbs;
  for (std::size_t i = 0; i < 9; ++i) {
    for (const std::int64_t value :
         {std::int64_t{1}, std::int64_t(i / 3) - 1, std::int64_t(i % 3)}) {
      limbs.push_back(static_cast<Word>(value));
      limbs.insert(limbs.end(), words - 1, value < 0 ? ~Word{0} : Word{0});
    }
  }
  const PointSet points{limbs.data(), 9, 3, words};
  check(geometry.dichotomies(points, 50, Poll{never, nullptr}).masks.size() == 28);
  check_cells(geometry, points, 28);
}

void check_sides(const GeometryKernels& geometry) {
  const std::vector<Word> limbs = packed({1, 0, 0, 1, 2, 2, 1, 1, 1, 1, 1, 0, 1, 0, 1});
  const PointSet points{limbs.data(), 5, 3, 1};
  const std::array<std::uint32_t, 4> owners{1, 0, 3, 3};
  std::array<Word, 2> positive{};
  std::array<Word, 2> on{};
  geometry.sides(points, owners.data(), 2, positive.data(), on.data());
  check(positive[0] == 0b01000 && on[0] == 0b00111);
  check(positive[1] == 0 && on[1] == 0b11111);
}

void check_stop(const GeometryKernels& geometry) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 2000; ++i) values.insert(values.end(), {1, i, i * i});
  const std::vector<Word> limbs = packed(values);
  const PointSet points{limbs.data(), 2000, 3, 1};
  check(!geometry.dichotomies(points, 1, Poll{at_once, nullptr}).complete);
}

void check_expand(const GeometryKernels& geometry) {
  const std::array<Word, 2> masks{0b011, 0b100};
  const std::array<std::uint32_t, 5> rows{2, 0, 0, 1, 2};
  std::array<Word, 2> out{};
  geometry.expand(masks.data(), 2, 3, rows.data(), 5, out.data());
  check(out[0] == 0b01110 && out[1] == 0b10001);
}

}  // namespace

void test_geometry(Effort) {
  for (const std::string& isa : instruction_sets()) {
    const GeometryKernels geometry = kernels(isa).geometry;
    check_moment_curve(geometry, 5, 1, 4);
    check_moment_curve(geometry, 130, 2, 8385);
    check_moment_curve(geometry, 12, 4, 561);
    check_moment_curve(geometry, 5, 4, 15);
    for (const std::size_t words : {1U, 2U, 3U, 20U}) check_grid(geometry, words);
    check_sides(geometry);
    check_stop(geometry);
    check_expand(geometry);
  }
}

}  // namespace exactree::tests
