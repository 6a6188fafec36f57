// The search for an optimal tree over rank columns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "search/driver/control.hpp"
#include "search/driver/make_root.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace exactree {

struct SearchRequest {
  int max_depth = 0;
  int max_splits = -1;  // -1: what the depth allows
  bool sizes = false;   // the optimum for every number of splits up to max_splits
  int threads = 1;
  Cost lower_bound = 0;  // known beforehand
  // Trees of this cost or more are of no interest: one below it is found, or that there is none.
  // The answer is then the single leaf, with this as its lower bound.
  Cost upper_bound = kInfinite;
  Cost offset = 0;  // what all trees cost besides; see conflicts.hpp
  // A tree over rank columns to begin with, if any; other kinds of splits have no use for it.
  Tree start;
  // False: the start, or else the first tree, is made better as far as that goes, and nothing is
  // proved. The status is that of a limit.
  bool prove = true;
  Switches switches;
  bool remote = false;  // pieces are answered elsewhere
};

// What was found for one number of splits.
struct SearchAnswer {
  Cost objective = 0, lower_bound = 0;
  Tree tree;
};

struct SearchResult {
  Status status = Status::kOptimal;
  std::vector<SearchAnswer> answers;  // one, or one per number of splits
  Counters counters;
  std::vector<std::tuple<double, Cost, Cost>> history;  // seconds, objective, lower bound
  double seconds = 0;
  std::int64_t peak_bytes = 0;
  int threads = 1;  // that took part
  // Splits of the trees that nobody had listed: their arrangement, and the rows that go left.
  struct Part {
    int source;
    std::vector<std::uint64_t> left;
  };
  std::vector<Part> parts;
};

// The incumbent and bound of a search under way, for whoever watches it.
struct SearchProgress {
  std::atomic<Cost> objective = 0, lower_bound = 0;
};

// The budget of all rows.
inline Budget budget_of(const SearchRequest& request, const Problem& data) {
  const int most = data.rows > 1 ? data.rows - 1 : 0;
  int splits = request.max_splits < 0 || request.max_splits > most ? most : request.max_splits;
  if (request.sizes) splits = request.max_splits;
  return Budget::of(request.max_depth, splits);
}

SearchResult search(const Problem& data, const SearchRequest& request, MakeRoot make_root,
                    Control& control, SearchProgress& progress);

}  // namespace exactree
