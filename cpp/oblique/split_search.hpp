// The local search for one split: directions, and an exact line search along each.
//
// Along w + t d the worth of the split is piecewise constant in t, with one breakpoint for every
// row: all of them are sorted and passed once. Breakpoints that are nearly equal in single
// precision are passed together, and the plane stands in the middle of a gap, so that no row ends
// up on it.
#pragma once

#include <cmath>
#include <vector>

#include "oblique/crossings.hpp"
#include "oblique/directions.hpp"
#include "oblique/elastic.hpp"

namespace KERNEL_NAMESPACE {

template <class Meter>
class SplitSearch {
 public:
  using Level = typename Meter::Level;

  SplitSearch(const NodeRows& rows, Meter& meter, int least_left, int least_right, Random& random,
              Pace& pace)
      : rows_(rows), meter_(meter), least_{least_left, least_right}, random_(random), pace_(pace) {}

  void start(Plane plane) {
    plane_ = std::move(plane);
    normalise();
    rows_.score(plane_, scores_);
    level_ = level_of_scores();
  }

  const Plane& plane() const { return plane_; }
  const Scores& scores() const { return scores_; }
  Level level() const { return level_; }
  long scans() const { return scans_; }

  // Until `patience` directions in a row have brought nothing, or there is nothing to gain.
  void improve(int patience, Level target) {
    int budget = 60 * (rows_.columns() + 20);
    for (int idle = 0; idle < patience && meter_.below(target, level_) && budget-- > 0;) {
      if (pace_.stopped()) break;
      idle = try_a_direction() ? 0 : idle + 1;
    }
    normalise();
    rows_.score(plane_, scores_);
    level_ = level_of_scores();
  }

  // The best threshold for the present direction of the plane.
  void best_threshold() {
    to_coordinate(rows_.columns());
    move_along();
  }
  // One step of least squares on all rows.
  void least_squares() {
    meter_.wishes(scores_, wishes_);
    if (!local_least_squares(rows_, wishes_, scores_, 1, random_, direction_)) return;
    rows_.score(direction_, change_);
    move_along();
  }

 private:
  static constexpr double kFlat = 1e-9;  // a row that the direction does not move

  bool try_a_direction() {
    constexpr double kShares[] = {0, .02, .05, .1, .2, .5, 1};
    constexpr double kMostForElastic = 3e6;
    const double u = random_.uniform();
    const double size = static_cast<double>(rows_.size()) * rows_.columns();
    if (u > (meter_.small(level_) ? .97 : .999) && Meter::kElastic && size < kMostForElastic)
      return try_elastic();
    if (u < .45) {
      meter_.wishes(scores_, wishes_);
      const bool any = u < .3 ? local_least_squares(rows_, wishes_, scores_,
                                                    kShares[random_.below(7)], random_, direction_)
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
    const Level found = search_line(t);
    if (meter_.below(level_, found) || !std::isfinite(t) || std::fabs(t) > 1e12) return false;
    for (std::size_t j = 0; j < plane_.size(); ++j) plane_[j] += t * direction_[j];
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += t * change_[i];
    const bool better = meter_.below(found, level_);
    level_ = found;
    const double size = length(plane_);
    if (size > 1e3 || size < 1e-3) normalise();
    return better;
  }

  // The least level for the scores + t * change, and a t that has it, at random among equals.
  Level search_line(double& best_t) {
    ++scans_;
    collect_crossings();
    sort_crossings(crossings_, spare_);
    const std::size_t n = crossings_.size();
    Level best = Meter::kWorst;
    int equals = 0;
    const auto consider = [&](std::size_t next) {
      if (!allowed()) return;
      const Level now = meter_.level();
      if (equals > 0 && meter_.below(best, now)) return;
      if (equals == 0 || meter_.below(now, best)) best = now, equals = 0;
      if (++equals == 1 || random_.below(equals) == 0) best_t = before(next);
    };
    const bool counted = !rows_.counts().empty();
    for (std::size_t k = 0; k < n;) {
      consider(k);
      const std::uint32_t key = crossings_[k].key;
      for (; k < n && crossings_[k].key - key <= 2; ++k) {
        const std::uint32_t i = crossings_[k].row;
        const bool right = change_[i] > 0;
        meter_.move(static_cast<int>(i), right);
        if (counted) count_[right] += rows_.counts()[i], count_[!right] -= rows_.counts()[i];
      }
    }
    consider(n);
    return best;
  }

  // Every row's breakpoint, and the meter as it is far out on the left of all.
  void collect_crossings() {
    meter_.clear();
    count_[0] = count_[1] = 0;
    crossings_.resize(scores_.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const bool moves = std::fabs(change_[i]) > kFlat;
      crossings_[n] = {key_of(static_cast<float>(-scores_[i] / change_[i])),
                       static_cast<std::uint32_t>(i)};
      n += moves ? 1 : 0;
      const bool right = moves ? change_[i] < 0 : scores_[i] > 0;
      meter_.add(static_cast<int>(i), right);
      if (!rows_.counts().empty()) count_[right] += rows_.counts()[i];
    }
    crossings_.resize(n);
  }

  // The middle of the gap before a crossing; beyond the first and the last, some way out.
  double before(std::size_t k) const {
    const std::size_t n = crossings_.size();
    if (n == 0) return 0;
    if (k == 0) {
      const double t = value_of(crossings_[0].key);
      return t - std::fabs(t) / 2 - 1e-3;
    }
    const double t = value_of(crossings_[k - 1].key);
    if (k == n) return t + std::fabs(t) / 2 + 1e-3;
    return (t + value_of(crossings_[k].key)) / 2;
  }

  bool allowed() const {
    return rows_.counts().empty() || (count_[0] >= least_[0] && count_[1] >= least_[1]);
  }

  Level level_of_scores() {
    meter_.clear();
    count_[0] = count_[1] = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      meter_.add(static_cast<int>(i), scores_[i] > 0);
      if (!rows_.counts().empty()) count_[scores_[i] > 0] += rows_.counts()[i];
    }
    return allowed() ? meter_.level() : Meter::kWorst;
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
  int least_[2];
  Random& random_;
  Pace& pace_;
  Plane plane_, direction_;
  Scores scores_, change_;
  Wishes wishes_;
  Level level_ = Meter::kWorst;
  std::int64_t count_[2] = {0, 0};
  std::vector<Crossing> crossings_, spare_;
  long scans_ = 0;
};

}  // namespace KERNEL_NAMESPACE
