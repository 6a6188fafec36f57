// Rounds of the local search, and who does them.
#pragma once

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
  std::vector<std::int64_t> costs_;
};

// What a round starts from.
struct Task {
  enum Kind { kGiven, kAnew, kOnward };
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

  // Below so many rows planes fit the sample and not the data.
  int sample_rows() const { return std::max(3000, 150 * data_.columns); }
  bool large() const { return data_.rows > 2 * sample_rows(); }
  // How many trees to grow at first.
  int anew() const { return large() ? 3 : 8; }
  long scans() const { return scans_.load(); }

 private:
  ObliqueTree on_sample(const Task& task, Random& random, Pace pace);

  const ObliqueData& data_;
  const ObliqueRequest& request_;
  Control& control_;
  std::atomic<long> scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
