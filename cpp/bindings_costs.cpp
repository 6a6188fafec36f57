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
#include "bindings_search.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

// Refuses costs that are negative, or that could add up to what the search takes for infinity.
void require_small(const ArrayIn<std::int64_t, 2>& costs) {
  const std::size_t answers = costs.shape(1);
  Cost most = 0;
  for (std::size_t i = 0; i < costs.shape(0); ++i) {
    const Cost* row = costs.data() + i * answers;
    const auto [low, high] = std::minmax_element(row, row + answers);
    require(*low >= 0, "costs must not be negative");
    require(*high < kInfinite && most + *high < kInfinite, "costs add up to 2**60 or more");
    most += *high;
  }
}

Problem costs_of(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int64_t, 2>& costs,
                 const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Problem data;
  const std::size_t rows = ranks.shape(1);
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require(costs.shape(0) == rows, "costs must have a row for every row");
  require(costs.shape(1) > 0 && costs.shape(1) < (std::size_t{1} << 20), "no answers, or 2**20");
  require_small(costs);
  if (counts) require_length(*counts, rows, "counts");
  data.rows = static_cast<int>(rows);
  data.features = static_cast<int>(ranks.shape(0));
  data.classes = static_cast<int>(costs.shape(1));
  data.ranks = ranks.data();
  data.row_costs = costs.data();
  data.counts = counts ? counts->data() : nullptr;
  if (ranks.size() > 0) {
    const auto [low, high] = std::minmax_element(ranks.data(), ranks.data() + ranks.size());
    require(*low >= 0 && *high < data.rows, "ranks must be dense, from 0");
    data.max_rank = *high;
  }
  return data;
}

Posed pose_costs(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int64_t, 2>& costs,
                 std::optional<ArrayIn<std::int32_t, 1>> counts, int max_depth, int max_splits,
                 int min_rows, std::int64_t penalty, bool sizes, std::int64_t lower_bound,
                 int threads, std::uint32_t switches, const std::string& isa) {
  Posed posed;
  posed.data = costs_of(ranks, costs, counts);
  posed.isa = isa;
  posed.keep(ranks);
  posed.keep(costs);
  posed.keep(counts);
  set_terms(posed,
            {max_depth, max_splits, min_rows, 1, penalty, sizes, lower_bound, threads, switches});
  return posed;
}

SearchResult search_costs(const ArrayIn<std::int32_t, 2>& ranks,
                          const ArrayIn<std::int64_t, 2>& costs,
                          std::optional<ArrayIn<std::int32_t, 1>> counts, int max_depth,
                          int max_splits, int min_rows, std::int64_t penalty, bool sizes,
                          std::int64_t lower_bound, double time_limit, std::int64_t memory_limit,
                          int threads, std::uint32_t switches, const std::string& isa,
                          std::optional<PollFunction> poll) {
  return pose_costs(ranks, costs, counts, max_depth, max_splits, min_rows, penalty, sizes,
                    lower_bound, threads, switches, isa)
      .run(time_limit, memory_limit, std::move(poll));
}

}  // namespace

void bind_costs(nb::module_& m) {
  m.def("pose_costs", &pose_costs, "ranks"_a.noconvert(), "costs"_a.noconvert(),
        "counts"_a.noconvert() = nb::none(), nb::kw_only(), "max_depth"_a, "max_splits"_a = -1,
        "min_rows"_a = 1, "penalty"_a = 0, "sizes"_a = false, "lower_bound"_a = 0, "threads"_a = 1,
        "switches"_a = 0, "isa"_a = "auto", "Pose the search of `search_costs`.");
  m.def("search_costs", &search_costs, "ranks"_a.noconvert(), "costs"_a.noconvert(),
        "counts"_a.noconvert() = nb::none(), nb::kw_only(), "max_depth"_a, "max_splits"_a = -1,
        "min_rows"_a = 1, "penalty"_a = 0, "sizes"_a = false, "lower_bound"_a = 0,
        "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
        "threads"_a = 1, "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
        "Find a tree of least cost over rank columns (features x rows).\n\n"
        "`costs` (rows x answers) are what each answer costs for a row: whole numbers, not "
        "negative, whose largest add up to less than 2**60. Labels of leaves are answers.");
}

}  // namespace exactree
