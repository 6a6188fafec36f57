// Growing subtrees, and random changes of a tree: a part of tree_search.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "oblique/corners.hpp"
#include "oblique/split_search.hpp"
#include "oblique/tree_search.hpp"

namespace KERNEL_NAMESPACE {

namespace {

// So many rows are enough to find a first plane of so many columns, as it is improved on all of
// them; more only take longer.
std::size_t rows_for_plane(int columns) {
  return static_cast<std::size_t>(std::max(1000, 40 * columns));
}

// How often a subtree is grown anew between opposite corners.
constexpr double kCorners = .25;

}  // namespace

// The plane halfway between two random rows of different targets; of a random normal if none are
// found.
template <class Targets>
Plane TreeSearch<Targets>::bisector(const Rows& rows, const std::vector<int>& columns) {
  constexpr int kTries = 50;
  const auto stride = static_cast<std::size_t>(data_.rows);
  const int n = static_cast<int>(rows.size());
  Plane plane(static_cast<std::size_t>(data_.columns) + 1, 0.0);
  for (int t = 0; t < kTries; ++t) {
    const int a = rows[static_cast<std::size_t>(random_.below(n))];
    const int b = rows[static_cast<std::size_t>(random_.below(n))];
    if (!targets_.differ(a, b)) continue;
    for (const int j : columns) {
      const double* z = data_.z + static_cast<std::size_t>(j) * stride;
      plane[static_cast<std::size_t>(j)] = z[b] - z[a];
      plane.back() -= (z[b] - z[a]) * (z[a] + z[b]) / 2;
    }
    return plane;
  }
  for (const int j : columns) plane[static_cast<std::size_t>(j)] = random_.normal();
  return plane;
}

// Where the search for a new split starts: a column, any direction, a bisector, or that moved by
// least squares towards a random partition of the classes.
template <class Targets>
Plane TreeSearch<Targets>::start_plane(const NodeRows& rows) {
  const int kind = random_.below(4);
  Plane plane(static_cast<std::size_t>(rows.columns()) + 1, 0.0);
  if (kind == 0) {
    plane[static_cast<std::size_t>(random_.below(rows.columns()))] = 1;
    return plane;
  }
  if (kind == 1) {
    for (double& x : plane) x = random_.normal();
    return plane;
  }
  plane = rows.narrowed(bisector(rows.rows(), rows.column_numbers()));
  if (kind == 2) return plane;
  PriceMeter meter(targets_.random_prices(rows.rows(), random_));
  SplitSearch<PriceMeter> search(rows, meter, 0, 0, random_, pace_);
  search.start(plane);
  search.least_squares();
  return search.plane();
}

// A plane between opposite corners for a random partition of the classes: through the middle of the
// rows, or through one of them.
template <class Targets>
bool TreeSearch<Targets>::between_corners(const NodeRows& rows, Plane& plane) {
  Wishes wishes;
  for (const Cost price : targets_.random_prices(rows.rows(), random_))
    wishes.push_back(-static_cast<double>(price));
  if (!corner_plane(rows, wishes, random_, plane)) return false;
  if (random_.coin()) return true;
  Scores scores;
  rows.score(plane, scores);
  plane.back() -= scores[static_cast<std::size_t>(random_.below(rows.size()))];
  return true;
}

// Grows a subtree in place of leaf n: the last splits by the loss; others so that every class has
// its side, since the leaves below are best when few classes have to share them, or by the
// criterion for growing. Where others follow, the first is so often one between corners instead.
template <class Targets>
void TreeSearch<Targets>::grow(int n, const Rows& rows, int depth, double corners) {
  cut_to_leaf(n);
  targets_.fill(rows, at(n));
  if (depth >= shape_.max_depth || at(n).cost <= data_.penalty || rows.size() < 2) return;
  if (count(rows) < 2 * std::int64_t{data_.least_side.least} || pace_.stopped()) return;
  Rows some = rows;
  draw_some(some, rows_for_plane(data_.columns), random_);
  const Plane none(static_cast<std::size_t>(data_.columns) + 1, 0.0);
  const NodeRows own(data_, {some, {}}, columns_for(none));
  const auto search = [&](auto& meter) {
    // Of a sample, the sides are only about what they will be of all rows.
    const int least = some.size() < rows.size() ? 1 : data_.least_side.least;
    SplitSearch<std::remove_reference_t<decltype(meter)>> split(own, meter, least, least, random_,
                                                                pace_);
    split.start(start_plane(own));
    split.best_threshold();
    split.improve(patience() + 8, 0);
    scans_ += split.scans();
    at(n).plane = own.widened(split.plane(), data_.columns);
  };
  Plane between;
  if (depth + 1 == shape_.max_depth) {
    targets_.with_last_meter(own, search);
  } else if (random_.uniform() < corners && between_corners(own, between)) {
    at(n).plane = own.widened(between, data_.columns);
  } else if (const auto prices = targets_.prices_by_sides(own.rows(), random_); !prices.empty()) {
    PriceMeter meter(prices);
    search(meter);
  } else {
    typename Targets::GrowMeter meter(data_, own);
    search(meter);
  }
  route(n);
  Rows sides[2];
  part(n, rows, sides);
  for (const Rows& side : sides)
    if (side.empty() || !data_.least_side.enough(count(side))) return;
  const int left = add_leaf(n), right = add_leaf(n);
  at(n).left = left;
  at(n).right = right;
  grow(left, sides[0], depth + 1, 0);
  grow(right, sides[1], depth + 1, 0);
}

template <class Targets>
void TreeSearch<Targets>::grow_anew(bool corners) {
  nodes_.clear();
  right_.clear();
  open_.clear();
  add_leaf(-1);
  grow(0, all_rows(), 0, corners ? 1 : 0);
  settle();
}

// The leaves that a split could make better.
template <class Targets>
std::vector<int> TreeSearch<Targets>::open_leaves() const {
  std::vector<int> found;
  collect(0, found);
  std::erase_if(found, [this](int n) {
    return !is_leaf(n) || at(n).cost <= data_.penalty || depth_of(n) >= shape_.max_depth;
  });
  return found;
}

// Grows splits at leaves that have room for them. Where the number of splits is limited, one leaf,
// at random, and the splits that save least go.
template <class Targets>
void TreeSearch<Targets>::extend() {
  std::vector<int> leaves = open_leaves();
  if (leaves.empty()) return;
  if (limited()) draw_some(leaves, 1, random_);
  for (const int n : leaves) grow(n, rows_of(n), depth_of(n), 0);
  settle();
}

// Turns the plane of a node a little.
template <class Targets>
void TreeSearch<Targets>::jitter(int n) {
  constexpr double kSizes[] = {.005, .01, .02, .05, .1, .2, .5};
  const double size = kSizes[random_.below(7)];
  Plane& plane = at(n).plane;
  double sum = 0;
  int used = 0;
  for (std::size_t j = 0; j + 1 < plane.size(); ++j)
    if (plane[j] != 0) sum += plane[j] * plane[j], ++used;
  const double unit = std::sqrt(sum / std::max(used, 1)) + 1e-9;
  for (std::size_t j = 0; j < plane.size(); ++j)
    if (plane[j] != 0 || j + 1 == plane.size()) plane[j] += size * unit * random_.normal();
}

// Mostly a plane is turned: that brings the most for its time. A new one for a node above others
// seldom brings anything, but may lead elsewhere.
template <class Targets>
void TreeSearch<Targets>::perturb() {
  constexpr double kTurned = .7, kAboveOthers = .3;
  std::vector<int> inner = inner_nodes();
  if (inner.empty()) return grow_anew(false);
  const auto any = [&] {
    return inner[static_cast<std::size_t>(random_.below(static_cast<int>(inner.size())))];
  };
  const auto last = [this](int n) { return is_leaf(at(n).left) && is_leaf(at(n).right); };
  int n = any();
  if (random_.uniform() < kTurned) {
    jitter(n);
    route(n);
  } else {
    if (!last(n) && random_.uniform() >= kAboveOthers) {
      std::erase_if(inner, [&last](int k) { return !last(k); });
      n = any();
    }
    const Rows rows = rows_of(n);
    if (random_.coin() || rows.size() < 2) {
      grow(n, rows, depth_of(n), kCorners);
    } else {
      at(n).plane = bisector(rows, columns_for(at(n).plane));
      route(n);
    }
  }
  settle();
  open_.assign(nodes_.size(), 0);
  open_around(n);
}

}  // namespace KERNEL_NAMESPACE
