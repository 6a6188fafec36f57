// Equal rows of different classes, taken out in pairs before the search.
//
// Conflict. Two rows with equal ranks end in the same leaf of every tree. If they are of the two
// classes of a problem, exactly one of them is an error there, whatever the leaf predicts, and
// without them the leaf has the same majority. So all trees cost one unit less without the pair,
// the same are optimal, and the unit is added to the answer. (With three classes the leaf may
// predict the third, and with a limit on the rows of a side the pair counts for two: then nothing
// is taken out.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/problem.hpp"

namespace exactree {

class WithoutConflicts {
 public:
  // Looks at neighbouring rows only: sorted rows have all equal ones together.
  explicit WithoutConflicts(const Problem& all) : data_(all) {
    if (all.classes != 2 || all.weights != nullptr || all.least_side.binds()) return;
    find_kept(all);
    if (pairs_ > 0) take_out(all);
  }

  const Problem& data() const { return data_; }
  int pairs() const { return pairs_; }
  Cost offset() const { return pairs_ * data_.unit; }

 private:
  void find_kept(const Problem& all) {
    const auto rows = static_cast<std::size_t>(all.rows);
    std::vector<std::int32_t> differs(rows, 0);  // from the row before
    for (int f = 0; f < all.features; ++f) {
      const std::int32_t* ranks = all.ranks + static_cast<std::size_t>(f) * rows;
      for (std::size_t i = 1; i < rows; ++i) differs[i] |= ranks[i] ^ ranks[i - 1];
    }
    for (std::size_t i = 0; i < rows;) {
      std::size_t end = i + 1;
      while (end < rows && differs[end] == 0) ++end;
      keep_majority(all, i, end);
      i = end;
    }
  }
  void keep_majority(const Problem& all, std::size_t begin, std::size_t end) {
    const auto ones = static_cast<int>(std::count(all.labels + begin, all.labels + end, 1));
    const int pairs = std::min(ones, static_cast<int>(end - begin) - ones);
    int left[2] = {pairs, pairs};
    pairs_ += pairs;
    for (std::size_t i = begin; i < end; ++i)
      if (left[all.labels[i]]-- <= 0) kept_.push_back(static_cast<int>(i));
  }
  void take_out(const Problem& all) {
    ranks_.resize(static_cast<std::size_t>(all.features) * kept_.size());
    std::int32_t* to = ranks_.data();
    const auto runs = runs_of_kept();
    for (int f = 0; f < all.features; ++f) {
      const std::int32_t* ranks =
          all.ranks + static_cast<std::size_t>(f) * static_cast<std::size_t>(all.rows);
      for (const auto& [begin, end] : runs) to = std::copy(ranks + begin, ranks + end, to);
    }
    for (const int i : kept_) labels_.push_back(all.labels[i]);
    data_.rows = static_cast<int>(kept_.size());
    data_.ranks = ranks_.data();
    data_.labels = labels_.data();
  }

  // Neighbouring rows are copied together.
  std::vector<std::pair<int, int>> runs_of_kept() const {
    std::vector<std::pair<int, int>> runs;
    for (const int i : kept_) {
      if (runs.empty() || runs.back().second != i) runs.emplace_back(i, i);
      ++runs.back().second;
    }
    return runs;
  }

  Problem data_;
  int pairs_ = 0;
  std::vector<int> kept_;
  std::vector<std::int32_t> ranks_, labels_;
};

}  // namespace exactree
