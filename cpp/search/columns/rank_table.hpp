// The ranks of a node, compiled per instruction set.
//
// For every pair of columns (g, f) a node can hold the ranks of f in the order of g. Then the rows
// of g that a split of f sends left are those with a rank below the threshold: one vector compare
// gives 64 of them. These arrays are made when first asked for, from the parent's by compaction. A
// column of few values has bytes for ranks; only those in its own order are as wide as all others,
// because they are what the rest of the search reads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "search/columns/column_group.hpp"
#include "search/columns/ranks.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

// What the nodes of a search share.
struct RankTools {
  CompactionTable compaction;
  std::vector<bool> narrow;  // per column: its ranks fit in bytes

  explicit RankTools(const Problem& data) {
    for (int f = 0; f < data.features; ++f) {
      int most = 0;
      for (int i = 0; i < data.rows; ++i) most = std::max(most, data.rank(f, i));
      narrow.push_back(most <= RankCode<Narrow>::kMost);
    }
  }
};

template <class Rank>
class RankTable {
 public:
  RankTable(int features, std::shared_ptr<const RankTools> tools)
      : features_(features), tools_(std::move(tools)) {
    array_of_.resize(static_cast<std::size_t>(features) * static_cast<std::size_t>(features));
  }

  // The table of all rows.
  void read(const Problem& data) {
    data_ = &data;
    resize(data.rows);
    // All threads ask this table for ranks while one of them adds arrays: nothing may move.
    wide_.reserve(array_of_.size());
    narrow_.reserve(array_of_.size());
    row_order_.resize(index(features_, rows_));
    for (int f = 0; f < features_; ++f) {
      sort_rows(f, &row_order_[index(f, rows_)]);
      read_array(f, f, add(wide_, f, f));
    }
  }
  // The table of one side of the split (f, p) of the parent, which must outlive it.
  void take(RankTable& parent, int f, int p, bool left) {
    parent_ = &parent;
    resize(left ? p : parent.rows_ - p);
    keep_.resize(index(features_, parent.words_));
    for (int g = 0; g < features_; ++g) {
      parent.write_side(g, f, p, left, &keep_[index(g, parent.words_)]);
      compact_array(parent.own(g), g, add(wide_, g, g));
    }
  }

  int rows() const { return rows_; }
  int words() const { return words_; }
  Word last_word() const { return low_bits(rows_ - (words_ - 1) * 64); }
  const std::shared_ptr<const RankTools>& tools() const { return tools_; }
  // The rows in the order of a column, if they are all there are.
  const int* row_order(int f) const { return &row_order_[index(f, rows_)]; }
  // Which of the parent's rows are here, in the order of a column.
  const Word* kept(int f) const { return &keep_[index(f, parent_->words_)]; }

  // The ranks of a column in its own order.
  const Rank* own(int f) const { return wide_[array_of_[pair(f, f)]]; }
  int rank_at(int f, int p) const { return own(f)[p] + RankCode<Rank>::kOffset; }
  // How many rows have a lower rank; at least `from`.
  int position_of(int f, int rank, int from) const {
    // Galloping: lists of thresholds are carried over in order, so the answer is near `from`.
    const Rank* r = own(f);
    const int limit = rank - RankCode<Rank>::kOffset;
    int a = from, step = 1;
    for (; a + step <= rows_ && r[a + step - 1] < limit; step *= 2) a += step;
    for (; step > 0; step /= 2)
      if (a + step <= rows_ && r[a + step - 1] < limit) a += step;
    return a;
  }

  // Does something with the rows that the split (f, p) sends left, in the order of column g.
  template <class Act>
  EXACTREE_INLINE auto with_parting(int g, int f, int p, Act act) {
    if (g != f && is_narrow(f))
      return act(Parting<Narrow>{ranks(&RankTable::narrow_, g, f), limit<Narrow>(f, p), words_,
                                 last_word()});
    return act(
        Parting<Rank>{ranks(&RankTable::wide_, g, f), limit<Rank>(f, p), words_, last_word()});
  }
  // The same for some columns of a group.
  template <class Act>
  EXACTREE_INLINE void with_group(int group, int f, int p, unsigned lanes, Act act) {
    if (is_narrow(f))
      act(group_parting(&RankTable::narrow_, group, f, p, lanes));
    else
      act(group_parting(&RankTable::wide_, group, f, p, lanes));
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(keep_.capacity() * sizeof(Word)) + wide_.bytes() +
           narrow_.bytes();
  }

 private:
  std::size_t index(int f, int stride) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(stride);
  }
  std::size_t pair(int g, int f) const { return index(g, features_) + static_cast<std::size_t>(f); }
  bool is_narrow(int f) const { return tools_->narrow[static_cast<std::size_t>(f)]; }
  // The rank that parts the rows at position p; beyond the last row, the padding.
  template <class R>
  R limit(int f, int p) const {
    return p < rows_ ? RankCode<R>::encode(rank_at(f, p)) : RankCode<R>::kPad;
  }

  void resize(int rows) {
    rows_ = rows;
    words_ = (rows + 63) / 64;
    // Vector code reads and writes whole words, and one rank past the last.
    stride_ = static_cast<std::size_t>(words_) * 64 + 64;
    std::fill(array_of_.begin(), array_of_.end(), -1);
    wide_.clear();
    narrow_.clear();
  }
  // Ranks are dense: a counting sort.
  void sort_rows(int f, int* order) const {
    std::vector<int> start(static_cast<std::size_t>(data_->max_rank) + 2, 0);
    for (int i = 0; i < rows_; ++i) ++start[static_cast<std::size_t>(data_->rank(f, i)) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (int i = 0; i < rows_; ++i) order[start[static_cast<std::size_t>(data_->rank(f, i))]++] = i;
  }
  void write_side(int g, int f, int p, bool left, Word* out) {
    with_parting(g, f, p, [&](const auto& parting) {
      for (int w = 0; w < words_; ++w) out[w] = parting.side(left ? 0 : 1, w);
    });
  }

  // Room for the ranks of column f in the order of column g, large enough for any child's.
  template <class R>
  R* add(RankRooms<R>& rooms, int g, int f) {
    const int at = rooms.add(parent_ != nullptr ? parent_->stride_ : stride_);
    array_of_[pair(g, f)] = at;
    return rooms[at];
  }
  template <class R>
  void pad(R* ranks) const {
    std::fill(ranks + rows_, ranks + stride_, RankCode<R>::kPad);
  }
  template <class R>
  void read_array(int g, int f, R* to) const {
    const int* order = row_order(g);
    for (int i = 0; i < rows_; ++i) to[i] = RankCode<R>::encode(data_->rank(f, order[i]));
    pad(to);
  }
  template <class R>
  void compact_array(const R* from, int g, R* to) const {
    compact(from, kept(g), parent_->words_, to, tools_->compaction);
    pad(to);
  }
  // The ranks of column f in the order of column g, made on demand.
  template <class R>
  const R* ranks(RankRooms<R> RankTable::* rooms, int g, int f) {
    if (array_of_[pair(g, f)] < 0) {
      const R* from = parent_ != nullptr ? parent_->ranks(rooms, g, f) : nullptr;
      R* to = add(this->*rooms, g, f);
      if (parent_ != nullptr)
        compact_array(from, g, to);
      else
        read_array(g, f, to);
    }
    return (this->*rooms)[array_of_[pair(g, f)]];
  }
  template <class R>
  GroupParting<R> group_parting(RankRooms<R> RankTable::* rooms, int group, int f, int p,
                                unsigned lanes) {
    GroupParting<R> parting;
    parting.limit = limit<R>(f, p);
    parting.words = words_;
    parting.last = last_word();
    for (; lanes != 0; lanes &= lanes - 1) {
      const int j = std::countr_zero(lanes), g = group * kGroup + j;
      if (g == f)
        parting.own = j, parting.position = p;
      else
        parting.ranks[j] = ranks(rooms, g, f);
    }
    return parting;
  }

  int features_, rows_ = 0, words_ = 0;
  std::size_t stride_ = 0;
  std::shared_ptr<const RankTools> tools_;
  const Problem* data_ = nullptr;  // of all rows
  RankTable* parent_ = nullptr;    // of all others
  RankRooms<Rank> wide_;
  RankRooms<Narrow> narrow_;
  std::vector<int> array_of_;   // per pair of columns: which of those above, -1 if none yet
  std::vector<Word> keep_;      // per column: which of the parent's rows are here
  std::vector<int> row_order_;  // all rows: their order in each column
};

}  // namespace exactree::EXACTREE_ISA
