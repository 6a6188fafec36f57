// What depth-two subproblems of binary columns were found to cost, by the literals that lead there.
//
// A subproblem below the splits a, b, c is the same in whatever order they were made. Its key is
// the sorted list of up to four literals (a column and a side) in 16 bits each: exact, so that a
// hit needs no second look. The table has one place per key and grows while it is well filled; at
// its bound a new entry replaces the one in its place. A table that is hardly ever hit is given up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/driver/control.hpp"

namespace exactree {

// The literals on the way from the root, sorted.
class LiteralPath {
 public:
  void add(int feature, bool right) {
    const int literal = 2 * feature + (right ? 1 : 0) + 1;
    if (length_ == 4 || literal > 0xFFFF) {
      length_ = 5;
      return;
    }
    if (length_ > 4) return;
    int at = length_++;
    for (; at > 0 && literals_[static_cast<std::size_t>(at - 1)] > literal; --at)
      literals_[static_cast<std::size_t>(at)] = literals_[static_cast<std::size_t>(at - 1)];
    literals_[static_cast<std::size_t>(at)] = static_cast<std::uint16_t>(literal);
  }
  // 0: there is no key.
  std::uint64_t key() const {
    if (length_ > 4) return 0;
    std::uint64_t key = 0;
    for (int i = 0; i < length_; ++i)
      key |= static_cast<std::uint64_t>(literals_[static_cast<std::size_t>(i)]) << (16 * i);
    return key;
  }

 private:
  std::array<std::uint16_t, 4> literals_ = {};
  int length_ = 0;
};

class PairCache {
 public:
  // Errors with at most one, two and three splits.
  using Errors = std::array<int, 3>;
  static constexpr int kMostRows = (1 << 21) - 1;

  bool find(std::uint64_t key, Errors& errors, Control* control) {
    if (key == 0 || off_) return false;
    if (++asked_ == kTrial && hits_ * kWorthwhile < asked_) give_up(control);
    if (slots_.empty()) return false;
    const Slot& slot = slots_[place(key)];
    if (slot.key != key) return false;
    for (std::size_t i = 0; i < 3; ++i)
      errors[i] = static_cast<int>(slot.value >> (21 * i) & kMostRows);
    ++hits_;
    return true;
  }

  // Has the place of a key fetched that is soon to be looked at.
  void expect(std::uint64_t key) const {
#ifdef __GNUC__
    if (!slots_.empty()) __builtin_prefetch(&slots_[place(key)]);
#else
    static_cast<void>(key);
#endif
  }

  void put(std::uint64_t key, const Errors& errors, Control* control) {
    if (key == 0 || off_) return;
    if (3 * used_ >= slots_.size()) grow(control);
    if (slots_.empty()) return;
    Slot& slot = slots_[place(key)];
    if (slot.key == 0) ++used_;
    slot.key = key;
    slot.value = 0;
    for (std::size_t i = 0; i < 3; ++i)
      slot.value |= static_cast<std::uint64_t>(errors[i]) << (21 * i);
  }

  // Tried for so many look-ups, and kept if one in so many was a hit.
  static constexpr std::int64_t kTrial = 1 << 16, kWorthwhile = 50;
  bool off() const { return off_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(slots_.size() * sizeof(Slot)); }

 private:
  struct Slot {
    std::uint64_t key = 0, value = 0;
  };
  static constexpr std::size_t kFirstSize = 1 << 12, kMostSize = 1 << 22;  // 64 MB

  std::size_t place(std::uint64_t key) const {
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15u;  // every bit counts in the upper half
    return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
  }
  // A quarter of what memory is left to the solve at most.
  void grow(Control* control) {
    const std::size_t size = slots_.empty() ? kFirstSize : slots_.size() * 4;
    const auto bytes = static_cast<std::int64_t>(size * sizeof(Slot));
    const std::int64_t limit = control == nullptr ? 0 : control->memory_limit;
    if (size > kMostSize || (limit > 0 && bytes > limit / 4)) {
      used_ = 0;  // full: go on by replacing
      if (slots_.empty()) give_up(control);
      return;
    }
    std::vector<Slot> old(size);
    old.swap(slots_);
    if (control != nullptr)
      control->use_memory(this->bytes() - static_cast<std::int64_t>(old.size() * sizeof(Slot)));
    used_ = 0;
    for (const Slot& slot : old) {
      if (slot.key == 0) continue;
      Slot& to = slots_[place(slot.key)];
      if (to.key == 0) ++used_;
      to = slot;
    }
  }
  void give_up(Control* control) {
    off_ = true;
    if (control != nullptr) control->use_memory(-bytes());
    slots_.clear();
    slots_.shrink_to_fit();
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::int64_t asked_ = 0, hits_ = 0;
  bool off_ = false;
};

}  // namespace exactree
