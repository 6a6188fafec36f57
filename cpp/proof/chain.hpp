// The thresholds of one column of a node: which of them the bounds of some leave open.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "proof/answers.hpp"
#include "proof/rows.hpp"

namespace exactree::proof {

template <int Size>
struct Claim;

// A threshold with bounds of its two sides, as far as they were asked for.
template <int Size>
struct Entry {
  int position = 0;
  bool used[2] = {false, false};
  Bound<Size> bound[2];
  std::unique_ptr<Claim<Size>> kid[2];  // none where a side is scanned
};

// A subproblem of depth two or more, and where to look: entries by column.
template <int Size>
struct Claim {
  int n = 0, depth = 0, splits = -1;
  Bound<Size> bound;  // what is shown, in the shape that the depth and splits asked for have
  std::vector<std::vector<Entry<Size>>> columns;
};

// Thresholds between two of which bounds are known.
struct Range {
  int from = 0, to = 0;  // places, the last excluded
  bool empty() const { return from >= to; }
};

template <int Size>
class Chain {
 public:
  using B = Bound<Size>;
  // A threshold, or an end of the column, with the bounds of its sides.
  struct Stop {
    int position = 0;
    B side[2];
  };

  // `sides` is what a side may have; `need` what has to be shown, or more.
  Chain(const Facts& facts, const Rows& rows, int f, Shape shape, SideBudget sides, const B& need)
      : shape_(shape),
        below_(budgets_of(sides.depth, sides.splits)),
        penalty_(facts.problem.penalty),
        rigid_(facts.rigid) {
    const std::size_t n = static_cast<std::size_t>(rows.n);
    if (facts.unit || rigid_) each_ = facts.influence[0];
    if (each_ == 0) before_.resize(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t place = rows.column(f)[i];
      if (each_ == 0) before_[i + 1] = before_[i] + facts.influence[row_of(place)];
      if (is_end(place) && i + 1 < n) places_.push_back(static_cast<int>(i) + 1);
    }
    leave_out(facts, rows.column(f), rows.n, sides, need);
    range_[0] = {0, static_cast<int>(places_.size())};
    if (shape.variants == 2) find_allowed(facts, rows, f);
  }

  const std::vector<int>& places() const { return places_; }
  Cost before(int position) const {
    return each_ != 0 ? each_ * position : before_[static_cast<std::size_t>(position)];
  }
  // What the rows between two positions can cost at most.
  Cost between(int a, int b) const { return rigid_ && a != b ? kInfinite : before(b) - before(a); }
  bool allowed(int variant, int place) const {
    return place >= range_[variant].from && place < range_[variant].to;
  }
  int place_of(int position) const {
    return static_cast<int>(std::lower_bound(places_.begin(), places_.end(), position) -
                            places_.begin());
  }

  // The places from one stop to another, both included if they are thresholds, that may cost less
  // than is needed: all that lie outside the range that is given are shown to cost enough.
  //   Both sides grow:    left from a, right from b. Free bounds only.
  //   Both sides shrink:  left from b, right from a, less what lies between, whatever the place.
  //   From a:             left grows, right shrinks by what lies between a and the place; as from
  //   b.
  Range open(const B& need, const Stop& a, const Stop& b) const {
    Range out{static_cast<int>(places_.size()), 0};
    for (int v = 0; v < shape_.variants; ++v) {
      const Range found = open(need, v, a, b);
      if (found.empty()) continue;
      out = {std::min(out.from, found.from), std::max(out.to, found.to)};
    }
    return out;
  }

  // The place in the middle, by weight.
  int middle(Range range) const {
    const Cost low = before(places_[static_cast<std::size_t>(range.from)]);
    const Cost high = before(places_[static_cast<std::size_t>(range.to) - 1]);
    const auto first = places_.begin() + range.from, last = places_.begin() + range.to - 1;
    const Cost half = low + (high - low) / 2;
    return static_cast<int>(
        std::partition_point(first, last, [&](int p) { return before(p) < half; }) -
        places_.begin());
  }

  // What one stop says of the sides of another.
  void learn(Stop& to, const Stop& from) const {
    const bool later = from.position > to.position;
    const Cost moved =
        later ? between(to.position, from.position) : between(from.position, to.position);
    for (int s = 0; s < 2; ++s) {
      const bool grows = later == (s == 1);
      const Shape sides{shape_.variants, below_};
      if (grows)
        to.side[s].raise_to(from.side[s], sides, 0, 0, 0);
      else
        for (int v = 0; v < shape_.variants; ++v)
          to.side[s].raise_to(from.side[s], sides, v, v, moved);
      if (shape_.variants == 2) to.side[s].raise_to(to.side[s], sides, 0, 1, 0);
    }
  }

 private:
  // The thresholds that have enough on both sides.
  void find_allowed(const Facts& facts, const Rows& rows, int f) {
    const std::size_t n = static_cast<std::size_t>(rows.n);
    std::vector<Cost> sizes(n + 1);
    for (std::size_t i = 0; i < n; ++i)
      sizes[i + 1] = sizes[i] + facts.problem.sizes[row_of(rows.column(f)[i])];
    const Cost least = facts.problem.least;
    const auto small = [&](int p) { return sizes[static_cast<std::size_t>(p)] < least; };
    const auto enough_after = [&](int p) {
      return sizes[n] - sizes[static_cast<std::size_t>(p)] >= least;
    };
    range_[1].from = static_cast<int>(std::partition_point(places_.begin(), places_.end(), small) -
                                      places_.begin());
    range_[1].to = static_cast<int>(
        std::partition_point(places_.begin(), places_.end(), enough_after) - places_.begin());
  }

  // Answers: thresholds whose classes alone show what is needed are not looked at. The sum of what
  // they show of the two sides changes by no more than the weight of the rows between two
  // thresholds, so that one tells of its neighbours.
  void leave_out(const Facts& facts, const std::uint32_t* order, int n, SideBudget sides,
                 const B& need) {
    const Answers answers(facts, sides, below_);
    if (!answers.tell()) return;
    std::vector<Cost> weights[2];
    answers.start(order, n, weights);
    std::vector<int> open;
    Cost closed_to = -1, open_to = -1;
    int moved = 0;
    for (const int p : places_) {
      for (; moved < p; ++moved) answers.move(row_of(order[moved]), weights);
      const Cost at = before(p);
      if (at <= closed_to) continue;
      if (at >= open_to) {
        const B left = answers.template bound<Size>(weights[0], shape_.variants);
        const B right = answers.template bound<Size>(weights[1], shape_.variants);
        Cost least = kInfinite;
        for (int v = 0; v < shape_.variants; ++v)
          least = std::min(least, margin_of(need, v, left, v, right, v));
        (least >= 0 ? closed_to : open_to) = at + std::abs(least);
        if (least >= 0) continue;
      }
      open.push_back(p);
    }
    places_ = std::move(open);
  }

  Cost margin_of(const B& need, int v, const B& left, int of_left, const B& right,
                 int of_right) const {
    return margin<Size>(need, v, left, of_left, right, of_right, shape_.budgets, below_, penalty_);
  }

  Range open(const B& need, int v, const Stop& a, const Stop& b) const {
    const Range none{1, 0};
    int from = std::max(place_of(a.position), range_[v].from);
    const int after = static_cast<int>(
        std::upper_bound(places_.begin(), places_.end(), b.position) - places_.begin());
    int to = std::min(after, range_[v].to);
    if (from >= to) return none;
    if (margin_of(need, v, a.side[0], 0, b.side[1], 0) >= 0) return none;
    const Cost shrunk = margin_of(need, v, b.side[0], v, a.side[1], v);
    if (shrunk >= between(a.position, b.position)) return none;
    // A stop's own sides hold with their limit; only sides that grow need to be free.
    const Cost from_a = margin_of(need, v, a.side[0], 0, a.side[1], v);
    const Cost from_b = margin_of(need, v, b.side[0], v, b.side[1], 0);
    const Cost reach_a = before(a.position) + reach(from_a);
    const Cost reach_b = before(b.position) - reach(from_b);
    const auto start = places_.begin() + from, stop = places_.begin() + to;
    const auto first =
        std::partition_point(start, stop, [&](int p) { return before(p) <= reach_a; });
    const auto last = std::partition_point(first, stop, [&](int p) { return before(p) < reach_b; });
    from = static_cast<int>(first - places_.begin());
    to = static_cast<int>(last - places_.begin());
    if (v == 1) {  // at the stops themselves nothing has grown
      const auto fine = [&](const Stop& s) {
        return margin_of(need, v, s.side[0], v, s.side[1], v) >= 0;
      };
      while (from < to && places_[static_cast<std::size_t>(from)] == a.position && fine(a)) ++from;
      while (from < to && places_[static_cast<std::size_t>(to) - 1] == b.position && fine(b)) --to;
    }
    return from < to ? Range{from, to} : none;
  }

  // How far a margin reaches.
  Cost reach(Cost excess) const { return rigid_ ? std::clamp<Cost>(excess, -1, 0) : excess; }

  Shape shape_;
  int below_;
  Cost penalty_;
  bool rigid_;
  Cost each_ = 0;             // what every row can cost, if they are all alike
  std::vector<Cost> before_;  // else, of the first rows
  std::vector<int> places_;
  Range range_[2];
};

}  // namespace exactree::proof
