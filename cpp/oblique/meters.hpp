// What a split is worth while rows move from one of its sides to the other: one class for each
// criterion. Rows have the numbers of NodeRows.
//
// A meter starts empty; add() puts rows on their sides, move() changes the side of one, level() is
// the worth, lower is better. wishes() says for every row how much it prefers the right side;
// kElastic, whether these wishes are worth an elastic program. Meters with kBuckets can pass many
// rows at once: pass_bucket() gives a bound of the level on the way.
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
using Places = std::vector<std::int32_t>;  // the bucket of every row

// Prices of going right instead of left, and their sum over the rows on the right.
class PriceSums {
 public:
  using Level = Cost;
  static constexpr bool kElastic = true, kBuckets = true;
  static constexpr Level kWorst = kInfinite;

  void clear() { sum_ = all_left_; }
  void add(int i, bool right) { sum_ += right ? prices_[static_cast<std::size_t>(i)] : 0; }
  void move(int i, bool right) {
    const Cost p = prices_[static_cast<std::size_t>(i)];
    sum_ += right ? p : -p;
  }
  bool below(Level a, Level b) const { return a < b; }
  bool small(Level a) const { return static_cast<double>(a) < 0.03 * weight_; }

  // What the rows of every bucket add and take away when they change sides; the rows start on the
  // sides they have far out on the left.
  void start_buckets(std::size_t many, const Places& places, const Scores& scores,
                     const Scores& change) {
    moved_.assign(2 * (many + 1), 0);
    const auto none = static_cast<std::int32_t>(many);
    Cost sum = all_left_;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Cost p = prices_[i];
      sum += (places[i] < none ? change[i] < 0 : scores[i] > 0) ? p : 0;
      const Cost d = change[i] > 0 ? p : -p;
      moved_[2 * static_cast<std::size_t>(places[i]) + (d < 0 ? 1 : 0)] += d;
    }
    sum_ = sum;
  }
  bool any(std::size_t b) const { return moved_[2 * b] != 0 || moved_[2 * b + 1] != 0; }
  void skip_bucket(std::size_t b) { sum_ += moved_[2 * b] + moved_[2 * b + 1]; }
  void save() { saved_ = sum_; }
  void restore() { sum_ = saved_; }

 protected:
  PriceSums() = default;
  void add_row(Cost price) {
    prices_.push_back(price);
    weight_ += static_cast<double>(std::abs(price));
  }
  // The least and the largest sum on the way through a bucket.
  Cost least_in(std::size_t b) const { return sum_ + moved_[2 * b + 1]; }
  Cost most_in(std::size_t b) const { return sum_ + moved_[2 * b]; }

  std::vector<Cost> prices_, moved_;
  Cost all_left_ = 0, sum_ = 0, saved_ = 0;
  double weight_ = 0;
};

// Each row has a price: what the trees below make of it on either side. What it costs on its better
// side is left out.
class PriceMeter : public PriceSums {
 public:
  explicit PriceMeter(const std::vector<Cost>& prices) {
    for (const Cost p : prices) {
      add_row(p);
      all_left_ += std::max<Cost>(-p, 0);
    }
  }
  Level level() const { return sum_; }
  Level pass_bucket(std::size_t b) {
    const Level floor = least_in(b);
    skip_bucket(b);
    return floor;
  }
  void wishes(const Scores&, Wishes& out) const {
    out.resize(prices_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = -static_cast<double>(prices_[i]);
  }
};

// Two leaves below the split, each with the better of two labels. The prices are those of the first
// class on the left and the second on the right, whose cost is s. The other way round it is
// total - s, and with one label for both it is the weight of the other class.
class TwoLabelMeter : public PriceSums {
 public:
  TwoLabelMeter(const ObliqueData& data, const NodeRows& rows, int first) {
    for (std::size_t k = 0; k < rows.rows().size(); ++k) {
      const int i = rows.rows()[k];
      const Cost w = rows.times(k) * (data.costs == nullptr ? data.unit : data.costs[i]);
      const bool is_first = data.labels[i] == first;
      class_[is_first ? 0 : 1] += w;
      add_row(is_first ? w : -w);
    }
    all_left_ = class_[1];
  }
  Level level() const { return best_label(sum_, sum_); }
  Level pass_bucket(std::size_t b) {
    const Level floor = best_label(least_in(b), most_in(b));
    skip_bucket(b);
    return floor;
  }
  // The rows of both classes prefer their leaves. If both leaves have one label, the right one is
  // for the other class.
  void wishes(const Scores& scores, Wishes& out) const {
    Cost left[2] = {0, 0};
    for (std::size_t i = 0; i < prices_.size(); ++i)
      if (!(scores[i] > 0)) left[prices_[i] > 0 ? 0 : 1] += std::abs(prices_[i]);
    const double sign = left[1] > left[0] ? 1 : -1;
    out.resize(prices_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = sign * static_cast<double>(prices_[i]);
  }

 private:
  Level best_label(Cost least, Cost most) const {
    return std::min({least, class_[0] + class_[1] - most, class_[0], class_[1]});
  }
  Cost class_[2] = {0, 0};
};

// Rows with classes and weights, by class and side. Classes that do not occur are left out.
class ClassSides {
 public:
  ClassSides(const ObliqueData& data, const NodeRows& rows) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(data.classes), -1);
    std::int32_t classes = 0;
    for (std::size_t k = 0; k < rows.rows().size(); ++k) {
      const int i = rows.rows()[k];
      std::int32_t& own = number[static_cast<std::size_t>(data.labels[i])];
      if (own < 0) own = classes++;
      labels_.push_back(own);
      weights_.push_back(rows.times(k) * (data.costs == nullptr ? data.unit : data.costs[i]));
      total_ += static_cast<double>(weights_.back());
    }
    for (auto& side : count_) side.resize(static_cast<std::size_t>(classes));
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
  static constexpr bool kElastic = true, kBuckets = true;
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
    if (was_most) find_most(right ? 0 : 1);
  }
  Level level() const { return sum_ - most_[0] - most_[1]; }
  bool below(Level a, Level b) const { return a < b; }
  bool small(Level a) const { return static_cast<double>(a) < 0.03 * total_; }

  // What the rows of every bucket bring to the right, by class, and their weight.
  void start_buckets(std::size_t many, const Places& places, const Scores& scores,
                     const Scores& change) {
    const std::size_t classes = count_[0].size();
    moved_.assign((many + 1) * classes, 0);
    mass_.assign(many + 1, 0);
    clear_counts();
    sum_ = 0;
    const auto none = static_cast<std::int32_t>(many);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Cost w = weights_[i];
      at(places[i] < none ? change[i] < 0 : scores[i] > 0, i) += w;
      sum_ += w;
      const auto b = static_cast<std::size_t>(places[i]);
      moved_[b * classes + static_cast<std::size_t>(labels_[i])] += change[i] > 0 ? w : -w;
      mass_[b] += w;
    }
    find_most(0);
    find_most(1);
  }
  bool any(std::size_t b) const { return mass_[b] != 0; }
  void skip_bucket(std::size_t b) {
    const std::size_t classes = count_[0].size();
    for (std::size_t k = 0; k < classes; ++k) {
      count_[0][k] -= moved_[b * classes + k];
      count_[1][k] += moved_[b * classes + k];
    }
    find_most(0);
    find_most(1);
  }
  // A row that moves changes the cost by no more than its weight. So inside a bucket the cost is at
  // least that at the start less the weight passed, and that at the end less the weight to come:
  // at least half the sum of both.
  Level pass_bucket(std::size_t b) {
    const Level before = level();
    skip_bucket(b);
    const Level twice = before + level() - mass_[b];
    return twice > 0 ? twice / 2 : 0;
  }
  void save() {
    for (int s = 0; s < 2; ++s) saved_[s] = count_[s];
  }
  void restore() {
    for (int s = 0; s < 2; ++s) count_[s] = saved_[s], find_most(s);
  }

  // The rows of the two labels prefer their leaves; the others are wrong in both. If both leaves
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
  void find_most(int side) {
    most_[side] = *std::max_element(count_[side].begin(), count_[side].end());
  }

  Cost sum_ = 0, most_[2] = {0, 0};
  std::vector<Cost> moved_, mass_, saved_[2];
};

// The Gini index, for splits that others will follow.
class GiniMeter : public ClassSides {
 public:
  using Level = double;
  static constexpr bool kElastic = false, kBuckets = false;
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
  static constexpr bool kElastic = true, kBuckets = false;
  static constexpr Level kWorst = std::numeric_limits<double>::infinity();

  MeanMeter(const ObliqueData& data, const NodeRows& rows) {
    for (std::size_t k = 0; k < rows.rows().size(); ++k) {
      const int i = rows.rows()[k];
      y_.push_back(data.targets[i]);
      w_.push_back(rows.times(k) * data.masses[i]);
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
