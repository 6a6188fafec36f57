// Where the rows cross a plane that moves along a line: breakpoints, sorted by radix.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

// A breakpoint in single precision, as a key in the order of the numbers, and its row.
struct Crossing {
  std::uint32_t key, row;
};

inline std::uint32_t key_of(float t) {
  std::uint32_t u;
  std::memcpy(&u, &t, 4);
  return (u & 0x80000000u) != 0 ? ~u : u | 0x80000000u;
}

inline double value_of(std::uint32_t key) {
  const std::uint32_t u = (key & 0x80000000u) != 0 ? key & 0x7fffffffu : ~key;
  float t;
  std::memcpy(&t, &u, 4);
  return t;
}

// Sorts by key, rows of equal keys as they come; `spare` is room for a copy.
inline void sort_crossings(std::vector<Crossing>& items, std::vector<Crossing>& spare) {
  constexpr std::size_t kFew = 300;
  constexpr std::uint32_t kDigit = 2047;
  if (items.size() < kFew) {
    std::sort(items.begin(), items.end(), [](const Crossing& a, const Crossing& b) {
      return a.key != b.key ? a.key < b.key : a.row < b.row;
    });
    return;
  }
  spare.resize(items.size());
  std::array<std::array<std::uint32_t, kDigit + 1>, 3> start{};
  for (const Crossing& c : items) {
    ++start[0][c.key & kDigit];
    ++start[1][(c.key >> 11) & kDigit];
    ++start[2][c.key >> 22];
  }
  for (auto& digits : start) {
    std::uint32_t sum = 0;
    for (std::uint32_t& n : digits) sum += std::exchange(n, sum);
  }
  for (const Crossing& c : items) spare[start[0][c.key & kDigit]++] = c;
  for (const Crossing& c : spare) items[start[1][(c.key >> 11) & kDigit]++] = c;
  for (const Crossing& c : items) spare[start[2][c.key >> 22]++] = c;
  items.swap(spare);
}

}  // namespace KERNEL_NAMESPACE
