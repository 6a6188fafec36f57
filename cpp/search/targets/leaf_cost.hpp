// What a leaf of weighted classes costs: the weight outside its heaviest class, or what the
// cheapest prediction costs by a table.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "search/problem.hpp"

namespace exactree {

class LeafCost {
 public:
  LeafCost() = default;
  explicit LeafCost(const Problem& data) : costs_(data.costs), classes_(data.classes) {}

  bool plain() const { return costs_ == nullptr; }
  // Of the weights by class; also gives the best prediction, the lowest of equals.
  Cost operator()(const std::vector<Cost>& by_class, int* label = nullptr) const {
    if (costs_ == nullptr) {
      const auto top = std::max_element(by_class.begin(), by_class.end());
      if (label != nullptr) *label = static_cast<int>(top - by_class.begin());
      return std::accumulate(by_class.begin(), by_class.end(), Cost{0}) - *top;
    }
    Cost best = kInfinite;
    for (int prediction = 0; prediction < classes_; ++prediction) {
      Cost sum = 0;
      for (int c = 0; c < classes_; ++c)
        sum += by_class[static_cast<std::size_t>(c)] * cost(c, prediction);
      if (sum >= best) continue;
      best = sum;
      if (label != nullptr) *label = prediction;
    }
    return best;
  }
  Cost cost(int c, int prediction) const {
    if (costs_ == nullptr) return c == prediction ? 0 : 1;
    return costs_[static_cast<std::size_t>(c) * static_cast<std::size_t>(classes_) +
                  static_cast<std::size_t>(prediction)];
  }
  // What a row of this class and weight one costs at most.
  Cost largest(int c) const {
    if (costs_ == nullptr) return 1;
    const Cost* row = costs_ + static_cast<std::size_t>(c) * static_cast<std::size_t>(classes_);
    return *std::max_element(row, row + classes_);
  }

 private:
  const std::int64_t* costs_ = nullptr;
  int classes_ = 0;
};

}  // namespace exactree
