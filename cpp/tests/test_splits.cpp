// The search by splits: against brute force, with its prunings everywhere and some turned off.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/audit/split_claims.hpp"
#include "search/sparse/split_search.hpp"

namespace exactree::tests {

namespace {

constexpr int kSplits = 4;

void check_splits(std::uint64_t seed) {
  Random random(seed);
  Shape shape;
  shape.rows = random.draw(2, 9);
  shape.features = random.draw(1, 2);
  shape.values = random.draw(2, 9);
  shape.classes = random.draw(2, 3);
  shape.weighted = random.one_in(3);
  Drawn problem(shape, random);
  problem.penalty = random.one_in(3) ? random.draw(1, 2) : 0;
  const std::vector<Cost> best = optima(problem, kSplits);
  const auto at_most = [](const std::vector<Cost>& costs, int splits) {
    return costs[std::min(static_cast<std::size_t>(splits), costs.size() - 1)];
  };
  SplitsRequest request;
  request.max_splits = random.draw(0, kSplits);
  const Cost optimum = at_most(best, request.max_splits);
  if (random.one_in(2)) {
    request.levels = random.draw(1, 3);
    request.upper = at_most(optima(problem, request.levels), request.max_splits);
  }
  if (random.one_in(3)) request.lower = optimum;
  Switches switches;
  if (!random.one_in(3)) switches.off |= 1u << kPrunings;
  for (const Pruning p :
       {Pruning::kSubInterval, Pruning::kNeighbour, Pruning::kArchive, Pruning::kArchiveLike,
        Pruning::kCarving, Pruning::kQuadrant, Pruning::kBranch})
    if (random.one_in(6)) switches.off |= 1u << static_cast<int>(p);
  Control control;
  SearchProgress progress;
  const SearchResult result = search_splits(problem.columns(), request, switches,
                                            kernels("auto").make_root, control, progress);
  const SearchAnswer& answer = result.answers.front();
  check(result.status == Status::kOptimal && answer.lower_bound == optimum);
  check(answer.objective == optimum || optimum >= request.upper);
  check(tree_cost(problem, answer.tree, kSplits, request.max_splits) == answer.objective);
}

#ifdef EXACTREE_AUDIT

template <class Claim>
bool is_false(Claim claim) {
  try {
    claim();
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

// Classes 0 1 0 1 on a line: up to two splits cost 1, three cost nothing, in a chain or not.
void check_audit() {
  const std::vector<std::int32_t> ranks = {0, 1, 2, 3}, labels = {0, 1, 0, 1};
  Problem data;
  data.rows = 4;
  data.features = 1;
  data.classes = 2;
  data.ranks = ranks.data();
  data.labels = labels.data();
  data.max_rank = 3;
  Workspace work;
  const std::unique_ptr<Node> root = kernels("auto").make_root(data, work);
  const auto wrong = [&](Trees trees, Cost low, Cost high) {
    return is_false([&] { claims::trees(*root, trees, low, high); });
  };
  check(!wrong({1}, 1, 1) && wrong({1}, 2, 2) && wrong({1}, 0, 0));
  check(!wrong({2, 0, 2}, 1, 1) && wrong({2, 0, 2}, 2, 2));
  check(!wrong({3, 0, 3}, 0, 0) && wrong({3, 0, 3}, 1, 1));
  const auto settled = [&](int splits, Trees other, Cost best) {
    return !is_false([&] { claims::no_small_side(*root, 0, 0, splits, other, best); });
  };
  check(settled(0, {0}, 1) && !settled(0, {0}, 2));
  check(settled(0, {1}, 1) && !settled(1, {1}, 1) && settled(1, {1}, 0));
}

#else

void check_audit() {}

#endif

}  // namespace

void test_splits(Effort effort) {
  check_audit();
  for (std::uint64_t seed = 1; seed <= effort.of(1500); ++seed) check_splits(seed);
}

}  // namespace exactree::tests
