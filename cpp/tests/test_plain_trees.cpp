// Dozens to hundreds of rows against the plain oracle, tables of costs among them: the audit looks
// at the smaller ones, and threads share the larger.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "tests/plain_trees.hpp"

namespace exactree::tests {

namespace {

struct Priced {
  Drawn rows;
  std::vector<std::int64_t> costs;  // classes x classes; empty: one for all wrong predictions
};

Priced draw_priced(Random& random, int depth) {
  Shape shape;
  shape.rows = depth == 3 ? random.draw(20, 60) : random.draw(20, 200);
  shape.features = random.draw(1, 3);
  shape.values = random.draw(2, depth == 3 ? 8 : 60);
  shape.classes = random.draw(2, random.one_in(3) ? 12 : 4);
  shape.noise = random.draw(10, 100);
  shape.weighted = random.one_in(2);
  shape.counted = shape.weighted && random.one_in(2);
  Priced problem{Drawn(shape, random), {}};
  if (random.one_in(3)) problem.rows.penalty = random.draw(1, 6);
  if (random.one_in(3)) problem.rows.min_rows = random.draw(2, 9);
  if (!shape.weighted) problem.rows.unit = random.draw(1, 3);
  if (shape.weighted && random.one_in(2)) {
    for (int c = 0; c < shape.classes * shape.classes; ++c) {
      const bool right = c % (shape.classes + 1) == 0;
      problem.costs.push_back(right && !random.one_in(4) ? 0 : random.draw(0, 9));
    }
  }
  return problem;
}

std::vector<Cost> plain_optima(const Priced& problem, int depth) {
  const Drawn& rows = problem.rows;
  std::vector<std::int64_t> weights;
  std::vector<std::int32_t> counts;
  for (int i = 0; i < rows.shape.rows; ++i) {
    weights.push_back(rows.cost(i));
    counts.push_back(rows.count(i));
  }
  const PlainTable table{rows.shape.rows,
                         rows.shape.features,
                         rows.shape.classes,
                         rows.ranks.data(),
                         rows.labels.data(),
                         weights.data(),
                         problem.costs.empty() ? nullptr : problem.costs.data(),
                         counts.data(),
                         rows.min_rows};
  std::vector<std::int64_t> best(std::size_t{1} << depth);
  plain_tree_costs(&table, depth, best.data());
  for (std::size_t k = 1; k < best.size(); ++k)
    best[k] = std::min(best[k - 1], best[k] + static_cast<Cost>(k) * rows.penalty);
  return best;
}

void check_priced(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  SearchRequest request;
  request.max_depth = random.draw(1, 3);
  const Priced problem = draw_priced(random, request.max_depth);
  const int most = (1 << request.max_depth) - 1;
  if (random.one_in(2)) request.max_splits = random.draw(0, most);
  request.threads = random.draw(1, 3);
  if (random.one_in(2))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  const auto isa = static_cast<std::size_t>(random.draw(0, static_cast<int>(isas.size()) - 1));
  Problem data = problem.rows.columns();
  if (!problem.costs.empty()) data.costs = problem.costs.data();
  Control control;
  SearchProgress progress;
  const SearchResult result =
      search(data, request, kernels(isas[isa]).make_root, control, progress);
  const int splits = request.max_splits < 0 ? most : request.max_splits;
  const Cost optimum = plain_optima(problem, request.max_depth)[static_cast<std::size_t>(splits)];
  const SearchAnswer& answer = result.answers.back();
  if (answer.objective != optimum || answer.lower_bound != optimum)
    throw std::runtime_error("seed " + std::to_string(seed) + " " + isas[isa] + ": found " +
                             std::to_string(answer.objective) + ", optimum " +
                             std::to_string(optimum));
}

}  // namespace

void test_plain_trees(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 1; seed <= effort.of(400); ++seed) check_priced(seed, isas);
}

}  // namespace exactree::tests
