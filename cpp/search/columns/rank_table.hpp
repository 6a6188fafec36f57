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
//
// How wide ranks are is known to rank_table_of.hpp alone: what scans the rows has words of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
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

class RankTable {
 public:
  RankTable(int features, std::shared_ptr<const RankTools> tools, bool wide)
      : features_(features),
        tools_(std::move(tools)),
        own_(static_cast<std::size_t>(features)),
        wide_(wide) {}
  RankTable(const RankTable&) = delete;
  RankTable& operator=(const RankTable&) = delete;
  virtual ~RankTable() = default;

  // The table of all rows, column by column.
  virtual void read_size() = 0;
  virtual void read(int f) = 0;
  // The table of the rows that are on all of these sides of the parent, which must outlive it.
  // False: there are none.
  virtual bool take_size(RankTable& parent, std::span<const SplitSide> sides) = 0;
  virtual void take(int g) = 0;
  // A column that follows another: that one without its first rows, and these at the end.
  virtual void follow(int h) = 0;
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
  virtual bool has_all_rows() const = 0;
  int words() const { return words_; }
  Word last_word() const { return low_bits(rows_ - (words_ - 1) * 64); }
  const std::shared_ptr<const RankTools>& tools() const { return tools_; }
  // Which of all rows are here, in the order of a column.
  virtual const int* row_order(int f) = 0;
  // Which of the parent's rows are here, in the order of a column.
  virtual const Word* kept(int f) const = 0;

  // The ranks of a column in its own order.
  int rank_at(int f, int p) const {
    const RankRoom& own = own_[static_cast<std::size_t>(f)];
    return wide_ ? own.as<std::int32_t>()[p] + RankCode<std::int32_t>::kOffset
                 : own.as<std::int16_t>()[p] + RankCode<std::int16_t>::kOffset;
  }
  // How many rows have a lower rank; at least `from`.
  virtual int position_of(int f, int rank, int from) const = 0;
  // Where groups of equal values end, in whole words: the padding differs from every rank.
  virtual void write_ends(int f, Word* ends) const = 0;

  // The rows that the split (f, p) sends left, in the order of column g. They stay until another
  // split is asked for in the same room.
  Parting parting(int g, int f, int p, int room = 0) {
    std::vector<Word>& left = left_rows_[room];
    left.resize(static_cast<std::size_t>(words_));
    write_left(g, f, p, left.data());
    return {left.data(), words_, last_word()};
  }
  // The same for some columns of a group, until those of another are asked for.
  virtual GroupRows group_rows(int group, int f, int p, unsigned lanes) = 0;

  // Whether all pairs are kept once they were made.
  virtual bool keeps_all() const = 0;
  // Of all but the pairs and orders, which count themselves.
  virtual std::int64_t bytes() const = 0;

 protected:
  virtual void write_left(int g, int f, int p, Word* left) = 0;

  int features_, rows_ = 0, words_ = 0;
  std::shared_ptr<const RankTools> tools_;
  // Nothing of these moves once it was made: all threads read those of the root.
  std::vector<RankRoom> own_;       // per column
  std::vector<Word> left_rows_[2];  // of the last splits asked for

 private:
  const bool wide_;
};

// With twins, or with no column that follows another.
std::shared_ptr<const RankTools> make_rank_tools(const Problem& data, Control* control,
                                                 bool find_twins);

// How many bytes a rank takes: the fewest that the columns fit in.
std::size_t rank_bytes(const Problem& data);
// An empty table of such ranks.
std::unique_ptr<RankTable> make_rank_table(int features, std::shared_ptr<const RankTools> tools);

}  // namespace exactree::EXACTREE_ISA
