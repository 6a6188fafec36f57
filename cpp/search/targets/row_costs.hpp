// Rows that have a cost of their own for every answer: a leaf gives all its rows one answer, the
// one whose costs add up to the least.
//
// Costs are whole numbers, not negative. So Subset and Similarity (columns/chain.hpp) hold as for
// classes: the answers of a tree for more rows are answers for fewer, which then cost no more; and
// a row more costs at most its largest cost, which is its influence.
//
// Jump. Let a word of 64 rows of a column begin with sums P of a side's rows before it, and end
// with S of those after it. A split within the word has at least the first rows on its left and at
// least the last on its right, so it costs at least min P + min S. If that is not below the best,
// the word holds nothing; likewise the eight bytes of a word, and all that follows if min P is not.
//
// The sums at the ends of words are added up for the smaller side of a split alone: what is known
// of the whole node gives those of the other.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/column_node.hpp"
#include "search/targets/eight_costs.hpp"

namespace exactree::EXACTREE_ISA {

class RowCosts {
 public:
  using Measure = Cost;
  using Priced = void;  // see kPriced in column_node.hpp
  static constexpr bool kWeighted = true;

  static Measure at_least(Cost c, Cost) { return c; }
  static Measure at_most(Cost c, Cost) { return c; }
  static Cost cost(Measure c, Cost) { return c; }

  void allocate(const Problem& data, int rows, int words) {
    table_ = std::make_shared<const Table>(data);
    resize(data.features, rows, words);
  }
  void allocate(const RowCosts& parent, int rows, int words) {
    table_ = parent.table_;
    resize(parent.features_, rows, words);
  }
  void take_rows(const Problem&, int f, const int* order) {
    std::copy_n(order, rows_, &rows_of_[at(f, 0)]);
  }
  void take(const RowCosts& parent, int f, const Word* keep, int words) {
    const int* from = parent.order(f);
    int* to = &rows_of_[at(f, 0)];
    for (int w = 0; w < words; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1) *to++ = from[w * 64 + first(v)];
  }
  void finish(Cost, Cost& leaf, int& label) {
    std::fill(summed_.begin(), summed_.end(), 0);
    total_.assign(stride(), 0);
    for (int i = 0; i < rows_; ++i) table_->add(rows_of_[at(0, i)], total_.data());
    const auto best = std::min_element(total_.begin(), total_.begin() + table_->answers);
    label = static_cast<int>(best - total_.begin());
    leaf = *best;
  }
  void part(int f, int p, Workspace& work) const {
    auto& left = work.class_cost[0];
    auto& right = work.class_cost[1];
    const Cost* before = words_before(f) + static_cast<std::size_t>(p / 64) * stride();
    left.assign(before, before + stride());
    for (int i = p / 64 * 64; i < p; ++i) table_->add(rows_of_[at(f, i)], left.data());
    right.resize(stride());
    for (std::size_t a = 0; a < stride(); ++a) right[a] = total_[a] - left[a];
    for (int s = 0; s < 2; ++s) {
      auto& side = work.class_cost[s];
      work.side_leaf[s] = *std::min_element(side.begin(), side.begin() + table_->answers);
      std::fill(side.begin() + table_->answers, side.end(), 2 * kBeyond);
    }
  }

  struct Passes {
    Passes(const Scan<Cost>[2], const Workspace&) {}
  };
  void scan(int g, const Parting& parting, const Word* group_end, bool limited, const int* counts,
            Passes&, Scan<Cost> scan[2], Workspace& work) {
    with_blocks([&]<int N>(std::integral_constant<int, N>) {
      if (!limited && work.switches.on(Pruning::kJump)) {
        scan_words<N>(g, parting, group_end, scan, work);
        return;
      }
      for (int s = 0; s < 2; ++s)
        if (scan[s].wanted) one_by_one<N>(g, parting, group_end, counts, s, scan[s], work);
    });
  }

  static int class_at(int, int) { return 0; }
  Cost cost_at(int f, int i, Cost) const { return table_->largest[index(rows_of_[at(f, i)])]; }
  const int* order(int f) const { return &rows_of_[at(f, 0)]; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(rows_of_.capacity() * sizeof(int) +
                                     before_.capacity() * sizeof(Cost));
  }

 private:
  // The costs of all rows, in whole blocks.
  struct Table {
    int answers, blocks;
    std::size_t stride;
    std::vector<Cost> costs, largest;
    std::vector<Cost> nothing;  // the sums of a side without rows

    explicit Table(const Problem& data)
        : answers(data.classes),
          blocks((data.classes + kEight - 1) / kEight),
          stride(static_cast<std::size_t>(blocks) * kEight) {
      costs.assign(index(data.rows) * stride, 0);
      largest.resize(index(data.rows));
      nothing.assign(stride, 0);
      std::fill(nothing.begin() + answers, nothing.end(), kBeyond);
      for (int i = 0; i < data.rows; ++i) {
        const Cost* from = data.row_costs + index(i) * index(answers);
        std::copy_n(from, answers, &costs[index(i) * stride]);
        largest[index(i)] = *std::max_element(from, from + answers);
      }
    }
    const Cost* row(int i) const { return &costs[index(i) * stride]; }
    void add(int i, Cost* to) const {
      const Cost* from = row(i);
      for (std::size_t a = 0; a < stride; ++a) to[a] += from[a];
    }
  };

  // Calls with the number of blocks, where registers hold them, else with zero.
  template <class Act>
  void with_blocks(Act act) {
    if constexpr (kSpare)
      act(std::integral_constant<int, 0>{});
    else
      switch (table_->blocks) {
        case 1:
          return act(std::integral_constant<int, 1>{});
        case 2:
          return act(std::integral_constant<int, 2>{});
        case 3:
          return act(std::integral_constant<int, 3>{});
        case 4:
          return act(std::integral_constant<int, 4>{});
        default:
          return act(std::integral_constant<int, 0>{});
      }
  }

  // Passes some rows one by one, and costs the splits at ends of groups. `moved`: rows were passed
  // since a split was costed.
  template <int N>
  EXACTREE_INLINE void look_into(const int* rows, Word member, Word ends, const Cost* all,
                                 CostSums<N>& sum, bool& moved, Cost& best) const {
    for (Word v = member | ends; v != 0; v &= v - 1) {
      const int bit = first(v);
      if (member >> bit & 1) sum.add(table_->row(rows[bit])), moved = true;
      if ((ends >> bit & 1) == 0 || !moved) continue;
      moved = false;
      best = std::min(best, sum.least() + sum.least_left(all));
    }
  }

  // The rows of a word, byte by byte.
  template <int N>
  [[gnu::noinline]] void look_into_word(const int* rows, Word member, Word ends, const Cost* all,
                                        CostSums<N>& sum, Cost& best) {
    CostSums<N> after(room(1), table_->blocks);
    Cost low = sum.least();
    bool moved = true;  // the end of a group may be in this word, its rows in the last
    for (int byte = 0; byte < 64; byte += 8) {
      const Word mine = member >> byte & 255, end = ends >> byte & 255;
      if (mine == 0 && !(moved && end != 0)) continue;
      after.copy(sum);
      for (Word v = mine; v != 0; v &= v - 1) after.add(table_->row(rows[byte + first(v)]));
      if (end != 0 && low + after.least_left(all) < best) {
        look_into<N>(rows + byte, mine, end, all, sum, moved, best);
      } else {
        moved |= mine != 0;
        sum.copy(after);
      }
      low = sum.least();
    }
  }

  template <int N>
  [[gnu::noinline]] void scan_words(int g, const Parting& parting, const Word* group_end,
                                    Scan<Cost> scan[2], Workspace& work) {
    const int small = work.side_rows[0] <= work.side_rows[1] ? 0 : 1, blocks = table_->blocks;
    const Cost* before = words_before(g);
    const int* rows = order(g);
    CostSums<N> passed(room(2), blocks), last(room(3), blocks), other(room(4), blocks);
    passed.read(table_->nothing.data());
    Cost low[2] = {0, 0};
    bool open[2] = {scan[0].wanted, scan[1].wanted};
    int jumped = 0;
    for (int w = 0; w < parting.words && (open[0] || open[1]); ++w) {
      const Word member[2] = {parting.side(0, w), parting.side(1, w)};
      last.copy(passed);
      for (Word v = member[small]; v != 0; v &= v - 1)
        passed.add(table_->row(rows[w * 64 + first(v)]));
      const Cost* at = before + static_cast<std::size_t>(w) * stride();
      for (int s = 0; s < 2; ++s) {
        if (!open[s]) continue;
        const Cost* all = work.class_cost[s].data();
        if (s == small)
          other.copy(passed);
        else
          other.read_rest(at + stride(), passed);
        const Cost bound = low[s] + other.least_left(all);
        low[s] = other.least();
        if (group_end[w] == 0) continue;
        if (bound >= scan[s].best) {
          ++jumped;
        } else {
          if (s == small)
            other.copy(last);
          else
            other.read_rest(at, last);
          look_into_word<N>(rows + w * 64, member[s], group_end[w], all, other, scan[s].best);
        }
        if (low[s] >= scan[s].best || scan[s].best <= scan[s].low) open[s] = false;
      }
    }
    work.counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
    for (int s = 0; s < 2; ++s)
      if (scan[s].wanted) scan[s].floor = 0;
  }

  // Every split of the column that leaves enough rows. `counts` are prefix sums of the rows each
  // row stands for; null: one.
  template <int N>
  void one_by_one(int g, const Parting& parting, const Word* group_end, const int* counts, int s,
                  Scan<Cost>& scan, const Workspace& work) {
    const Cost* all = work.class_cost[s].data();
    CostSums<N> sum(room(0), table_->blocks);
    sum.read(table_->nothing.data());
    int passed = 0;
    for (int w = 0; w < parting.words; ++w) {
      const Word member = parting.side(s, w);
      for (Word v = member | group_end[w]; v != 0; v &= v - 1) {
        const int bit = first(v), i = w * 64 + bit;
        if (member >> bit & 1) {
          sum.add(table_->row(order(g)[i]));
          passed += counts == nullptr ? 1 : counts[i + 1] - counts[i];
        }
        if ((group_end[w] >> bit & 1) == 0) continue;
        if (passed < scan.first_rows || passed > scan.last_rows) continue;
        scan.best = std::min(scan.best, sum.least() + sum.least_left(all));
      }
    }
    scan.floor = 0;
  }

  // The sums of the rows of column f before each word, and of all; made when first asked for. What
  // lies beyond the answers is that of both sides without rows.
  const Cost* words_before(int f) const {
    const std::size_t all = (index(words_) + 1) * stride();
    Cost* to = &before_[index(f) * all];
    if (summed_[index(f)]) return to;
    summed_[index(f)] = 1;
    std::fill_n(to, stride(), 0);
    std::fill(to + table_->answers, to + stride(), 2 * kBeyond);
    for (int w = 0; w < words_; ++w, to += stride()) {
      std::copy_n(to, stride(), to + stride());
      for (int i = w * 64; i < std::min(w * 64 + 64, rows_); ++i)
        table_->add(rows_of_[at(f, i)], to + stride());
    }
    return &before_[index(f) * all];
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::size_t stride() const { return table_->stride; }
  std::size_t at(int f, int i) const { return index(f) * index(rows_) + index(i); }
  Cost* room(int i) { return &room_[index(i) * stride()]; }
  void resize(int features, int rows, int words) {
    features_ = features;
    rows_ = rows;
    words_ = words;
    rows_of_.resize(at(features, 0) + 1);
    const std::size_t sums = index(features) * (index(words) + 1) * stride();
    if (before_.size() < sums) before_.resize(sums);
    summed_.assign(index(features), 0);
    room_.resize(5 * stride());
  }

  int rows_ = 0, words_ = 0, features_ = 0;
  std::shared_ptr<const Table> table_;
  std::vector<Cost> total_, room_;
  std::vector<int> rows_of_;  // column after column: which rows, in its order
  mutable std::vector<Cost> before_;
  mutable std::vector<char> summed_;
};

}  // namespace exactree::EXACTREE_ISA
