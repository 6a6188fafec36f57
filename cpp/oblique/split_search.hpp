// The local search for one split: directions, and an exact line search along each.
#pragma once

#include <cmath>
#include <vector>

#include "oblique/directions.hpp"
#include "oblique/elastic.hpp"
#include "oblique/line_search.hpp"

namespace KERNEL_NAMESPACE {

template <class Meter>
class SplitSearch {
 public:
  using Level = typename Meter::Level;

  SplitSearch(const NodeRows& rows, Meter& meter, int least_left, int least_right, Random& random,
              Pace& pace)
      : rows_(rows),
        meter_(meter),
        line_(rows, meter, least_left, least_right, random),
        random_(random),
        pace_(pace) {}

  void start(Plane plane) {
    plane_ = std::move(plane);
    normalise();
    rows_.score(plane_, scores_);
    level_ = line_.level_of(scores_);
  }

  const Plane& plane() const { return plane_; }
  const Scores& scores() const { return scores_; }
  Level level() const { return level_; }
  long scans() const { return scans_; }

  // Until `patience` directions have brought nothing to speak of since one that did, or there is
  // nothing to gain. With many rows any direction brings a little.
  void improve(int patience, Level target) {
    int budget = 60 * (rows_.columns() + 20);
    for (int idle = 0; idle < patience && meter_.below(target, level_) && budget-- > 0;) {
      if (pace_.stopped()) break;
      const Level before = level_;
      try_a_direction();
      idle = before - level_ > before / kWorthwhile ? 0 : idle + 1;
    }
    normalise();
    rows_.score(plane_, scores_);
    level_ = line_.level_of(scores_);
  }

  // The best threshold for the present direction of the plane.
  void best_threshold() {
    to_coordinate(rows_.columns());
    move_along();
  }
  // One step of least squares on all rows.
  void least_squares() {
    meter_.wishes(scores_, wishes_);
    if (!local_least_squares(rows_, wishes_, scores_, 1, random_, pace_, direction_)) return;
    rows_.score(direction_, change_);
    move_along();
  }

 private:
  static constexpr int kWorthwhile = 500;  // a gain of more than this part counts

  bool try_a_direction() {
    constexpr double kShares[] = {0, .02, .05, .1, .2, .5, 1};
    // An elastic program takes as long as a hundred line searches, but leads out of places where
    // none of them brings anything; for rows that are nearly separable nothing else is certain.
    constexpr double kElasticNear = .01, kElasticFar = .005, kMostForElastic = 3e6;
    const double u = random_.uniform();
    const double size = static_cast<double>(rows_.size()) * rows_.columns();
    if (1 - u < (meter_.small(level_) ? kElasticNear : kElasticFar) && Meter::kElastic &&
        size < kMostForElastic)
      return try_elastic();
    if (u < .45) {
      meter_.wishes(scores_, wishes_);
      const bool any = u < .3
                           ? local_least_squares(rows_, wishes_, scores_, kShares[random_.below(7)],
                                                 random_, pace_, direction_)
                           : towards_wrong_rows(rows_, wishes_, scores_, random_, direction_);
      if (!any) return false;
      rows_.score(direction_, change_);
    } else if (u < .55) {
      random_direction(rows_.columns(), random_, direction_);
      rows_.score(direction_, change_);
    } else {
      to_coordinate(random_.below(rows_.columns() + 1));
    }
    return move_along();
  }

  bool try_elastic() {
    meter_.wishes(scores_, wishes_);
    const bool give_up = random_.below(4) != 0;
    if (!elastic_plane(rows_, wishes_, scores_, plane_, give_up, random_, pace_, direction_))
      return false;
    const double size = length(direction_);
    if (!(size > 0) || !std::isfinite(size)) return false;
    const double scale = length(plane_) / size;
    for (std::size_t j = 0; j < direction_.size(); ++j)  // at t = 1 the elastic plane itself
      direction_[j] = direction_[j] * scale - plane_[j];
    rows_.score(direction_, change_);
    return move_along();
  }

  void to_coordinate(int j) {
    direction_.assign(plane_.size(), 0.0);
    direction_[static_cast<std::size_t>(j)] = 1;
    if (j == rows_.columns())
      change_.assign(scores_.size(), 1.0);
    else
      change_.assign(rows_.column(j), rows_.column(j) + rows_.size());
  }

  // Goes to the best place along the direction if that is no worse. True if it is better.
  bool move_along() {
    double t = 0;
    const Level found = line_.run(scores_, change_, t);
    ++scans_;
    if (meter_.below(level_, found) || !std::isfinite(t) || std::fabs(t) > 1e12) return false;
    for (std::size_t j = 0; j < plane_.size(); ++j) plane_[j] += t * direction_[j];
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += t * change_[i];
    const bool better = meter_.below(found, level_);
    level_ = found;
    const double size = length(plane_);
    if (size > 1e3 || size < 1e-3) normalise();
    return better;
  }

  static double length(const Plane& plane) {
    double sum = 0;
    for (std::size_t j = 0; j + 1 < plane.size(); ++j) sum += plane[j] * plane[j];
    return std::sqrt(sum);
  }
  void normalise() {
    const double size = length(plane_);
    if (!(size > 0)) return;
    for (double& x : plane_) x /= size;
    for (double& x : scores_) x /= size;
  }

  const NodeRows& rows_;
  Meter& meter_;
  LineSearch<Meter> line_;
  Random& random_;
  Pace& pace_;
  Plane plane_, direction_;
  Scores scores_, change_;
  Wishes wishes_;
  Level level_ = Meter::kWorst;
  long scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
