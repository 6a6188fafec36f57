// The ranks of a node in integers of one width: see rank_table.hpp. Compiled per instruction set.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/columns/rank_table.hpp"

namespace exactree::EXACTREE_ISA {

template <class Rank>
class RankTableOf final : public RankTable {
 public:
  RankTableOf(int features, std::shared_ptr<const RankTools> tools)
      : RankTable(features, std::move(tools), sizeof(Rank) == sizeof(std::int32_t)),
        block_of_(static_cast<std::size_t>(features), -1),
        row_order_(static_cast<std::size_t>(features)) {}
  ~RankTableOf() override { tools_->use_memory(-counted_); }

  void read_size() override { resize(tools_->data->rows); }
  void read(int f) override {
    auto& order = row_order_[static_cast<std::size_t>(f)].rows;
    order.resize(static_cast<std::size_t>(rows_));
    sort_rows(f, order.data());
    Rank* to = own_room(f);
    const std::int32_t* ranks = column_of(f);
    for (int i = 0; i < rows_; ++i)
      to[i] = RankCode<Rank>::encode(ranks[order[static_cast<std::size_t>(i)]]);
    pad(to);
  }
  bool take_size(RankTable& parent, std::span<const SplitSide> sides) override {
    parent_ = &static_cast<RankTableOf&>(parent);
    sides_.assign(sides.begin(), sides.end());
    keep_.resize(index(features_, parent_->words_));
    const auto [f, p, s] = sides.front();
    int rows = s == 0 ? p : parent_->rows_ - p;
    if (sides.size() > 1) {
      write_kept(0);
      rows = 0;
      for (int w = 0; w < parent_->words_; ++w) rows += EXACTREE_ISA::count(kept(0)[w]);
      if (rows == 0) return false;
    }
    resize(rows);
    return true;
  }
  void take(int g) override {
    write_kept(g);
    compact_array(parent_->own(g), g, own_room(g));
  }
  void follow(int h) override {
    const int g = leader(h), missing = position_of(g, 1, 0);
    const Rank* from = own(g);
    Rank* to = own_room(h);
    for (int i = missing; i < rows_; ++i) to[i - missing] = static_cast<Rank>(from[i] - 1);
    std::fill(to + rows_ - missing, to + rows_,
              RankCode<Rank>::encode(tools_->twins.top[static_cast<std::size_t>(h)]));
    pad(to);
  }
  bool has_all_rows() const override { return parent_ == nullptr; }
  const int* row_order(int f) override {
    if (parent_ != nullptr) compact_order(f);
    return row_order_[static_cast<std::size_t>(f)].rows.data();
  }
  const Word* kept(int f) const override { return &keep_[index(f, parent_->words_)]; }

  int position_of(int f, int rank, int from) const override {
    // Galloping: lists of thresholds are carried over in order, so the answer is near `from`.
    const Rank* r = own(f);
    const int limit = rank - RankCode<Rank>::kOffset;
    int a = from, step = 1;
    for (; a + step <= rows_ && r[a + step - 1] < limit; step *= 2) a += step;
    for (; step > 0; step /= 2)
      if (a + step <= rows_ && r[a + step - 1] < limit) a += step;
    return a;
  }

  void write_ends(int f, Word* ends) const override {
    const Rank* r = own(f);
    for (int w = 0; w < words_; ++w) ends[w] = group_ends(r + w * 64);
  }
  GroupRows group_rows(int group, int f, int p, unsigned lanes) override {
    if (is_narrow(ranked(f))) return GroupRows(find_group(narrow_group_, group, f, p, lanes));
    return GroupRows(find_group(wide_group_, group, f, p, lanes));
  }

  bool keeps_all() const override {
    const std::int64_t all = block_bytes<Rank>() * leaders();
    return tools_->control == nullptr || tools_->control->has_room(all, share());
  }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(keep_.capacity() * sizeof(Word)) + own_bytes_ +
           (parent_ == nullptr ? static_cast<std::int64_t>(index(features_, rows_) * sizeof(int))
                               : 0);
  }

 protected:
  void write_left(int g, int f, int p, Word* left) override {
    const int l = ranked(f);
    if (g != f && is_narrow(l))
      limit<Narrow>(f, p).write(ranks<Narrow>(g, l), words_, left);
    else
      limit<Rank>(f, p).write(g == f ? own(f) : ranks<Rank>(g, l), words_, left);
  }

 private:
  const Rank* own(int f) const { return own_[static_cast<std::size_t>(f)].template as<Rank>(); }
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
    write_side(g, sides_.front(), to);
    if (sides_.size() == 1) return;
    std::vector<Word>& other = left_rows_[0];
    other.resize(static_cast<std::size_t>(parent_->words_));
    for (std::size_t i = 1; i < sides_.size(); ++i) {
      write_side(g, sides_[i], other.data());
      for (int w = 0; w < parent_->words_; ++w) to[w] &= other[static_cast<std::size_t>(w)];
    }
  }
  void write_side(int g, const SplitSide& at, Word* to) {
    const int words = parent_->words_;
    parent_->write_left(g, at.column, at.position, to);
    if (at.side == 0) return;
    for (int w = 0; w < words; ++w) to[w] = ~to[w];
    to[words - 1] &= parent_->last_word();
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
  const GroupParting<R>& find_group(GroupParting<R>& parting, int group, int f, int p,
                                    unsigned lanes) {
    parting.own = -1;
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

  std::size_t stride_ = 0;
  RankTableOf* parent_ = nullptr;  // of all but the root
  std::vector<SplitSide> sides_;
  std::int64_t own_bytes_ = 0, counted_ = 0;
  std::vector<RankBlock> blocks_;
  std::vector<int> block_of_;  // per column: -1 if it has none
  int blocks_used_ = 0, oldest_ = 0;
  std::uint64_t numbers_ = 0, node_ = 0;  // the last number given, and this node's
  RankRoom encoded_ranks_;
  int encoded_ = -1;
  GroupParting<Narrow> narrow_group_;
  GroupParting<Rank> wide_group_;
  std::vector<Word> keep_;        // per column: which of the parent's rows are here
  std::vector<Order> row_order_;  // per column, of those that were asked for
  std::vector<int> starts_;
};

}  // namespace exactree::EXACTREE_ISA
