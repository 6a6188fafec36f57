// Packed bit sets: member i of a set is bit i % 64 of word i / 64. A set is a pointer to its words
// and their number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace exactree {

using Word = std::uint64_t;

// Calls the action with every member, in order. (The action has a type of its own in each
// instruction set, and with it this function.)
template <class Do>
void for_each(const Word* set, std::size_t words, Do action) {
  for (std::size_t w = 0; w < words; ++w)
    for (Word rest = set[w]; rest != 0; rest &= rest - 1)
      action(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
}

}  // namespace exactree
