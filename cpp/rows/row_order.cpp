// Rows are sorted by words into which as many columns as fit are packed. The next word is looked
// at only among rows that agree in those before it, and not made if there are none.
#include <algorithm>
#include <bit>
#include <numeric>

#include "rows/rows.hpp"

namespace exactree {

namespace {

int bits_of(const std::int32_t* column, std::size_t rows) {
  std::int32_t any = 0;
  for (std::size_t i = 0; i < rows; ++i) any |= column[i];
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(any)));
}

class Sorter {
 public:
  explicit Sorter(std::size_t rows) : starts_(rows, 0), keys_(rows), scratch_(2 * rows) {
    sorted_.order.resize(rows);
    std::iota(sorted_.order.begin(), sorted_.order.end(), 0u);
    starts_[0] = 1;
  }

  // Packs columns into a word and sorts by it; returns the first column that was left out.
  std::size_t sort_by_columns(const std::int32_t* columns, std::size_t from, std::size_t features) {
    const std::size_t rows = keys_.size();
    std::fill(keys_.begin(), keys_.end(), 0);
    int used = 0;
    for (; from < features; ++from) {
      const std::int32_t* column = columns + from * rows;
      const int bits = bits_of(column, rows);
      if (used + bits > 64) break;
      used += bits;
      if (bits == 0) continue;
      for (std::size_t i = 0; i < rows; ++i)
        keys_[i] = keys_[i] << bits | static_cast<std::uint32_t>(column[i]);
    }
    refine();
    return from;
  }

  bool all_different() const {
    return std::find(starts_.begin(), starts_.end(), 0) == starts_.end();
  }

  RowOrder finish(const std::int32_t* labels) {
    sorted_.points.resize(starts_.size());
    std::int32_t point = -1;
    for (std::size_t i = 0; i < starts_.size(); ++i) sorted_.points[i] = point += starts_[i];
    if (!all_different()) {
      for (std::size_t i = 0; i < keys_.size(); ++i)
        keys_[i] = static_cast<std::uint32_t>(labels[i]);
      refine();
    }
    sorted_.first = std::move(starts_);
    return std::move(sorted_);
  }

 private:
  // Sorts every run of rows that agree so far by the present word, and marks what it parts.
  void refine() {
    const std::size_t rows = starts_.size();
    std::uint32_t* order = sorted_.order.data();
    for (std::size_t i = 0, j; i < rows; i = j) {
      for (j = i + 1; j < rows && starts_[j] == 0;) ++j;
      if (j - i == 1) continue;
      sort_places(keys_.data(), order + i, j - i, scratch_.data());
      for (std::size_t k = i + 1; k < j; ++k) starts_[k] = keys_[order[k]] != keys_[order[k - 1]];
    }
  }

  RowOrder sorted_;
  std::vector<std::uint8_t> starts_;
  std::vector<std::uint64_t> keys_, scratch_;
};

}  // namespace

RowOrder sort_rows(const std::int32_t* columns, std::size_t features, std::size_t rows,
                   const std::int32_t* labels) {
  Sorter sorter(rows);
  for (std::size_t f = 0; f < features && !sorter.all_different();)
    f = sorter.sort_by_columns(columns, f, features);
  return sorter.finish(labels);
}

}  // namespace exactree
