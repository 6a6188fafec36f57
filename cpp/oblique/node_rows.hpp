// The rows of a node, copied together, and what a search for its split asks of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "oblique/oblique.hpp"
#include "oblique/random.hpp"

namespace KERNEL_NAMESPACE {

using Plane = std::vector<double>;  // one number for each column, then the constant

// The clock and the signals, for one of the threads.
class Pace {
 public:
  Pace(Control& control, bool calling) : control_(control), calling_(calling) {}
  bool stopped() {
    if (calling_)
      control_.poll();
    else
      control_.check_time();
    return control_.stopped();
  }

 private:
  Control& control_;
  bool calling_;
};

// Keeps `take` random items, in random order.
inline void draw_some(std::vector<int>& items, std::size_t take, Random& random) {
  if (items.size() <= take) return;
  for (std::size_t i = 0; i < take; ++i) {
    const int left = static_cast<int>(items.size() - i);
    std::swap(items[i], items[i + static_cast<std::size_t>(random.below(left))]);
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(take), items.end());
}

inline void shuffle(std::vector<int>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
}

// Some of the rows of a node, of which each stands for several.
struct SomeRows {
  std::vector<int> rows;
  std::vector<int> times;  // of each; empty: 1
};

class NodeRows {
 public:
  // Some rows, and the columns that the plane may use.
  NodeRows(const ObliqueData& data, SomeRows some, std::vector<int> columns)
      : rows_(std::move(some.rows)), times_(std::move(some.times)), columns_(std::move(columns)) {
    z_.resize(rows_.size() * columns_.size());
    double* to = z_.data();
    for (const int j : columns_) {
      const double* from =
          data.z + static_cast<std::size_t>(j) * static_cast<std::size_t>(data.rows);
      for (const int i : rows_) *to++ = from[i];
    }
    if (!data.least_side.binds()) return;
    counts_.reserve(rows_.size());
    for (std::size_t k = 0; k < rows_.size(); ++k)
      counts_.push_back(times(k) * (data.counts == nullptr ? 1 : data.counts[rows_[k]]));
  }

  int size() const { return static_cast<int>(rows_.size()); }
  int columns() const { return static_cast<int>(columns_.size()); }
  const std::vector<int>& rows() const { return rows_; }
  int times(std::size_t k) const { return times_.empty() ? 1 : times_[k]; }
  const std::vector<int>& column_numbers() const { return columns_; }
  const double* column(int j) const {
    return z_.data() + static_cast<std::size_t>(j) * rows_.size();
  }
  double at(int i, int j) const { return column(j)[i]; }
  // What the rows count where sides have a least count; empty otherwise.
  const std::vector<int>& counts() const { return counts_; }

  // The scores of all rows; always summed in the same order, constant first.
  void score(const Plane& plane, std::vector<double>& out) const {
    out.assign(rows_.size(), plane.back());
    for (int j = 0; j < columns(); ++j) {
      const double a = plane[static_cast<std::size_t>(j)];
      if (a == 0) continue;
      const double* z = column(j);
      for (std::size_t i = 0; i < rows_.size(); ++i) out[i] += a * z[i];
    }
  }

  // Between a plane over all columns and one over those that are used here.
  Plane narrowed(const Plane& plane) const {
    Plane own;
    for (const int j : columns_) own.push_back(plane[static_cast<std::size_t>(j)]);
    own.push_back(plane.back());
    return own;
  }
  Plane widened(const Plane& own, int all_columns) const {
    Plane plane(static_cast<std::size_t>(all_columns) + 1, 0.0);
    for (std::size_t j = 0; j < columns_.size(); ++j)
      plane[static_cast<std::size_t>(columns_[j])] = own[j];
    plane.back() = own.back();
    return plane;
  }

 private:
  std::vector<int> rows_, times_, columns_;
  std::vector<double> z_;
  std::vector<int> counts_;
};

}  // namespace KERNEL_NAMESPACE
