// The Python face of the search for trees of numbers by other losses than the squared error.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bindings_search.hpp"
#include "search/targets/quantile_loss.hpp"
#include "search/targets/sum_loss.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

using NumberTable = ArrayIn<double, 2>;
using Whole = ArrayIn<std::int64_t, 1>;

// A row a line: whole numbers, the first of them positive, that add up exactly in every column.
std::vector<double> whole_numbers(const NumberTable& numbers, bool signs) {
  const std::size_t rows = numbers.shape(0), width = numbers.shape(1);
  require(rows > 0 && width > 1, "there are no rows, or no numbers");
  for (std::size_t j = 0; j < width; ++j) {
    double all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = numbers.data()[i * width + j];
      require(x == std::floor(x) && (x >= (j == 0 ? 1.0 : 0.0) || (signs && j > 0)),
              "numbers must be whole, and the first of a row positive");
      all += std::abs(x);
    }
    require(all < 0x1p53, "numbers add up to 2**53 or more");
  }
  return {numbers.data(), numbers.data() + numbers.size()};
}

template <class T>
std::vector<T> copied(const ArrayIn<T, 1>& array) {
  return {array.data(), array.data() + array.size()};
}

using PowerTables = nb::typed<nb::tuple, ArrayIn<std::uint64_t, 1>, ArrayIn<std::uint64_t, 1>,
                              ArrayIn<std::uint8_t, 1>>;

// The tables (high, low, shift) of a sequence, and the largest number in it.
Powers powers_of(const PowerTables& tables, std::int64_t size) {
  Powers powers;
  powers.high = copied(nb::cast<ArrayIn<std::uint64_t, 1>>(tables[0]));
  powers.low = copied(nb::cast<ArrayIn<std::uint64_t, 1>>(tables[1]));
  powers.shift = copied(nb::cast<ArrayIn<std::uint8_t, 1>>(tables[2]));
  require(std::has_single_bit(powers.low.size()), "the low table has no power of two of entries");
  powers.low_bits = std::countr_zero(powers.low.size());
  require(powers.shift.size() == powers.high.size(), "as many shifts as high digits are needed");
  require(static_cast<std::size_t>((size - 1) >> powers.low_bits) < powers.high.size(),
          "the tables are too short");
  for (const auto s : powers.shift) require(s < 128, "a shift is above 127");
  return powers;
}

double sum_of(const std::vector<double>& numbers, std::size_t j) {
  double all = 0;
  for (std::size_t i = j; i < numbers.size(); i += 2) all += numbers[i];
  return all;
}

void make_deviance(DevianceLoss* at, const NumberTable& numbers, std::int64_t size, double origin,
                   double steps, double scale, const PowerTables& rising, int slope,
                   const std::optional<PowerTables>& falling, double power) {
  std::vector<double> rows = whole_numbers(numbers, false);
  require(numbers.shape(1) == 2, "a row has two numbers");
  require(size >= 2 && size < std::int64_t{1} << 40, "size must be from 2 to 2**40");
  require(slope >= 0 && slope < 120, "slope must be from 0 to 119");
  require(steps > 0 && scale > 0, "steps and scale must be positive");
  DevianceLoss::Grid grid;
  grid.rising = powers_of(rising, size);
  if (falling) grid.falling = powers_of(*falling, size);
  grid.slope = slope;
  grid.size = size;
  grid.origin = origin;
  grid.steps = steps;
  grid.scale = scale;
  grid.power = power;
  // Sums of the largest products stay far below 2^127.
  const double t = sum_of(rows, 0), x = sum_of(rows, 1);
  const double largest = static_cast<double>(grid.rising.at(size - 1)) * t +
                         (falling ? static_cast<double>(grid.falling.at(size - 1))
                                  : std::ldexp(static_cast<double>(size), slope)) *
                             x;
  require(largest < 0x1p124, "numbers are too large for the scale");
  new (at) DevianceLoss(std::move(rows), std::move(grid));
}

void make_outputs(OutputLoss* at, const NumberTable& numbers) {
  const auto width = static_cast<int>(numbers.shape(1));
  new (at) OutputLoss(whole_numbers(numbers, true), width);
}

void make_quantile(QuantileLoss* at, const Whole& targets, std::optional<Whole> weights,
                   std::int64_t above, std::int64_t below) {
  require(targets.size() > 0, "there are no rows");
  require(above > 0 && below > 0 && above < 1 << 30 && below < 1 << 30,
          "above and below must be from 1 to 2**30");
  if (weights) require_length(*weights, targets.size(), "weights");
  double all = weights ? 0 : static_cast<double>(targets.size()), largest = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(targets.data()[i])));
    if (!weights) continue;
    require(weights->data()[i] > 0, "weights must be positive");
    all += static_cast<double>(weights->data()[i]);
  }
  require(largest < 0x1p60 && all * static_cast<double>(above + below) < 0x1p62,
          "targets or weights are too large");
  new (at) QuantileLoss(copied(targets), weights ? copied(*weights) : std::vector<std::int64_t>{},
                        above, below);
}

nb::object as_int(Wide x) {
  const auto high = static_cast<std::int64_t>(x >> 62);
  const auto low = static_cast<std::int64_t>(x & ((Wide{1} << 62) - 1));
  return nb::int_(high) * nb::int_(std::int64_t{1} << 62) + nb::int_(low);
}

nb::typed<nb::object, nb::int_> error_of(const NumberLoss& loss,
                                         const ArrayIn<std::int32_t, 1>& rows) {
  std::vector<int> list(rows.data(), rows.data() + rows.size());
  for (const int i : list) require(i >= 0 && i < loss.rows(), "there is no such row");
  return as_int(loss.error(list));
}

Posed pose_losses(const Terms& terms, const ArrayIn<std::int32_t, 2>& ranks, const NumberLoss& loss,
                  const std::optional<ArrayIn<std::int32_t, 1>>& counts, int shift) {
  Problem data;
  const std::size_t rows = ranks.shape(1);
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require(static_cast<std::size_t>(loss.rows()) == rows, "the loss is for other rows");
  if (counts) require_length(*counts, rows, "counts");
  require(shift >= 0 && shift < 120, "shift must be from 0 to 119");
  data.rows = static_cast<int>(rows);
  data.features = static_cast<int>(ranks.shape(0));
  data.classes = 1;
  data.ranks = ranks.data();
  data.counts = counts ? counts->data() : nullptr;
  data.shift = shift;
  data.loss = &loss;
  if (ranks.size() > 0) {
    const auto [low, high] = std::minmax_element(ranks.data(), ranks.data() + ranks.size());
    require(*low >= 0 && *high < data.rows, "ranks must be dense, from 0");
    data.max_rank = *high;
  }
  std::vector<int> every(rows);
  std::iota(every.begin(), every.end(), 0);
  const Wide all = loss.error(every) >> shift;
  require(all < Wide{1} << 58, "the loss is 2**58 units or more: raise shift");
  Posed posed;
  posed.data = data;
  posed.keep(ranks);
  posed.keep(counts);
  posed.keep(nb::find(loss));  // the Python object that owns it
  set_terms(posed, terms);
  posed.data.unit = unit_of_floors(all);
  return posed;
}

}  // namespace

void bind_losses(nb::module_& m) {
  nb::class_<NumberLoss>(m, "NumberLoss", "Rows of numbers and what they cost, in whole numbers.")
      .def("error", &error_of, "rows"_a.noconvert(),
           "Give what these rows cost more in one leaf than each by itself.");
  nb::class_<DevianceLoss, NumberLoss>(m, "DevianceLoss",
                                       "Poisson, gamma, Tweedie deviance: a function of two sums.")
      .def("__init__", &make_deviance, "numbers"_a.noconvert(), nb::kw_only(), "size"_a, "origin"_a,
           "steps"_a, "scale"_a, "rising"_a, "slope"_a = 0, "falling"_a = nb::none(),
           "power"_a = 1.0);
  nb::class_<OutputLoss, NumberLoss>(m, "OutputLoss", "The squared error of several targets.")
      .def("__init__", &make_outputs, "numbers"_a.noconvert());
  nb::class_<QuantileLoss, NumberLoss>(m, "QuantileLoss",
                                       "Distances from a quantile, `above` it and `below` it.")
      .def("__init__", &make_quantile, "targets"_a.noconvert(), "weights"_a.noconvert().none(),
           nb::kw_only(), "above"_a, "below"_a);
  bind_kind(m, "losses", &pose_losses,
            "Find a tree of least loss over rank columns (features x rows).\n\n"
            "Costs are errors of the leaves in whole multiples of 2**shift.",
            "ranks"_a.noconvert(), "loss"_a, "counts"_a.noconvert() = nb::none(), nb::kw_only(),
            "shift"_a);
}

}  // namespace exactree
