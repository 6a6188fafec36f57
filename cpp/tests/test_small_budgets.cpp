// Side masks with next to nothing to search: no splits or one, one row, one class, no masks.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree::tests {

namespace {

void check_small(std::uint64_t seed) {
  Random random(seed);
  Shape shape;
  shape.rows = random.one_in(3) ? 1 : random.draw(2, 70);
  shape.features = random.draw(1, 3);
  shape.values = random.one_in(4) ? 1 : random.draw(1, 4);
  shape.classes = random.draw(1, 3);
  shape.weighted = random.one_in(3);
  const Drawn problem(shape, random);
  Problem data = problem.columns();
  MaskTree masks(nullptr, 0, data.rows, data.ranks, data.features);
  data.masks = &masks;
  data.features = 0;
  SearchRequest request;
  request.max_splits = random.draw(0, 2);
  request.max_depth = random.draw(0, 2);
  request.sizes = !random.one_in(4);
  request.threads = random.draw(1, 2);
  Control control;
  if (random.one_in(4)) control.time_limit = 0;
  SearchProgress progress;
  const SearchResult result = search(data, request, kernels("auto").make_root, control, progress);
  const std::vector<Cost> best = optima(problem, request.max_depth);
  const std::size_t last = std::min(static_cast<std::size_t>(request.max_splits), best.size() - 1);
  check(!result.answers.empty());
  for (std::size_t k = 0; k < result.answers.size(); ++k) {
    const Cost optimum = best[request.sizes ? std::min(k, last) : last];
    const SearchAnswer& answer = result.answers[k];
    check(answer.lower_bound <= optimum && optimum <= answer.objective);
    check(result.status != Status::kOptimal || answer.objective == optimum);
  }
}

}  // namespace

void test_small_budgets(Effort effort) {
  for (std::uint64_t seed = 1; seed <= effort.of(2000); ++seed) check_small(seed);
}

}  // namespace exactree::tests
