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

// A round takes the present tree and makes another one of it. It depends on nothing else but its
// number, so rounds give the same trees whoever does them, and in whatever order.
template <class Targets>
class Rounds {
 public:
  Rounds(const ObliqueData& data, const ObliqueRequest& request, Control& control)
      : data_(data), request_(request), control_(control) {}

  // The first rounds start from trees that were given, or from nothing.
  int starting() const { return static_cast<int>(request_.starts.size()) + kAnew; }
  ObliqueTree run(std::int64_t round, const ObliqueTree& present, bool calling);
  long scans() const { return scans_.load(); }

 private:
  static constexpr int kAnew = 6;

  // Below so many rows planes fit the sample and not the data.
  int sample_rows() const { return std::max(3000, 150 * data_.columns); }
  bool large() const { return data_.rows > 2 * sample_rows(); }
  ObliqueTree on_sample(std::int64_t round, const ObliqueTree& present, Random& random, Pace pace);

  const ObliqueData& data_;
  const ObliqueRequest& request_;
  Control& control_;
  std::atomic<long> scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
