// Rows with a cost for every answer, as a kind of target of the local search: a leaf gives all its
// rows one answer, the cheapest for all of them.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

// The costs of some rows, and their sums by side and answer.
class AnswerSides {
 protected:
  AnswerSides(const ObliqueData& data, const NodeRows& rows)
      : answers_(static_cast<std::size_t>(data.classes)) {
    costs_.reserve(rows.rows().size() * answers_);
    for (std::size_t k = 0; k < rows.rows().size(); ++k) {
      const Cost* row = data.prices + static_cast<std::size_t>(rows.rows()[k]) * answers_;
      for (std::size_t a = 0; a < answers_; ++a) costs_.push_back(rows.times(k) * row[a]);
    }
    for (auto& side : sum_) side.resize(answers_);
  }
  const Cost* row(std::size_t i) const { return &costs_[i * answers_]; }
  std::size_t rows() const { return costs_.size() / answers_; }

  std::size_t answers_;
  std::vector<Cost> costs_;
  std::vector<Cost> sum_[2];
};

// Two leaves below the split, each with its cheapest answer.
class AnswerMeter : public AnswerSides {
 public:
  using Level = Cost;
  static constexpr bool kElastic = true, kBuckets = true;
  static constexpr Level kWorst = kInfinite;

  AnswerMeter(const ObliqueData& data, const NodeRows& of) : AnswerSides(data, of) {
    for (std::size_t i = 0; i < rows(); ++i) {
      largest_.push_back(*std::max_element(row(i), row(i) + answers_));
      total_ += static_cast<double>(largest_.back());
    }
  }
  void clear() {
    for (auto& side : sum_) std::fill(side.begin(), side.end(), Cost{0});
  }
  void add(int i, bool right) { put(static_cast<std::size_t>(i), sum_[right]); }
  void move(int i, bool right) {
    const Cost* of = row(static_cast<std::size_t>(i));
    Cost *to = sum_[right].data(), *from = sum_[!right].data();
    for (std::size_t a = 0; a < answers_; ++a) to[a] += of[a], from[a] -= of[a];
  }
  Level level() const { return least(0) + least(1); }
  bool below(Level a, Level b) const { return a < b; }
  bool small(Level a) const { return static_cast<double>(a) < 0.03 * total_; }

  // What the rows of every bucket bring to the right, by answer, and their largest costs.
  void start_buckets(std::size_t many, const Places& places, const Scores& scores,
                     const Scores& change) {
    moved_.assign((many + 1) * answers_, 0);
    mass_.assign(many + 1, 0);
    clear();
    const auto none = static_cast<std::int32_t>(many);
    for (std::size_t i = 0; i < places.size(); ++i) {
      put(i, sum_[(places[i] < none ? change[i] < 0 : scores[i] > 0) ? 1 : 0]);
      const auto b = static_cast<std::size_t>(places[i]);
      const Cost sign = change[i] > 0 ? 1 : -1;
      for (std::size_t a = 0; a < answers_; ++a) moved_[b * answers_ + a] += sign * row(i)[a];
      mass_[b] += largest_[i];
    }
  }
  bool any(std::size_t b) const { return mass_[b] != 0; }
  void skip_bucket(std::size_t b) {
    for (std::size_t a = 0; a < answers_; ++a) {
      sum_[0][a] -= moved_[b * answers_ + a];
      sum_[1][a] += moved_[b * answers_ + a];
    }
  }
  // No cost is negative, so a row that moves changes the level by no more than its largest cost. As
  // for labels, inside a bucket it is at least half of both ends less the largest costs.
  Level pass_bucket(std::size_t b) {
    const Level before = level();
    skip_bucket(b);
    const Level twice = before + level() - mass_[b];
    return twice > 0 ? twice / 2 : 0;
  }
  void save() {
    for (int s = 0; s < 2; ++s) saved_[s] = sum_[s];
  }
  void restore() {
    for (int s = 0; s < 2; ++s) sum_[s] = saved_[s];
  }

  // Rows prefer the leaf whose answer is cheaper for them. If both leaves have one answer, the
  // right one is for the answer that would then save most.
  void wishes(const Scores& scores, Wishes& out) {
    clear();
    for (std::size_t i = 0; i < rows(); ++i) put(i, sum_[scores[i] > 0 ? 1 : 0]);
    std::size_t answer[2];
    for (int s = 0; s < 2; ++s)
      answer[s] = static_cast<std::size_t>(std::min_element(sum_[s].begin(), sum_[s].end()) -
                                           sum_[s].begin());
    if (answer[0] == answer[1]) answer[1] = best_beside(answer[0]);
    out.resize(rows());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<double>(row(i)[answer[0]] - row(i)[answer[1]]);
  }

 private:
  void put(std::size_t i, std::vector<Cost>& side) const {
    for (std::size_t a = 0; a < answers_; ++a) side[a] += row(i)[a];
  }
  Cost least(int s) const { return *std::min_element(sum_[s].begin(), sum_[s].end()); }
  std::size_t best_beside(std::size_t answer) const {
    std::vector<Cost> saved(answers_, 0);
    for (std::size_t i = 0; i < rows(); ++i)
      for (std::size_t a = 0; a < answers_; ++a)
        saved[a] += std::max<Cost>(row(i)[answer] - row(i)[a], 0);
    saved[answer] = -1;
    return static_cast<std::size_t>(std::max_element(saved.begin(), saved.end()) - saved.begin());
  }

  std::vector<Cost> largest_, moved_, mass_, saved_[2];
  double total_ = 0;
};

// For splits that others will follow: how far the mean costs of both sides are apart, as squared
// distances of all rows from the mean of their side. What a row costs with any answer counts for
// nothing, so rows are taken relative to their own mean.
class SpreadMeter : public AnswerSides {
 public:
  using Level = double;
  static constexpr bool kElastic = false, kBuckets = false;
  static constexpr Level kWorst = std::numeric_limits<double>::infinity();

  SpreadMeter(const ObliqueData& data, const NodeRows& of) : AnswerSides(data, of) {
    z_.reserve(costs_.size());
    for (std::size_t i = 0; i < rows(); ++i) {
      double mean = 0;
      for (std::size_t a = 0; a < answers_; ++a) mean += static_cast<double>(row(i)[a]);
      mean /= static_cast<double>(answers_);
      for (std::size_t a = 0; a < answers_; ++a) {
        z_.push_back(static_cast<double>(row(i)[a]) - mean);
        squares_ += z_.back() * z_.back();
      }
    }
    for (auto& side : total_) side.resize(answers_);
  }
  void clear() {
    for (auto& side : total_) std::fill(side.begin(), side.end(), 0.0);
    count_[0] = count_[1] = 0;
  }
  void add(int i, bool right) { put(static_cast<std::size_t>(i), right, 1); }
  void move(int i, bool right) {
    put(static_cast<std::size_t>(i), !right, -1);
    put(static_cast<std::size_t>(i), right, 1);
  }
  Level level() const {
    Level v = squares_;
    for (int s = 0; s < 2; ++s) {
      if (count_[s] == 0) continue;
      double norm = 0;
      for (const double x : total_[s]) norm += x * x;
      v -= norm / count_[s];
    }
    return v;
  }
  bool below(Level a, Level b) const { return a < b - 1e-10 * squares_; }
  bool small(Level) const { return false; }
  void wishes(const Scores& scores, Wishes& out) {
    clear();
    for (std::size_t i = 0; i < rows(); ++i) put(i, scores[i] > 0, 1);
    out.assign(rows(), 0.0);
    for (std::size_t a = 0; a < answers_; ++a) {
      double mean[2];
      for (int s = 0; s < 2; ++s) mean[s] = count_[s] > 0 ? total_[s][a] / count_[s] : 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double x = z_[i * answers_ + a];
        out[i] += (x - mean[0]) * (x - mean[0]) - (x - mean[1]) * (x - mean[1]);
      }
    }
  }

 private:
  void put(std::size_t i, bool right, int sign) {
    double* to = total_[right].data();
    for (std::size_t a = 0; a < answers_; ++a) to[a] += sign * z_[i * answers_ + a];
    count_[right] += sign;
  }
  std::vector<double> z_, total_[2];
  double squares_ = 0;
  int count_[2] = {0, 0};
};

class Answers {
 public:
  using GrowMeter = SpreadMeter;
  static constexpr double kWorse = .04, kJoint = .1;

  explicit Answers(const ObliqueData& data)
      : data_(data), sum_(static_cast<std::size_t>(data.classes)) {}

  void fill(const std::vector<int>& rows, ObliqueTree::Node& leaf) {
    std::fill(sum_.begin(), sum_.end(), Cost{0});
    for (const int i : rows)
      for (std::size_t a = 0; a < sum_.size(); ++a) sum_[a] += row(i)[a];
    const auto least = std::min_element(sum_.begin(), sum_.end());
    leaf.cost = *least;
    if (!rows.empty()) leaf.value = static_cast<double>(least - sum_.begin());
  }
  Cost cost(int i, double value) const { return row(i)[static_cast<std::size_t>(value)]; }
  bool differ(int a, int b) const { return !std::equal(row(a), row(a) + sum_.size(), row(b)); }

  template <class Function>
  void with_last_meter(const NodeRows& rows, Function&& use) const {
    AnswerMeter meter(data_, rows);
    use(meter);
  }

  // Prices of one random answer on the left and another on the right.
  std::vector<Cost> random_prices(const std::vector<int>& rows, Random& random) const {
    const auto a = static_cast<std::size_t>(random.below(data_.classes));
    const auto b = static_cast<std::size_t>(random.below(data_.classes));
    std::vector<Cost> prices;
    for (const int i : rows) prices.push_back(row(i)[b] - row(i)[a]);
    return prices;
  }
  std::vector<Cost> prices_by_sides(const std::vector<int>&, Random&) const { return {}; }

 private:
  const Cost* row(int i) const { return data_.prices + static_cast<std::size_t>(i) * sum_.size(); }

  const ObliqueData& data_;
  std::vector<Cost> sum_;
};

}  // namespace KERNEL_NAMESPACE
