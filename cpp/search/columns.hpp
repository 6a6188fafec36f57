// A node over rank columns, compiled per instruction set.
//
// For every pair of columns (g, f) a node can hold the ranks of f in the order of g. Then the rows
// of g that a split of f sends left are those with a rank below the threshold: one vector compare
// gives 64 of them. These arrays are made when first asked for, from the parent's by compaction.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "search/bits.hpp"
#include "search/claims.hpp"
#include "search/leaf_cost.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

// The scan of one column for one side of a split: what it must beat, and what it found.
template <class Measure>
struct Scan {
  Measure best;                       // in: beat this; out: the lowest cost found, else unchanged
  Measure low;                        // stop when best has come down to it
  Measure floor = 0;                  // out: no split of this column is cheaper
  int first_rows = 0, last_rows = 0;  // how many of the side's rows may be left of the split
  bool wanted = false;
};

// Which rows of one column's order a split of another column sends left: those below its limit.
template <class Rank>
struct Parting {
  const Rank* ranks;
  Rank limit;
  int words;
  Word last;  // the rows of the last word

  EXACTREE_INLINE Word left(int w) const { return below(ranks + w * 64, limit); }
  EXACTREE_INLINE Word rows(int w) const { return w + 1 == words ? last : ~Word{0}; }
  Word side(int s, int w) const { return s == 0 ? left(w) : ~left(w) & rows(w); }
};

// Ranks are stored with an offset so that the signed compare of AVX2 can be used, with the largest
// value as padding beyond the last row.
template <class Rank>
struct RankCode;
template <>
struct RankCode<std::int16_t> {
  static constexpr int kOffset = 32768;
  static constexpr std::int16_t kPad = 32767;
};
template <>
struct RankCode<std::int32_t> {
  static constexpr int kOffset = 0;
  static constexpr std::int32_t kPad = std::numeric_limits<std::int32_t>::max();
};

// Whether targets are numbers (squared_targets.hpp) instead of classes.
template <class Targets>
inline constexpr bool kSquared = requires { typename Targets::Squared; };

template <class Rank, class Targets>
class ColumnNode final : public Node {
 public:
  using Measure = typename Targets::Measure;

  ColumnNode(int features, Cost unit, int min_rows, std::shared_ptr<const CompactionTable> table)
      : table_(std::move(table)) {
    features_ = features;
    unit_ = unit;
    min_rows_ = min_rows;
    unbounded_ = kSquared<Targets>;
    block_of_.resize(static_cast<std::size_t>(features) * static_cast<std::size_t>(features));
  }

  // The node of all rows.
  static std::unique_ptr<Node> root(const Columns& data) {
    auto node = std::make_unique<ColumnNode>(data.features, data.unit, data.min_rows,
                                             std::make_shared<CompactionTable>());
    node->resize(data.rows);
    node->data_ = &data;
    node->leaf_cost_ = LeafCost(data);
    // All threads ask this node for ranks while one of them adds blocks: the table must not move.
    node->blocks_.reserve(node->block_of_.size());
    node->targets_.allocate(data, data.rows, node->words_);
    node->row_order_.resize(node->index(data.features, data.rows));
    for (int f = 0; f < data.features; ++f) {
      int* order = &node->row_order_[node->index(f, data.rows)];
      node->sort_rows(f, order);
      Rank* own = node->new_block(f, f);
      for (int i = 0; i < data.rows; ++i) own[i] = encode(data.rank(f, order[i]));
      node->pad(own);
      node->targets_.take_rows(data, f, order);
    }
    node->finish(data.counts != nullptr && data.min_rows > 1);
    for (int f = 0; f < data.features; ++f) node->set_root_prefixes(f);
    EXACTREE_CLAIM(node->audited.set_root(data));
    return node;
  }

  std::unique_ptr<Node> make_empty() const override {
    auto node = std::make_unique<ColumnNode>(features_, unit_, min_rows_, table_);
    node->leaf_cost_ = leaf_cost_;
    return node;
  }

  int rank_at(int f, int p) const override { return own(f)[p] + RankCode<Rank>::kOffset; }

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

  void make_child(int f, int p, bool left, Node& into, const Workspace&) override {
    auto& child = static_cast<ColumnNode&>(into);
    child.parent_ = this;
    child.resize(left ? p : rows_ - p);
    child.keep_.resize(index(features_, words_));
    child.targets_.allocate(targets_, child.rows_, child.words_);
    const Rank limit = own(f)[p];
    for (int g = 0; g < features_; ++g) {
      Word* keep = &child.keep_[index(g, words_)];
      members(ranks(g, f), limit, keep);
      if (!left) complement(keep);
      Rank* block = child.new_block(g, g);
      compact(own(g), keep, words_, block, *table_);
      child.pad(block);
      child.targets_.take(targets_, g, keep, words_);
    }
    child.finish(!counts_.empty());
    if (!prefix_.empty() || !counts_.empty())
      for (int g = 0; g < features_; ++g) child.set_child_prefixes(g);
    EXACTREE_CLAIM(child.audited.set_child(audited, f, rank_at(f, p), left), claims::built(child));
  }

  void between(int f, int a, int b, Difference& out) override {
    out.ranks.resize(static_cast<std::size_t>(features_));
    out.costs.resize(static_cast<std::size_t>(features_));
    const Rank from = own(f)[a], to = b < rows_ ? own(f)[b] : RankCode<Rank>::kPad;
    for (int g = 0; g < features_; ++g) {
      auto& rank = out.ranks[static_cast<std::size_t>(g)];
      auto& cost = out.costs[static_cast<std::size_t>(g)];
      rank.clear();
      cost.assign(1, 0);
      const Rank* r = ranks(g, f);
      for (int w = 0; w < words_; ++w)
        for (Word v = below(r + w * 64, to) & ~below(r + w * 64, from); v != 0; v &= v - 1) {
          const int i = w * 64 + exactree::EXACTREE_ISA::first(v);
          rank.push_back(rank_at(g, i));
          cost.push_back(cost.back() + influence(g, i, i + 1));
        }
    }
  }

  void part(int f, int p, Workspace& work) const override {
    targets_.part(f, p, work);
    const int* sum = counts_.empty() ? nullptr : &counts_[index(f, rows_ + 1)];
    work.side_rows[0] = sum == nullptr ? p : sum[p];
    work.side_rows[1] = sum == nullptr ? rows_ - p : sum[rows_] - sum[p];
  }

  void depth_one(int f, int p, SideQuery side[2], bool limited, Workspace& work) override {
    const Rank limit = own(f)[p];
    Scan<Measure> scan[2];
    for (int s = 0; s < 2; ++s) {
      scan[s].best = targets_.at_least(side[s].best, unit_);
      scan[s].low = targets_.at_most(side[s].low, unit_);
      scan[s].first_rows = limited ? min_rows_ : 1;
      scan[s].last_rows = work.side_rows[s] - scan[s].first_rows;
    }
    typename Targets::Passes passes(scan, work);
    std::vector<int>& order = work.order[static_cast<std::size_t>(f)];
    for (std::size_t i = 0; i < order.size() && (side[0].wanted || side[1].wanted); ++i) {
      const int g = order[i];
      for (int s = 0; s < 2; ++s)
        scan[s].wanted = side[s].wanted && !barred(side[s], g, scan[s], work);
      EXACTREE_CLAIM(claim_barred(f, p, g, limited, side, scan));
      if (!scan[0].wanted && !scan[1].wanted) continue;
      [[maybe_unused]] const Scan<Measure> before[2] = {scan[0], scan[1]};
      const bool better = scan_column(g, Parting<Rank>{ranks(g, f), limit, words_, last_word()},
                                      limited, passes, scan, side, work);
      EXACTREE_CLAIM(claim_scanned(f, p, g, limited, before, scan));
      for (int s = 0; s < 2; ++s)
        if (scan[s].best <= scan[s].low) side[s].wanted = false;
      // Columns that were good lately come first: they bring `best` down early.
      if (better && i > 0)
        std::rotate(order.begin(), order.begin() + static_cast<long>(i),
                    order.begin() + static_cast<long>(i) + 1);
    }
    for (int s = 0; s < 2; ++s)
      side[s].best = std::min(side[s].best, targets_.cost(scan[s].best, unit_));
  }

  void whole(SideQuery& query, bool limited, Workspace& work) override {
    // Position rows() has the padding for its rank: every row is left of it.
    part(0, rows_, work);
    SideQuery side[2] = {query, {}};
    depth_one(0, rows_, side, limited, work);
    query = side[0];
  }

  void list_rows(int f, int* classes, Cost* costs) const override {
    for (int i = 0; i < rows_; ++i) {
      classes[i] = targets_.class_at(f, i);
      costs[i] = weight_at(f, i);
    }
  }
  void list_squares(int f, SquareSums* rows) const override {
    if constexpr (kSquared<Targets>)
      for (int i = 0; i < rows_; ++i) rows[i] = targets_.row_at(f, i);
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(allocated_ * sizeof(Rank) +
                                     (keep_.capacity() + ends_.capacity()) * sizeof(Word)) +
           targets_.bytes();
  }

 private:
  static Rank encode(int rank) { return static_cast<Rank>(rank - RankCode<Rank>::kOffset); }

  void resize(int rows) {
    rows_ = rows;
    words_ = (rows + 63) / 64;
    // Vector code reads and writes whole words, and one rank past the last.
    stride_ = static_cast<std::size_t>(words_) * 64 + 64;
    std::fill(block_of_.begin(), block_of_.end(), -1);
    used_ = 0;
    ends_.resize(index(features_, words_));
  }

  // Room for the ranks of column f in the order of column g. Rooms are kept for the next child, and
  // made large enough for any.
  Rank* new_block(int g, int f) {
    const std::size_t room = parent_ != nullptr ? parent_->stride_ : stride_;
    if (blocks_.size() <= used_) blocks_.resize(used_ + 1);
    Block& block = blocks_[used_];
    if (block.room < room) {
      block.ranks.reset(new Rank[room]);
      allocated_ += room - block.room;
      block.room = room;
    }
    block_of_[pair(g, f)] = static_cast<std::int32_t>(used_++);
    return block.ranks.get();
  }
  std::size_t pair(int g, int f) const { return index(g, features_) + static_cast<std::size_t>(f); }
  Rank* block(int g, int f) {
    return blocks_[static_cast<std::size_t>(block_of_[pair(g, f)])].ranks.get();
  }
  const Rank* own(int f) const {
    return blocks_[static_cast<std::size_t>(block_of_[pair(f, f)])].ranks.get();
  }
  void pad(Rank* r) const { std::fill(r + rows_, r + stride_, RankCode<Rank>::kPad); }

  // The ranks of column f in the order of column g, made on demand.
  const Rank* ranks(int g, int f) {
    if (block_of_[pair(g, f)] < 0) {
      if (parent_ != nullptr) {
        const Rank* from = parent_->ranks(g, f);
        Rank* to = new_block(g, f);
        compact(from, &keep_[index(g, parent_->words_)], parent_->words_, to, *table_);
        pad(to);
      } else {
        Rank* to = new_block(g, f);
        const int* order = &row_order_[index(g, rows_)];
        for (int i = 0; i < rows_; ++i) to[i] = encode(data_->rank(f, order[i]));
        pad(to);
      }
    }
    return block(g, f);
  }

  Word last_word() const { return low_bits(rows_ - (words_ - 1) * 64); }
  void members(const Rank* rank, Rank limit, Word* out) const {
    for (int w = 0; w < words_; ++w) out[w] = below(rank + w * 64, limit);
  }
  void complement(Word* mask) const {
    for (int w = 0; w < words_; ++w) mask[w] = ~mask[w];
    mask[words_ - 1] &= last_word();
  }

  void sort_rows(int f, int* order) const {
    // Ranks are dense: a counting sort.
    std::vector<int> start(static_cast<std::size_t>(data_->max_rank) + 2, 0);
    for (int i = 0; i < rows_; ++i) ++start[static_cast<std::size_t>(data_->rank(f, i)) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (int i = 0; i < rows_; ++i) order[start[static_cast<std::size_t>(data_->rank(f, i))]++] = i;
  }

  void finish(bool counted) {
    for (int f = 0; f < features_; ++f) {
      const Rank* r = own(f);
      Word* e = &ends_[index(f, words_)];
      for (int w = 0; w < words_; ++w) e[w] = group_ends(r + w * 64);
      // The padding differs from every rank, so the last row ends a group; nothing after it does.
      e[words_ - 1] &= last_word();
    }
    targets_.finish(unit_, leaf_, label_);
    bool by_row = Targets::kWeighted;
    if constexpr (kSquared<Targets>) by_row = targets_.influences(), unbounded_ = !by_row;
    if (by_row) prefix_.resize(index(features_, rows_ + 1));
    if (counted) counts_.resize(index(features_, rows_ + 1));
  }
  void set_root_prefixes(int f) {
    if (!counts_.empty()) {
      int* sum = &counts_[index(f, rows_ + 1)];
      sum[0] = 0;
      for (int i = 0; i < rows_; ++i)
        sum[i + 1] =
            sum[i] + data_->counts[row_order_[index(f, rows_) + static_cast<std::size_t>(i)]];
    }
    if (!prefix_.empty()) set_cost_prefix(f);
  }
  void set_child_prefixes(int f) {
    if (!prefix_.empty()) set_cost_prefix(f);
    if (counts_.empty()) return;
    int* sum = &counts_[index(f, rows_ + 1)];
    const Word* keep = &keep_[index(f, parent_->words_)];
    sum[0] = 0;
    int i = 0;
    for (int w = 0; w < parent_->words_; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1, ++i)
        sum[i + 1] = sum[i] + parent_->count_at(f, w * 64 + exactree::EXACTREE_ISA::first(v));
  }
  void set_cost_prefix(int f) {
    Cost* sum = &prefix_[index(f, rows_ + 1)];
    sum[0] = 0;
    for (int i = 0; i < rows_; ++i) sum[i + 1] = sum[i] + targets_.cost_at(f, i, unit_);
  }

  // Floor. floors[g] bounds from below what the best second split in column g can cost, so a
  // column whose floor is not below the best known cost holds nothing better.
  bool barred(const SideQuery& side, int g, const Scan<Measure>& scan, Workspace& work) const {
    if (side.floors == nullptr || side.floors[g] * floor_unit() < scan.best) return false;
    work.counters.count(Pruning::kFloor);
    return true;
  }

  // What floors are counted in, as a measure.
  Measure floor_unit() const {
    if constexpr (kSquared<Targets>) return unit_;
    return 1;
  }

  bool scan_column(int g, const Parting<Rank>& parting, bool limited,
                   typename Targets::Passes& passes, Scan<Measure> scan[2], SideQuery side[2],
                   Workspace& work) {
    const Measure before[2] = {scan[0].best, scan[1].best};
    const Word* group_end = &ends_[index(g, words_)];
    if (!kSquared<Targets> && !work.switches.on(Pruning::kJump)) {
      for (int s = 0; s < 2; ++s)
        if (scan[s].wanted) scan_all(g, parting, group_end, s, scan[s], work);
    } else {
      const int* counts = counts_.empty() ? nullptr : &counts_[index(g, rows_ + 1)];
      targets_.scan(g, parting, group_end, limited, counts, passes, scan, work);
    }
    for (int s = 0; s < 2; ++s) {
      if (!scan[s].wanted) continue;
      ++work.counters.scans;
      if (side[s].floors == nullptr || limited) continue;
      const Measure most = std::numeric_limits<std::uint16_t>::max();
      const Measure floor = std::min(most, scan[s].floor / floor_unit());
      side[s].floors[g] = std::max(side[s].floors[g], static_cast<std::uint16_t>(floor));
    }
    return scan[0].best < before[0] || scan[1].best < before[1];
  }

  // The weight of a row, which is what it costs unless there is a table of costs.
  Cost weight_at(int f, int i) const {
    if constexpr (requires { targets_.weight_at(f, i); }) return targets_.weight_at(f, i);
    return targets_.cost_at(f, i, unit_);
  }

  // The scan without the jump: every split of the column.
  void scan_all(int g, const Parting<Rank>& parting, const Word* group_end, int s,
                Scan<Measure>& scan, Workspace& work) const {
    std::vector<Cost> left(work.class_cost[s].size(), 0), right = work.class_cost[s];
    if (!Targets::kWeighted)
      for (Cost& c : right) c *= unit_;
    int passed = 0;
    for (int i = 0; i < rows_; ++i) {
      if (parting.side(s, i / 64) >> (i % 64) & 1) {
        const auto c = static_cast<std::size_t>(targets_.class_at(g, i));
        left[c] += weight_at(g, i);
        right[c] -= weight_at(g, i);
        passed += count_at(g, i);
      }
      if ((group_end[i / 64] >> (i % 64) & 1) == 0) continue;
      if (passed < scan.first_rows || passed > scan.last_rows) continue;
      const Cost cost = leaf_cost_(left) + leaf_cost_(right);
      scan.best = std::min(scan.best, targets_.at_least(cost, unit_));
    }
    scan.floor = scan.best;
  }

#ifdef EXACTREE_AUDIT
  void claim_barred(int f, int p, int g, bool limited, const SideQuery side[2],
                    const Scan<Measure> scan[2]) const {
    for (int s = 0; s < 2; ++s) {
      const Cost best = targets_.cost(scan[s].best, unit_);
      if (side[s].wanted && !scan[s].wanted)
        claims::scanned(Pruning::kFloor, *this, f, p, s, g, limited, best, best);
    }
  }
  void claim_scanned(int f, int p, int g, bool limited, const Scan<Measure> before[2],
                     const Scan<Measure> after[2]) const {
    for (int s = 0; s < 2; ++s)
      if (before[s].wanted)
        claims::scanned(Pruning::kJump, *this, f, p, s, g, limited,
                        targets_.cost(before[s].best, unit_), targets_.cost(after[s].best, unit_));
  }
#endif

  const Columns* data_ = nullptr;
  LeafCost leaf_cost_;
  ColumnNode* parent_ = nullptr;
  Targets targets_;
  struct Block {
    std::unique_ptr<Rank[]> ranks;
    std::size_t room = 0;
  };
  std::size_t stride_ = 0, used_ = 0, allocated_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> block_of_;
  std::vector<Word> keep_;      // per column: which of the parent's rows are here
  std::vector<int> row_order_;  // root only: the rows in the order of each column
  std::shared_ptr<const CompactionTable> table_;
};

}  // namespace exactree::EXACTREE_ISA
