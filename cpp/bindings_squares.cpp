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

using Numbers = ArrayIn<double, 1>;

// Whole numbers whose absolute values add up exactly.
void require_whole(const Numbers& numbers, double least, const char* name) {
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

Problem squares_of(const ArrayIn<std::int32_t, 2>& ranks, const Numbers& sums,
                   const std::optional<Numbers>& weights,
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

Posed pose_squares(const ArrayIn<std::int32_t, 2>& ranks, const Numbers& sums,
                   std::optional<Numbers> weights, std::optional<ArrayIn<std::int32_t, 1>> counts,
                   int shift, int max_depth, int max_splits, int min_rows, std::int64_t penalty,
                   bool sizes, std::int64_t lower_bound, int threads, std::uint32_t switches,
                   const std::string& isa) {
  Posed posed;
  posed.data = squares_of(ranks, sums, weights, counts, shift);
  posed.isa = isa;
  posed.keep(ranks);
  posed.keep(sums);
  posed.keep(weights);
  posed.keep(counts);
  const Wide all = total(posed.data).error() >> shift;
  require(all < Wide{1} << 58, "the squared error is 2**58 units or more: raise shift");
  // Floors are 16 bits each.
  const Cost unit = static_cast<Cost>(all) / std::numeric_limits<std::uint16_t>::max() + 1;
  set_terms(posed, {max_depth, max_splits, min_rows, unit, penalty, sizes, lower_bound, threads,
                    switches});
  return posed;
}

SearchResult search_squares(const ArrayIn<std::int32_t, 2>& ranks, const Numbers& sums,
                            std::optional<Numbers> weights,
                            std::optional<ArrayIn<std::int32_t, 1>> counts, int shift,
                            int max_depth, int max_splits, int min_rows, std::int64_t penalty,
                            bool sizes, std::int64_t lower_bound, double time_limit,
                            std::int64_t memory_limit, int threads, std::uint32_t switches,
                            const std::string& isa, std::optional<PollFunction> poll) {
  return pose_squares(ranks, sums, weights, counts, shift, max_depth, max_splits, min_rows, penalty,
                      sizes, lower_bound, threads, switches, isa)
      .run(time_limit, memory_limit, std::move(poll));
}

}  // namespace

void bind_squares(nb::module_& m) {
  m.def("pose_squares", &pose_squares, "ranks"_a.noconvert(), "sums"_a.noconvert(),
        "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(), nb::kw_only(),
        "shift"_a, "max_depth"_a, "max_splits"_a = -1, "min_rows"_a = 1, "penalty"_a = 0,
        "sizes"_a = false, "lower_bound"_a = 0, "threads"_a = 1, "switches"_a = 0, "isa"_a = "auto",
        "Pose the search of `search_squares`.");
  m.def("search_squares", &search_squares, "ranks"_a.noconvert(), "sums"_a.noconvert(),
        "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(), nb::kw_only(),
        "shift"_a, "max_depth"_a, "max_splits"_a = -1, "min_rows"_a = 1, "penalty"_a = 0,
        "sizes"_a = false, "lower_bound"_a = 0,
        "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
        "threads"_a = 1, "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
        "Find a tree of least squared error over rank columns (features x rows).\n\n"
        "`sums` and `weights` are whole numbers whose absolute values add up to less than 2**53; a "
        "row's target is sum / weight. Costs are whole multiples of 2**shift.");
}

}  // namespace exactree
