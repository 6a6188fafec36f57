// Best single splits on both sides of the thresholds of a node: what the prover sees of the kernel.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "proof/rows.hpp"

namespace exactree::proof {

// What is known of one side: the cost of a leaf, and of a leaf or a single split, free and limited.
struct SideCosts {
  Cost leaf = 0;
  Cost split[2] = {0, 0};
};

// The best split of a side, and how good each column is by itself.
struct BestSplit {
  int column = -1, position = 0;
};

class Scanner {
 public:
  virtual ~Scanner() = default;
  // Take the thresholds of column f from now on.
  virtual void first_column(int f) = 0;
  // The two sides of a threshold: the first `position` rows of the first column, and the others.
  virtual void scan(int position, SideCosts out[2]) = 0;
  // All rows; how much the best split of each column gains, and which is the best (limited) of all.
  virtual SideCosts scan_all(std::vector<Cost>& by_column, BestSplit& best) = 0;
};

// Makes the scanner of a node, which keeps the two references.
using MakeScanner = std::unique_ptr<Scanner> (*)(const Facts&, const Rows&);

// The one for an instruction set, by its name or "auto".
MakeScanner scanner_maker(std::string_view isa);

}  // namespace exactree::proof
