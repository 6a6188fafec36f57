// Losses of numbers against brute force: every tree, and every prediction of a leaf.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "search/targets/quantile_loss.hpp"
#include "search/targets/sum_loss.hpp"

namespace exactree::tests {

namespace {

using Rows = std::vector<int>;

// Rows with a loss, and what a set of them costs, by a definition of its own.
class LossRows {
 public:
  LossRows(int rows, Random& random) : rows_(rows) {
    for (int i = 0; i < rows; ++i) {
      weight_.push_back(random.one_in(2) ? 1 : random.draw(1, 9));
      first_.push_back(random.draw(0, random.one_in(2) ? 3 : 1000));
      second_.push_back(random.draw(-50, 50));
    }
    kind_ = random.draw(0, 2);
    above_ = random.draw(1, 9);
    below_ = random.draw(1, 9);
    if (kind_ == 0) make_deviance();
    if (kind_ == 1) make_outputs();
    if (kind_ == 2) {
      std::vector<std::int64_t> targets(second_.begin(), second_.end());
      std::vector<std::int64_t> weights(weight_.begin(), weight_.end());
      loss_ = std::make_unique<QuantileLoss>(targets, weights, above_, below_);
    }
  }
  const NumberLoss* loss() const { return loss_.get(); }
  Cost error(const Rows& rows) const {
    Cost alone = 0;
    for (const int i : rows) alone += least({i});
    return least(rows) - alone;
  }

 private:
  // Any convex sequences will do, of 40 predictions: A(k) = 3 k^2, B(k) = -128 k.
  void make_deviance() {
    DevianceLoss::Grid grid;
    for (int k = 0; k < kGrid; ++k) {
      grid.rising.high.push_back(static_cast<std::uint64_t>(3 * k * k));
      grid.rising.shift.push_back(0);
    }
    grid.rising.low = {1};
    grid.slope = 7;
    grid.size = kGrid;
    // Nothing is known of gains in floating point here: a scale of so much is always near.
    grid.scale = 0x1p60;
    std::vector<double> numbers;
    for (int i = 0; i < rows_; ++i) {
      numbers.push_back(static_cast<double>(weight_[at(i)]));
      numbers.push_back(static_cast<double>(first_[at(i)]));
    }
    loss_ = std::make_unique<DevianceLoss>(numbers, grid);
  }
  void make_outputs() {
    std::vector<double> numbers;
    for (int i = 0; i < rows_; ++i)
      for (const Cost x : {weight_[at(i)], first_[at(i)], second_[at(i)]})
        numbers.push_back(static_cast<double>(x));
    loss_ = std::make_unique<OutputLoss>(numbers, 3);
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Cost least(const Rows& rows) const {
    Cost weight = 0, first = 0, second = 0;
    for (const int i : rows) {
      weight += weight_[at(i)];
      first += first_[at(i)];
      second += second_[at(i)];
    }
    const auto up = [](Cost a, Cost b) { return (a + b - 1) / b; };
    if (kind_ == 1) return -(up(first * first, weight) + up(second * second, weight));
    Cost best = kInfinite;
    if (kind_ == 0) {
      for (Cost k = 0; k < kGrid; ++k) best = std::min(best, 3 * k * k * weight - 128 * k * first);
      return first == 0 ? 0 : best;
    }
    for (const int j : rows) {
      Cost cost = 0;
      for (const int i : rows) {
        const Cost off = second_[at(i)] - second_[at(j)];
        cost += weight_[at(i)] * (off > 0 ? above_ * off : -below_ * off);
      }
      best = std::min(best, cost);
    }
    return best;
  }

  static constexpr int kGrid = 40;
  int rows_, kind_ = 0;
  Cost above_ = 1, below_ = 1;
  std::vector<Cost> weight_, first_, second_;
  std::unique_ptr<NumberLoss> loss_;
};

struct Terms {
  int shift, min_rows;
  Cost penalty;
};

// As squares.hpp defines it: two leaves below a last split are rounded down together.
Cost optimum(const LossRows& rows, const std::vector<std::int32_t>& ranks, int features, int all,
             const Rows& inside, int depth, int splits, const Terms& terms) {
  Cost best = rows.error(inside) >> terms.shift;
  if (depth == 0 || splits == 0) return best;
  for (int f = 0; f < features; ++f)
    for (int rank = 1; rank < all; ++rank) {
      Rows side[2];
      for (const int i : inside)
        side[ranks[static_cast<std::size_t>(f * all + i)] < rank ? 0 : 1].push_back(i);
      const auto fewest = std::min(side[0].size(), side[1].size());
      if (fewest == 0 || static_cast<int>(fewest) < terms.min_rows) continue;
      Cost below = kInfinite;
      if (std::min(depth, splits) == 1)
        below = (rows.error(side[0]) + rows.error(side[1])) >> terms.shift;
      else
        for (int k = 0; k < splits; ++k)
          below = std::min(
              below,
              optimum(rows, ranks, features, all, side[0], depth - 1, k, terms) +
                  optimum(rows, ranks, features, all, side[1], depth - 1, splits - 1 - k, terms));
      best = std::min(best, terms.penalty + below);
    }
  return best;
}

void check_loss(std::uint64_t seed, const std::vector<std::string>& isas) {
  Random random(seed);
  const int depth = random.draw(0, 3), rows = random.draw(1, depth == 3 ? 6 : 10);
  const int features = random.draw(1, 3), values = random.draw(2, std::max(2, rows));
  const LossRows drawn(rows, random);
  std::vector<std::int32_t> ranks;
  for (int i = 0; i < rows * features; ++i) ranks.push_back(random.draw(0, values - 1) % rows);
  Terms terms{random.draw(0, 4), random.one_in(3) ? 2 : 1,
              random.one_in(3) ? random.draw(1, 50) : 0};
  Problem data;
  data.rows = rows;
  data.features = features;
  data.classes = 1;
  data.ranks = ranks.data();
  data.max_rank = *std::max_element(ranks.begin(), ranks.end());
  data.loss = drawn.loss();
  data.shift = terms.shift;
  data.penalty = terms.penalty;
  data.least_side.least = terms.min_rows;
  SearchRequest request;
  request.max_depth = depth;
  if (random.one_in(2)) request.max_splits = random.draw(0, 6);
  request.threads = random.draw(1, 2);
  if (random.one_in(2))
    request.switches.off = static_cast<std::uint32_t>(random.draw(0, (2 << kPrunings) - 1));
  const auto& isa =
      isas[static_cast<std::size_t>(random.draw(0, static_cast<int>(isas.size()) - 1))];
  Control control;
  SearchProgress progress;
  const SearchResult result = search(data, request, kernels(isa).make_root, control, progress);
  const int most = (1 << depth) - 1;
  const int splits = request.max_splits < 0 ? most : std::min(request.max_splits, most);
  Rows all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  const Cost best = optimum(drawn, ranks, features, rows, all, depth, splits, terms);
  check(result.status == Status::kOptimal);
  check(result.answers.back().objective == result.answers.back().lower_bound);
  if (result.answers.back().objective != best)
    throw std::runtime_error("seed " + std::to_string(seed) + " " + isa + ": found " +
                             std::to_string(result.answers.back().objective) + ", optimum " +
                             std::to_string(best));
}

}  // namespace

void test_losses(Effort effort) {
  const auto isas = instruction_sets();
  for (std::uint64_t seed = 0; seed < effort.of(1500); ++seed) check_loss(seed, isas);
}

}  // namespace exactree::tests
