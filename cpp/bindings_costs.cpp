// The Python face of the search for trees of least cost, where rows have costs for every answer.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "bindings_costs.hpp"
#include "bindings_search.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

Problem costs_of(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int64_t, 2>& costs,
                 const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Problem data = priced_rows(ranks.shape(1), costs, counts);
  data.features = static_cast<int>(ranks.shape(0));
  data.ranks = ranks.data();
  if (ranks.size() > 0) {
    const auto [low, high] = std::minmax_element(ranks.data(), ranks.data() + ranks.size());
    require(*low >= 0 && *high < data.rows, "ranks must be dense, from 0");
    data.max_rank = *high;
  }
  return data;
}

Posed pose_costs(const Terms& terms, const ArrayIn<std::int32_t, 2>& ranks,
                 const ArrayIn<std::int64_t, 2>& costs,
                 const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Posed posed;
  posed.data = costs_of(ranks, costs, counts);
  posed.keep(ranks);
  posed.keep(costs);
  posed.keep(counts);
  set_terms(posed, terms);
  return posed;
}

}  // namespace

void bind_costs(nb::module_& m) {
  bind_kind(m, "costs", &pose_costs,
            "Find a tree of least cost over rank columns (features x rows).\n\n"
            "`costs` (rows x answers) are what each answer costs for a row: whole numbers, not "
            "negative, whose largest add up to less than 2**60. Labels of leaves are answers.",
            "ranks"_a.noconvert(), "costs"_a.noconvert(), "counts"_a.noconvert() = nb::none());
}

}  // namespace exactree
