// Trees of two and of three leaves on the sides of a node's columns, by counting pairs of columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/sparse/sparse_node.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
class PairCounts {
 public:
  using Node = SparseNode<Count>;
  using Lanes = CountLanes<Count>;

  // `cells`: whether node.cells is of interest.
  PairCounts(const WeightedRows& rows, Cost penalty, bool cells) : rows_(rows) {
    const Cost below = penalty / rows.unit, above = (penalty + rows.unit - 1) / rows.unit;
    const Cost most = static_cast<Count>(~Count{0});
    price_ = static_cast<Count>(std::min(above, most));
    useless_ = static_cast<Count>(std::clamp<Cost>(2 * below - above, 0, most));
    capping_ = cells && price_ >= kWorthCapping;
  }

  // Fills node.one: for both sides of every column, the fewest errors of a tree of one split. Every
  // pair of columns is counted once and serves the sides of both. False: stopped.
  //
  // And node.cells: the least that the two cells of a second split that is of use cost, a cell
  // counted with its errors or with a price (rounded up to errors), whichever is less; all bits are
  // set if no second split is of use; all are zero where a price is too few errors. A cell is a
  // leaf with its errors, or has a split and costs a price. A split is of no use if one of its
  // cells, of weight n, costs at least c and n <= c + a price: the tree of the other cell for both
  // costs no more, and has fewer splits. Here c is the capped count, which may be above the price
  // by less than an error, hence `useless_`.
  template <class Tick>
  bool single_splits(Node& node, const Tick& tick) {
    const auto padded = static_cast<std::size_t>(node.padded);
    for (int s = 0; s < 2; ++s) {
      node.one[s].assign(padded, static_cast<Count>(~Count{0}));
      node.cells[s].assign(padded, static_cast<Count>(capping_ ? ~Count{0} : Count{0}));
    }
    for (int i = 0; i < node.columns; ++i) {
      if (!tick(static_cast<std::int64_t>(node.chunks + 8) * (node.padded / Lanes::kSize)))
        return false;
      if (rows_.classes == 2)
        capping_ ? pairs_with<true, true>(node, i) : pairs_with<true, false>(node, i);
      else
        capping_ ? pairs_with<false, true>(node, i) : pairs_with<false, false>(node, i);
    }
    return true;
  }

  // The fewest errors of a tree of two splits on side s of column f, out of the node's own rows;
  // at least `limit` if there is none below it.
  //
  // Such a tree is a split g with a leaf on one side and a split on the other. Majority: without g
  // and its leaf, the split on the other side errs on at most as much more as the leaf predicts
  // rightly; so the leaf has to predict more than `one` - `limit` rightly, where `one` is what one
  // split achieves, and more than a price (`too_small`), or fewer splits are no worse.
  int two_splits(const Node& node, int f, int s, int limit, std::int64_t too_small, bool majority,
                 Counters& counters) {
    gather_side(node, f, s);
    count_side(node, f, s);
    const std::int64_t one = node.one[s][static_cast<std::size_t>(f)];
    const std::int64_t least = majority ? std::max(too_small, one - limit) : -1;
    const std::int64_t size = node.side_size(f, s);
    int best = limit;
    for (int g = 0; g < node.columns; ++g) {
      const std::int64_t of_side_one = sizes_[static_cast<std::size_t>(g)];
      for (int leaf = 0; leaf < 2; ++leaf) {
        const std::int64_t rows = leaf == 1 ? of_side_one : size - of_side_one;
        const std::int64_t most = leaf == 1 ? most_[1][static_cast<std::size_t>(g)]
                                            : most_[0][static_cast<std::size_t>(g)];
        if (rows - most >= best || size - rows <= too_small) continue;
        if (most <= least) {
          counters.count(Pruning::kMajority);
          continue;
        }
        best = std::min(best, static_cast<int>(rows - most) + best_beside(node, f, s, g, leaf));
      }
    }
    return best;
  }

 private:
  std::size_t group(int c) const {
    return static_cast<std::size_t>(rows_.group_of_class[static_cast<std::size_t>(c)]);
  }

  // The weight of class c that side 1 of column i has in common with side 1 of columns j, j+1, ...
  Lanes common(const Node& node, int c, int i, int j) const {
    Lanes sum = Lanes::zero();
    for (std::size_t g = group(c); g < group(c + 1); ++g) {
      sum = sum + sum;
      for (int k = node.group_chunk[g]; k < node.group_chunk[g + 1]; ++k) {
        const Count* chunk = node.chunk(k);
        sum = sum.plus_common(Lanes::splat(chunk[i]), Lanes::load(chunk + j));
      }
    }
    return sum;
  }

  // Of the four cells of two columns, for many second columns at once: errors of leaves, weights.
  struct Cells {
    Lanes both, first, second, neither;
  };
  template <bool kTwo>
  Cells cells(const Node& node, int i, int j, Cells& sum) const {
    Cells most{Lanes::zero(), Lanes::zero(), Lanes::zero(), Lanes::zero()};
    Cells least = most;
    sum = most;
    for (int c = 0; c < rows_.classes; ++c) {
      const Count* counts = node.counts(c);
      const Lanes both = common(node, c, i, j);
      const Lanes first = Lanes::splat(counts[i]) - both;
      const Lanes second = Lanes::load(counts + j) - both;
      const Count rest = static_cast<Count>(node.total[static_cast<std::size_t>(c)] - counts[i]);
      const Lanes neither = Lanes::splat(rest) - second;
      if (kTwo && c == 0) {
        least = {both, first, second, neither};
      } else if (kTwo) {
        least = {min(least.both, both), min(least.first, first), min(least.second, second),
                 min(least.neither, neither)};
      } else {
        most = {max(most.both, both), max(most.first, first), max(most.second, second),
                max(most.neither, neither)};
      }
      sum = {sum.both + both, sum.first + first, sum.second + second, sum.neither + neither};
    }
    if (kTwo) return least;
    return {sum.both - most.both, sum.first - most.first, sum.second - most.second,
            sum.neither - most.neither};
  }

  template <bool kTwo, bool kCapping>
  void pairs_with(Node& node, int i) {
    Lanes in_one = Lanes::splat(static_cast<Count>(~Count{0})), in_other = in_one;
    Lanes cells_one = in_one, cells_other = in_one;
    for (int j = i / Lanes::kSize * Lanes::kSize; j < node.padded; j += Lanes::kSize) {
      Cells weight;
      const Cells e = cells<kTwo>(node, i, j, weight);
      in_one = min(in_one, e.both + e.first);
      in_other = min(in_other, e.second + e.neither);
      Count *one = node.one[1].data() + j, *other = node.one[0].data() + j;
      min(Lanes::load(one), e.both + e.second).store(one);
      min(Lanes::load(other), e.first + e.neither).store(other);
      if constexpr (kCapping) {
        const Capped both = capped(e.both, weight.both), first = capped(e.first, weight.first);
        const Capped second = capped(e.second, weight.second);
        const Capped neither = capped(e.neither, weight.neither);
        cells_one = min(cells_one, together(both, first));
        cells_other = min(cells_other, together(second, neither));
        Count *cell_one = node.cells[1].data() + j, *cell_other = node.cells[0].data() + j;
        min(Lanes::load(cell_one), together(both, second)).store(cell_one);
        min(Lanes::load(cell_other), together(first, neither)).store(cell_other);
      }
    }
    lower(node.one[1], i, in_one);
    lower(node.one[0], i, in_other);
    if constexpr (kCapping) {
      lower(node.cells[1], i, cells_one);
      lower(node.cells[0], i, cells_other);
    }
  }
  static void lower(Lines<Count>& counts, int i, Lanes found) {
    Count& least = counts[static_cast<std::size_t>(i)];
    least = std::min(least, found.smallest());
  }
  // What a cell is counted with, and all bits if a split with this cell is of no use.
  struct Capped {
    Lanes errors, useless;
  };
  Capped capped(Lanes errors, Lanes weight) const {
    const Lanes least = min(errors, Lanes::splat(price_));
    return {least, at_most(weight - least, Lanes::splat(useless_))};
  }
  static Lanes together(const Capped& a, const Capped& b) {
    return (a.errors + b.errors) | a.useless | b.useless;
  }

  // The chunks in which side s of column f has rows, and these rows.
  void gather_side(const Node& node, int f, int s) {
    chunk_.clear();
    member_.clear();
    first_.assign(1, 0);
    for (std::size_t g = 0; g + 1 < node.group_chunk.size(); ++g) {
      for (int k = node.group_chunk[g]; k < node.group_chunk[g + 1]; ++k) {
        Count rows = node.chunk(k)[f];
        if (s == 0) {
          const int place = k - node.group_chunk[g];
          const Word word =
              node.rows[static_cast<std::size_t>(node.group_word[g] + place / node.kPerWord)];
          rows = static_cast<Count>(~rows & (word >> (place % node.kPerWord * node.kBits)));
        }
        if (rows == 0) continue;
        chunk_.push_back(k);
        member_.push_back(rows);
      }
      first_.push_back(static_cast<int>(chunk_.size()));
    }
    beside_.resize(member_.size());
  }
  // The weight of class c that the gathered rows in `members` have in side 1 of columns j, j+1, ...
  Lanes count_members(const Node& node, const std::vector<Count>& members, int c, int j) const {
    Lanes sum = Lanes::zero();
    for (std::size_t g = group(c); g < group(c + 1); ++g) {
      sum = sum + sum;
      for (auto k = static_cast<std::size_t>(first_[g]);
           k < static_cast<std::size_t>(first_[g + 1]); ++k)
        sum = sum.plus_common(Lanes::splat(members[k]), Lanes::load(node.chunk(chunk_[k]) + j));
    }
    return sum;
  }
  // For every column: its weight among the gathered rows, and that of the best class on either
  // side.
  void count_side(const Node& node, int f, int s) {
    const auto padded = static_cast<std::size_t>(node.padded);
    sizes_.resize(padded);
    most_[0].resize(padded);
    most_[1].resize(padded);
    counted_.resize(padded * static_cast<std::size_t>(rows_.classes));
    for (int j = 0; j < node.padded; j += Lanes::kSize) {
      Lanes size = Lanes::zero(), most = size, most_beside = size;
      for (int c = 0; c < rows_.classes; ++c) {
        const Lanes weight = count_members(node, member_, c, j);
        weight.store(counted_.data() + static_cast<std::size_t>(c) * padded + j);
        size = size + weight;
        most = max(most, weight);
        most_beside = max(most_beside, Lanes::splat(node.side_count(f, s, c)) - weight);
      }
      size.store(sizes_.data() + j);
      most.store(most_[1].data() + j);
      most_beside.store(most_[0].data() + j);
    }
  }
  // The best single split of the gathered rows that are not in side `leaf` of column g.
  int best_beside(const Node& node, int f, int s, int g, int leaf) {
    for (std::size_t k = 0; k < chunk_.size(); ++k) {
      const Count in_column = node.chunk(chunk_[k])[g];
      beside_[k] = static_cast<Count>(member_[k] & (leaf == 1 ? ~in_column : in_column));
    }
    Lanes best = Lanes::splat(static_cast<Count>(~Count{0}));
    const auto padded = static_cast<std::size_t>(node.padded);
    for (int j = 0; j < node.padded; j += Lanes::kSize) {
      Lanes most = Lanes::zero(), most_rest = most;
      Count size = 0;
      Lanes least = most, least_rest = most;
      for (int c = 0; c < rows_.classes; ++c) {
        const Count in_leaf =
            counted_[static_cast<std::size_t>(c) * padded + static_cast<std::size_t>(g)];
        const Count all = node.side_count(f, s, c);
        const Count here = leaf == 1 ? static_cast<Count>(all - in_leaf) : in_leaf;
        const Lanes weight = count_members(node, beside_, c, j);
        const Lanes rest = Lanes::splat(here) - weight;
        size = static_cast<Count>(size + here);
        least = c == 0 ? weight : min(least, weight);
        least_rest = c == 0 ? rest : min(least_rest, rest);
        most = max(most, weight);
        most_rest = max(most_rest, rest);
      }
      best = min(best,
                 rows_.classes == 2 ? least + least_rest : Lanes::splat(size) - most - most_rest);
    }
    return static_cast<int>(best.smallest());
  }

  const WeightedRows& rows_;
  // Where a price is a few errors only, most cells cost one: capping them takes longer than it
  // spares.
  static constexpr Count kWorthCapping = 4;
  Count price_, useless_;
  bool capping_;
  std::vector<int> chunk_, first_;
  std::vector<Count> member_, beside_;
  Lines<Count> sizes_, most_[2], counted_;
};

}  // namespace exactree::EXACTREE_ISA
