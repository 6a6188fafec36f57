// Classes of rows with costs of their own: a plain scan over the members. What a wrong prediction
// costs is the weight of the row, or its weight times an entry of a table.
//
// Jump, as for unit costs: passing rows of total influence c lowers the cost of a split by at most
// c, so after a split that costs g more than the best, nothing can be better before more than g has
// been passed. The influence of a row is what it costs at most: its weight, times the largest entry
// of its class.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/leaf_cost.hpp"

namespace exactree::EXACTREE_ISA {

class WeightedTargets {
 public:
  using Measure = Cost;
  static constexpr bool kWeighted = true;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int) {
    resize(data.features, data.classes, rows);
    table_ = LeafCost(data);
  }
  void allocate(const WeightedTargets& parent, int rows, int) {
    resize(parent.features_, parent.classes_, rows);
    table_ = parent.table_;
  }
  void take_rows(const Problem& data, int f, const int* order) {
    for (int i = 0; i < rows_; ++i) {
      class_of_[at(f, i)] = data.labels[order[i]];
      cost_of_[at(f, i)] = data.weights[order[i]];
    }
  }
  void take(const WeightedTargets& parent, int f, const Word* keep, int words) {
    int i = 0;
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1, ++i) {
        const std::size_t from = parent.at(f, w * 64 + first(v));
        class_of_[at(f, i)] = parent.class_of_[from];
        cost_of_[at(f, i)] = parent.cost_of_[from];
      }
  }
  void finish(Cost, Cost& leaf, int& label) {
    total_.assign(static_cast<std::size_t>(classes_), 0);
    all_ = 0;
    for (int i = 0; i < rows_; ++i) {
      total_[static_cast<std::size_t>(class_at(0, i))] += weight_at(0, i);
      all_ += weight_at(0, i);
    }
    leaf = leaf_cost(total_, &label);
  }
  void part(int f, int p, Workspace& work) const {
    for (auto& side : work.class_cost) side.assign(total_.size(), 0);
    for (int i = 0; i < p; ++i)
      work.class_cost[0][static_cast<std::size_t>(class_at(f, i))] += weight_at(f, i);
    for (std::size_t c = 0; c < total_.size(); ++c)
      work.class_cost[1][c] = total_[c] - work.class_cost[0][c];
    for (int s = 0; s < 2; ++s) work.side_leaf[s] = leaf_cost(work.class_cost[s]);
  }
  // `counts` are prefix sums of the rows each row stands for; null: one.
  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  template <class Rank>
  void scan(int g, const Parting<Rank>& parting, const Word* group_end, bool /*limited*/,
            const int* counts, Passes&, Scan<Cost> scan[2], Workspace& work) {
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) scan_side(g, parting, group_end, counts, s, scan[s], work);
  }
  template <class Rank>
  void scan_side(int g, const Parting<Rank>& parting, const Word* group_end, const int* counts,
                 int s, Scan<Cost>& scan, Workspace& work) {
    left_.assign(total_.size(), 0);
    right_ = work.class_cost[s];
    const Cost all = std::accumulate(right_.begin(), right_.end(), Cost{0});
    Cost slack = leaf_cost(right_) - scan.best;
    int passed = 0;
    const int words = (rows_ + 63) / 64;
    for (int w = 0; w < words; ++w) {
      const Word member = parting.side(s, w);
      // Only what happens at members and at ends of groups matters.
      for (Word v = member | group_end[w]; v != 0; v &= v - 1) {
        const int bit = first(v), i = w * 64 + bit;
        if (member >> bit & 1) {
          const Cost c = weight_at(g, i);
          left_[static_cast<std::size_t>(class_at(g, i))] += c;
          right_[static_cast<std::size_t>(class_at(g, i))] -= c;
          slack -= cost_at(g, i, 1);
          passed += counts == nullptr ? 1 : counts[i + 1] - counts[i];
        }
        if ((group_end[w] >> bit & 1) == 0) continue;
        if (slack >= 0) {
          work.counters.count(Pruning::kJump);
          continue;
        }
        const Cost c = table_.plain() ? all - *std::max_element(left_.begin(), left_.end()) -
                                            *std::max_element(right_.begin(), right_.end())
                                      : leaf_cost(left_) + leaf_cost(right_);
        if (passed >= scan.first_rows && passed <= scan.last_rows)
          scan.best = std::min(scan.best, c);
        if (scan.best <= scan.low) return;
        slack = c - scan.best;
      }
    }
  }
  int class_at(int f, int i) const { return class_of_[at(f, i)]; }
  Cost weight_at(int f, int i) const { return cost_of_[at(f, i)]; }
  Cost cost_at(int f, int i, Cost) const {
    return weight_at(f, i) * table_.largest(class_at(f, i));
  }
  Cost leaf_cost(const std::vector<Cost>& by_class, int* label = nullptr) const {
    return table_(by_class, label);
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(class_of_.capacity() * sizeof(int) +
                                     cost_of_.capacity() * sizeof(Cost));
  }

 private:
  std::size_t at(int f, int i) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(i);
  }
  void resize(int features, int classes, int rows) {
    features_ = features;
    classes_ = classes;
    rows_ = rows;
    class_of_.resize(at(features, 0));
    cost_of_.resize(at(features, 0));
  }

  int rows_ = 0, features_ = 0, classes_ = 0;
  Cost all_ = 0;
  LeafCost table_;
  std::vector<Cost> total_, left_, right_;
  std::vector<int> class_of_;
  std::vector<Cost> cost_of_;
};

}  // namespace exactree::EXACTREE_ISA
