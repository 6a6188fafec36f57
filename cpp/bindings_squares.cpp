// The Python face of the search for regression trees.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "bindings_search.hpp"
#include "search/targets/squares.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

using NumberList = ArrayIn<double, 1>;

// Whole numbers whose absolute values add up exactly.
void require_whole(const NumberList& numbers, double least, const char* name) {
  double all = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers.data()[i];
    require(x >= least && x == std::floor(x), std::string(name) + " must be whole numbers");
    all += std::abs(x);
  }
  require(all < 0x1p53, std::string(name) + " add up to 2**53 or more");
}

SquareSums total(const Problem& data) {
  SquareSums sum;
  for (int i = 0; i < data.rows; ++i)
    sum = sum + SquareSums::of_row(data.sums[i], data.masses == nullptr ? 1.0 : data.masses[i]);
  return sum;
}

Problem squares_of(const ArrayIn<std::int32_t, 2>& ranks, const NumberList& sums,
                   const std::optional<NumberList>& weights,
                   const std::optional<ArrayIn<std::int32_t, 1>>& counts, int shift) {
  Problem data;
  const std::size_t rows = ranks.shape(1);
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require_length(sums, rows, "sums");
  require_whole(sums, -0x1p53, "sums");
  if (weights) require_length(*weights, rows, "weights");
  if (weights) require_whole(*weights, 1, "weights");
  if (counts) require_length(*counts, rows, "counts");
  require(!counts || weights, "counts need weights");
  require(shift >= 0 && shift < 120, "shift must be from 0 to 119");
  data.rows = static_cast<int>(rows);
  data.features = static_cast<int>(ranks.shape(0));
  data.classes = 1;
  data.ranks = ranks.data();
  data.sums = sums.data();
  data.masses = weights ? weights->data() : nullptr;
  data.counts = counts ? counts->data() : nullptr;
  data.shift = shift;
  if (ranks.size() > 0) {
    const auto [low, high] = std::minmax_element(ranks.data(), ranks.data() + ranks.size());
    require(*low >= 0 && *high < data.rows, "ranks must be dense, from 0");
    data.max_rank = *high;
  }
  return data;
}

Posed pose_squares(const Terms& terms, const ArrayIn<std::int32_t, 2>& ranks,
                   const NumberList& sums, const std::optional<NumberList>& weights,
                   const std::optional<ArrayIn<std::int32_t, 1>>& counts, int shift) {
  Posed posed;
  posed.data = squares_of(ranks, sums, weights, counts, shift);
  posed.keep(ranks);
  posed.keep(sums);
  posed.keep(weights);
  posed.keep(counts);
  const Wide all = total(posed.data).error() >> shift;
  require(all < Wide{1} << 58, "the squared error is 2**58 units or more: raise shift");
  set_terms(posed, terms);
  posed.data.unit = unit_of_floors(all);
  return posed;
}

}  // namespace

void bind_squares(nb::module_& m) {
  bind_kind(m, "squares", &pose_squares,
            "Find a tree of least squared error over rank columns (features x rows).\n\n"
            "`sums` and `weights` are whole numbers whose absolute values add up to less than "
            "2**53; a row's target is sum / weight. Costs are whole multiples of 2**shift.",
            "ranks"_a.noconvert(), "sums"_a.noconvert(), "weights"_a.noconvert() = nb::none(),
            "counts"_a.noconvert() = nb::none(), nb::kw_only(), "shift"_a);
}

}  // namespace exactree
