// The ranks of a node, compiled per instruction set.
//
// For every pair of columns (g, f) a node can hold the ranks of f in the order of g. Then the rows
// of g that a split of f sends left are those with a rank below the threshold: one vector compare
// gives 64 of them. These arrays are made when first asked for, from the parent's by compaction. A
// column of few values has bytes for ranks; only those in its own order are as wide as all others,
// because they are what the rest of the search reads.
//
// Pairs are quadratic in the columns, so they are kept only while there is room, in blocks: all
// orders of one column f, which is what the splits of f ask for. Where there is no room for a new
// block it takes the place of the oldest, which is made again when it is needed. A child whose
// parent has not kept a block makes its own from the data.
//
// Columns that follow others (twins.hpp) are split, but have no part in pairs: nothing else is
// asked for in their order, which is made from that of the column that leads, and the ranks of that
// one tell their splits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/columns/column_group.hpp"
#include "search/columns/ranks.hpp"
#include "search/columns/twins.hpp"
#include "search/driver/control.hpp"
#include "search/node.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

// What the nodes of a search share.
struct RankTools {
  // Shares of the optional memory (Control::room): for the pairs of the root, which serve all
  // nodes, and for the pairs of all nodes together.
  static constexpr double kRootShare = 0.5, kShare = 0.75;

  CompactionTable compaction;
  const Problem* data;
  Control* control;          // counts the bytes of pairs; null: nobody does
  std::vector<bool> narrow;  // per column: its ranks fit in bytes
  Twins twins;

  RankTools(const Problem& problem, Control* counting, Twins pairs)
      : data(&problem), control(counting), twins(std::move(pairs)) {
    for (int f = 0; f < data->features; ++f) {
      int most = 0;
      for (int i = 0; i < data->rows; ++i) most = std::max(most, data->rank(f, i));
      narrow.push_back(most <= RankCode<Narrow>::kMost);
    }
  }
  void use_memory(std::int64_t bytes) const {
    if (bytes != 0 && control != nullptr) control->use_memory(bytes);
  }
};

template <class Rank>
class RankTable {
 public:
  RankTable(int features, std::shared_ptr<const RankTools> tools)
      : features_(features), tools_(std::move(tools)) {
    const auto columns = static_cast<std::size_t>(features);
    own_.resize(columns);
    row_order_.resize(columns);
    block_of_.resize(columns, -1);
  }
  RankTable(const RankTable&) = delete;
  RankTable& operator=(const RankTable&) = delete;
  ~RankTable() { tools_->use_memory(-counted_); }

  // The table of all rows, column by column.
  void read_size() { resize(tools_->data->rows); }
  void read(int f) {
    auto& order = row_order_[static_cast<std::size_t>(f)].rows;
    order.resize(static_cast<std::size_t>(rows_));
    sort_rows(f, order.data());
    Rank* to = own_room(f);
    const std::int32_t* ranks = column_of(f);
    for (int i = 0; i < rows_; ++i)
      to[i] = RankCode<Rank>::encode(ranks[order[static_cast<std::size_t>(i)]]);
    pad(to);
  }
  // The table of the rows that are on all of these sides of the parent, which must outlive it.
  // False: there are none.
  bool take_size(RankTable& parent, std::span<const SplitSide> sides) {
    parent_ = &parent;
    sides_.assign(sides.begin(), sides.end());
    keep_.resize(index(features_, parent.words_));
    const auto [f, p, s] = sides.front();
    int rows = s == 0 ? p : parent.rows_ - p;
    if (sides.size() > 1) {
      write_kept(0);
      rows = 0;
      for (int w = 0; w < parent.words_; ++w) rows += EXACTREE_ISA::count(kept(0)[w]);
      if (rows == 0) return false;
    }
    resize(rows);
    return true;
  }
  void take(int g) {
    write_kept(g);
    compact_array(parent_->own(g), g, own_room(g));
  }
  // A column that follows another: that one without its first rows, and these at the end.
  void follow(int h) {
    const int g = leader(h), missing = position_of(g, 1, 0);
    const Rank* from = own(g);
    Rank* to = own_room(h);
    for (int i = missing; i < rows_; ++i) to[i - missing] = static_cast<Rank>(from[i] - 1);
    std::fill(to + rows_ - missing, to + rows_,
              RankCode<Rank>::encode(tools_->twins.top[static_cast<std::size_t>(h)]));
    pad(to);
  }
  int leaders() const { return tools_->twins.leaders; }
  int leader(int f) const { return tools_->twins.leader[static_cast<std::size_t>(f)]; }
  int follower(int f) const { return tools_->twins.follower[static_cast<std::size_t>(f)]; }
  // How many rows of a column that leads go different ways in the two; 0 if all or none do, since
  // then both have the same splits.
  int missing(int g) const {
    if (follower(g) < 0) return 0;
    const int n = position_of(g, 1, 0);
    return n < rows_ ? n : 0;
  }

  int rows() const { return rows_; }
  bool has_all_rows() const { return parent_ == nullptr; }
  int words() const { return words_; }
  Word last_word() const { return low_bits(rows_ - (words_ - 1) * 64); }
  const std::shared_ptr<const RankTools>& tools() const { return tools_; }
  // Which of all rows are here, in the order of a column.
  const int* row_order(int f) {
    if (parent_ != nullptr) compact_order(f);
    return row_order_[static_cast<std::size_t>(f)].rows.data();
  }
  // Which of the parent's rows are here, in the order of a column.
  const Word* kept(int f) const { return &keep_[index(f, parent_->words_)]; }

  // The ranks of a column in its own order.
  const Rank* own(int f) const { return own_[static_cast<std::size_t>(f)].template as<Rank>(); }
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
    const int l = ranked(f);
    if (g != f && is_narrow(l))
      return act(Parting<Narrow>{ranks<Narrow>(g, l), limit<Narrow>(f, p), words_, last_word()});
    const Rank* wide = g == f ? own(f) : ranks<Rank>(g, l);
    return act(Parting<Rank>{wide, limit<Rank>(f, p), words_, last_word()});
  }
  // The same for some columns of a group.
  template <class Act>
  EXACTREE_INLINE void with_group(int group, int f, int p, unsigned lanes, Act act) {
    if (is_narrow(ranked(f)))
      act(group_parting<Narrow>(group, f, p, lanes));
    else
      act(group_parting<Rank>(group, f, p, lanes));
  }

  // Whether all pairs are kept once they were made.
  bool keeps_all() const {
    const std::int64_t all = block_bytes<Rank>() * leaders();
    return tools_->control == nullptr || tools_->control->has_room(all, share());
  }
  // Of all but the pairs and orders, which count themselves.
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(keep_.capacity() * sizeof(Word)) + own_bytes_ +
           (parent_ == nullptr ? static_cast<std::int64_t>(index(features_, rows_) * sizeof(int))
                               : 0);
  }

 private:
  // The rows of a node in the order of a column, made when first asked for.
  struct Order {
    std::vector<int> rows;
    std::uint64_t made_for = 0;
  };

  std::size_t index(int f, int stride) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(stride);
  }
  bool is_narrow(int f) const { return tools_->narrow[static_cast<std::size_t>(f)]; }
  const std::int32_t* column_of(int f) const {
    return tools_->data->ranks + index(f, tools_->data->rows);
  }
  double share() const { return parent_ == nullptr ? RankTools::kRootShare : RankTools::kShare; }
  // The column whose ranks tell the splits of f.
  int ranked(int f) const { return leader(f) < 0 ? f : leader(f); }
  // The rank that parts the rows at position p; beyond the last row, the padding.
  template <class R>
  Limit<R> limit(int f, int p) const {
    if (p >= rows_) return {RankCode<R>::kPad, false};
    const bool follows = leader(f) >= 0;
    return {RankCode<R>::encode(rank_at(f, p) + (follows ? 1 : 0)), follows};
  }

  void resize(int rows) {
    rows_ = rows;
    words_ = (rows + 63) / 64;
    // Vector code reads and writes whole words, and one rank past the last.
    stride_ = static_cast<std::size_t>(words_) * 64 + 64;
    std::fill(block_of_.begin(), block_of_.end(), -1);
    blocks_used_ = 0;
    node_ = ++numbers_;
  }
  // Room for any child of the parent.
  std::size_t room() const { return parent_ != nullptr ? parent_->stride_ : stride_; }
  Rank* own_room(int f) {
    RankRoom& to = own_[static_cast<std::size_t>(f)];
    own_bytes_ += to.template resize<Rank>(room());
    return to.template as<Rank>();
  }
  // Ranks are dense: a counting sort.
  void sort_rows(int f, int* order) {
    const std::int32_t* ranks = column_of(f);
    starts_.assign(static_cast<std::size_t>(tools_->data->max_rank) + 2, 0);
    for (int i = 0; i < rows_; ++i) ++starts_[static_cast<std::size_t>(ranks[i]) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    for (int i = 0; i < rows_; ++i) order[starts_[static_cast<std::size_t>(ranks[i])]++] = i;
  }
  void write_kept(int g) {
    Word* to = &keep_[index(g, parent_->words_)];
    write_side(g, sides_.front(), [to](int w, Word rows) { to[w] = rows; });
    for (std::size_t i = 1; i < sides_.size(); ++i)
      write_side(g, sides_[i], [to](int w, Word rows) { to[w] &= rows; });
  }
  template <class Put>
  void write_side(int g, const SplitSide& at, Put put) {
    parent_->with_parting(g, at.column, at.position, [&, side = at.side](const auto& parting) {
      for (int w = 0; w < parting.words; ++w) put(w, parting.side(side, w));
    });
  }

  template <class R>
  void pad(R* ranks) const {
    std::fill(ranks + rows_, ranks + stride_, RankCode<R>::kPad);
  }
  template <class R>
  void compact_array(const R* from, int g, R* to) const {
    compact(from, kept(g), parent_->words_, to, tools_->compaction);
    pad(to);
  }
  void compact_order(int g) {
    Order& order = row_order_[static_cast<std::size_t>(g)];
    if (order.made_for == node_) return;
    order.made_for = node_;
    const int* from = parent_->row_order(g);
    if (order.rows.size() < room()) {
      count((room() - order.rows.size()) * sizeof(int));
      order.rows.resize(room());
    }
    compact(from, kept(g), parent_->words_, order.rows.data(), tools_->compaction);
  }
  void count(std::size_t bytes) {
    counted_ += static_cast<std::int64_t>(bytes);
    tools_->use_memory(static_cast<std::int64_t>(bytes));
  }

  // The ranks of column f in the order of another column g, made on demand.
  template <class R>
  EXACTREE_INLINE const R* ranks(int g, int f) {
    int b = block_of_[static_cast<std::size_t>(f)];
    if (b < 0) b = open_block<R>(f);
    RankBlock& block = blocks_[static_cast<std::size_t>(b)];
    RankRoom& to = block.in_order_of[static_cast<std::size_t>(g)];
    if (to.made_for != block.number) [[unlikely]]
      make<R>(g, f, block, to);
    return to.template as<R>();
  }
  template <class R>
  [[gnu::noinline]] void make(int g, int f, const RankBlock& block, RankRoom& to) {
    // The parent first: it may throw.
    const R* from = parent_ != nullptr && parent_->template has_block<R>(f)
                        ? parent_->template ranks<R>(g, f)
                        : nullptr;
    count(static_cast<std::size_t>(to.template resize<R>(room())));
    if (from != nullptr)
      compact_array(from, g, to.template as<R>());
    else
      gather(g, f, to.template as<R>());
    to.made_for = block.number;
  }
  template <class R>
  void gather(int g, int f, R* to) {
    const int* order = row_order(g);
    gather_ranks(encoded<R>(f), order, rows_, to);
    pad(to);
  }
  // The ranks of a column in the order of the data, coded; those of the last one asked for.
  template <class R>
  const R* encoded(int f) {
    if (encoded_ != f) {
      encoded_ = f;
      encoded_ranks_.template resize<R>(static_cast<std::size_t>(tools_->data->rows) + kGatherPad);
      R* to = encoded_ranks_.template as<R>();
      const std::int32_t* from = column_of(f);
      for (int i = 0; i < tools_->data->rows; ++i) to[i] = RankCode<R>::encode(from[i]);
    }
    return encoded_ranks_.template as<R>();
  }

  template <class R>
  std::int64_t block_bytes() const {
    return static_cast<std::int64_t>(index(leaders(), 1) * (room() * sizeof(R) + sizeof(RankRoom)));
  }
  // Whether a column has a block here, or can have one without taking another's.
  template <class R>
  bool has_block(int f) const {
    return block_of_[static_cast<std::size_t>(f)] >= 0 || can_grow<R>();
  }
  template <class R>
  bool can_grow() const {
    return blocks_used_ < static_cast<int>(blocks_.size()) || blocks_.empty() ||
           tools_->control == nullptr || tools_->control->has_room(block_bytes<R>(), share());
  }
  template <class R>
  [[gnu::noinline]] int open_block(int f) {
    int at = blocks_used_;
    if (can_grow<R>()) {
      ++blocks_used_;
      if (at == static_cast<int>(blocks_.size())) {
        blocks_.emplace_back();
        blocks_.back().in_order_of.resize(static_cast<std::size_t>(features_));
        count(static_cast<std::size_t>(features_) * sizeof(RankRoom));
      }
    } else {
      at = oldest_ = (oldest_ + 1) % blocks_used_;
      block_of_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(at)].feature)] = -1;
    }
    RankBlock& block = blocks_[static_cast<std::size_t>(at)];
    block.feature = f;
    block.number = ++numbers_;
    block_of_[static_cast<std::size_t>(f)] = at;
    return at;
  }
  template <class R>
  GroupParting<R> group_parting(int group, int f, int p, unsigned lanes) {
    GroupParting<R> parting;
    parting.limit = limit<R>(f, p);
    parting.words = words_;
    parting.last = last_word();
    for (; lanes != 0; lanes &= lanes - 1) {
      const int j = std::countr_zero(lanes), g = group * kGroup + j;
      if (g == f)
        parting.own = j, parting.position = p;
      else
        parting.ranks[j] = ranks<R>(g, ranked(f));
    }
    return parting;
  }

  int features_, rows_ = 0, words_ = 0;
  std::size_t stride_ = 0;
  std::shared_ptr<const RankTools> tools_;
  RankTable* parent_ = nullptr;  // of all but the root
  std::vector<SplitSide> sides_;
  // Nothing of these moves once it was made: all threads read those of the root.
  std::vector<RankRoom> own_;  // per column
  std::int64_t own_bytes_ = 0, counted_ = 0;
  std::vector<RankBlock> blocks_;
  std::vector<int> block_of_;  // per column: -1 if it has none
  int blocks_used_ = 0, oldest_ = 0;
  std::uint64_t numbers_ = 0, node_ = 0;  // the last number given, and this node's
  RankRoom encoded_ranks_;
  int encoded_ = -1;
  std::vector<Word> keep_;        // per column: which of the parent's rows are here
  std::vector<Order> row_order_;  // per column, of those that were asked for
  std::vector<int> starts_;
};

}  // namespace exactree::EXACTREE_ISA
