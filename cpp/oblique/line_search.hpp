// The exact line search: the best place for a plane that moves along a direction.
//
// Along w + t d the worth of the split is piecewise constant in t, with one breakpoint for every
// row. Breakpoints that are nearly equal in single precision are passed together, and the plane
// stands in the middle of a gap, so that no row ends up on it.
//
// Where the worth is a cost, few of the breakpoints are sorted. Rows are put into buckets of
// breakpoints first, finer ones near t = 0. The cost at both ends of every bucket is then known,
// and so is how far it can fall inside. Buckets in which it cannot come down to the least cost at
// any end are passed as a whole.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "oblique/crossings.hpp"
#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

template <class Meter>
class LineSearch {
 public:
  using Level = typename Meter::Level;

  // The sides of a split must have these counts at least.
  LineSearch(const NodeRows& rows, Meter& meter, int least_left, int least_right, Random& random)
      : rows_(rows), meter_(meter), least_{least_left, least_right}, random_(random) {}

  // The least level for the scores + t * change, and a t that has it, at random among equals.
  Level run(const Scores& scores, const Scores& change, double& t) {
    best_ = Meter::kWorst;
    equals_ = 0;
    if constexpr (Meter::kBuckets) {
      if (rows_.counts().empty()) {
        search_buckets(scores, change);
        t = t_;
        return best_;
      }
    }
    search_all(scores, change);
    t = t_;
    return best_;
  }

  // The level of these scores; the worst if a side has too few rows.
  Level level_of(const Scores& scores) {
    meter_.clear();
    count_[0] = count_[1] = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) put(i, scores[i] > 0);
    return allowed() ? meter_.level() : Meter::kWorst;
  }

 private:
  static constexpr double kFlat = 1e-9;  // a row that the direction does not move

  void put(std::size_t i, bool right) {
    meter_.add(static_cast<int>(i), right);
    if (!rows_.counts().empty()) count_[right] += rows_.counts()[i];
  }
  bool allowed() const {
    return rows_.counts().empty() || (count_[0] >= least_[0] && count_[1] >= least_[1]);
  }

  // Every breakpoint in turn, from the place far out on the left of all.
  void search_all(const Scores& scores, const Scores& change) {
    meter_.clear();
    count_[0] = count_[1] = 0;
    crossings_.resize(scores.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const bool moves = std::fabs(change[i]) > kFlat;
      crossings_[n] = {key_of(static_cast<float>(-scores[i] / change[i])),
                       static_cast<std::uint32_t>(i)};
      n += moves ? 1 : 0;
      put(i, moves ? change[i] < 0 : scores[i] > 0);
    }
    crossings_.resize(n);
    sort_crossings(crossings_, spare_);
    for (std::size_t k = 0; k < n; ++k) {
      if (k == 0 || crossings_[k].key - crossings_[k - 1].key > kTogether) consider(k);
      pass(k, change);
    }
    consider(n);
  }

  void pass(std::size_t k, const Scores& change) {
    const std::uint32_t i = crossings_[k].row;
    const bool right = change[i] > 0;
    meter_.move(static_cast<int>(i), right);
    if (rows_.counts().empty()) return;
    count_[right] += rows_.counts()[i];
    count_[!right] -= rows_.counts()[i];
  }

  // The gap before a crossing, at the present level of the meter.
  void consider(std::size_t next) {
    if (!allowed()) return;
    const Level now = meter_.level();
    if (equals_ > 0 && meter_.below(best_, now)) return;
    if (equals_ == 0 || meter_.below(now, best_)) best_ = now, equals_ = 0;
    if (++equals_ == 1 || random_.below(equals_) == 0) t_ = before(next);
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

  void search_buckets(const Scores& scores, const Scores& change) {
    buckets_.choose(scores, change);
    place(scores, change);
    const std::size_t many = buckets_.size();
    // The least cost at an end of a bucket, and what each could come down to.
    Level least = meter_.level();
    floors_.assign(many, std::numeric_limits<Level>::max());
    meter_.save();
    for (std::size_t b = 0; b < many; ++b) {
      if (!meter_.any(b)) continue;
      floors_[b] = meter_.pass_bucket(b);
      least = std::min(least, meter_.level());
    }
    meter_.restore();
    gather(least);
    sort_crossings(crossings_, spare_);
    walk(least, change);
  }

  // Puts every row into its bucket, and the meter far out on the left.
  void place(const Scores& scores, const Scores& change) {
    const std::size_t n = scores.size();
    keys_.resize(n);
    places_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      keys_[i] = std::fabs(change[i]) > kFlat ? static_cast<float>(-scores[i] / change[i])
                                              : std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < n; ++i) places_[i] = buckets_.place(keys_[i]);
    meter_.start_buckets(buckets_.size(), places_, scores, change);
  }

  // The crossings in buckets that may hold a place as good as the best end.
  void gather(Level least) {
    const std::size_t n = places_.size();
    crossings_.resize(n + 1);
    std::size_t many = 0;
    wanted_.assign(buckets_.size() + 1, 0);
    for (std::size_t b = 0; b < floors_.size(); ++b) wanted_[b] = floors_[b] <= least ? 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      crossings_[many] = {key_of(keys_[i]), static_cast<std::uint32_t>(i)};
      many += wanted_[static_cast<std::size_t>(places_[i])];
    }
    crossings_.resize(many);
  }

  // Passes buckets as a whole or crossing by crossing. Where a bucket that is wanted is next to one
  // that is not, the cost between them is above `least`: else the other would be wanted too.
  void walk(Level least, const Scores& change) {
    bool here = true;  // the crossings before and after this place are known
    std::size_t k = 0, last = buckets_.size();
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      if (!meter_.any(b)) continue;
      last = b;
      if (wanted_[b] == 0) {
        meter_.skip_bucket(b);
        here = false;
        continue;
      }
      for (; k < crossings_.size() && place_of(k) == b; ++k) {
        if (here && (k == 0 || crossings_[k].key - crossings_[k - 1].key > kTogether)) consider(k);
        pass(k, change);
        here = true;
      }
    }
    if (here) consider(k);
    if (equals_ > 0) return;
    // Every end of least cost had rows too near to it on both sides; or there are no crossings.
    best_ = last == buckets_.size() ? least : Meter::kWorst;
    t_ = 0;
  }
  std::size_t place_of(std::size_t k) const {
    return static_cast<std::size_t>(places_[crossings_[k].row]);
  }

  static constexpr std::uint32_t kTogether = 2;  // units of single precision

  const NodeRows& rows_;
  Meter& meter_;
  int least_[2];
  Random& random_;
  std::int64_t count_[2] = {0, 0};
  std::vector<Crossing> crossings_, spare_;
  Level best_ = Meter::kWorst;
  int equals_ = 0;
  double t_ = 0;
  Buckets buckets_;
  std::vector<float> keys_;
  std::vector<std::int32_t> places_;
  std::vector<Level> floors_;
  std::vector<std::uint8_t> wanted_;
};

}  // namespace KERNEL_NAMESPACE
