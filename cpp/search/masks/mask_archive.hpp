// What was proved of sets of rows, to bound the optimum of others.
//
// Archived, alike. For any solved set A, e(S) >= e(A and S) >= e(A) - I(A - S): Subset and
// Similarity of chain.hpp. So every solved set bounds every other one. The sets that helped lately
// are tried first, then the latest ones; how many, is a matter of what it would cost to solve S.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/value.hpp"

namespace exactree {

class MaskArchive {
 public:
  // Sets of so many words with so many costs each (one per budget). Beyond `most` the latest set
  // takes the place of the oldest.
  MaskArchive(int words, int budgets, std::size_t most, std::size_t tries)
      : words_(static_cast<std::size_t>(words)),
        budgets_(static_cast<std::size_t>(budgets)),
        most_(std::max<std::size_t>(most, 1)),
        tries_(tries) {}

  int budgets() const { return static_cast<int>(budgets_); }
  std::size_t tries() const { return std::min(tries_, rows_.size()); }
  // The i-th set to try: those that helped, then the latest.
  std::size_t candidate(std::size_t i) const {
    if (i < kHits) return std::min(hits_[i], rows_.size() - 1);
    return (next_ + rows_.size() - 1 - (i - kHits)) % rows_.size();
  }
  void helped(std::size_t i, std::size_t e) {
    // A set that was in front stays there.
    if (i < kHits) return;
    hits_[next_hit_] = e;
    next_hit_ = (next_hit_ + 1) % kHits;
  }
  static constexpr std::size_t kHits = 16;

  const std::uint64_t* set(std::size_t e) const { return &sets_[e * words_]; }
  const Cost* lower(std::size_t e) const { return &lower_[e * budgets_]; }
  // No cost of the set exceeds this, but for that of a leaf where there are several.
  Cost key(std::size_t e) const { return lower(e)[budgets_ > 1 ? 1 : 0]; }
  int rows(std::size_t e) const { return rows_[e]; }

  void put(const std::uint64_t* set, int rows, const Cost* lower) {
    if (lower[budgets_ > 1 ? 1 : 0] <= 0) return;
    if (rows_.size() < most_) {
      next_ = rows_.size();
      rows_.resize(next_ + 1);
      sets_.resize(rows_.size() * words_);
      lower_.resize(rows_.size() * budgets_);
    }
    rows_[next_] = rows;
    std::copy_n(set, words_, &sets_[next_ * words_]);
    std::copy_n(lower, budgets_, &lower_[next_ * budgets_]);
    next_ = (next_ + 1) % most_;
  }

 private:
  std::size_t words_, budgets_, most_, tries_;
  std::vector<std::uint64_t> sets_;
  std::vector<Cost> lower_;
  std::vector<int> rows_;
  std::size_t next_ = 0, next_hit_ = 0;
  std::array<std::size_t, kHits> hits_ = {};
};

}  // namespace exactree
