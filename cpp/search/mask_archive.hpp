// What was proved of sets of rows, to bound the optimum of others.
//
// Archived, alike. For any solved set A, e(S) >= e(A and S) >= e(A) - I(A - S): Subset and
// Similarity of chain.hpp. So every solved set bounds every other one. Sets are kept with the most
// costly first, because the bound of a set is at most its own cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/value.hpp"

namespace exactree {

class MaskArchive {
 public:
  // Sets of so many words with so many costs each (one per budget).
  MaskArchive(int words, int budgets, std::size_t most_bytes)
      : words_(static_cast<std::size_t>(words)),
        budgets_(static_cast<std::size_t>(budgets)),
        most_(most_bytes / (words_ * 8 + budgets_ * 8 + 16)) {}

  int budgets() const { return static_cast<int>(budgets_); }
  std::size_t size() const { return order_.size(); }
  // By falling key, which no cost of the set exceeds (the first is that of a leaf and not archived
  // knowledge, where there are several).
  std::uint32_t entry(std::size_t i) const { return order_[i]; }
  Cost key(std::size_t i) const { return keys_[i]; }
  const std::uint64_t* set(std::uint32_t e) const { return &sets_[e * words_]; }
  const Cost* lower(std::uint32_t e) const { return &lower_[e * budgets_]; }

  void put(const std::uint64_t* rows, const Cost* lower) {
    const Cost key = lower[budgets_ > 1 ? 1 : 0];
    if (key <= 0 || order_.size() >= most_) return;
    const auto e = static_cast<std::uint32_t>(order_.size());
    sets_.insert(sets_.end(), rows, rows + words_);
    lower_.insert(lower_.end(), lower, lower + budgets_);
    const auto at = std::upper_bound(keys_.begin(), keys_.end(), key, std::greater<>());
    order_.insert(order_.begin() + (at - keys_.begin()), e);
    keys_.insert(at, key);
  }
  std::size_t bytes() const {
    return (sets_.capacity() + lower_.capacity() + keys_.capacity()) * 8 + order_.capacity() * 4;
  }

 private:
  std::size_t words_, budgets_, most_;
  std::vector<std::uint64_t> sets_;
  std::vector<Cost> lower_, keys_;
  std::vector<std::uint32_t> order_;
};

}  // namespace exactree
