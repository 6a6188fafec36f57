// Rows of classes, for nodes over side masks: what they cost, compiled per instruction set.
#pragma once

#include <algorithm>
#include <vector>

#include "search/bits.hpp"
#include "search/masks/mask_node.hpp"
#include "search/masks/measure.hpp"
#include "search/masks/row_sets.hpp"

namespace exactree::EXACTREE_ISA {

template <class Measure>
class ClassCosts {
 public:
  using WishRoom = std::vector<Word>;

  explicit ClassCosts(const Problem& data)
      : measure_(data),
        words_(static_cast<std::size_t>((data.rows + 63) / 64)),
        classes_(static_cast<std::size_t>(std::max(data.classes, 1))),
        of_class_(words_ * classes_, 0) {
    for (int i = 0; i < data.rows; ++i)
      of_class_[static_cast<std::size_t>(data.labels[i]) * words_ +
                static_cast<std::size_t>(i / 64)] |= Word{1} << (i % 64);
  }

  Cost cost(Cost sum) const { return measure_.cost(sum); }
  Cost at_least(Cost c) const { return measure_.at_least(c); }
  Cost at_most(Cost c) const { return measure_.at_most(c); }
  // What some rows can cost at most, before cost(); and at least, whichever rows they are.
  EXACTREE_INLINE Cost influence(std::size_t w, Word v) const { return measure_.sum(w, v); }
  Cost at_least_for(int rows) const { return measure_.at_least_for(rows); }

  Cost leaf(const Word* rows, int* label) const {
    Cost total = 0, top = -1;
    for (std::size_t c = 0; c < classes_; ++c) {
      Cost sum = 0;
      for (std::size_t w = 0; w < words_; ++w) sum += measure_.sum(w, rows_of(c)[w] & rows[w]);
      total += sum;
      if (sum > top) top = sum, *label = static_cast<int>(c);
    }
    return measure_.cost(total - top);
  }
  // Some rows, class after class.
  void divide(const Word* rows, std::vector<Word>& out) const {
    out.resize(of_class_.size());
    for (std::size_t c = 0; c < classes_; ++c)
      for (std::size_t w = 0; w < words_; ++w) out[c * words_ + w] = rows_of(c)[w] & rows[w];
  }
  // What single splits of rows that were divided cost; nothing is better than a leaf of one class.
  template <class Do>
  void with_sets(const std::vector<Word>& divided, const Do& action) const {
    if (classes_ == 1) return;
    if (classes_ == 2)
      action(TwoSets<Measure>(measure_, words_, divided.data(), &divided[words_]));
    else
      action(ManySets<Measure>{measure_, words_, divided});
  }

  void add_wish(int label, const Word* rows, int side, MaskWish& wish) const {
    auto& right = wish.right[side];
    right.resize(words_, 0);
    const Word* own = rows_of(static_cast<std::size_t>(label));
    for (std::size_t w = 0; w < words_; ++w) right[w] |= rows[w] & own[w];
  }
  // Rows that are right on the left only, and those that are on the right only.
  TwoSets<Measure> wished(const Word*, const MaskWish& wish, std::vector<Word>& room) const {
    room.resize(2 * words_);
    for (int s = 0; s < 2; ++s)
      for (std::size_t w = 0; w < words_; ++w)
        room[static_cast<std::size_t>(s) * words_ + w] = wish.right[s][w] & ~wish.right[1 - s][w];
    return TwoSets<Measure>(measure_, words_, room.data(), &room[words_]);
  }

 private:
  const Word* rows_of(std::size_t c) const { return &of_class_[c * words_]; }

  Measure measure_;
  std::size_t words_, classes_;
  std::vector<Word> of_class_;  // class after class: its rows
};

}  // namespace exactree::EXACTREE_ISA
