// Rows with a cost for every answer, read from Python's arrays.
#pragma once

#include <algorithm>
#include <optional>

#include "bindings_search.hpp"

namespace exactree {

// Refuses costs that are negative, or that could add up to what the search takes for infinity.
inline void require_small(const ArrayIn<std::int64_t, 2>& costs) {
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

inline Problem priced_rows(std::size_t rows, const ArrayIn<std::int64_t, 2>& costs,
                           const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require(costs.shape(0) == rows, "costs must have a row for every row");
  require(costs.shape(1) > 0 && costs.shape(1) < (std::size_t{1} << 20), "no answers, or 2**20");
  require_small(costs);
  if (counts) require_length(*counts, rows, "counts");
  Problem data;
  data.rows = static_cast<int>(rows);
  data.classes = static_cast<int>(costs.shape(1));
  data.row_costs = costs.data();
  data.counts = counts ? counts->data() : nullptr;
  return data;
}

}  // namespace exactree
