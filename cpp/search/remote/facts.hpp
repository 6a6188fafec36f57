// Solutions as plain numbers and back: what is known of the thresholds of a subproblem.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "search/remote/question.hpp"
#include "search/solution.hpp"

namespace exactree {

// Empty if they have more bytes than `most`, or without the solved sides if those are too many.
template <class V>
SideFacts facts_of(const Solution<V>& solution,
                   std::int64_t most = std::numeric_limits<std::int64_t>::max());

// Adds what was known before of the same subproblem, of columns and sides that have nothing new.
void add_facts(SideFacts& facts, const SideFacts& before);

// Throws std::invalid_argument if the numbers make no sense for these columns and budgets. The
// kinds of bounds are those of a side: `budgets` numbers each.
template <class V>
void read_facts(const SideFacts& facts, int columns, Solution<V>& out);

// Facts as bytes: whole numbers of any length, the ranks of a column as steps from one to the next.
std::string packed(const SideFacts& facts);
// Throws std::invalid_argument if these are no facts.
SideFacts unpacked(const char* bytes, std::size_t size);

}  // namespace exactree
