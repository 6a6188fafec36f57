// Classes of rows with costs of their own. What a wrong prediction costs is the weight of the row,
// or its weight times an entry of a table; then the influence of a row is its weight times the
// largest entry of its class. (two_weighted.hpp is for two classes.)
//
// Jump. A split inside a word of 64 rows has on its left, of every class, at most what is there
// after the word, and on its right at most what is there before it. So it costs at least all less
// the most of a class left after the word, less the most of a class right before it.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/leaf_cost.hpp"
#include "search/targets/one_by_one.hpp"

namespace exactree::EXACTREE_ISA {

class WeightedTargets {
 public:
  using Measure = Cost;
  static constexpr bool kWeighted = true;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int words) {
    table_ = LeafCost(data);
    resize(data.features, data.classes, rows, words);
  }
  void allocate(const WeightedTargets& parent, int rows, int words) {
    table_ = parent.table_;
    resize(parent.features_, parent.classes_, rows, words);
  }
  void take_rows(const Problem& data, int f, const int* order) {
    for (int i = 0; i < rows_; ++i) {
      class_of_[at(f, i)] = data.labels[order[i]];
      cost_of_[at(f, i)] = data.weights[order[i]];
    }
    set_masks(f);
  }
  void take(const WeightedTargets& parent, int f, const Word* keep, int words) {
    int i = 0;
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1, ++i) {
        const std::size_t from = parent.at(f, w * 64 + first(v));
        class_of_[at(f, i)] = parent.class_of_[from];
        cost_of_[at(f, i)] = parent.cost_of_[from];
      }
    set_masks(f);
  }
  void finish(Cost, Cost& leaf, int& label) {
    total_.assign(static_cast<std::size_t>(classes_), 0);
    for (int i = 0; i < rows_; ++i)
      total_[static_cast<std::size_t>(class_at(0, i))] += weight_at(0, i);
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
  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int* counts,
            Passes&, Scan<Cost> scan[2], Workspace& work) {
    for (int s = 0; s < 2; ++s) {
      if (!scan[s].wanted) continue;
      if (limited || !table_.plain())
        one_by_one(*this, g, parting, group_end, counts, s, scan[s], work);
      else
        scan_words(g, parting, group_end, s, scan[s], work);
    }
  }
  int classes() const { return classes_; }
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
                                     cost_of_.capacity() * sizeof(Cost) +
                                     masks_.capacity() * sizeof(Word));
  }

 private:
  void scan_words(int g, const Parting& parting, const Word* group_end, int s, Scan<Cost>& scan,
                  Workspace& work) {
    const auto classes = static_cast<std::size_t>(classes_);
    left_.assign(classes, 0);
    step_.resize(classes);
    right_ = work.class_cost[s];
    const Cost all = std::accumulate(right_.begin(), right_.end(), Cost{0});
    const Word* masks =
        &masks_[static_cast<std::size_t>(g) * static_cast<std::size_t>(words_) * classes];
    int jumped = 0;
    for (int w = 0; w < parting.words; ++w, masks += classes) {
      const Word member = parting.side(s, w);
      Cost most_left = 0, most_right = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        const Word mine = member & masks[c];
        step_[c] = mine == 0 ? 0 : sum_of(&cost_of_[at(g, w * 64)], mine);
        most_left = std::max(most_left, left_[c] + step_[c]);
        most_right = std::max(most_right, right_[c]);
      }
      if (all - most_left - most_right < scan.best) {
        scan.best = look_into(g, w, member, group_end[w], all, scan.best);
        work.spend_on(64 * classes_);
        if (scan.best <= scan.low) break;
      } else {
        ++jumped;
      }
      for (std::size_t c = 0; c < classes; ++c) left_[c] += step_[c], right_[c] -= step_[c];
    }
    work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
  }
  // The splits in a word. Passing rows lowers the cost of a split by at most what they weigh, so
  // bytes of a word are passed together until that is more than the best is below it (`slack`).
  Cost look_into(int g, int w, Word member, Word ends, Cost all, Cost best) {
    const Cost* weights = &cost_of_[at(g, w * 64)];
    const Word* masks = masks_of(g, w);
    in_left_ = left_;
    in_right_ = right_;
    Cost slack = all - most(in_left_) - most(in_right_) - best;
    Word passed = 0;
    for (int byte = 0; byte < 64; byte += 8) {
      const Word mine = member & Word{255} << byte, end = ends & Word{255} << byte;
      const Cost weight = sum_of(weights, mine);
      if (slack >= weight) {
        slack -= weight;
        passed |= mine;
        continue;
      }
      pass(weights, masks, passed);
      passed = 0;
      for (Word v = mine | end; v != 0; v &= v - 1) {
        const Word bit = v & (~v + 1);
        if (mine & bit) {
          pass(g, w * 64 + first(v));
          slack -= weights[first(v)];
        }
        if ((end & bit) == 0 || slack >= 0) continue;
        const Cost cost = all - most(in_left_) - most(in_right_);
        best = std::min(best, cost);
        slack = cost - best;
      }
    }
    return best;
  }
  void pass(int g, int i) {
    const auto c = static_cast<std::size_t>(class_at(g, i));
    in_left_[c] += weight_at(g, i);
    in_right_[c] -= weight_at(g, i);
  }
  void pass(const Cost* weights, const Word* masks, Word members) {
    for (std::size_t c = 0; members != 0; ++c) {
      const Word mine = members & masks[c];
      members &= ~mine;
      if (mine == 0) continue;
      const Cost weight = sum_of(weights, mine);
      in_left_[c] += weight;
      in_right_[c] -= weight;
    }
  }
  static Cost most(const std::vector<Cost>& by_class) {
    return *std::max_element(by_class.begin(), by_class.end());
  }
  // What the members of a word weigh.
  static Cost sum_of(const Cost* weights, Word member) {
#if EXACTREE_SIMD512
    __m512i all = _mm512_setzero_si512();
    for (int k = 0; k < 8; ++k, weights += 8, member >>= 8)
      all = _mm512_add_epi64(all, _mm512_maskz_loadu_epi64(static_cast<__mmask8>(member), weights));
    return _mm512_reduce_add_epi64(all);
#else
    Cost all = 0;
    for (; member != 0; member &= member - 1) all += weights[first(member)];
    return all;
#endif
  }
  const Word* masks_of(int f, int w) const {
    return &masks_[(static_cast<std::size_t>(f) * static_cast<std::size_t>(words_) +
                    static_cast<std::size_t>(w)) *
                   static_cast<std::size_t>(classes_)];
  }
  // Which rows of every word are of each class.
  void set_masks(int f) {
    if (!table_.plain()) return;
    const auto classes = static_cast<std::size_t>(classes_);
    Word* to = const_cast<Word*>(masks_of(f, 0));
    std::fill_n(to, static_cast<std::size_t>(words_) * classes, 0);
    for (int i = 0; i < rows_; ++i)
      to[static_cast<std::size_t>(i / 64) * classes + static_cast<std::size_t>(class_at(f, i))] |=
          Word{1} << (i % 64);
  }

  std::size_t at(int f, int i) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(rows_) +
           static_cast<std::size_t>(i);
  }
  void resize(int features, int classes, int rows, int words) {
    features_ = features;
    classes_ = classes;
    rows_ = rows;
    words_ = words;
    if (table_.plain())
      masks_.resize(static_cast<std::size_t>(features) * static_cast<std::size_t>(words) *
                    static_cast<std::size_t>(classes));
    class_of_.resize(at(features, 0));
    cost_of_.resize(at(features, 0));
  }

  int rows_ = 0, words_ = 0, features_ = 0, classes_ = 0;
  LeafCost table_;
  std::vector<Cost> total_, left_, right_, step_, in_left_, in_right_;
  std::vector<int> class_of_;
  std::vector<Cost> cost_of_;
  std::vector<Word> masks_;  // per column, word and class; without a table of costs
};

}  // namespace exactree::EXACTREE_ISA
