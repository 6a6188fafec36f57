// The kinds of target: what a leaf costs, and by which criteria splits are searched. kWorse says by
// which part of the best cost a tree may be worse on its way, more or less; kJoint, how often a
// split above two leaves is searched together with their values, which takes longer.
#pragma once

#include <cmath>
#include <vector>

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

using LeafNode = ObliqueTree::Node;

// Classes: a leaf has the label of most weight.
class Classes {
 public:
  using GrowMeter = GiniMeter;
  static constexpr double kWorse = .04, kJoint = .5;

  explicit Classes(const ObliqueData& data)
      : data_(data), count_(static_cast<std::size_t>(data.classes)) {}

  void fill(const std::vector<int>& rows, LeafNode& leaf) {
    std::fill(count_.begin(), count_.end(), Cost{0});
    Cost sum = 0;
    for (const int i : rows) {
      count_[static_cast<std::size_t>(data_.labels[i])] += weight(i);
      sum += weight(i);
    }
    const auto most = std::max_element(count_.begin(), count_.end());
    leaf.cost = sum - *most;
    if (sum > 0) leaf.value = static_cast<double>(most - count_.begin());
  }
  Cost cost(int i, double value) const {
    return data_.labels[i] == static_cast<int>(value) ? 0 : weight(i);
  }
  bool differ(int a, int b) const { return data_.labels[a] != data_.labels[b]; }

  // Calls back with a meter for a split of these rows above two leaves.
  template <class Function>
  void with_last_meter(const NodeRows& rows, Function&& use) const {
    const int first = data_.labels[rows.rows()[0]];
    int second = first;
    for (const int i : rows.rows()) {
      if (data_.labels[i] == first || data_.labels[i] == second) continue;
      if (second != first) {
        LabelMeter meter(data_, rows);
        return use(meter);
      }
      second = data_.labels[i];
    }
    TwoLabelMeter meter(data_, rows, first);
    use(meter);
  }

  // Prices under which a random part of the classes prefers the right side.
  std::vector<Cost> random_prices(const std::vector<int>& rows, Random& random) const {
    std::vector<char> right(static_cast<std::size_t>(data_.classes));
    for (char& r : right) r = random.coin() ? 1 : 0;
    std::vector<Cost> prices;
    for (const int i : rows)
      prices.push_back(right[static_cast<std::size_t>(data_.labels[i])] != 0 ? -weight(i)
                                                                             : weight(i));
    return prices;
  }

  // Prices for a split that others follow: every class but the heaviest has its side, at random, as
  // many left as right. The heaviest may go either way: it is what the others have to be parted
  // from in several leaves. The more rows it has, the more often; else there are no prices, and the
  // criterion for growing does, as it does better where classes are alike.
  std::vector<Cost> prices_by_sides(const std::vector<int>& rows, Random& random) {
    LeafNode leaf;
    fill(rows, leaf);
    const auto heaviest = static_cast<int>(leaf.value);
    std::vector<int> others;
    for (int c = 0; c < data_.classes; ++c)
      if (c != heaviest && count_[static_cast<std::size_t>(c)] > 0) others.push_back(c);
    const auto its = static_cast<double>(count_[static_cast<std::size_t>(heaviest)]);
    if (others.size() < 2 || random.uniform() * (its + static_cast<double>(leaf.cost)) >= its)
      return {};
    shuffle(others, random);
    std::vector<Cost> side(count_.size());
    Cost next = random.coin() ? 1 : -1;
    for (const int c : others) side[static_cast<std::size_t>(c)] = next, next = -next;
    std::vector<Cost> prices;
    for (const int i : rows)
      prices.push_back(side[static_cast<std::size_t>(data_.labels[i])] * weight(i));
    return prices;
  }

 private:
  Cost weight(int i) const { return data_.costs == nullptr ? data_.unit : data_.costs[i]; }

  const ObliqueData& data_;
  std::vector<Cost> count_;
};

// Numbers: a leaf has the mean. Costs are rounded to whole units.
class Numbers {
 public:
  using GrowMeter = MeanMeter;
  static constexpr double kWorse = .004, kJoint = 1;

  explicit Numbers(const ObliqueData& data) : data_(data) {}

  void fill(const std::vector<int>& rows, LeafNode& leaf) {
    double mass = 0, sum = 0, error = 0;
    for (const int i : rows) mass += data_.masses[i], sum += data_.masses[i] * data_.targets[i];
    if (mass > 0) leaf.value = sum / mass;
    for (const int i : rows) error += squared(i, leaf.value);
    leaf.cost = static_cast<Cost>(data_.scale * error);
  }
  Cost cost(int i, double value) const {
    return static_cast<Cost>(data_.scale * squared(i, value));
  }
  bool differ(int a, int b) const { return data_.targets[a] != data_.targets[b]; }

  template <class Function>
  void with_last_meter(const NodeRows& rows, Function&& use) const {
    MeanMeter meter(data_, rows);
    use(meter);
  }

  // Prices under which the targets above that of a random row prefer the right.
  std::vector<Cost> random_prices(const std::vector<int>& rows, Random& random) const {
    const int at = random.below(static_cast<int>(rows.size()));
    const double edge = data_.targets[rows[static_cast<std::size_t>(at)]];
    std::vector<Cost> prices;
    for (const int i : rows) prices.push_back(data_.targets[i] > edge ? -1 : 1);
    return prices;
  }
  std::vector<Cost> prices_by_sides(const std::vector<int>&, Random&) const { return {}; }

 private:
  double squared(int i, double value) const {
    const double d = data_.targets[i] - value;
    return data_.masses[i] * d * d;
  }

  const ObliqueData& data_;
};

}  // namespace KERNEL_NAMESPACE
