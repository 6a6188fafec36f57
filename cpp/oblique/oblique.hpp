// A local search for trees of hyperplanes: any number of rows and columns, no proof.
//
// A row goes right where w . z + b > 0, z its columns. Surfaces are hyperplanes in the columns of
// their terms, which Python prepares, centred and scaled.
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "search/driver/control.hpp"
#include "search/least_side.hpp"
#include "search/value.hpp"

namespace exactree {

// The rows. Costs are whole numbers, so that losses are compared exactly.
struct ObliqueData {
  int rows = 0, columns = 0;
  const double* z = nullptr;  // columns x rows
  // Classes: a row in a leaf of another label costs `costs`, or `unit` where there are none.
  int classes = 0;
  const std::int32_t* labels = nullptr;
  const std::int64_t* costs = nullptr;
  std::int64_t unit = 1;
  // Costs of every row (rows x classes): what each answer costs for it, not negative. Then there
  // are no labels.
  const std::int64_t* prices = nullptr;
  // Numbers (classes = 0): masses times squared distance to the leaf's value, in units of which
  // one squared distance has `scale`. The targets are centred.
  const double* targets = nullptr;
  const double* masses = nullptr;
  double scale = 1;
  // Both: what a row counts (none: one) and a side has to, and what a split costs.
  const std::int32_t* counts = nullptr;
  LeastSide least_side;
  std::int64_t penalty = 0;
};

// A tree in preorder; planes has columns + 1 numbers for every node, those of leaves unused.
struct ObliqueTree {
  struct Node {
    int left = -1, right = -1;  // -1: a leaf
    int parent = -1;
    double value = 0;  // of a leaf: label or number
    Cost cost = 0;     // of a leaf
    std::vector<double> plane;
  };
  std::vector<Node> nodes;
  Cost cost = kInfinite;  // penalties included
};

struct ObliqueRequest {
  int max_depth = 1;
  int max_splits = -1;    // -1: what the depth allows
  int plane_columns = 0;  // at most so many columns in a plane; 0: all
  int threads = 1;
  std::uint64_t seed = 0;
  int idle_rounds = 100;  // stop after so many without a better tree
  Cost lower_bound = 0;   // stop at a tree of this cost
  std::vector<ObliqueTree> starts;
};

struct ObliqueResult {
  Status status = Status::kOptimal;  // kOptimal: ended by itself
  ObliqueTree tree;
  std::int64_t rounds = 0, scans = 0;
  std::vector<std::tuple<double, Cost>> history;  // seconds, cost
  double seconds = 0;
};

using ObliqueSearch = ObliqueResult (*)(const ObliqueData& data, const ObliqueRequest& request,
                                        Control& control, std::atomic<Cost>& best);

}  // namespace exactree
