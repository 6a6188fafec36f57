// The search against brute force: random problems together with random settings.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree::tests {

namespace {

// How a problem is put: by thresholds, by columns of two values, or either as masks.
enum class Kind { kThresholds, kBinary, kMasks, kListed };

std::string text(const Drawn& problem, const SearchRequest& request, const std::string& isa) {
  return " depth " + std::to_string(request.max_depth) + " splits " +
         std::to_string(request.max_splits) + (request.sizes ? " sizes" : "") + " threads " +
         std::to_string(request.threads) + " off " + std::to_string(request.switches.off) + " " +
         isa + " " + problem.text();
}

SearchResult run(const Drawn& problem, const SearchRequest& request, const std::string& isa,
                 Control& control) {
  const Problem data = problem.columns();
  SearchProgress progress;
  return search(data, request, kernels(isa).make_root, control, progress);
}

// The same problem with its thresholds as masks, which have a search of their own.
SearchResult run_masks(const Drawn& problem, const SearchRequest& request, const std::string& isa,
                       Control& control) {
  Problem data = problem.columns();
  MaskTree masks(nullptr, 0, data.rows, data.ranks, data.features);
  data.masks = &masks;
  data.features = 0;
  SearchProgress progress;
  SearchResult result = search(data, request, kernels(isa).make_root, control, progress);
  for (SearchAnswer& answer : result.answers)
    for (TreeNode& node : answer.tree)
      if (node.feature >= 0) node.feature = masks.feature(static_cast<std::uint32_t>(node.feature));
  return result;
}

// The same for columns of two values: each is a mask of the list.
SearchResult run_listed(const Drawn& problem, const SearchRequest& request, const std::string& isa,
                        Control& control) {
  Problem data = problem.columns();
  const auto words = static_cast<std::size_t>((data.rows + 63) / 64);
  std::vector<std::uint64_t> list(words * static_cast<std::size_t>(data.features), 0);
  for (int f = 0; f < data.features; ++f)
    for (int i = 0; i < data.rows; ++i)
      if (data.rank(f, i) == 0)
        list[static_cast<std::size_t>(f) * words + static_cast<std::size_t>(i / 64)] |=
            std::uint64_t{1} << (i % 64);
  MaskTree masks(list.data(), static_cast<std::size_t>(data.features), data.rows, nullptr, 0);
  data.masks = &masks;
  data.features = 0;
  SearchProgress progress;
  SearchResult result = search(data, request, kernels(isa).make_root, control, progress);
  for (SearchAnswer& answer : result.answers)
    for (TreeNode& node : answer.tree)
      if (node.feature >= 0) node.low = 0, node.high = 1;
  return result;
}

SearchResult run_kind(Kind kind, const Drawn& problem, const SearchRequest& request,
                      const std::string& isa, Control& control) {
  if (kind == Kind::kMasks) return run_masks(problem, request, isa, control);
  if (kind == Kind::kListed) return run_listed(problem, request, isa, control);
  return run(problem, request, isa, control);
}

// Runs a test of one drawn problem; says which problem it was if it fails.
template <class Body>
void with_problem(const Drawn& problem, const SearchRequest& request, const std::string& isa,
                  Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    throw std::runtime_error(error.what() + text(problem, request, isa));
  }
}

const std::string& any_isa(Random& random, const std::vector<std::string>& isas) {
  return isas[static_cast<std::size_t>(random.draw(0, static_cast<int>(isas.size()) - 1))];
}

Shape tiny_shape(Random& random, int depth) {
  Shape shape;
  // Sometimes more columns than are scanned together.
  const bool many = depth <= 2 && random.one_in(4);
  shape.features = many ? random.draw(4, 10) : random.draw(1, depth >= 4 ? 2 : 3);
  shape.rows = random.draw(1, depth >= 4 ? 7 : depth == 3 ? 9 : 14);
  shape.classes = random.one_in(3) ? random.draw(1, 11) : random.draw(2, 3);
  shape.values = random.draw(2, std::max(2, shape.rows));
  shape.noise = random.draw(0, 100);
  // Ranks in two bytes, or in four.
  if (random.one_in(3)) shape.stretch = random.one_in(2) ? 300 : 70000;
  shape.weighted = random.one_in(3);
  shape.counted = shape.weighted && random.one_in(2);
  return shape;
}

Drawn tiny_problem(Random& random, int depth) {
  Drawn problem(tiny_shape(random, depth), random);
  if (random.one_in(4)) problem.unit = random.draw(2, 7);
  if (random.one_in(3)) problem.penalty = random.draw(1, 4);
  if (random.one_in(3)) problem.min_rows = random.draw(2, 4);
  return problem;
}

SearchRequest tiny_request(Random& random, int depth) {
  SearchRequest request;
  request.max_depth = depth;
  if (random.one_in(2)) request.max_splits = random.draw(0, random.one_in(4) ? 12 : 7);
  request.sizes = request.max_splits >= 0 && random.one_in(2);
  request.threads = random.draw(1, 3);
  if (random.one_in(2))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  return request;
}

Cost best_within(const std::vector<Cost>& optima, int splits) {
  const int most = static_cast<int>(optima.size()) - 1;
  return optima[static_cast<std::size_t>(splits < 0 ? most : std::min(splits, most))];
}

// Each answer's number of splits: all up to the limit with `sizes`, else the limit itself.
int splits_of(const SearchRequest& request, std::size_t answer) {
  return request.sizes ? static_cast<int>(answer) : request.max_splits;
}

void check_answers(const Drawn& problem, const SearchRequest& request, const SearchResult& result,
                   const std::vector<Cost>& best) {
  check(!result.answers.empty());
  for (std::size_t i = 0; i < result.answers.size(); ++i) {
    const SearchAnswer& answer = result.answers[i];
    const int splits = splits_of(request, i);
    const Cost optimum = best_within(best, splits);
    check(answer.lower_bound <= optimum && optimum <= answer.objective);
    check(tree_cost(problem, answer.tree, request.max_depth, splits) == answer.objective);
    if (result.status == Status::kOptimal) check(answer.objective == answer.lower_bound);
  }
  if (request.sizes)  // what is not listed is no better than the last
    check(result.status != Status::kOptimal ||
          result.answers.back().objective == best_within(best, request.max_splits));
}

void check_tiny(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  const int depth = random.one_in(10) ? 4 : random.draw(0, 3);
  const Drawn problem = tiny_problem(random, depth);
  const SearchRequest request = tiny_request(random, depth);
  const std::string& isa = any_isa(random, isas);
  const auto best = optima(problem, depth);
  with_problem(problem, request, isa, [&] {
    Control control;
    const SearchResult result = run(problem, request, isa, control);
    check(result.status == Status::kOptimal);
    check_answers(problem, request, result, best);
  });
}

// Four levels, with penalties that limit the levels of some subproblems and not of others; or many
// columns of two values, which have a recursion of their own.
Drawn deep_problem(Random& random, bool binary) {
  Shape shape;
  shape.features = binary ? random.draw(3, 6) : random.draw(1, 2);
  shape.rows = binary ? random.draw(6, 30) : random.draw(6, 10);
  shape.values = binary ? 2 : random.draw(3, shape.rows);
  shape.classes = random.one_in(2) ? 2 : random.draw(2, 5);
  shape.noise = random.draw(20, 100);
  shape.alike = random.one_in(2);
  shape.weighted = !binary && random.one_in(4);
  shape.counted = shape.weighted && random.one_in(2);
  Drawn problem(shape, random);
  if (random.one_in(2)) problem.unit = random.draw(1, 7);
  if (!random.one_in(4)) problem.penalty = random.draw(1, 3);
  if (random.one_in(3)) problem.min_rows = random.draw(2, 3);
  return problem;
}

void check_deep(std::uint64_t seed, Kind kind, const std::vector<std::string>& isas,
                Counters& counters) {
  Random random(seed);
  const bool binary = kind == Kind::kBinary || kind == Kind::kListed;
  const Drawn problem = deep_problem(random, binary);
  const int depth = kind == Kind::kBinary       ? random.draw(3, 5)
                    : kind == Kind::kThresholds ? 4
                                                : random.draw(1, 4);
  SearchRequest request;
  request.max_depth = depth;
  if (random.one_in(2)) request.switches.off = 1u << kPrunings;  // everywhere
  if (random.one_in(3)) request = tiny_request(random, depth);
  const std::string& isa = any_isa(random, isas);
  const auto best = optima(problem, depth);
  with_problem(problem, request, isa, [&] {
    Control control;
    const SearchResult result = run_kind(kind, problem, request, isa, control);
    check(result.status == Status::kOptimal);
    check_answers(problem, request, result, best);
    counters.add(result.counters);
  });
}

// Stops from another thread after a while that may be anything from nothing to too long.
void check_interrupted(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  const Kind kind = random.one_in(2) ? Kind::kMasks : Kind::kThresholds;
  const int depth = random.draw(1, 3);
  const Drawn problem = tiny_problem(random, depth);
  const SearchRequest request = tiny_request(random, depth);
  const std::string& isa = any_isa(random, isas);
  const auto best = optima(problem, depth);
  const auto patience = std::chrono::microseconds(random.draw(0, 10) * random.draw(0, 200));
  with_problem(problem, request, isa, [&] {
    Control control;
    std::jthread other([&] {
      std::this_thread::sleep_for(patience);
      control.stop(Status::kInterrupted);
    });
    check_answers(problem, request, run_kind(kind, problem, request, isa, control), best);
  });
}

// Enough rows for several words, with and without a rest in the last.
void check_two_levels(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  Shape shape;
  shape.rows = random.one_in(3) ? 64 * random.draw(1, 3) : random.draw(50, 260);
  shape.features = random.draw(1, 3);
  shape.classes = random.one_in(2) ? 2 : random.draw(2, 11);
  shape.values = random.one_in(2) ? shape.rows : random.draw(2, 40);
  if (random.one_in(4)) {
    shape.features = random.draw(4, 10);
    shape.values = random.draw(2, 12);
  }
  if (random.one_in(2)) shape.stretch = random.one_in(2) ? 300 : 70000;
  shape.noise = random.draw(5, 60);
  shape.weighted = random.one_in(4);
  shape.counted = shape.weighted && random.one_in(2);
  Drawn problem(shape, random);
  if (random.one_in(3)) problem.penalty = random.draw(1, 4);
  if (random.one_in(3)) problem.min_rows = random.draw(2, 30);
  SearchRequest request;
  request.max_depth = 2;
  if (random.one_in(3)) request.max_splits = 3, request.sizes = true;
  if (random.one_in(3))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  const std::string& isa = any_isa(random, isas);
  const Cost best = two_levels(problem);
  with_problem(problem, request, isa, [&] {
    Control control;
    const SearchResult result = run(problem, request, isa, control);
    check(result.status == Status::kOptimal);
    check(result.answers.back().objective == best);
    check(tree_cost(problem, result.answers.back().tree, 2, 3) == best);
  });
}

bool same(const Tree& a, const Tree& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TreeNode& x, const TreeNode& y) {
                      return x.feature == y.feature && x.low == y.low && x.high == y.high &&
                             x.left == y.left && x.right == y.right && x.label == y.label;
                    });
}

// Rows in the order of their only column, labelled in long stretches with some noise.
Drawn one_column(int rows, int classes, Random& random) {
  Shape shape;
  shape.rows = shape.values = rows;
  shape.classes = classes;
  Drawn problem(shape, random);
  for (int i = 0; i < rows; ++i) {
    problem.ranks[static_cast<std::size_t>(i)] = i;
    const int stretch = i / (rows / 6 + 1);
    const int label = random.one_in(5) ? random.draw(0, classes - 1) : stretch % classes;
    problem.labels[static_cast<std::size_t>(i)] = label;
  }
  return problem;
}

// A problem that takes a while, for limits to strike in the middle of it.
Drawn lengthy_problem(Random& random) {
  Shape shape;
  shape.rows = 300;
  shape.features = 4;
  shape.values = 300;
  shape.classes = 2;
  shape.noise = 60;
  return Drawn(shape, random);
}

// The tree is the same for every number of threads.
void check_threads(std::uint64_t seed, const std::string& isa) {
  Random random(seed);
  Shape shape;
  shape.features = random.draw(2, 4);
  shape.rows = random.draw(20, 60);
  shape.values = random.draw(5, shape.rows);
  shape.classes = random.draw(2, 3);
  const Drawn problem(shape, random);
  SearchRequest request;
  request.max_depth = random.draw(2, 3);
  if (random.one_in(3)) request.max_splits = random.draw(2, 5);
  Control control;
  const SearchResult alone = run_masks(problem, request, isa, control);
  for (const int threads : {2, 3}) {
    request.threads = threads;
    Control other;
    const SearchResult shared = run_masks(problem, request, isa, other);
    check(shared.answers.back().objective == alone.answers.back().objective);
    check(same(shared.answers.back().tree, alone.answers.back().tree));
  }
}

void check_bounds(const Drawn& problem, const SearchRequest& request, const SearchResult& result,
                  Cost optimum) {
  const SearchAnswer& answer = result.answers.back();
  check(answer.lower_bound <= optimum && optimum <= answer.objective);
  check(tree_cost(problem, answer.tree, request.max_depth, -1) == answer.objective);
  check((result.status == Status::kOptimal) == (answer.lower_bound == answer.objective));
}

}  // namespace

void test_search_mask_threads(Effort effort) {
  for (std::uint64_t seed = 1; seed <= effort.of(25); ++seed) check_threads(seed, "auto");
}

void test_search_tiny(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 1; seed <= effort.of(1500); ++seed) check_tiny(seed, isas);
}

void test_search_deep(Effort effort) {
  const auto isas = instruction_sets();
  const std::vector<Kind> kinds = {Kind::kThresholds, Kind::kThresholds, Kind::kThresholds,
                                   Kind::kBinary,     Kind::kMasks,      Kind::kListed};
  Counters counters;
  for (std::uint64_t seed = 1; seed <= effort.of(3000); ++seed)
    check_deep(seed, kinds[seed % kinds.size()], isas, counters);
  // A pruning that never fires is not tested. A share of the problems may be too few for all, and
  // from kSameColumn on they belong to searches without a depth.
  constexpr auto kOthers = static_cast<std::size_t>(Pruning::kSameColumn);
  for (std::size_t i = 0; i < kOthers && effort.per_cent >= 100; ++i)
    if (counters.pruned[i] == 0)
      throw std::runtime_error(std::string("never used: ") + kPruningNames[i]);
}

void test_search_interrupted(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 1; seed <= effort.of(300); ++seed) check_interrupted(seed, isas);
}

void test_search_two_levels(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 1; seed <= effort.of(60); ++seed) check_two_levels(seed, isas);
}

void test_search_one_column(Effort) {
  Random random(1);
  SearchRequest request;
  request.max_depth = 2;
  for (const std::string& isa : instruction_sets())
    for (const int classes : {2, 5}) {
      const Drawn problem = one_column(66000, classes, random);
      Control control;
      const SearchResult result = run(problem, request, isa, control);
      check(result.status == Status::kOptimal);
      check(result.answers.back().objective == four_intervals(problem));
    }
}

void test_search_three_levels(Effort) {
  Random random(1);
  const Drawn problem = lengthy_problem(random);
  SearchRequest request;
  request.max_depth = 3;
  const std::string isa = "auto";
  Control free;
  const SearchResult whole = run(problem, request, isa, free);
  check(whole.status == Status::kOptimal);
  const Cost optimum = whole.answers.back().objective;
  for (const int threads : {2, 3}) {
    request.threads = threads;
    Control control;
    check_bounds(problem, request, run(problem, request, isa, control), optimum);
    for (const int tenths : {0, 1, 3, 6, 9}) {
      Control timed;
      timed.time_limit = whole.seconds * tenths / 10 / threads;
      check_bounds(problem, request, run(problem, request, isa, timed), optimum);
      Control small;
      small.memory_limit = 1 + whole.peak_bytes * tenths / 10;
      check_bounds(problem, request, run(problem, request, isa, small), optimum);
    }
    Control asked;
    asked.signal = [](double seconds) { return seconds > 0.03; };
    check_bounds(problem, request, run(problem, request, isa, asked), optimum);
  }
}

}  // namespace exactree::tests
