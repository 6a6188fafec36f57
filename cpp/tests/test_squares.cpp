// Squared error against brute force, in the units of the search: see search/targets/squares.hpp.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"

namespace exactree::tests {

namespace {

using Rows = std::vector<int>;

// A problem that owns its arrays, and its optima by trying every tree.
class Numbers {
 public:
  Numbers(int rows, int features, Random& random) : rows_(rows), features_(features) {
    const int values = random.draw(2, std::max(2, rows)), size = random.one_in(2) ? 5 : 100000;
    for (int i = 0; i < rows * features; ++i) ranks_.push_back(random.draw(0, values - 1));
    for (int i = 0; i < rows; ++i) sums_.push_back(random.draw(-size, size));
    if (random.one_in(3))
      for (int i = 0; i < rows; ++i) {
        weights_.push_back(random.draw(1, 9));
        counts_.push_back(random.draw(1, 3));
      }
    shift = weights_.empty() ? random.draw(0, 3) : 6;
    if (random.one_in(3)) penalty = random.draw(1, 50);
    if (random.one_in(3)) min_rows = random.draw(2, 3);
  }

  Problem columns() const {
    Problem data;
    data.rows = rows_;
    data.features = features_;
    data.classes = 1;
    data.ranks = ranks_.data();
    data.max_rank = *std::max_element(ranks_.begin(), ranks_.end());
    data.sums = sums_.data();
    data.masses = weights_.empty() ? nullptr : weights_.data();
    data.counts = weights_.empty() ? nullptr : counts_.data();
    data.shift = shift;
    data.penalty = penalty;
    data.least_side.least = min_rows;
    return data;
  }
  Rows all() const {
    Rows rows;
    for (int i = 0; i < rows_; ++i) rows.push_back(i);
    return rows;
  }
  Cost optimum(const Rows& rows, int depth, int splits) const {
    Cost best = error(rows) >> shift;
    if (depth == 0 || splits == 0) return best;
    for (int f = 0; f < features_; ++f)
      for (int rank = 1; rank < rows_; ++rank) {
        Rows side[2];
        for (const int i : rows) side[ranks_[at(f, i)] < rank ? 0 : 1].push_back(i);
        if (!allowed(side[0]) || !allowed(side[1])) continue;
        best = std::min(best, penalty + below(side, depth, splits));
      }
    return best;
  }

  int shift = 0, min_rows = 1;
  Cost penalty = 0;

 private:
  std::size_t at(int f, int i) const { return static_cast<std::size_t>(f * rows_ + i); }
  // Two leaves below a last split are rounded down together.
  Cost below(const Rows side[2], int depth, int splits) const {
    if (std::min(depth, splits) == 1) return (error(side[0]) + error(side[1])) >> shift;
    Cost best = kInfinite;
    for (int i = 0; i < splits; ++i)
      best = std::min(best,
                      optimum(side[0], depth - 1, i) + optimum(side[1], depth - 1, splits - 1 - i));
    return best;
  }
  bool allowed(const Rows& rows) const {
    int count = 0;
    for (const int i : rows) count += weights_.empty() ? 1 : counts_[static_cast<std::size_t>(i)];
    return !rows.empty() && count >= min_rows;
  }
  Cost error(const Rows& rows) const {
    Cost weight = 0, sum = 0, square = 0;
    const auto up = [](Cost a, Cost b) { return (a + b - 1) / b; };
    for (const int i : rows) {
      const auto w =
          static_cast<Cost>(weights_.empty() ? 1 : weights_[static_cast<std::size_t>(i)]);
      const auto p = static_cast<Cost>(sums_[static_cast<std::size_t>(i)]);
      weight += w;
      sum += p;
      square += up(p * p, w);
    }
    return square - up(sum * sum, weight);
  }

  int rows_, features_;
  std::vector<std::int32_t> ranks_, counts_;
  std::vector<double> sums_, weights_;
};

void check_numbers(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  const int depth = random.draw(0, 3);
  const Numbers problem(random.draw(1, depth == 3 ? 7 : 12), random.draw(1, 3), random);
  SearchRequest request;
  request.max_depth = depth;
  if (random.one_in(2)) request.max_splits = random.draw(0, 6);
  request.threads = random.draw(1, 2);
  if (random.one_in(2))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  const auto& isa =
      isas[static_cast<std::size_t>(random.draw(0, static_cast<int>(isas.size()) - 1))];
  const Problem data = problem.columns();
  Control control;
  SearchProgress progress;
  const SearchResult result = search(data, request, kernels(isa).make_root, control, progress);
  const int most = (1 << depth) - 1;
  const int splits = request.max_splits < 0 ? most : std::min(request.max_splits, most);
  const Cost optimum = problem.optimum(problem.all(), depth, splits);
  check(result.status == Status::kOptimal);
  check(result.answers.back().objective == result.answers.back().lower_bound);
  if (result.answers.back().objective != optimum)
    throw std::runtime_error("seed " + std::to_string(seed) + " " + isa + ": found " +
                             std::to_string(result.answers.back().objective) + ", optimum " +
                             std::to_string(optimum));
}

}  // namespace

void test_squares(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 0; seed < effort.of(1500); ++seed) check_numbers(seed, isas);
}

}  // namespace exactree::tests
