// What is known of sets of rows: a hash table with exact keys, of bounded size.
//
// Without a limit on depth the optimum of a set of rows depends on the set alone, whichever splits
// led to it. So what is proved of a set holds wherever it is met again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/bits.hpp"
#include "search/driver/control.hpp"
#include "search/value.hpp"

namespace exactree::EXACTREE_ISA {

// The optimum of a set of rows lies between these; `split` is the first split of a tree that costs
// `high`, where it is not a leaf and not found by looking at pairs of columns.
struct Bounds {
  Cost low = 0, high = kInfinite;
  int split = -1;

  bool exact() const { return low >= high; }
  void tighten(const Bounds& other) {
    low = std::max(low, other.low);
    if (other.high < high) high = other.high, split = other.split;
  }
};

inline std::uint64_t hash_words(const Word* words, int n, std::uint64_t seed = 1) {
  std::uint64_t h = seed;
  for (int i = 0; i < n; ++i) {
    h = (h ^ words[i]) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

class RowSetTable {
 public:
  // Keys of `words` words; at most about so many bytes, after which all is forgotten and begun
  // anew: what is missing costs time only.
  RowSetTable(int words, std::int64_t bytes, Control& control)
      : words_(words), most_bytes_(bytes), control_(control), slots_(64) {
    reserve();
  }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[place(hash)]); }
  void prefetch_key(std::uint64_t hash) const {
    const Slot& slot = slots_[place(hash)];
    if (slot.entry >= 0) __builtin_prefetch(key(slot.entry));
  }
  const Bounds* find(const Word* rows, std::uint64_t hash) const {
    const int entry = slots_[probe(rows, hash)].entry;
    return entry < 0 ? nullptr : &bounds_[static_cast<std::size_t>(entry)];
  }
  void add(const Word* rows, std::uint64_t hash, const Bounds& known) {
    std::size_t at = probe(rows, hash);
    if (slots_[at].entry < 0) {
      if (2 * (bounds_.size() + 1) > slots_.size()) {
        grow();
        at = probe(rows, hash);
      }
      slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<int>(bounds_.size())};
      keys_.insert(keys_.end(), rows, rows + words_);
      bounds_.emplace_back();
    }
    bounds_[static_cast<std::size_t>(slots_[at].entry)].tighten(known);
  }
  // Whether there is room for what is cheap to find out again.
  bool has_much_room() const { return 4 * bytes() <= most_bytes_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    int entry = -1;
  };

  std::size_t place(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  const Word* key(int entry) const {
    return keys_.data() + static_cast<std::size_t>(entry) * static_cast<std::size_t>(words_);
  }
  // Where the rows are, or where they would go.
  std::size_t probe(const Word* rows, std::uint64_t hash) const {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = place(hash);
    while (slots_[at].entry >= 0 &&
           !(slots_[at].tag == tag && std::equal(rows, rows + words_, key(slots_[at].entry))))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    const std::int64_t after = 2 * bytes();
    const std::size_t size = after > most_bytes_ ? slots_.size() : 2 * slots_.size();
    if (after > most_bytes_) {
      bounds_.clear();
      keys_.clear();
    }
    slots_.assign(size, {});
    reserve();
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const std::uint64_t hash = hash_words(key(static_cast<int>(i)), words_);
      std::size_t at = place(hash);
      while (slots_[at].entry >= 0) at = (at + 1) & (size - 1);
      slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<int>(i)};
    }
  }
  // Room for as many sets as there may be before the table grows, and no more.
  void reserve() {
    keys_.reserve(slots_.size() / 2 * static_cast<std::size_t>(words_));
    bounds_.reserve(slots_.size() / 2);
    account();
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(slots_.capacity() * sizeof(Slot) +
                                     keys_.capacity() * sizeof(Word) +
                                     bounds_.capacity() * sizeof(Bounds));
  }
  void account() {
    const std::int64_t now = bytes();
    if (now != accounted_) control_.use_memory(now - accounted_);
    accounted_ = now;
  }

  int words_;
  std::int64_t most_bytes_, accounted_ = 0;
  Control& control_;
  std::vector<Slot> slots_;  // a power of two
  std::vector<Word> keys_;
  std::vector<Bounds> bounds_;
};

}  // namespace exactree::EXACTREE_ISA
