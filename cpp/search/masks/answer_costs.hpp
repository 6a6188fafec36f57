// Rows with a cost for every answer, for nodes over side masks, compiled per instruction set.
//
// Why the bounds of masks hold. Costs are not negative and a leaf gives all rows one answer, so
// Subset and Similarity (columns/chain.hpp) hold with the largest cost of a row as its influence:
// targets/row_costs.hpp. With them the proofs of mask_source.hpp and mask_archive.hpp go through as
// they are.
//
// Forced costs, in place of forced errors (row_sets.hpp). Whatever mask of a branch is chosen, the
// rows P that all send left are in the left leaf and the rows Q that all send right in the right
// one. Each leaf gives one answer, so every split of the branch costs at least
// min_a cost_a(P) + min_b cost_b(Q). For a single mask that is its cost.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/masks/mask_node.hpp"
#include "search/masks/measure.hpp"
#include "search/masks/row_sets.hpp"
#include "search/targets/eight_costs.hpp"

namespace exactree::EXACTREE_ISA {

class AnswerCosts {
 public:
  // The weights of a wish differ from time to time: its measure and its two sets of rows.
  struct WishRoom {
    std::vector<Cost> weights;
    std::vector<Word> sets;
    TableMeasure measure{0, static_cast<const Cost*>(nullptr)};
  };

  explicit AnswerCosts(const Problem& data)
      : rows_(static_cast<std::size_t>(data.rows)),
        words_((rows_ + 63) / 64),
        answers_(static_cast<std::size_t>(data.classes)),
        blocks_(static_cast<int>((answers_ + kEight - 1) / kEight)),
        stride_(static_cast<std::size_t>(blocks_) * kEight),
        costs_(data.row_costs),
        nibbles_(words_ * 16 * 16 * stride_, 0),
        nothing_(stride_, 0),
        largest_(data.rows, largest_of(data).data()) {
    std::fill(nothing_.begin() + static_cast<std::ptrdiff_t>(answers_), nothing_.end(), kBeyond);
    for (std::size_t b = 0; b < words_ * 16; ++b)
      for (std::size_t v = 1; v < 16; ++v) {
        const std::size_t row = b * 4 + static_cast<std::size_t>(first(v));
        const Cost* less = &nibbles_[(b * 16 + (v & (v - 1))) * stride_];
        Cost* to = &nibbles_[(b * 16 + v) * stride_];
        for (std::size_t a = 0; a < answers_; ++a)
          to[a] = less[a] + (row < rows_ ? costs_[row * answers_ + a] : 0);
      }
  }

  static Cost cost(Cost sum) { return sum; }
  static Cost at_least(Cost c) { return c; }
  static Cost at_most(Cost c) { return c; }
  EXACTREE_INLINE Cost influence(std::size_t w, Word v) const { return largest_.sum(w, v); }
  static Cost at_least_for(int) { return 0; }

  Cost leaf(const Word* rows, int* label) const {
    std::vector<Cost> sums(stride_);
    CostSums<0> sum(sums.data(), blocks_);
    sum.read(nothing_.data());
    for (std::size_t w = 0; w < words_; ++w) add(w, rows[w], sum);
    const auto best = std::min_element(sums.begin(), sums.end());
    *label = static_cast<int>(best - sums.begin());
    return *best;
  }
  void divide(const Word* rows, std::vector<Word>& out) const { out.assign(rows, rows + words_); }

  // What the masks of a branch cost at least as single splits of some rows.
  template <int N>
  struct Sets {
    const AnswerCosts& of;
    std::size_t words;
    const Word* rows;
    std::vector<Cost>& room;

    Cost bound(const Word* all, const Word* some) const {
      CostSums<N> left(room.data(), of.blocks_), right(room.data() + of.stride_, of.blocks_);
      left.read(of.nothing_.data());
      right.read(of.nothing_.data());
      for (std::size_t w = 0; w < words; ++w) {
        of.add(w, rows[w] & all[w], left);
        of.add(w, rows[w] & ~some[w], right);
      }
      return left.least() + right.least();
    }
  };
  template <class Do>
  void with_sets(const std::vector<Word>& rows, const Do& action) const {
    if (answers_ == 1) return;
    std::vector<Cost> room(blocks_ > 3 ? 2 * stride_ : 0);
    if (blocks_ == 1)
      action(Sets<1>{*this, words_, rows.data(), room});
    else if (blocks_ == 2)
      action(Sets<2>{*this, words_, rows.data(), room});
    else if (blocks_ == 3)
      action(Sets<3>{*this, words_, rows.data(), room});
    else
      action(Sets<0>{*this, words_, rows.data(), room});
  }

  void add_wish(int label, const Word* rows, int side, MaskWish& wish) const {
    wish.cost[side].resize(rows_, 0);
    for (std::size_t w = 0; w < words_; ++w)
      for (Word v = rows[w]; v != 0; v &= v - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(first(v));
        wish.cost[side][i] = costs_[i * answers_ + static_cast<std::size_t>(label)];
      }
  }
  // Rows that cost less on the left and those that cost less on the right, weighed by how much:
  // with two subtrees that stay, a mask costs what it sends elsewhere, and a constant.
  TwoSets<TableMeasure> wished(const Word* rows, const MaskWish& wish, WishRoom& room) const {
    room.weights.assign(rows_, 0);
    room.sets.assign(2 * words_, 0);
    for (std::size_t w = 0; w < words_; ++w)
      for (Word v = rows[w]; v != 0; v &= v - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(first(v));
        const Cost more = wish.cost[1][i] - wish.cost[0][i];
        if (more == 0) continue;
        room.weights[i] = more > 0 ? more : -more;
        room.sets[(more > 0 ? 0 : words_) + w] |= v & -v;
      }
    room.measure = TableMeasure(static_cast<int>(rows_), room.weights.data());
    return TwoSets<TableMeasure>(room.measure, words_, room.sets.data(), &room.sets[words_]);
  }

 private:
  template <int N>
  EXACTREE_INLINE void add(std::size_t w, Word v, CostSums<N>& sum) const {
    const Cost* table = &nibbles_[w * 16 * 16 * stride_];
    for (; v != 0; v >>= 4, table += 16 * stride_)
      if ((v & 15) != 0) sum.add(table + (v & 15) * stride_);
  }
  static std::vector<Cost> largest_of(const Problem& data) {
    std::vector<Cost> largest(static_cast<std::size_t>(data.rows));
    const auto answers = static_cast<std::size_t>(data.classes);
    for (std::size_t i = 0; i < largest.size(); ++i)
      largest[i] =
          *std::max_element(data.row_costs + i * answers, data.row_costs + (i + 1) * answers);
    return largest;
  }

  std::size_t rows_, words_, answers_;
  int blocks_;
  std::size_t stride_;
  const Cost* costs_;
  std::vector<Cost> nibbles_;  // for every four rows: the costs of each set of them
  std::vector<Cost> nothing_;  // of no rows
  TableMeasure largest_;
};

}  // namespace exactree::EXACTREE_ISA
