// The rows by which two subproblems differ, as every column orders them.
#pragma once

#include <vector>

#include "search/value.hpp"

namespace exactree {

struct Difference {
  std::vector<std::vector<int>> ranks;   // per column, ascending
  std::vector<std::vector<Cost>> costs;  // per column: the influence of the first 0, 1, 2, ... rows
};

}  // namespace exactree
