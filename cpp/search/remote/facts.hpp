// Solutions as plain numbers and back: what is known of the thresholds of a subproblem.
#pragma once

#include "search/remote/question.hpp"
#include "search/solution.hpp"

namespace exactree {

template <class V>
SideFacts facts_of(const Solution<V>& solution);

// Throws std::invalid_argument if the numbers make no sense for these columns and budgets. The
// kinds of bounds are those of a side: `budgets` numbers each.
template <class V>
void read_facts(const SideFacts& facts, int columns, Solution<V>& out);

}  // namespace exactree
