// What the search knows of the sides of thresholds: where the prover looks before it proves.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "proof/rows.hpp"

namespace exactree::proof {

// Thrown where what the search says cannot be proved.
struct Misled {};

// A threshold, and what its two sides cost at least.
struct Searched {
  int position = 0;
  Cost bound[2] = {0, 0};
};

// The search over the rows of a node and of those above it, one for each level.
class Searching {
 public:
  virtual ~Searching() = default;
  // Thresholds by column, in their order, which leave no tree of so many levels that costs less
  // than what is given back: `need`, or the optimum if that is lower. Throws Stopped.
  virtual Cost list(int level, int depth, Cost need, std::vector<std::vector<Searched>>& out) = 0;
  // The node of the next level is this side of a threshold.
  virtual void enter(int level, int column, int position, int side) = 0;
};

// Null where the search counts otherwise than the prover does.
std::unique_ptr<Searching> make_searching(const Facts& facts, std::string_view isa,
                                          const std::function<bool()>& stop);

}  // namespace exactree::proof
