// Trees of two levels over columns of two values: what the prover sees of the kernel.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "proof/rows.hpp"

namespace exactree::proof {

// What trees of at most two levels cost at least, with at most 0 to 3 splits, free and limited.
struct Shallow {
  Cost cost[2][4] = {};
};

// What rows weigh and count together, over all of them and by column over those where it is 1.
struct Overlaps {
  Cost weight = 0, size = 0;
  std::vector<Cost> weights, sizes;
};

// Sums over the rows of a node where two columns are 1, for all pairs of columns. There is a node
// for each level of a recursion: one below the other.
class PairCounter {
 public:
  virtual ~PairCounter() = default;
  virtual void count(int level, const std::vector<int>& rows) = 0;
  // `by_column`: what the trees cost whose first split is that of a column, free.
  virtual Shallow shallow(int level, std::vector<Cost>* by_column) = 0;
  // The two sides of a column of that node: where it is 0, and where it is 1.
  virtual void sides(int level, int column, Shallow out[2]) = 0;
  // The rows of that node; if a column is given, those where it is 1.
  virtual void overlaps(int level, int column, Overlaps& out) = 0;
};

using MakePairCounter = std::unique_ptr<PairCounter> (*)(const Facts&);

// The one for an instruction set, by its name or "auto".
MakePairCounter pair_counter_maker(std::string_view isa);

}  // namespace exactree::proof
