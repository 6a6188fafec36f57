// Rounds of the local search, and who does them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "oblique/tree_search.hpp"

namespace KERNEL_NAMESPACE {

// A random part of the rows, as data of its own.
class Sample {
 public:
  Sample(const ObliqueData& all, int rows, Random& random);
  const ObliqueData& data() const { return data_; }

 private:
  ObliqueData data_;
  std::vector<double> z_, targets_, masses_;
  std::vector<std::int32_t> labels_, counts_;
  std::vector<std::int64_t> costs_, prices_;
};

// What a round starts from.
struct Task {
  enum Kind { kGiven, kAnew, kCorners, kOnward };
  std::int64_t round;
  const ObliqueTree* from;  // none of a tree that is grown anew
  Kind kind;
};

// A round makes a tree, and depends on nothing but its task: the same whoever does it, and when.
template <class Targets>
class Rounds {
 public:
  Rounds(const ObliqueData& data, const ObliqueRequest& request, Control& control)
      : data_(data), request_(request), control_(control) {}

  ObliqueTree run(const Task& task, bool calling);

  // With fewer rows than these, planes fit the sample and not the data; a few are enough to see
  // about where they are.
  int sample_rows() const { return std::max(3000, 150 * data_.columns); }
  int few_rows() const { return sample_rows() / 4; }
  bool large() const { return data_.rows > 2 * sample_rows(); }
  // How many trees to grow at first: where that takes long, fewer, so that the best goes on soon.
  int anew() const {
    constexpr double kWork = 3e6;
    const int depth = std::min(request_.max_depth, 8);
    const double tree = static_cast<double>(data_.rows) * (data_.columns + 1) * ((1 << depth) - 1);
    return large() ? 3 : static_cast<int>(std::clamp(kWork / tree, 4.0, 8.0));
  }
  long scans() const { return scans_.load(); }

 private:
  Shape shape() const { return {request_.max_depth, request_.max_splits, request_.plane_columns}; }
  ObliqueTree better_of_two(TreeSearch<Targets>& search, Pace& pace);
  ObliqueTree on_samples(const Task& task, Random& random, Pace pace);

  const ObliqueData& data_;
  const ObliqueRequest& request_;
  Control& control_;
  std::atomic<long> scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
