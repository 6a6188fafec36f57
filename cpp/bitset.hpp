// Packed bit sets: member i of a set is bit i % 64 of word i / 64. A set is a pointer to its words
// and their number; nothing is allocated here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace exactree {

using Word = std::uint64_t;

struct BitsetKernels {
  // out = a AND b. out may be a or b.
  void (*intersect)(const Word* a, const Word* b, Word* out, std::size_t words);
  // out = a AND NOT b. out may be a or b.
  void (*subtract)(const Word* a, const Word* b, Word* out, std::size_t words);
  // The number of members.
  std::size_t (*count)(const Word* a, std::size_t words);
  // The number of common members, without writing the intersection down.
  std::size_t (*count_common)(const Word* a, const Word* b, std::size_t words);
  // The k-th member in increasing order, counted from zero; 64 * words if there are not so many.
  std::size_t (*kth)(const Word* a, std::size_t words, std::size_t k);
};

}  // namespace exactree
