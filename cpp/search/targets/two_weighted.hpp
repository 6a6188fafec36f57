// Two classes of rows with costs of their own, as signed weights in every column's order: those of
// class 1 above zero, those of class 0 below.
//
// Jump, as for unit costs (two_classes.hpp), with weights for counts. With label 0 on the left and
// 1 on the right a split costs `err`; with the labels the other way round, all - err. Passing a
// member of class 0 lowers err by its weight, one of class 1 raises it. So within a word whose
// members of the two classes weigh n0 and n1, err is never below err - n0 nor above err + n1, and
// no split there costs less than min(err - n0, all - err - n1), err being that before the word. The
// same holds for the eight bytes of a word.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/one_by_one.hpp"
#include "search/targets/two_sums.hpp"

namespace exactree::EXACTREE_ISA {

class TwoWeighted {
 public:
  using Measure = Cost;
  static constexpr bool kWeighted = true;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int words) { resize(data.features, rows, words); }
  void allocate(const TwoWeighted& parent, int rows, int words) {
    resize(parent.features_, rows, words);
  }
  void take_rows(const Problem& data, int f, const int* order) {
    Cost* to = weights(f);
    for (int i = 0; i < rows_; ++i)
      to[i] = data.labels[order[i]] == 1 ? data.weights[order[i]] : -data.weights[order[i]];
    end_column(f);
  }
  void take(const TwoWeighted& parent, int f, const Word* keep, int words) {
    const Cost* from = parent.weights(f);
    Cost* to = weights(f);
    for (int w = 0; w < words; ++w, from += 64) to = pack(from, keep[w], to);
    end_column(f);
  }
  void finish(Cost, Cost& leaf, int& label) {
    total_ = before(0)[words_];
    leaf = std::min(total_.zeros, total_.ones);
    label = total_.ones > total_.zeros ? 1 : 0;
  }
  void part(int f, int p, Workspace& work) const {
    TwoSums left = before(f)[p / 64];
    if (p % 64 != 0) left += sums_of(weights(f) + p / 64 * 64, low_bits(p % 64));
    const TwoSums right = total_ - left;
    work.class_cost[0] = {left.zeros, left.ones};
    work.class_cost[1] = {right.zeros, right.ones};
    for (int s = 0; s < 2; ++s)
      work.side_leaf[s] = std::min(work.class_cost[s][0], work.class_cost[s][1]);
  }

  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int* counts,
            Passes&, Scan<Cost> scan[2], Workspace& work) {
    if (limited) {
      for (int s = 0; s < 2; ++s)
        if (scan[s].wanted) one_by_one(*this, g, parting, group_end, counts, s, scan[s], work);
    } else if (scan[0].wanted && scan[1].wanted) {
      scan_words<true, true>(g, parting, group_end, scan, work);
    } else if (scan[0].wanted) {
      scan_words<true, false>(g, parting, group_end, scan, work);
    } else {
      scan_words<false, true>(g, parting, group_end, scan, work);
    }
  }

  int classes() const { return 2; }
  int class_at(int f, int i) const { return weights(f)[i] > 0 ? 1 : 0; }
  Cost weight_at(int f, int i) const { return std::abs(weights(f)[i]); }
  Cost cost_at(int f, int i, Cost) const { return weight_at(f, i); }
  static Cost leaf_cost(const std::vector<Cost>& by_class) {
    return std::min(by_class[0], by_class[1]);
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(weights_.capacity() * sizeof(Cost) +
                                     before_.capacity() * sizeof(TwoSums));
  }

 private:
  // One side of a split, under way along a column.
  struct Pass {
    Cost err, all, best, low;
    int entered = 0;

    Pass(const Scan<Cost>& scan, const std::vector<Cost>& classes)
        : err(classes[0]), all(classes[0] + classes[1]), best(scan.best), low(scan.low) {}

    bool open(TwoSums n) const { return std::min(err - n.zeros, all - err - n.ones) < best; }
    void pass(TwoSums n) { err += n.ones - n.zeros; }
    // Looks into a word that may hold something better.
    [[gnu::noinline]] void enter(const Cost* weights, Word member, Word ends) {
      ++entered;
      const Cost start = err;
      for (; (member | ends) != 0; weights += 8, member >>= 8, ends >>= 8) {
        TwoSums n;
        for (Word v = member & 255; v != 0; v &= v - 1) {
          const Cost w = weights[first(v)];
          n.ones += std::max<Cost>(w, 0);
          n.zeros += std::max<Cost>(-w, 0);
        }
        if ((ends & 255) != 0 && open(n))
          enter_byte(weights, member & 255, ends & 255);
        else
          pass(n);
      }
      err = start;
    }

   private:
    void enter_byte(const Cost* weights, Word member, Word ends) {
      for (Word v = member | ends; v != 0; v &= v - 1) {
        const int bit = first(v);
        if (member >> bit & 1) err += weights[bit];
        if (ends >> bit & 1) best = std::min({best, err, all - err});
      }
    }
  };

  template <bool Left, bool Right>
  [[gnu::noinline]] void scan_words(int g, const Parting& parting, const Word* ends,
                                    Scan<Cost> scan[2], Workspace& work) const {
    Pass left(scan[0], work.class_cost[0]), right(scan[1], work.class_cost[1]);
    const Cost* weight = weights(g);
    const TwoSums* sums = before(g);
    for (int w = 0; w < parting.words; ++w, weight += 64, ++sums) {
      const Word m = parting.left(w);
      const TwoSums mine = sums_of(weight, m);
      if (Left) {
        if (left.open(mine)) [[unlikely]] {
          left.enter(weight, m, ends[w]);
          if (left.best <= left.low && (!Right || right.best <= right.low)) break;
        }
        left.pass(mine);
      }
      if (Right) {
        const TwoSums others = sums[1] - sums[0] - mine;
        if (right.open(others)) [[unlikely]] {
          right.enter(weight, ~m & parting.rows(w), ends[w]);
          if (right.best <= right.low && (!Left || left.best <= left.low)) break;
        }
        right.pass(others);
      }
    }
    if (Left) finish_scan(left, parting.words, scan[0], work);
    if (Right) finish_scan(right, parting.words, scan[1], work);
  }
  static void finish_scan(const Pass& pass, int words, Scan<Cost>& scan, Workspace& work) {
    work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += words - pass.entered;
    work.spend_on(64 * pass.entered);
    scan.best = pass.best;
    scan.floor = 0;
  }

  // The members of a word, one after the other; there is room for a whole register behind them.
  static Cost* pack(const Cost* from, Word keep, Cost* to) {
#if EXACTREE_SIMD512
    for (int k = 0; k < 8; ++k, from += 8, keep >>= 8) {
      const auto mask = static_cast<__mmask8>(keep);
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(mask, _mm512_loadu_si512(from)));
      to += count(keep & 255);
    }
#else
    for (; keep != 0; keep &= keep - 1) *to++ = from[first(keep)];
#endif
    return to;
  }
  // Beyond the last row nothing weighs anything. What comes before each word is added up.
  void end_column(int f) {
    const Cost* from = weights(f);
    std::fill(weights(f) + rows_, weights(f) + 64 * words_, 0);
    TwoSums* to = &before_[static_cast<std::size_t>(f) * static_cast<std::size_t>(words_ + 1)];
    *to = {};
    for (int w = 0; w < words_; ++w, from += 64, ++to) to[1] = to[0] + sums_of(from, ~Word{0});
  }

  static constexpr int kMore = 8;  // what pack() may write behind a column
  std::size_t at(int f) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(64 * words_ + kMore);
  }
  Cost* weights(int f) { return &weights_[at(f)]; }
  const Cost* weights(int f) const { return &weights_[at(f)]; }
  const TwoSums* before(int f) const {
    return &before_[static_cast<std::size_t>(f) * static_cast<std::size_t>(words_ + 1)];
  }
  void resize(int features, int rows, int words) {
    features_ = features;
    rows_ = rows;
    words_ = words;
    weights_.resize(at(features));
    before_.resize(static_cast<std::size_t>(features) * static_cast<std::size_t>(words + 1));
  }

  int rows_ = 0, words_ = 0, features_ = 0;
  TwoSums total_;
  std::vector<Cost> weights_;    // column after column
  std::vector<TwoSums> before_;  // per column: what the rows before each word weigh, and all
};

}  // namespace exactree::EXACTREE_ISA
