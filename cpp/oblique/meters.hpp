// What a split is worth while rows move from one of its sides to the other: one class for each
// criterion. Rows have the numbers of NodeRows.
//
// A meter starts empty; add() puts rows on their sides, move() changes the side of one, level() is
// the worth, lower is better. wishes() says for every row how much it prefers the right side;
// kElastic, whether these wishes are worth an elastic program.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "oblique/node_rows.hpp"

namespace KERNEL_NAMESPACE {

using Wishes = std::vector<double>;
using Scores = std::vector<double>;

// Each row has a price for going right instead of left: what the trees below make of it.
class PriceMeter {
 public:
  using Level = Cost;
  static constexpr bool kElastic = true;
  static constexpr Level kWorst = kInfinite;

  PriceMeter(std::vector<Cost> prices, Cost all_left) : prices_(std::move(prices)) {
    all_left_ = all_left;
    for (const Cost p : prices_) weight_ += static_cast<double>(std::abs(p));
  }
  void clear() { level_ = all_left_; }
  void add(int i, bool right) { level_ += right ? prices_[static_cast<std::size_t>(i)] : 0; }
  void move(int i, bool right) {
    const Cost p = prices_[static_cast<std::size_t>(i)];
    level_ += right ? p : -p;
  }
  Level level() const { return level_; }
  bool below(Level a, Level b) const { return a < b; }
  bool small(Level a) const { return static_cast<double>(a) < 0.03 * weight_; }
  void wishes(const Scores&, Wishes& out) const {
    out.resize(prices_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = -static_cast<double>(prices_[i]);
  }

 private:
  std::vector<Cost> prices_;
  Cost all_left_ = 0, level_ = 0;
  double weight_ = 0;
};

// Rows with classes and weights, by class and side.
class ClassSides {
 public:
  ClassSides(const ObliqueData& data, const std::vector<int>& rows) {
    const auto classes = static_cast<std::size_t>(data.classes);
    for (auto& side : count_) side.resize(classes);
    for (const int i : rows) {
      labels_.push_back(data.labels[i]);
      weights_.push_back(data.costs == nullptr ? data.unit : data.costs[i]);
      total_ += static_cast<double>(weights_.back());
    }
  }

 protected:
  void clear_counts() {
    for (auto& side : count_) std::fill(side.begin(), side.end(), Cost{0});
  }
  void count(const Scores& scores) {
    clear_counts();
    for (std::size_t i = 0; i < labels_.size(); ++i) at(scores[i] > 0, i) += weights_[i];
  }
  Cost& at(bool right, std::size_t i) {
    return count_[right ? 1 : 0][static_cast<std::size_t>(labels_[i])];
  }

  std::vector<std::int32_t> labels_;
  std::vector<Cost> weights_;
  std::vector<Cost> count_[2];
  double total_ = 0;
};

// Two leaves below the split, each with its best label.
class LabelMeter : public ClassSides {
 public:
  using Level = Cost;
  static constexpr bool kElastic = true;
  static constexpr Level kWorst = kInfinite;
  using ClassSides::ClassSides;

  void clear() {
    clear_counts();
    sum_ = most_[0] = most_[1] = 0;
  }
  void add(int i, bool right) {
    const auto row = static_cast<std::size_t>(i);
    Cost& c = at(right, row) += weights_[row];
    most_[right] = std::max(most_[right], c);
    sum_ += weights_[row];
  }
  void move(int i, bool right) {
    const auto row = static_cast<std::size_t>(i);
    const Cost w = weights_[row];
    Cost &from = at(!right, row), &to = at(right, row);
    const bool was_most = from == most_[!right];
    from -= w;
    to += w;
    most_[right] = std::max(most_[right], to);
    if (!was_most) return;
    const auto& side = count_[right ? 0 : 1];
    most_[!right] = *std::max_element(side.begin(), side.end());
  }
  Level level() const { return sum_ - most_[0] - most_[1]; }
  bool below(Level a, Level b) const { return a < b; }
  bool small(Level a) const { return static_cast<double>(a) < 0.03 * total_; }
  // The rows of the two labels want to their leaves; the others are wrong in both. If both leaves
  // have one label, the right one is for the next class.
  void wishes(const Scores& scores, Wishes& out) {
    count(scores);
    std::size_t label[2];
    for (int s = 0; s < 2; ++s)
      label[s] = static_cast<std::size_t>(std::max_element(count_[s].begin(), count_[s].end()) -
                                          count_[s].begin());
    if (label[0] == label[1]) {
      Cost most = -1;
      for (std::size_t k = 0; k < count_[0].size(); ++k)
        if (k != label[0] && count_[0][k] + count_[1][k] > most)
          most = count_[0][k] + count_[1][k], label[1] = k;
    }
    out.assign(labels_.size(), 0.0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto own = static_cast<std::size_t>(labels_[i]);
      if (own == label[0]) out[i] = -static_cast<double>(weights_[i]);
      if (own == label[1]) out[i] = static_cast<double>(weights_[i]);
    }
  }

 private:
  Cost sum_ = 0, most_[2] = {0, 0};
};

// The Gini index, for splits that others will follow.
class GiniMeter : public ClassSides {
 public:
  using Level = double;
  static constexpr bool kElastic = false;
  static constexpr Level kWorst = std::numeric_limits<double>::infinity();
  using ClassSides::ClassSides;

  void clear() {
    clear_counts();
    for (int s = 0; s < 2; ++s) sum_[s] = squares_[s] = 0;
  }
  void add(int i, bool right) { put(static_cast<std::size_t>(i), right, 1); }
  void move(int i, bool right) {
    put(static_cast<std::size_t>(i), !right, -1);
    put(static_cast<std::size_t>(i), right, 1);
  }
  Level level() const {
    Level v = sum_[0] + sum_[1];
    for (int s = 0; s < 2; ++s)
      if (sum_[s] > 0) v -= squares_[s] / sum_[s];
    return v;
  }
  bool below(Level a, Level b) const { return a < b - 1e-9 * total_; }
  bool small(Level) const { return false; }
  void wishes(const Scores& scores, Wishes& out) {
    count(scores);
    double sum[2] = {1e-9, 1e-9};
    for (int s = 0; s < 2; ++s)
      for (const Cost c : count_[s]) sum[s] += static_cast<double>(c);
    out.resize(labels_.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool right =
          static_cast<double>(at(true, i)) / sum[1] > static_cast<double>(at(false, i)) / sum[0];
      out[i] = static_cast<double>(right ? weights_[i] : -weights_[i]);
    }
  }

 private:
  void put(std::size_t i, bool right, int sign) {
    Cost& c = at(right, i);
    const auto w = static_cast<double>(sign * weights_[i]);
    squares_[right] += w * (w + 2 * static_cast<double>(c));
    sum_[right] += w;
    c += sign * weights_[i];
  }
  double sum_[2] = {0, 0}, squares_[2] = {0, 0};
};

// Two leaves with their means: the squared error, and the criterion for growing too.
class MeanMeter {
 public:
  using Level = double;
  static constexpr bool kElastic = true;
  static constexpr Level kWorst = std::numeric_limits<double>::infinity();

  MeanMeter(const ObliqueData& data, const std::vector<int>& rows) {
    for (const int i : rows) {
      y_.push_back(data.targets[i]);
      w_.push_back(data.masses[i]);
      squares_ += w_.back() * y_.back() * y_.back();
      total_ += w_.back();
    }
  }
  void clear() {
    for (int s = 0; s < 2; ++s) mass_[s] = sum_[s] = 0;
  }
  void add(int i, bool right) { put(static_cast<std::size_t>(i), right, 1); }
  void move(int i, bool right) {
    put(static_cast<std::size_t>(i), !right, -1);
    put(static_cast<std::size_t>(i), right, 1);
  }
  Level level() const {
    Level v = squares_;
    for (int s = 0; s < 2; ++s)
      if (mass_[s] > 1e-12 * total_) v -= sum_[s] * sum_[s] / mass_[s];  // else rounding alone
    return v;
  }
  bool below(Level a, Level b) const { return a < b - 1e-10 * squares_; }
  bool small(Level a) const { return a < 1e-3 * squares_; }
  void wishes(const Scores& scores, Wishes& out) {
    clear();
    for (std::size_t i = 0; i < y_.size(); ++i) put(i, scores[i] > 0, 1);
    double mean[2];
    for (int s = 0; s < 2; ++s) mean[s] = mass_[s] > 0 ? sum_[s] / mass_[s] : 0;
    out.resize(y_.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double a = y_[i] - mean[0], b = y_[i] - mean[1];
      out[i] = w_[i] * (a * a - b * b);
    }
  }

 private:
  void put(std::size_t i, bool right, int sign) {
    mass_[right] += sign * w_[i];
    sum_[right] += sign * w_[i] * y_[i];
  }
  std::vector<double> y_, w_;
  double squares_ = 0, total_ = 0, mass_[2] = {0, 0}, sum_[2] = {0, 0};
};

}  // namespace KERNEL_NAMESPACE
