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

// The columns that part the rows of a node, in their order; of those that part them alike,
// whichever side is 1, the first. The others would have the same sides. A column is turned so that
// its rarer value is the one that is set. From here on columns are their places in this list.
struct Parting {
  std::vector<int> columns;
  std::vector<char> turned;           // by column: whether 0 is the value that is set
  std::vector<std::vector<int>> set;  // by column: the places of the rows where it is set

  int many() const { return static_cast<int>(columns.size()); }
};
Parting parting(const ProofProblem& problem, const std::vector<int>& rows);

// What rows weigh and count together, over all of them and by column over those where it is set.
struct Overlaps {
  Cost weight = 0, size = 0;
  std::vector<Cost> weights, sizes;
};

// Sums over the rows of a node where two columns are set, for all pairs of columns. There is a node
// for each level of a recursion: one below the other.
class PairCounter {
 public:
  virtual ~PairCounter() = default;
  virtual void count(int level, const std::vector<int>& rows, const Parting& columns) = 0;
  // `by_column`: what the trees cost whose first split is that of a column, free.
  virtual Shallow shallow(int level, std::vector<Cost>* by_column) = 0;
  // The two sides of a column of that node: where it is not set, and where it is.
  virtual void sides(int level, int column, Shallow out[2]) = 0;
  // The rows of that node; if a column is given, those where it is set.
  virtual void overlaps(int level, int column, Overlaps& out) = 0;
};

using MakePairCounter = std::unique_ptr<PairCounter> (*)(const Facts&);

// The one for an instruction set, by its name or "auto".
MakePairCounter pair_counter_maker(std::string_view isa);

}  // namespace exactree::proof
