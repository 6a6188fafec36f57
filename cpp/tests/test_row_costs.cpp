// Costs of every row and answer against brute force, over thresholds and over masks: in the audit
// build every claim that the search relies on is judged on the way.
#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree::tests {

namespace {

using Rows = std::vector<int>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Rows with a cost for every answer, and splits: thresholds, or a list of any partitions.
struct PricedRows {
  int rows, answers, features, min_rows = 1;
  Cost penalty = 0;
  std::vector<std::int32_t> ranks, counts;
  std::vector<std::int64_t> costs;
  std::vector<std::vector<bool>> lefts;  // of every split that there is

  PricedRows(int depth, bool listed, Random& random)
      : rows(random.draw(1, depth == 3 ? 7 : 11)),
        answers(random.one_in(3) ? random.draw(8, 40) : random.draw(1, 4)),
        features(random.draw(1, 3)) {
    const int values = random.draw(1, rows);
    for (int f = 0; f < features; ++f) draw_column(values, random);
    const bool large = random.one_in(3);
    const Cost step = large ? Cost{1} << 40 : 1;
    const int most = random.one_in(2) ? 2 : 1000;
    for (int i = 0; i < rows * answers; ++i) costs.push_back(step * random.draw(0, most));
    if (random.one_in(3)) penalty = step * random.draw(1, std::max(most / 2, 1));
    if (random.one_in(3)) min_rows = random.draw(2, 3);
    if (random.one_in(3))
      for (int i = 0; i < rows; ++i) counts.push_back(random.draw(1, 3));
    listed ? list_any(random) : list_thresholds(values);
  }

  Problem data() const {
    Problem data;
    data.rows = rows;
    data.classes = answers;
    data.row_costs = costs.data();
    data.counts = counts.empty() ? nullptr : counts.data();
    data.penalty = penalty;
    data.least_side.least = min_rows;
    return data;
  }

  Cost cost(const Rows& inside, int answer) const {
    Cost sum = 0;
    for (const int i : inside) sum += costs[at(i * answers + answer)];
    return sum;
  }

  bool allowed(const Rows sides[2]) const {
    for (int s = 0; s < 2; ++s) {
      int count = 0;
      for (const int i : sides[s]) count += counts.empty() ? 1 : counts[at(i)];
      if (sides[s].empty() || count < min_rows) return false;
    }
    return true;
  }

  // The least cost of a tree, by trying all.
  Cost optimum(const Rows& inside, int depth, int splits) const {
    Cost best = kInfinite;
    for (int a = 0; a < answers; ++a) best = std::min(best, cost(inside, a));
    if (depth == 0 || splits == 0) return best;
    for (const auto& left : lefts) {
      Rows sides[2];
      for (const int i : inside) sides[left[at(i)] ? 0 : 1].push_back(i);
      if (!allowed(sides)) continue;
      for (int k = 0; k < splits; ++k)
        best = std::min(best, penalty + optimum(sides[0], depth - 1, k) +
                                  optimum(sides[1], depth - 1, splits - 1 - k));
    }
    return best;
  }

 private:
  // Ranks are dense: a value is replaced by its place among those that there are.
  void draw_column(int values, Random& random) {
    std::vector<std::int32_t> drawn;
    for (int i = 0; i < rows; ++i) drawn.push_back(random.draw(0, values - 1));
    for (const std::int32_t value : drawn) {
      std::set<std::int32_t> below;
      for (const std::int32_t other : drawn)
        if (other < value) below.insert(other);
      ranks.push_back(static_cast<std::int32_t>(below.size()));
    }
  }
  void list_thresholds(int values) {
    for (int f = 0; f < features; ++f)
      for (int rank = 1; rank < values; ++rank) {
        lefts.emplace_back();
        for (int i = 0; i < rows; ++i) lefts.back().push_back(ranks[at(f * rows + i)] < rank);
      }
  }
  void list_any(Random& random) {
    for (int m = random.draw(1, 9); m > 0; --m) {
      lefts.emplace_back();
      for (int i = 0; i < rows; ++i) lefts.back().push_back(random.one_in(2));
    }
  }
};

enum class Kind { kThresholds, kMasks, kListed };

// What a tree costs with the answers that its leaves give; `goes_left` is asked for a node and a
// row.
template <class GoesLeft>
Cost tree_cost(const PricedRows& problem, const Tree& tree, int node, const Rows& inside,
               const GoesLeft& goes_left) {
  const TreeNode& n = tree[at(node)];
  if (n.feature < 0) return problem.cost(inside, n.label);
  Rows sides[2];
  for (const int i : inside) sides[goes_left(n, i) ? 0 : 1].push_back(i);
  check(problem.allowed(sides));
  return problem.penalty + tree_cost(problem, tree, n.left, sides[0], goes_left) +
         tree_cost(problem, tree, n.right, sides[1], goes_left);
}

SearchRequest any_request(Random& random, int depth) {
  SearchRequest request;
  request.max_depth = depth;
  if (random.one_in(2)) request.max_splits = random.draw(0, (1 << depth) - 1);
  request.sizes = request.max_splits >= 0 && random.one_in(2);
  request.threads = random.draw(1, 2);
  if (random.one_in(2))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  return request;
}

// Every answer of the search: its cost, and its tree.
template <class GoesLeft>
void check_answers(const PricedRows& problem, const SearchRequest& request,
                   const SearchResult& result, const GoesLeft& goes_left) {
  check(result.status == Status::kOptimal);
  Rows all(at(problem.rows));
  std::iota(all.begin(), all.end(), 0);
  const int most = (1 << request.max_depth) - 1;
  for (std::size_t k = 0; k < result.answers.size(); ++k) {
    const SearchAnswer& answer = result.answers[k];
    const int splits = request.sizes            ? static_cast<int>(k)
                       : request.max_splits < 0 ? most
                                                : request.max_splits;
    const Cost optimum = problem.optimum(all, request.max_depth, splits);
    if (answer.objective != optimum || answer.lower_bound != optimum)
      throw std::runtime_error("found " + std::to_string(answer.objective) + ", optimum " +
                               std::to_string(optimum));
    check(tree_cost(problem, answer.tree, 0, all, goes_left) == optimum);
  }
}

SearchResult run(Problem data, MaskTree* masks, const SearchRequest& request,
                 const std::string& isa) {
  data.masks = masks;
  Control control;
  SearchProgress progress;
  return search(data, request, kernels(isa).make_root, control, progress);
}

void check_thresholds(const PricedRows& problem, const SearchRequest& request,
                      const std::string& isa) {
  Problem data = problem.data();
  data.features = problem.features;
  data.ranks = problem.ranks.data();
  data.max_rank = *std::max_element(problem.ranks.begin(), problem.ranks.end());
  check_answers(problem, request, run(data, nullptr, request, isa),
                [&](const TreeNode& n, int i) { return data.rank(n.feature, i) <= n.low; });
}

void check_masks(const PricedRows& problem, Kind kind, const SearchRequest& request,
                 const std::string& isa) {
  std::vector<std::uint64_t> words;  // a word each: there are few rows
  for (const auto& left : problem.lefts) {
    words.push_back(0);
    for (int i = 0; i < problem.rows; ++i)
      words.back() |= std::uint64_t{left[at(i)] ? 1u : 0u} << i;
  }
  const bool listed = kind == Kind::kListed;
  MaskTree masks(listed ? words.data() : nullptr, listed ? words.size() : 0, problem.rows,
                 listed ? nullptr : problem.ranks.data(), listed ? 0 : problem.features);
  const auto goes_left = [&](const TreeNode& n, int i) {
    return (masks.given(static_cast<std::uint32_t>(n.feature))[0] >> i & 1) != 0;
  };
  check_answers(problem, request, run(problem.data(), &masks, request, isa), goes_left);
}

void check_seed(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  const Kind kind = static_cast<Kind>(random.draw(0, 2));
  const int depth = random.draw(0, 3);
  const PricedRows problem(depth, kind == Kind::kListed, random);
  const SearchRequest request = any_request(random, depth);
  const auto& isa = isas[at(random.draw(0, static_cast<int>(isas.size()) - 1))];
  try {
    if (kind == Kind::kThresholds)
      check_thresholds(problem, request, isa);
    else
      check_masks(problem, kind, request, isa);
  } catch (const std::exception& error) {
    throw std::runtime_error("seed " + std::to_string(seed) + " " + isa + ": " + error.what());
  }
}

}  // namespace

void test_row_costs(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 1; seed <= effort.of(2000); ++seed) check_seed(seed, isas);
}

}  // namespace exactree::tests
