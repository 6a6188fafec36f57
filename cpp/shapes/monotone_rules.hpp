// What leaves and splits cost and predict, of two classes and of numbers: see monotone.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace exactree {

struct ClassRules {
  using Cost = std::int64_t;
  struct Sums {
    Cost zeros = 0, ones = 0;
    void add(const Sums& other) { zeros += other.zeros, ones += other.ones; }
    Sums without(const Sums& other) const { return {zeros - other.zeros, ones - other.ones}; }
  };
  static constexpr Cost margin = 0;
  static constexpr double slack = 0;

  const Cost *zeros, *ones;

  Sums of(std::size_t row) const { return {zeros[row], ones[row]}; }
  double value(const Sums& sums) const { return sums.ones > sums.zeros ? 1 : 0; }
  Cost leaf(const Sums& sums) const { return std::min(sums.zeros, sums.ones); }
  // Free leaves: the least cost of two, of sides that cost so much at least, and of all thresholds
  // between two.
  Cost leaves(int way, const Sums& left, const Sums& right) const {
    if (way == 0) return leaf(left) + leaf(right);
    return way > 0 ? left.ones + right.zeros : left.zeros + right.ones;
  }
  Cost between(int way, const Sums& left, Cost left_low, const Sums& right, Cost right_low) const {
    if (way == 0) return left_low + right_low;
    const Cost all_left = way > 0 ? left.ones : left.zeros;
    const Cost all_right = way > 0 ? right.zeros : right.ones;
    return std::min(all_left + right_low, left_low + all_right);
  }
  Cost split(int way, const Sums& left, Cost left_low, const Sums& right, Cost right_low) const {
    return between(way, left, left_low, right, right_low);
  }
};

struct NumberRules {
  using Cost = double;
  struct Sums {
    double weight = 0, sum = 0, square = 0;
    void add(const Sums& other) {
      weight += other.weight, sum += other.sum, square += other.square;
    }
    Sums without(const Sums& other) const {
      return {weight - other.weight, sum - other.sum, square - other.square};
    }
  };

  const double *weights, *targets;
  double slack;
  double margin = 0;  // what floating point can have added to a bound

  Sums of(std::size_t row) const {
    const double sum = weights[row] * targets[row];
    return {weights[row], sum, sum * targets[row]};
  }
  double value(const Sums& sums) const { return sums.sum / sums.weight; }
  double leaf(const Sums& sums) const {
    return std::max(sums.square - sums.sum * sums.sum / sums.weight, 0.0);
  }
  double ordering(int way, const Sums& left, const Sums& right) const {
    if (way == 0) return 0;
    const double above = way * (value(left) - value(right)) - slack;
    if (above <= 0) return 0;
    return above * above * left.weight * right.weight / (left.weight + right.weight);
  }
  double leaves(int way, const Sums& left, const Sums& right) const {
    return leaf(left) + leaf(right) + ordering(way, left, right);
  }
  double between(int, const Sums&, double left_low, const Sums&, double right_low) const {
    return left_low + right_low;
  }
  double split(int way, const Sums& left, double left_low, const Sums& right,
               double right_low) const {
    return left_low + right_low + ordering(way, left, right);
  }
};

}  // namespace exactree
