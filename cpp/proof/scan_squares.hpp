// Best single splits of rows for the squared error. Sums of whole numbers are exact; what a split
// explains beyond a leaf is (a - c P / W)^2 (1 / c + 1 / (W - c)) for the sum a and the weight c of
// its left side, P and W those of both. The sums of the rows right of a threshold of the first
// column are those of all rows less those of the left ones.
//
// Without a limit on sides the places of every column are taken in blocks. A split within a block,
// or at its end, has on its left all rows before the block and on its right all rows after it: it
// costs no less than leaves of these two, since fewer rows never cost more. Only blocks where that
// beats the best are looked at place by place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "proof/scanner.hpp"

namespace exactree::EXACTREE_ISA::proving {

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
    for (int g = 0; limited_ && g < features_; ++g) {
      const std::size_t at = start(g);
      gather(g, &all_.sums[at], &all_.weights[at], &all_.sizes[at]);
    }
    if (!limited_) make_blocks();
  }

  void first_column(int f) override {
    first_ = f;
    if (limited_) return;
    std::vector<std::int32_t> where(inside_.size());
    for (int i = 0; i < rows_.n; ++i) where[row_of(rows_.column(f)[i])] = i;
    for (int g = 0; g < features_; ++g)
      for (std::size_t i = 0; i < n_; ++i)
        place_[padded(g) + i] = where[row_of(rows_.column(g)[i])];
    Moments so_far;
    for (int i = 0; i < rows_.n; ++i) {
      so_far.add(facts_.problem, row_of(rows_.column(f)[i]));
      up_to_[static_cast<std::size_t>(i) + 1] = so_far;
    }
    std::fill(left_.begin(), left_.end(), Moments{});
    moved_ = 0;
  }

  void scan(int position, SideCosts out[2]) override {
    if (!limited_) {
      scan_blocks(position, out);
      return;
    }
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
  std::size_t padded(int g) const { return static_cast<std::size_t>(g) * blocks_ * places_; }

  // Sums, by block, of all rows and of those left of a threshold; and what a side has before each.
  void make_blocks() {
    places_ = n_ < 2048 ? 16 : 32;
    blocks_ = (n_ + places_ - 1) / places_;
    const std::size_t columns = static_cast<std::size_t>(features_), many = columns * blocks_;
    for (std::vector<double>* of : {&sum_, &weight_, &square_}) of->assign(many * places_, 0.0);
    place_.assign(many * places_, std::numeric_limits<std::int32_t>::max() - 1);
    for (std::vector<Moments>* of : {&whole_, &left_, &before_}) of->resize(many + columns);
    bound_.resize(many);
    up_to_.resize(n_ + 1);
    block_of_.resize(inside_.size() * columns);
    for (int g = 0; g < features_; ++g)
      for (std::size_t i = 0; i < n_; ++i) {
        const std::uint32_t r = row_of(rows_.column(g)[i]);
        block_of_[r * columns + static_cast<std::size_t>(g)] =
            static_cast<std::uint32_t>((padded(g) + i) / places_);
        sum_[padded(g) + i] = sums_[start(g) + i];
        weight_[padded(g) + i] = weights_[start(g) + i];
        square_[padded(g) + i] = sums_[start(g) + i] * facts_.problem.targets_of[r];
      }
    for (std::size_t i = 0; i < many * places_; ++i) {
      Moments& block = whole_[i / places_];
      block = {block.weight + weight_[i], block.sum + sum_[i], block.squares + square_[i]};
    }
  }

  // Let the first `position` rows of the first column be the left ones. From one threshold to the
  // next only the rows between them change sides.
  void move_to(int position) {
    const std::size_t columns = static_cast<std::size_t>(features_);
    const double sign = position > moved_ ? 1.0 : -1.0;
    const int end = std::max(position, moved_);
    for (int i = std::min(position, moved_); i < end; ++i) {
      const std::uint32_t r = row_of(rows_.column(first_)[i]);
      const double w = sign * static_cast<double>(facts_.problem.weights[r]);
      const double y = facts_.problem.targets_of[r];
      const std::uint32_t* block = &block_of_[r * columns];
      for (std::size_t g = 0; g < columns; ++g) {
        Moments& left = left_[block[g]];
        left.weight += w;
        left.sum += w * y;
        left.squares += w * y * y;
      }
    }
    moved_ = position;
  }

  static Moments less(const Moments& all, const Moments& part) {
    return {all.weight - part.weight, all.sum - part.sum, all.squares - part.squares};
  }
  static double leaf_of(const Moments& m) {
    return m.weight > 0.5 ? m.squares - m.sum * m.sum / m.weight : 0.0;
  }

  void scan_blocks(int position, SideCosts out[2]) {
    move_to(position);
    const Moments& first = up_to_[static_cast<std::size_t>(position)];
    const Moments sides[2] = {first, less(up_to_[n_], first)};
    for (int s = 0; s < 2; ++s) {
      const Moments& all = sides[s];
      const double mean = all.sum / all.weight;
      double most = 0;
      std::size_t promising = 0;
      for (int g = 0; g < features_; ++g) bound_blocks(g, s, all, promising);
      look(promising, s, position, all, mean, most);
      for (std::size_t b = 0; b < bound_.size(); ++b)
        if (bound_[b] > most) look(b, s, position, all, mean, most);
      const double both[2] = {most, most};
      out[s] = costs(all, both);
    }
  }

  // What the splits of each block of a column explain beyond a leaf, at most.
  void bound_blocks(int g, int s, const Moments& all, std::size_t& promising) {
    Moments so_far;
    const double alone = leaf_of(all);
    for (std::size_t b = static_cast<std::size_t>(g) * blocks_, i = 0; i < blocks_; ++b, ++i) {
      before_[b] = so_far;
      const Moments more = s == 0 ? left_[b] : less(whole_[b], left_[b]);
      const double near = leaf_of(so_far);
      so_far = {so_far.weight + more.weight, so_far.sum + more.sum, so_far.squares + more.squares};
      bound_[b] = alone - near - leaf_of(less(all, so_far));
      if (bound_[b] > bound_[promising]) promising = b;
    }
  }

  void look(std::size_t block, int s, int position, const Moments& all, double mean,
            double& most) const {
    double a = before_[block].sum, c = before_[block].weight;
    const std::size_t g = block / blocks_, from = block * places_;
    const std::size_t first = block % blocks_ * places_;
    for (std::size_t i = 0; i < std::min(places_, n_ - first); ++i) {
      const double inside = (place_[from + i] < position) == (s == 0) ? 1.0 : 0.0;
      a += inside * sum_[from + i];
      c += inside * weight_[from + i];
      const double off = a - c * mean, both = c * (all.weight - c);
      if (both > 0.5 && ends_[g * n_ + first + i] != 0.0 && first + i + 1 < n_)
        most = std::max(most, off * off * all.weight / both);
    }
  }

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

  std::size_t places_ = 64;  // of a block
  std::size_t blocks_ = 0;
  std::vector<double> sum_, weight_, square_;  // by column and place, filled up to whole blocks
  std::vector<std::int32_t> place_;            // likewise: the place in the first column
  std::vector<std::uint32_t> block_of_;        // by row and column
  std::vector<Moments> whole_, left_, before_;
  std::vector<Moments> up_to_;  // of the first rows of the first column
  std::vector<double> bound_;
  int moved_ = 0;  // so many rows of the first column are in left_
};

}  // namespace exactree::EXACTREE_ISA::proving
