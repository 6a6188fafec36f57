// Where the rows cross a plane that moves along a line: breakpoints, sorted by radix.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

// Buckets of breakpoints: so many for every power of two, on both sides of 0, near the size that
// most breakpoints have. What is nearer to 0, or farther out, is in the innermost or outermost.
class Buckets {
 public:
  // For the breakpoints -scores / change; rows that hardly change have none.
  void choose(const std::vector<double>& scores, const std::vector<double>& change) {
    constexpr std::size_t kLooks = 16;
    const std::size_t n = scores.size();
    std::array<std::uint32_t, kLooks> sizes{};
    for (std::size_t k = 0; k < kLooks; ++k) {
      const std::size_t i = k * n / kLooks;
      sizes[k] = size_of(static_cast<float>(scores[i] / change[i]));
    }
    std::nth_element(sizes.begin(), sizes.begin() + kLooks / 2, sizes.end());
    const std::uint32_t middle = std::clamp(sizes[kLooks / 2] >> kMantissa, kInside + 1, 250u);
    const int digits = n < 300 ? 2 : n < 2000 ? 3 : n < 10000 ? 4 : 5;
    shift_ = kMantissa - digits;
    low_ = (middle - kInside) << kMantissa;
    high_ = ((middle + kOutside) << kMantissa) - 1;
    half_ = static_cast<std::int32_t>((high_ - low_) >> shift_) + 1;
  }
  std::size_t size() const { return 2 * static_cast<std::size_t>(half_); }
  // The bucket of a breakpoint; size() for one that is not a number.
  std::int32_t place(float t) const {
    const std::uint32_t size = size_of(t);
    const auto out =
        static_cast<std::int32_t>((std::min(std::max(size, low_), high_) - low_) >> shift_);
    const std::int32_t at = std::signbit(t) ? half_ - 1 - out : half_ + out;
    return size > kInfinity ? 2 * half_ : at;
  }

 private:
  static constexpr int kMantissa = 23;
  static constexpr std::uint32_t kInside = 9, kOutside = 4;  // powers of two
  static constexpr std::uint32_t kInfinity = 0x7f800000u;

  static std::uint32_t size_of(float t) {
    std::uint32_t u;
    std::memcpy(&u, &t, 4);
    return u & 0x7fffffffu;
  }
  std::int32_t half_ = 1;
  std::uint32_t low_ = 0, high_ = 0;
  int shift_ = kMantissa;
};

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
