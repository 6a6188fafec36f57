// Packed bit sets: member i of a set is bit i % 64 of word i / 64. A set is a pointer to its words
// and their number.
#pragma once

#include <cstdint>

namespace exactree {

using Word = std::uint64_t;

}  // namespace exactree
