#include <algorithm>
#include <vector>

#include "rows/rows.hpp"

namespace exactree {

namespace {

constexpr std::size_t kBlock = 4;

void find_extremes(const double* table, std::size_t rows, std::size_t features, double* low,
                   double* high) {
  std::copy(table, table + features, low);
  std::copy(table, table + features, high);
  for (std::size_t i = 1; i < rows; ++i) {
    const double* row = table + i * features;
    for (std::size_t j = 0; j < features; ++j) {
      low[j] = row[j] < low[j] ? row[j] : low[j];
      high[j] = row[j] > high[j] ? row[j] : high[j];
    }
  }
}

// Compares some rows with the low and high values of their columns.
template <std::size_t Rows>
void compare(const double* table, std::size_t features, const double* low, const double* high,
             std::uint8_t* between, std::int32_t* ranks, std::size_t stride) {
  for (std::size_t j = 0; j < features; ++j, ranks += stride) {
    bool other = false;
    for (std::size_t i = 0; i < Rows; ++i) {
      const double value = table[i * features + j];
      const bool above = value > low[j];
      ranks[i] = above;
      other |= above & (value < high[j]);
    }
    between[j] |= static_cast<std::uint8_t>(other);
  }
}

}  // namespace

std::pair<std::int32_t, std::int32_t> extremes(const std::int32_t* ranks, std::size_t n) {
  std::int32_t low = ranks[0], high = ranks[0];
  for (std::size_t i = 1; i < n; ++i) {
    low = std::min(low, ranks[i]);
    high = std::max(high, ranks[i]);
  }
  return {low, high};
}

std::ptrdiff_t tell_two_values(const double* table, std::size_t rows, std::size_t features,
                               double* low, double* high, std::int32_t* ranks) {
  find_extremes(table, rows, features, low, high);
  std::vector<std::uint8_t> between(features, 0);
  // Some rows at once, so that the transposed table is not written value by value.
  std::size_t i = 0;
  for (; i + kBlock <= rows; i += kBlock)
    compare<kBlock>(table + i * features, features, low, high, between.data(), ranks + i, rows);
  for (; i < rows; ++i)
    compare<1>(table + i * features, features, low, high, between.data(), ranks + i, rows);
  const auto guilty = std::find(between.begin(), between.end(), 1);
  return guilty == between.end() ? -1 : guilty - between.begin();
}

void route(const ThresholdTree& tree, const double* table, std::size_t rows,
           std::ptrdiff_t row_stride, std::ptrdiff_t column_stride, std::int64_t* ends) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = table + static_cast<std::ptrdiff_t>(i) * row_stride;
    std::int32_t at = 0;
    while (tree.feature[at] >= 0) {
      const double value = row[tree.feature[at] * column_stride];
      const bool missing = tree.missing_left[at] && value != value;
      at = value <= tree.threshold[at] || missing ? tree.left[at] : tree.right[at];
    }
    ends[i] = at;
  }
}

}  // namespace exactree
