// The Python face of the exact geometry.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

using PointsIn = nb::ndarray<const Word, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OwnersIn = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RowsIn = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MasksIn = nb::ndarray<const Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MasksOut = nb::ndarray<nb::numpy, Word, nb::ndim<2>>;

MasksOut to_numpy(std::vector<Word> masks, std::size_t words) {
  auto kept = std::make_unique<std::vector<Word>>(std::move(masks));
  Word* data = kept->data();
  const std::size_t count = kept->size() / words;
  nb::capsule owner(kept.get(),
                    [](void* p) noexcept { delete static_cast<std::vector<Word>*>(p); });
  kept.release();
  return MasksOut(data, {count, words}, owner);
}

PointSet point_set(const PointsIn& points) {
  if (points.shape(0) == 0 || points.shape(1) == 0 || points.shape(2) == 0) {
    throw std::invalid_argument("points without rows, columns or words: give at least one of each");
  }
  return {points.data(), points.shape(0), points.shape(1), points.shape(2)};
}

// Calls back into Python; what that raises is kept, and raised when the core has returned.
struct Callback {
  nb::object stop;
  std::exception_ptr error;

  static bool poll(void* context) noexcept {
    auto* self = static_cast<Callback*>(context);
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return !self->stop.is_none() && nb::cast<bool>(self->stop());
    } catch (...) {
      self->error = std::current_exception();
      return true;
    }
  }
};

std::pair<MasksOut, bool> dichotomies(const PointsIn& points, std::size_t expected, nb::object stop,
                                      const std::string& isa) {
  const PointSet set = point_set(points);
  if (set.points < set.columns) {
    throw std::invalid_argument(std::to_string(set.points) + " points cannot span " +
                                std::to_string(set.columns) + " columns: drop dependent columns");
  }
  const auto kernel = kernels(isa).geometry.dichotomies;
  Callback callback{std::move(stop), nullptr};
  MaskList found;
  {
    nb::gil_scoped_release release;
    found = kernel(set, expected, Poll{Callback::poll, &callback});
  }
  if (callback.error) std::rethrow_exception(callback.error);
  return {to_numpy(std::move(found.masks), (set.points + 63) / 64), found.complete};
}

void add_cells(Arrangement& arrangement, const CellSide& side, std::vector<Word> mask,
               std::vector<Word>& out) {
  for (const std::uint32_t point : side.left) mask[point / 64] |= Word{1} << (point % 64);
  if (arrangement.open_points(side.cell) == 0) {
    out.insert(out.end(), mask.begin(), mask.end());
    return;
  }
  CellSide sides[2];
  arrangement.cut(side.cell, sides, Poll{[](void*) { return false; }, nullptr});
  for (const CellSide& half : sides) add_cells(arrangement, half, mask, out);
}

MasksOut cut_cells(const PointsIn& points, const std::string& isa) {
  const PointSet set = point_set(points);
  const auto arrangement = kernels(isa).geometry.arrange(set);
  CellSide all;
  arrangement->start(all);
  const std::size_t words = (set.points + 63) / 64;
  std::vector<Word> out;
  add_cells(*arrangement, all, std::vector<Word>(words, 0), out);
  return to_numpy(std::move(out), words);
}

void check_owners(const PointSet& set, const OwnersIn& owners) {
  if (owners.shape(1) + 1 != set.columns) {
    throw std::invalid_argument("lists of " + std::to_string(owners.shape(1)) +
                                " owners: a surface here is defined by " +
                                std::to_string(set.columns - 1) + " points");
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners.data()[i] < set.points) continue;
    throw std::invalid_argument("owner " + std::to_string(owners.data()[i]) + ": there are " +
                                std::to_string(set.points) + " points, counted from zero");
  }
}

std::pair<MasksOut, MasksOut> surface_sides(const PointsIn& points, const OwnersIn& owners,
                                            const std::string& isa) {
  const PointSet set = point_set(points);
  check_owners(set, owners);
  const std::size_t words = (set.points + 63) / 64;
  std::vector<Word> positive(owners.shape(0) * words);
  std::vector<Word> on(owners.shape(0) * words);
  const auto kernel = kernels(isa).geometry.sides;
  {
    nb::gil_scoped_release release;
    kernel(set, owners.data(), owners.shape(0), positive.data(), on.data());
  }
  return {to_numpy(std::move(positive), words), to_numpy(std::move(on), words)};
}

MasksOut expand_masks(const MasksIn& masks, const RowsIn& rows, const std::string& isa) {
  const std::size_t points = 64 * masks.shape(1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.data()[i] < points) continue;
    throw std::invalid_argument("row " + std::to_string(i) + " is at point " +
                                std::to_string(rows.data()[i]) + ", but masks have " +
                                std::to_string(points) + " bits");
  }
  const std::size_t words = (rows.size() + 63) / 64;
  std::vector<Word> out(masks.shape(0) * words);
  const auto kernel = kernels(isa).geometry.expand;
  {
    nb::gil_scoped_release release;
    kernel(masks.data(), masks.shape(0), points, rows.data(), rows.size(), out.data());
  }
  return to_numpy(std::move(out), words);
}

}  // namespace

void bind_geometry(nb::module_& m) {
  m.def("dichotomies", &dichotomies, "points"_a.noconvert(), "expected"_a, "stop"_a.none(),
        "isa"_a = "auto",
        "List the partitions of vectors by linear functionals that vanish on none of them: masks "
        "of the side of vector 0, sorted, without the trivial one, and whether the list is "
        "complete. points[i, c] holds 64-bit words of two's complement, the lowest first. stop() "
        "is asked every few milliseconds.");
  m.def("cut_cells", &cut_cells, "points"_a.noconvert(), "isa"_a = "auto",
        "The masks of `dichotomies` and the trivial one, in the order in which a search that cuts "
        "cells would meet them; for tests.");
  m.def("surface_sides", &surface_sides, "points"_a.noconvert(), "owners"_a.noconvert(),
        "isa"_a = "auto",
        "For each list of owners: masks of the points q with det(owners, q) > 0, and with = 0.");
  m.def("expand_masks", &expand_masks, "masks"_a.noconvert(), "rows"_a.noconvert(),
        "isa"_a = "auto", "Rewrite masks over points for rows: row i is where point rows[i] is.");
}

}  // namespace exactree
