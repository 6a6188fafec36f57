// What is proved of sets of rows that thresholds cut out, whichever came first.
//
// Thresholds cut boxes out of the rows, and a set of rows that some box cuts out is cut out by its
// bounding box, too: that lies within the box and holds the set. So the bounding box, the lowest
// and the highest rank in every column, names the set exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/driver/control.hpp"
#include "search/node.hpp"
#include "search/value.hpp"

namespace exactree {

// Which trees are looked for: see split_search.hpp.
struct Trees {
  int splits = 0;  // at most so many
  int bar = 0;     // 0: none
  int levels = 0;  // at least so many; 0: any number
};

inline std::uint64_t hash_of(const std::vector<std::int32_t>& key) {
  std::uint64_t h = 1;
  for (const std::int32_t k : key) {
    h = (h ^ static_cast<std::uint32_t>(k)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

class BoxTable {
 public:
  // The optimum lies between low and high. A tree of cost `high` is the single leaf, or has one
  // split (no column is named), or starts with this split, whose sides are among such trees and
  // cost so much.
  struct Bounds {
    Cost low = 0, high = kInfinite;
    int feature = -1, position = 0;
    Trees trees[2] = {};
    Cost cost[2] = {0, 0};
  };

  // At most about so many bytes, after which all is forgotten and begun anew: what is missing costs
  // time only.
  BoxTable(int features, std::int64_t bytes, Control& control)
      : length_(2 * static_cast<std::size_t>(features) + 3),
        most_bytes_(bytes),
        control_(control),
        slots_(1024, -1) {}

  // The rows of a node and trees of them; used by find() and add().
  void set_key(const Node& node, const Trees& trees) {
    key_.clear();
    key_.push_back(trees.splits);
    key_.push_back(trees.bar);
    key_.push_back(trees.levels);
    for (int f = 0; f < node.features(); ++f) {
      key_.push_back(node.rank_at(f, 0));
      key_.push_back(node.rank_at(f, node.rows() - 1));
    }
    hash_ = hash_of(key_);
  }
  const std::vector<std::int32_t>& key() const { return key_; }
  const Bounds* find() const {
    const int entry = slots_[probe(key_, hash_)];
    return entry < 0 ? nullptr : &bounds_[static_cast<std::size_t>(entry)];
  }
  void add(const std::vector<std::int32_t>& key, std::uint64_t hash, Bounds known) {
    std::size_t at = probe(key, hash);
    if (slots_[at] < 0) {
      if (2 * (bounds_.size() + 1) > slots_.size()) {
        grow();
        at = probe(key, hash);
      }
      slots_[at] = static_cast<int>(bounds_.size());
      keys_.insert(keys_.end(), key.begin(), key.end());
      hashes_.push_back(hash);
      bounds_.emplace_back();
      account();
    }
    Bounds& b = bounds_[static_cast<std::size_t>(slots_[at])];
    known.low = std::max(b.low, known.low);
    if (known.high < b.high)
      b = known;
    else
      b.low = known.low;
  }
  std::uint64_t hash() const { return hash_; }

 private:
  std::size_t probe(const std::vector<std::int32_t>& key, std::uint64_t hash) const {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] >= 0 && !is_at(static_cast<std::size_t>(slots_[at]), key, hash))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  bool is_at(std::size_t entry, const std::vector<std::int32_t>& key, std::uint64_t hash) const {
    return hashes_[entry] == hash &&
           std::equal(key.begin(), key.end(),
                      keys_.begin() + static_cast<std::ptrdiff_t>(entry * length_));
  }
  void grow() {
    std::size_t size = 2 * slots_.size();
    if (2 * bytes() > most_bytes_) {
      size = slots_.size();
      bounds_.clear();
      keys_.clear();
      hashes_.clear();
    }
    slots_.assign(size, -1);
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      std::size_t at = hashes_[i] & (size - 1);
      while (slots_[at] >= 0) at = (at + 1) & (size - 1);
      slots_[at] = static_cast<int>(i);
    }
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(
        slots_.capacity() * sizeof(int) + keys_.capacity() * sizeof(std::int32_t) +
        hashes_.capacity() * sizeof(std::uint64_t) + bounds_.capacity() * sizeof(Bounds));
  }
  void account() {
    const std::int64_t now = bytes();
    if (now != accounted_) control_.use_memory(now - accounted_);
    accounted_ = now;
  }

  std::size_t length_;
  std::int64_t most_bytes_, accounted_ = 0;
  Control& control_;
  std::vector<std::int32_t> key_;
  std::uint64_t hash_ = 0;
  std::vector<int> slots_;  // a power of two
  std::vector<std::int32_t> keys_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Bounds> bounds_;
};

}  // namespace exactree
