// Subproblems that were solved, with the rows they are about, to be met again.
//
// Archived. Equal rows within equal budgets have the same optimum, however they came about, so all
// that was proved of one holds of the other. Keys are whole sets of rows, compared word by word.
//
// Archived, alike. For any solved set A, e(S) >= e(A and S) >= e(A) - I(A - S): Subset and
// Similarity of chain.hpp. Only the latest sets are tried.
//
// The room is bounded; the oldest subproblem makes way for a new one. Either use is given up if it
// hardly ever helps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "search/driver/control.hpp"
#include "search/value.hpp"

namespace exactree {

template <class V>
class Archive {
 public:
  using Set = std::vector<std::uint64_t>;

  Archive(std::size_t words, Cost unit, std::int64_t most_bytes)
      : words_(words), unit_(unit), most_(most_entries(words, most_bytes)) {}

  static std::uint64_t hash_of(const Set& set) {
    std::uint64_t hash = 1;
    for (const std::uint64_t w : set) {
      hash = (hash ^ w) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }

  // Improves what is known of the optimum on these rows; true if they were met before.
  bool find(const Set& set, std::uint64_t hash, V& lower, V& upper) {
    if (exact_.off) return false;
    const int i = position(set, hash);
    if (i >= 0) {
      raise_to(lower, entries_[at(i)].lower);
      lower_to(upper, entries_[at(i)].upper);
    }
    exact_.note(i >= 0);
    return i >= 0;
  }

  // Raises `lower` to `goal` if a similar set shows that; true if so.
  bool find_alike(const Set& set, int rows, const V& goal, V& lower) {
    if (alike_.off || entries_.empty()) return false;
    bool shown = false;
    const int n = static_cast<int>(entries_.size());
    int i = newest_;
    for (int tries = 0; tries < std::min(n, kTries) && !shown; ++tries, i = (i == 0 ? n : i) - 1) {
      const Entry& e = entries_[at(i)];
      if (too_low(e.lower, unit_ * std::max(0, e.rows - rows), goal)) continue;
      int extra = 0;
      const std::uint64_t* theirs = &sets_[at(i) * words_];
      for (std::size_t w = 0; w < words_; ++w) extra += std::popcount(theirs[w] & ~set[w]);
      if (too_low(e.lower, unit_ * extra, goal)) continue;
      raise_to(lower, e.lower, -unit_ * extra);
      shown = true;
    }
    alike_.note(shown);
    return shown;
  }

  void put(const Set& set, std::uint64_t hash, int rows, const V& lower, const V& upper,
           Control& control) {
    if (most_ == 0 || (exact_.off && alike_.off)) return;
    int i = position(set, hash);
    if (i >= 0) {
      raise_to(entries_[at(i)].lower, lower);
      lower_to(entries_[at(i)].upper, upper);
      return;
    }
    i = make_room(control);
    newest_ = i;
    Entry& e = entries_[at(i)];
    e = {hash, rows, -1, lower, upper};
    std::copy(set.begin(), set.end(), sets_.begin() + static_cast<std::ptrdiff_t>(at(i) * words_));
    int& head = heads_[static_cast<std::size_t>(hash) & (heads_.size() - 1)];
    e.next = head;
    head = i;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    int rows, next;
    V lower, upper;
  };
  // Whether one use of the archive pays: tried for a while, then kept or given up.
  struct Use {
    std::int64_t asked = 0, helped = 0;
    bool off = false;
    void note(bool help) {
      helped += help ? 1 : 0;
      if (++asked == kTrial && helped * kWorthwhile < asked) off = true;
    }
  };
  static constexpr std::int64_t kTrial = 2048, kWorthwhile = 100;
  static constexpr int kTries = 128;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static int most_entries(std::size_t words, std::int64_t bytes) {
    const auto each = static_cast<std::int64_t>(words * 8 + sizeof(Entry) + 8);
    return static_cast<int>(std::min<std::int64_t>(bytes / each, 1 << 26));
  }
  // Whether `lower` less something stays below the goal for some budget.
  static bool too_low(const V& lower, Cost less, const V& goal) {
    for (int k = 0; k < goal.budgets(); ++k)
      if (lower[k] - less < goal[k]) return true;
    return false;
  }

  int position(const Set& set, std::uint64_t hash) const {
    if (heads_.empty()) return -1;
    int i = heads_[static_cast<std::size_t>(hash) & (heads_.size() - 1)];
    for (; i >= 0; i = entries_[at(i)].next)
      if (entries_[at(i)].hash == hash &&
          std::equal(set.begin(), set.end(),
                     sets_.begin() + static_cast<std::ptrdiff_t>(at(i) * words_)))
        return i;
    return -1;
  }
  int make_room(Control& control) {
    if (static_cast<int>(entries_.size()) < most_) {
      const std::size_t before = bytes();
      entries_.push_back({});
      sets_.resize(entries_.size() * words_);
      if (2 * entries_.size() > heads_.size()) rehash();
      if (bytes() > before) control.use_memory(static_cast<std::int64_t>(bytes() - before));
      return static_cast<int>(entries_.size()) - 1;
    }
    const int i = oldest_;
    oldest_ = (oldest_ + 1) % most_;
    int* link = &heads_[static_cast<std::size_t>(entries_[at(i)].hash) & (heads_.size() - 1)];
    while (*link != i) link = &entries_[at(*link)].next;
    *link = entries_[at(i)].next;
    return i;
  }
  void rehash() {
    heads_.assign(std::max<std::size_t>(64, 4 * std::bit_ceil(entries_.size())), -1);
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
      int& head = heads_[static_cast<std::size_t>(entries_[i].hash) & (heads_.size() - 1)];
      entries_[i].next = head;
      head = static_cast<int>(i);
    }
  }
  std::size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) + sets_.capacity() * 8 + heads_.capacity() * 4;
  }

  std::size_t words_;
  Cost unit_;
  int most_, oldest_ = 0, newest_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> sets_;
  std::vector<int> heads_;
  Use exact_, alike_;
};

}  // namespace exactree
