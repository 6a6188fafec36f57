// The ranks of one column in the order of another, compiled per instruction set: how they are
// coded, where they are kept, and which rows they send left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA {

// Ranks are stored with an offset so that the signed compare of AVX2 can be used, with the largest
// value as padding beyond the last row.
template <class Rank>
struct RankCode {
  static constexpr int kOffset = sizeof(Rank) == 4 ? 0 : 1 << (8 * sizeof(Rank) - 1);
  static constexpr Rank kPad = std::numeric_limits<Rank>::max();
  // Ranks up to this one can be told from the padding.
  static constexpr int kMost = kPad - 1 + kOffset;

  static Rank encode(int rank) { return static_cast<Rank>(rank - kOffset); }
};

// A column of few values has its ranks in bytes: twice as many in a vector, and half the memory,
// which is what large nodes of many columns wait for.
using Narrow = std::int8_t;

// Which rows of one column's order a split of another column sends left: those below its limit.
template <class Rank>
struct Parting {
  const Rank* ranks;
  Rank limit;
  int words;
  Word last;  // the rows of the last word

  EXACTREE_INLINE Word left(int w) const { return below(ranks + w * 64, limit); }
  EXACTREE_INLINE Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }
  Word side(int s, int w) const { return s == 0 ? left(w) : ~left(w) & rows(w); }
};

// Arrays of ranks, as many as a node asks for. They are kept for the next node of the same place.
template <class Rank>
class RankRooms {
 public:
  // Nothing moves while up to so many arrays are added.
  void reserve(std::size_t most) { rooms_.reserve(most); }
  void clear() { used_ = 0; }
  int add(std::size_t size) {
    if (rooms_.size() <= used_) rooms_.resize(used_ + 1);
    Room& room = rooms_[used_];
    if (room.size < size) {
      room.ranks.reset(new Rank[size]);
      allocated_ += size - room.size;
      room.size = size;
    }
    return static_cast<int>(used_++);
  }
  Rank* operator[](int i) { return rooms_[static_cast<std::size_t>(i)].ranks.get(); }
  const Rank* operator[](int i) const { return rooms_[static_cast<std::size_t>(i)].ranks.get(); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(allocated_ * sizeof(Rank)); }

 private:
  struct Room {
    std::unique_ptr<Rank[]> ranks;
    std::size_t size = 0;
  };
  std::vector<Room> rooms_;
  std::size_t used_ = 0, allocated_ = 0;
};

}  // namespace exactree::EXACTREE_ISA
