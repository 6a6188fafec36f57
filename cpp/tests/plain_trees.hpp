// The least cost of a tree, by trying every split: for problems of hundreds of rows, and judge of
// the search.
//
// Written from the statement of the problem alone. It includes nothing of the search and shares no
// idea with it: no bound, no order of the splits, no bit masks. The suite calls it from Python too
// (tests/plain_trees.py), so its interface is plain C.
#pragma once

#include <cstdint>

extern "C" {

// A row has one value per column (columns x rows), a class, a weight and a count. A split sends the
// rows whose value in some column is at most a threshold to the left; either side has counts that
// add up to `least`. A leaf predicts one class p for all of its rows: row i costs its weight times
// costs[class of i][p], or, where `costs` is null, its weight unless p is its class.
struct PlainTable {
  std::int32_t rows, columns, classes;
  const std::int32_t* values;
  const std::int32_t* labels;
  const std::int64_t* weights;
  const std::int64_t* costs;
  const std::int32_t* counts;
  std::int64_t least;
};

// best[k]: the least cost of a tree of at most `depth` levels and at most k splits, for every k
// below 2^depth.
void plain_tree_costs(const PlainTable* table, std::int32_t depth, std::int64_t* best);

// The same for the first column alone, whose trees are partitions into intervals, for many rows.
// best[s * (rows + 1) + i]: the least cost of the first i rows, in the order of that column (rows
// of equal value as they come), cut into at most s + 1 intervals, each of which has `least` counts;
// kImpossible where there are none, as for i within rows of equal value.
constexpr std::int64_t kImpossible = std::int64_t{1} << 60;
void plain_interval_costs(const PlainTable* table, std::int32_t intervals, std::int64_t* best);

}  // extern "C"
