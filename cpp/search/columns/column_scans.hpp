// The scans of a node over rank columns: the best second split of either side of a split, over all
// columns. Compiled per instruction set, for every kind of target.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "search/audit/claims.hpp"
#include "search/columns/column_group.hpp"
#include "search/columns/floors.hpp"
#include "search/columns/ranked_node.hpp"
#include "search/targets/leaf_cost.hpp"

namespace exactree::EXACTREE_ISA {

// The scan of one column for one side of a split: what it must beat, and what it found.
template <class Measure>
struct Scan {
  Measure best;                       // in: beat this; out: the lowest cost found, else unchanged
  Measure low;                        // stop when best has come down to it
  Measure floor = 0;                  // out: no split of this column is cheaper
  int first_rows = 0, last_rows = 0;  // how many of the side's rows may be left of the split
  bool wanted = false;
};

// Whether targets can look at eight columns at once.
template <class Targets>
inline constexpr bool kGrouped = requires { &Targets::in_groups; };

// Whether targets are numbers (squared_targets.hpp, sum_targets.hpp, quantile_targets.hpp) instead
// of classes.
template <class Targets>
inline constexpr bool kNumbers = requires { typename Targets::Numbers; };

// Whether every row has costs of its own (row_costs.hpp) instead of a class.
template <class Targets>
inline constexpr bool kPriced = requires { typename Targets::Priced; };

// Whether a scan of a column looks at the splits of the one that follows it, too (twins.hpp).
template <class Targets>
inline constexpr bool kTwinned = requires { typename Targets::Twinned; };

// What a ColumnNode is made of, and how it is scanned; column_node.hpp makes it.
template <class Targets>
class ColumnScans : public RankedNode {
 protected:
 public:
  using Measure = typename Targets::Measure;

  void part(int f, int p, Workspace& work) const override {
    targets_.part(f, p, work);
    const int* sum = counts_.empty() ? nullptr : &counts_[index(f, rows_ + 1)];
    work.side_rows[0] = sum == nullptr ? p : sum[p];
    work.side_rows[1] = sum == nullptr ? rows_ - p : sum[rows_] - sum[p];
  }

  int side_label(int side, const Workspace& work) const override {
    const std::vector<Cost>& costs = work.class_cost[side];
    int label = 0;
    if constexpr (kPriced<Targets>)
      label = static_cast<int>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    else if constexpr (!kNumbers<Targets>)
      leaf_cost_(costs, &label);
    return label;
  }

  void depth_one(int f, int p, SideQuery side[2], bool limited, Workspace& work) override {
    Scan<Measure> scan[2];
    for (int s = 0; s < 2; ++s) {
      scan[s].best = targets_.at_least(side[s].best, unit_);
      scan[s].low = targets_.at_most(side[s].low, unit_);
      scan[s].first_rows = limited ? least_side_.least : 1;
      scan[s].last_rows = work.side_rows[s] - scan[s].first_rows;
    }
    if constexpr (kGrouped<Targets>) {
      if (work.switches.on(Pruning::kJump) && targets_.in_groups(rows_))
        by_groups(f, p, side, limited, scan, work);
      else
        by_columns(f, p, side, limited, scan, work);
    } else {
      by_columns(f, p, side, limited, scan, work);
    }
    for (int s = 0; s < 2; ++s)
      side[s].best = std::min(side[s].best, targets_.cost(scan[s].best, unit_));
  }

  void whole(SideQuery& query, bool limited, Workspace& work) override {
    part(0, rows_, work);
    SideQuery side[2] = {query, {}};
    depth_one(0, rows_, side, limited, work);
    query = side[0];
  }

 protected:
  ColumnScans(int features, std::shared_ptr<const RankTools> tools)
      : RankedNode(features, std::move(tools)) {}

  // The weight of a row, which is what it costs unless there is a table of costs.
  Cost weight_at(int f, int i) const {
    if constexpr (requires { targets_.weight_at(f, i); }) return targets_.weight_at(f, i);
    return targets_.cost_at(f, i, unit_);
  }

  LeafCost leaf_cost_;
  Targets targets_;

 private:
  // Floor. floors[g] bounds from below what the best second split in column g can cost, so a
  // column whose floor is not below the best known cost holds nothing better.
  bool barred(const SideQuery& side, int g, const Scan<Measure>& scan) const {
    return side.floors != nullptr && side.floors[g] * floor_unit() >= scan.best;
  }

  // What floors are counted in, as a measure.
  Measure floor_unit() const {
    if constexpr (kNumbers<Targets>) return unit_;
    return 1;
  }

  // Eight columns at a time, those first that were good lately.
  void by_groups(int f, int p, SideQuery side[2], bool limited, Scan<Measure> scan[2],
                 Workspace& work) {
    std::vector<int>& order = work.order_after(f, features_);
    const int groups = groups_of(leaders()), first = order.front() / kGroup;
    for (int i = 0; i < groups && (side[0].wanted || side[1].wanted); ++i) {
      const int group = (first + i) % groups;
      const Measure before[2] = {scan[0].best, scan[1].best};
      GroupScan found[2];
      for (int s = 0; s < 2; ++s) {
        found[s] = {0, scan[s].best, scan[s].low, scan[s].first_rows, scan[s].last_rows, {}};
        if (side[s].wanted) found[s].live = lanes_of(group, side[s], scan[s]);
      }
      const unsigned lanes = found[0].live | found[1].live;
      if (lanes == 0) continue;
      work.spend_on(rows_);
      if (!targets_.worth_a_group(lanes)) {
        typename Targets::Passes passes(scan, work);
        for (unsigned v = lanes; v != 0; v &= v - 1)
          by_column(group * kGroup + std::countr_zero(v), f, p, side, limited, passes, scan, work);
        continue;
      }
      targets_.scan_group(
          group, ranks_->group_rows(group, f, p, lanes), &ends_[index(group * kGroup, words_)],
          &missing_[static_cast<std::size_t>(group * kGroup)], limited, found, work);
      EXACTREE_CLAIM(claim_group(f, p, group, limited, side, scan, found));
      for (int s = 0; s < 2; ++s) {
        scan[s].best = found[s].best;
        work.counters.scans += std::popcount(found[s].live);
        if (side[s].wanted)
          work.counters.pruned[static_cast<std::size_t>(Pruning::kFloor)] +=
              std::popcount(lanes_in(group) & ~found[s].live);
        if (!limited) raise_floors(group, found[s], side[s]);
        if (scan[s].best <= scan[s].low) side[s].wanted = false;
      }
      if (i > 0 && (scan[0].best < before[0] || scan[1].best < before[1]))
        std::iter_swap(order.begin(), std::find(order.begin(), order.end(), group * kGroup));
    }
  }
  unsigned lanes_in(int group) const {
    return (1u << std::min(kGroup, leaders() - group * kGroup)) - 1;
  }
  unsigned lanes_of(int group, const SideQuery& side, const Scan<Measure>& scan) const {
    const unsigned lanes = lanes_in(group);
    if (side.floors == nullptr) return lanes;
    return lanes & lanes_below(side.floors + group * kGroup, scan.best);
  }
  void raise_floors(int group, const GroupScan& found, SideQuery& side) const {
    if (side.floors == nullptr) return;
    for (unsigned v = found.live; v != 0; v &= v - 1) {
      const int j = std::countr_zero(v);
      raise_floors(group * kGroup + j, found.floor[j], side);
    }
  }
  // Those of a column, and of the one that follows it.
  void raise_floors(int g, Cost least, SideQuery& side) const {
    raise_floor(side.floors[g], least);
    if (const int h = follower(g); h >= 0) raise_floor(side.floors[h], least);
  }
  // One column after the other. Those that were good lately come first: they bring `best` down.
  void by_columns(int f, int p, SideQuery side[2], bool limited, Scan<Measure> scan[2],
                  Workspace& work) {
    typename Targets::Passes passes(scan, work);
    std::vector<int>& order = work.order_after(f, features_);
    for (std::size_t i = 0; i < order.size() && (side[0].wanted || side[1].wanted); ++i)
      if (order[i] < leaders() && by_column(order[i], f, p, side, limited, passes, scan, work) &&
          i > 0)
        std::rotate(order.begin(), order.begin() + static_cast<long>(i),
                    order.begin() + static_cast<long>(i) + 1);
  }
  // True if the column has something better.
  bool by_column(int g, int f, int p, SideQuery side[2], bool limited,
                 typename Targets::Passes& passes, Scan<Measure> scan[2], Workspace& work) {
    for (int s = 0; s < 2; ++s) {
      const bool bars = side[s].wanted && barred(side[s], g, scan[s]);
      if (bars) work.counters.count(Pruning::kFloor);
      scan[s].wanted = side[s].wanted && !bars;
    }
    EXACTREE_CLAIM(claim_barred(f, p, g, limited, side, scan));
    if (!scan[0].wanted && !scan[1].wanted) return false;
    work.spend_on(rows_);
    [[maybe_unused]] const Scan<Measure> before[2] = {scan[0], scan[1]};
    const bool better = scan_column(g, ranks_->parting(g, f, p), limited, passes, scan, side, work);
    EXACTREE_CLAIM(claim_scanned(f, p, g, limited, before, scan));
    for (int s = 0; s < 2; ++s)
      if (scan[s].best <= scan[s].low) side[s].wanted = false;
    return better;
  }

  bool scan_column(int g, const Parting& parting, bool limited, typename Targets::Passes& passes,
                   Scan<Measure> scan[2], SideQuery side[2], Workspace& work) {
    const Measure before[2] = {scan[0].best, scan[1].best};
    const Word* group_end = &ends_[index(g, words_)];
    if (!kNumbers<Targets> && !kPriced<Targets> && !work.switches.on(Pruning::kJump)) {
      for (int s = 0; s < 2; ++s)
        if (scan[s].wanted) scan_all(g, parting, group_end, s, scan[s], work);
    } else {
      const int* counts = counts_.empty() ? nullptr : &counts_[index(g, rows_ + 1)];
      if constexpr (kTwinned<Targets>) passes.missing = missing_[static_cast<std::size_t>(g)];
      targets_.scan(g, parting, group_end, limited, counts, passes, scan, work);
    }
    for (int s = 0; s < 2; ++s) {
      if (!scan[s].wanted) continue;
      ++work.counters.scans;
      if (side[s].floors == nullptr || limited) continue;
      raise_floors(g, scan[s].floor / floor_unit(), side[s]);
    }
    return scan[0].best < before[0] || scan[1].best < before[1];
  }

  // The scan without the jump: every split of the column.
  [[gnu::cold]] void scan_all(int g, const Parting& parting, const Word* group_end, int s,
                              Scan<Measure>& scan, Workspace& work) const {
    std::vector<Cost> left(work.class_cost[s].size(), 0), right = work.class_cost[s];
    if (!Targets::kWeighted)
      for (Cost& c : right) c *= unit_;
    int passed = 0;
    for (int i = 0; i < rows_; ++i) {
      if (parting.side(s, i / 64) >> (i % 64) & 1) {
        const auto c = static_cast<std::size_t>(targets_.class_at(g, i));
        left[c] += weight_at(g, i);
        right[c] -= weight_at(g, i);
        passed += count_at(g, i);
      }
      if ((group_end[i / 64] >> (i % 64) & 1) == 0) continue;
      if (passed < scan.first_rows || passed > scan.last_rows) continue;
      const Cost cost = leaf_cost_(left) + leaf_cost_(right);
      scan.best = std::min(scan.best, targets_.at_least(cost, unit_));
    }
    scan.floor = scan.best;
  }

#ifdef EXACTREE_AUDIT
  void claim_group(int f, int p, int group, bool limited, const SideQuery side[2],
                   const Scan<Measure> before[2], const GroupScan after[2]) const {
    for (int s = 0; s < 2; ++s) {
      Cost best = targets_.cost(before[s].best, unit_);
      std::vector<int> columns;
      for (int j = 0; side[s].wanted && j < kGroup && group * kGroup + j < leaders(); ++j)
        for (const int g : with_follower(group * kGroup + j))
          if (after[s].live >> j & 1)
            columns.push_back(g);
          else if (side[s].floors == nullptr || side[s].floors[g] != 0xFFFF)
            claims::scanned(Pruning::kFloor, *this, f, p, s, {g}, limited, best, best);
      if (!columns.empty())
        claims::scanned(Pruning::kJump, *this, f, p, s, columns, limited, best,
                        targets_.cost(after[s].best, unit_));
    }
  }
  void claim_barred(int f, int p, int g, bool limited, const SideQuery side[2],
                    const Scan<Measure> scan[2]) const {
    for (int s = 0; s < 2; ++s) {
      const Cost best = targets_.cost(scan[s].best, unit_);
      if (side[s].wanted && !scan[s].wanted && side[s].floors[g] != 0xFFFF)
        claims::scanned(Pruning::kFloor, *this, f, p, s, with_follower(g), limited, best, best);
    }
  }
  void claim_scanned(int f, int p, int g, bool limited, const Scan<Measure> before[2],
                     const Scan<Measure> after[2]) const {
    for (int s = 0; s < 2; ++s)
      if (before[s].wanted)
        claims::scanned(Pruning::kJump, *this, f, p, s, with_follower(g), limited,
                        targets_.cost(before[s].best, unit_), targets_.cost(after[s].best, unit_));
  }
  std::vector<int> with_follower(int g) const {
    const int h = follower(g);
    return h < 0 ? std::vector<int>{g} : std::vector<int>{g, h};
  }
#endif
};

}  // namespace exactree::EXACTREE_ISA
