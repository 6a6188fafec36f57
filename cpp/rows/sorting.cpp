#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "rows/rows.hpp"

namespace exactree {

namespace {

constexpr std::size_t kSmall = 48;
constexpr int kDigit = 11;

void sort_by_comparing(const std::uint64_t* keys, std::uint32_t* first, std::uint32_t* last) {
  std::sort(first, last, [keys](std::uint32_t a, std::uint32_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });
}

// One pass of a radix sort, by the digit that starts at bit `shift`; false: all have the same.
bool sort_by_digit(const std::uint64_t* from, std::uint64_t* to, std::size_t n, int shift) {
  std::uint32_t starts[1 << kDigit] = {};
  constexpr std::uint64_t mask = (1 << kDigit) - 1;
  for (std::size_t i = 0; i < n; ++i) ++starts[from[i] >> shift & mask];
  if (starts[from[0] >> shift & mask] == n) return false;
  std::uint32_t sum = 0;
  for (auto& start : starts) sum += std::exchange(start, sum);
  for (std::size_t i = 0; i < n; ++i) to[starts[from[i] >> shift & mask]++] = from[i];
  return true;
}

// Sorts within runs of equal upper halves, where the 32 bits that were sorted by do not decide.
// Most runs are of equal keys, which are in order already.
void sort_runs(const std::uint64_t* keys, const std::uint64_t* sorted, std::uint32_t* order,
               std::size_t n) {
  for (std::size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && sorted[j] >> 32 == sorted[i] >> 32;) ++j;
    const auto less = [keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; };
    if (!std::is_sorted(order + i, order + j, less)) sort_by_comparing(keys, order + i, order + j);
  }
}

}  // namespace

void sort_places(const std::uint64_t* keys, std::uint32_t* order, std::size_t n,
                 std::uint64_t* scratch) {
  if (n <= kSmall) return sort_by_comparing(keys, order, order + n);
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  for (std::size_t i = 0; i < n; ++i) {
    any |= keys[order[i]];
    all &= keys[order[i]];
  }
  if (any == all) return;
  // The first 32 bits that differ, and the place, share a word.
  const int shift = std::countl_zero(any ^ all);
  std::uint64_t *from = scratch, *to = scratch + n;
  for (std::size_t i = 0; i < n; ++i)
    from[i] = (keys[order[i]] << shift & ~std::uint64_t{0xffffffff}) | order[i];
  for (int digit = 31; digit < 64; digit += kDigit)
    if (sort_by_digit(from, to, n, digit)) std::swap(from, to);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(from[i]);
  if ((any ^ all) << shift << 32 != 0) sort_runs(keys, from, order, n);
}

void Ranker::rank(const double* values, std::int32_t* ranks) {
  const std::size_t n = keys_.size();
  for (std::size_t i = 0; i < n; ++i) {
    // Adding zero turns -0.0 into 0.0. Bits of floats are ordered like integers of sign and
    // magnitude.
    const auto bits = std::bit_cast<std::uint64_t>(values[i] + 0.0);
    keys_[i] = bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
  }
  std::iota(order_.begin(), order_.end(), 0u);
  sort_places(keys_.data(), order_.data(), n, scratch_.data());
  std::int32_t rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && keys_[order_[i]] != keys_[order_[i - 1]]) ++rank;
    ranks[order_[i]] = rank;
  }
}

}  // namespace exactree
