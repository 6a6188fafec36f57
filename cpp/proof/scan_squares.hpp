// Best single splits of rows for the squared error. Sums of whole numbers are exact; what a split
// explains beyond a leaf is (a - c P / W)^2 (1 / c + 1 / (W - c)) for the sum a and the weight c of
// its left side, P and W those of both. The sums of the rows right of a threshold of the first
// column are those of all rows less those of the left ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "proof/scanner.hpp"

namespace exactree::EXACTREE_ISA {

using namespace proof;

class SquaresScanner final : public Scanner {
 public:
  SquaresScanner(const Facts& facts, const Rows& rows)
      : facts_(facts),
        rows_(rows),
        features_(facts.problem.features),
        n_(static_cast<std::size_t>(rows.n)),
        limited_(facts.problem.least > 1),
        inside_(static_cast<std::size_t>(facts.problem.rows), 1.0) {
    const std::size_t cells = n_ * static_cast<std::size_t>(features_);
    for (std::vector<double>* sums : {&sums_, &weights_, &ends_, &all_.sums, &all_.weights})
      sums->resize(cells);
    for (std::vector<double>* sums : {&here_.sums, &here_.weights}) sums->resize(n_);
    if (limited_) {
      all_.sizes.resize(cells);
      here_.sizes.resize(n_);
    }
    for (std::size_t i = 0; i < cells; ++i) {
      const std::uint32_t place = rows.order[i], r = row_of(place);
      const double w = static_cast<double>(facts.problem.weights[r]);
      weights_[i] = w;
      sums_[i] = w * facts.problem.targets_of[r];
      ends_[i] = is_end(place) ? 1.0 : 0.0;
    }
    for (int g = 0; g < features_; ++g) {
      const std::size_t at = start(g);
      gather(g, &all_.sums[at], &all_.weights[at], limited_ ? &all_.sizes[at] : nullptr);
    }
  }

  void first_column(int f) override { first_ = f; }

  void scan(int position, SideCosts out[2]) override {
    const std::uint32_t* order = rows_.column(first_);
    for (int i = 0; i < rows_.n; ++i) inside_[row_of(order[i])] = i < position ? 1.0 : 0.0;
    const Moments sides[2] = {moments(0, position), moments(position, rows_.n)};
    double most[2][2] = {{0, 0}, {0, 0}};
    for (int g = 0; g < features_; ++g) {
      gather(g, here_.sums.data(), here_.weights.data(), limited_ ? here_.sizes.data() : nullptr);
      for (int s = 0; s < 2; ++s)
        for (int v = 0; v < (limited_ ? 2 : 1); ++v)
          most[s][v] = std::max(most[s][v], s == 0 ? best<false>(g, sides[0], v != 0)
                                                   : best<true>(g, sides[1], v != 0));
    }
    for (int s = 0; s < 2; ++s) out[s] = costs(sides[s], most[s]);
  }

  SideCosts scan_all(std::vector<Cost>& by_column, BestSplit& found) override {
    std::fill(inside_.begin(), inside_.end(), 1.0);
    const Moments all = moments(0, rows_.n);
    double most[2] = {0, 0};
    for (int g = 0; g < features_; ++g) {
      gather(g, here_.sums.data(), here_.weights.data(), limited_ ? here_.sizes.data() : nullptr);
      most[0] = std::max(most[0], best<false>(g, all, false));
      const double gain = best<false>(g, all, limited_);
      by_column[static_cast<std::size_t>(g)] = static_cast<Cost>(gain * facts_.problem.price);
      double& so_far = most[limited_ ? 1 : 0];
      if (gain > so_far || (found.column < 0 && gain > 0)) found = {g, place_of(g, all, gain)};
      so_far = std::max(so_far, gain);
    }
    return costs(all, most);
  }

 private:
  // Up to each place of a column: sums and weights, and what rows count on their side of a split.
  struct Running {
    std::vector<double> sums, weights, sizes;
  };

  std::size_t start(int g) const { return static_cast<std::size_t>(g) * n_; }

  Moments moments(int begin, int end) const {
    Moments out;
    for (int i = begin; i < end; ++i) out.add(facts_.problem, row_of(rows_.column(first_)[i]));
    return out;
  }

  SideCosts costs(const Moments& all, const double most[2]) const {
    const ProofProblem& p = facts_.problem;
    const double leaf = all.sum * all.sum / all.weight;
    SideCosts out;
    out.leaf = all.leaf(p);
    for (int v = 0; v < 2; ++v)
      out.split[v] = std::min(out.leaf, all.cost(p, leaf + most[limited_ ? v : 0]) + p.penalty);
    return out;
  }

  void gather(int g, double* sums, double* weights, double* sizes) const {
    const std::uint32_t* order = rows_.column(g);
    const double *s = &sums_[start(g)], *w = &weights_[start(g)];
    double a = 0, c = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double inside = inside_[row_of(order[i])];
      a += inside * s[i];
      c += inside * w[i];
      sums[i] = a;
      weights[i] = c;
    }
    double size = 0;
    for (std::size_t i = 0; sizes != nullptr && i < n_; ++i) {
      const std::uint32_t r = row_of(order[i]);
      size += inside_[r] * static_cast<double>(facts_.problem.sizes[r]);
      sizes[i] = size;
    }
  }

  // What the split after place i of a column explains beyond a leaf.
  template <bool Right>
  double gain(std::size_t at, std::size_t i, const Moments& all, double mean) const {
    const double c = Right ? all_.weights[at + i] - here_.weights[i] : here_.weights[i];
    const double a = Right ? all_.sums[at + i] - here_.sums[i] : here_.sums[i];
    const double off = a - c * mean;
    // Whole numbers: where a side has nothing, what rounding left must not count.
    const double both = c * (all.weight - c);
    return (both > 0.5 ? ends_[at + i] : 0.0) * (off * off * all.weight / std::max(both, 0.5));
  }

  template <bool Right>
  bool enough(std::size_t at, std::size_t i) const {
    const double least = static_cast<double>(facts_.problem.least);
    const auto size = [&](std::size_t k) {
      return Right ? all_.sizes[at + k] - here_.sizes[k] : here_.sizes[k];
    };
    return size(i) >= least && size(n_ - 1) - size(i) >= least;
  }

  // The most that a split of a column gains.
  template <bool Right>
  double best(int g, const Moments& all, bool limited) const {
    const std::size_t at = start(g);
    const double mean = all.sum / all.weight;
    double most = 0;
    if (limited) {
      for (std::size_t i = 0; i + 1 < n_; ++i)
        if (enough<Right>(at, i)) most = std::max(most, gain<Right>(at, i, all, mean));
      return most;
    }
    for (std::size_t i = 0; i + 1 < n_; ++i) most = std::max(most, gain<Right>(at, i, all, mean));
    return most;
  }

  int place_of(int g, const Moments& all, double wanted) const {
    const double mean = all.sum / all.weight;
    for (std::size_t i = 0; i + 1 < n_; ++i)
      if (gain<false>(start(g), i, all, mean) == wanted &&
          (!limited_ || enough<false>(start(g), i)))
        return static_cast<int>(i) + 1;
    return 1;
  }

  const Facts& facts_;
  const Rows& rows_;
  int features_, first_ = 0;
  std::size_t n_;
  bool limited_;
  std::vector<double> inside_;                 // 1 for the rows that are looked at, else 0
  std::vector<double> sums_, weights_, ends_;  // by column and place there
  Running all_, here_;                         // of all rows by column; of those looked at, in one
};

}  // namespace exactree::EXACTREE_ISA
