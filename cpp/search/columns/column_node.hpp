// A node over rank columns, compiled per instruction set: how its rows are split (rank_table.hpp)
// and what they are to be classified as (a file for each kind of target).
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "search/columns/column_scans.hpp"

namespace exactree::EXACTREE_ISA {

template <class Rank, class Targets>
class ColumnNode final : public ColumnScans<Rank, Targets> {
  using Scans = ColumnScans<Rank, Targets>;
  using Scans::counts_, Scans::ends_, Scans::features_, Scans::label_, Scans::leaf_,
      Scans::leaf_cost_, Scans::least_side_, Scans::missing_, Scans::prefix_, Scans::ranks_,
      Scans::rows_, Scans::targets_, Scans::unbounded_, Scans::unit_, Scans::words_;
  using Scans::index, Scans::influence, Scans::weight_at;

 public:
  ColumnNode(int features, Cost unit, LeastSide least_side, std::shared_ptr<const RankTools> tools)
      : Scans(features, std::move(tools)) {
    features_ = features;
    unit_ = unit;
    least_side_ = least_side;
    unbounded_ = kNumbers<Targets>;
  }

  // The node of all rows.
  static std::unique_ptr<Node> root(const Problem& data, Workspace& work) {
    if (work.control != nullptr) work.control->need_memory(least_bytes(data));
    auto node = std::make_unique<ColumnNode>(
        data.features, data.unit, data.least_side,
        std::make_shared<RankTools>(data, work.control, twins_of(data, work)));
    node->ranks_.read_size();
    node->take_size();
    node->leaf_cost_ = LeafCost(data);
    node->targets_.allocate(data, data.rows, node->words_);
    for (int f = 0; f < data.features; ++f) {
      work.spend_on(2 * data.rows);
      node->ranks_.read(f);
      node->targets_.take_rows(data, f, node->ranks_.row_order(f));
    }
    node->finish(data.counts != nullptr && data.least_side.binds(), work);
    for (int f = 0; f < data.features; ++f) node->set_root_prefixes(data, f, work);
    EXACTREE_CLAIM(node->audited.set_root(data));
    return node;
  }

  std::unique_ptr<Node> make_empty() const override {
    auto node = std::make_unique<ColumnNode>(features_, unit_, least_side_, ranks_.tools());
    node->leaf_cost_ = leaf_cost_;
    return node;
  }

  int rank_at(int f, int p) const override { return ranks_.rank_at(f, p); }
  int position_of(int f, int rank, int from) const override {
    return ranks_.position_of(f, rank, from);
  }

  void make_child(int f, int p, bool left, Node& into, Workspace& work) override {
    auto& child = static_cast<ColumnNode&>(into);
    child.ranks_.take_size(ranks_, f, p, left);
    child.take_size();
    child.targets_.allocate(targets_, child.rows_, child.words_);
    for (int g = 0; g < ranks_.leaders(); ++g) {
      work.spend_on(rows_);
      child.ranks_.take(g);
      child.targets_.take(targets_, g, child.ranks_.kept(g), words_);
    }
    if constexpr (kTwinned<Targets>)
      for (int h = ranks_.leaders(); h < features_; ++h) {
        const int g = ranks_.leader(h);
        child.ranks_.follow(h);
        child.targets_.follow(h, g, child.ranks_.position_of(g, 1, 0));
      }
    child.finish(!counts_.empty(), work);
    if (!prefix_.empty() || !counts_.empty())
      for (int g = 0; g < features_; ++g) child.set_child_prefixes(*this, g, work);
    EXACTREE_CLAIM(child.audited.set_child(this->audited, f, rank_at(f, p), left),
                   claims::built(child));
  }

  void between(int f, int a, int b, Difference& out) override {
    out.ranks.resize(static_cast<std::size_t>(features_));
    out.costs.resize(static_cast<std::size_t>(features_));
    for (int g = 0; g < ranks_.leaders(); ++g) {
      auto& rank = out.ranks[static_cast<std::size_t>(g)];
      auto& cost = out.costs[static_cast<std::size_t>(g)];
      rank.clear();
      cost.assign(1, 0);
      ranks_.with_parting(g, f, a, [&](const auto& from) {
        ranks_.with_parting(g, f, b, [&](const auto& to) {
          for (int w = 0; w < words_; ++w)
            for (Word v = to.left(w) & ~from.left(w); v != 0; v &= v - 1) {
              const int i = w * 64 + exactree::EXACTREE_ISA::first(v);
              rank.push_back(rank_at(g, i));
              cost.push_back(cost.back() + influence(g, i, i + 1));
            }
        });
      });
      if (const int h = ranks_.follower(g); h >= 0) {
        // All rows cost the same: the costs of some of them do not depend on which.
        const auto at = static_cast<std::size_t>(h);
        const auto missing = std::upper_bound(rank.begin(), rank.end(), 0);
        out.costs[at] = cost;
        out.ranks[at].clear();
        for (auto r = missing; r != rank.end(); ++r) out.ranks[at].push_back(*r - 1);
        out.ranks[at].resize(rank.size(), ranks_.tools()->twins.top[at]);
      }
    }
  }

  void list_rows(int f, int* classes, Cost* costs) const override {
    for (int i = 0; i < rows_; ++i) {
      classes[i] = targets_.class_at(f, i);
      costs[i] = weight_at(f, i);
    }
  }
  const Word* class_mask(int f, int c) const override {
    if constexpr (requires { targets_.class_mask(f, c); }) return targets_.class_mask(f, c);
    return nullptr;
  }
  void list_order(int f, int* rows) const override {
    if constexpr (kPriced<Targets>) std::copy_n(targets_.order(f), rows_, rows);
  }
  void split_costs(int f, const std::vector<int>& positions, Cost* costs) const override {
    if constexpr (kNumbers<Targets>) targets_.split_costs(f, positions, costs);
  }

  std::int64_t bytes() const override {
    const std::size_t sums = ends_.capacity() * sizeof(Word) + prefix_.capacity() * sizeof(Cost) +
                             counts_.capacity() * sizeof(int);
    return static_cast<std::int64_t>(sums) + ranks_.bytes() + targets_.bytes();
  }
  bool keeps_pairs() const override { return ranks_.keeps_all(); }
  std::unique_ptr<Sweep> make_sweep(Workspace& work) override {
    if constexpr (requires { typename Targets::Sweeping; }) {
      using Sweeping = typename Targets::Sweeping;
      if (!ranks_.has_all_rows() || rows_ > Sweeping::kMostRows) return nullptr;
      const Problem& data = *ranks_.tools()->data;
      if (work.control != nullptr && !work.control->has_room(Sweeping::bytes_of(data)))
        return nullptr;
      auto sweep = std::make_unique<Sweeping>(data, ends_.data(), ranks_.tools()->twins);
      for (int f = 0; f < features_; ++f) {
        work.spend_on(rows_);
        sweep->set_order(f, ranks_.row_order(f));
      }
      return sweep;
    }
    return nullptr;
  }

 private:
  // Plain scans, which tests ask for, look at every column by itself.
  static Twins twins_of(const Problem& data, const Workspace& work) {
    if (kTwinned<Targets> && data.counts == nullptr && work.switches.on(Pruning::kJump))
      return Twins::find(data);
    return Twins(data.features);
  }
  void take_size() {
    rows_ = ranks_.rows();
    words_ = ranks_.words();
    ends_.resize(index(features_, words_));
  }
  // What the node of all rows takes at least: per row and column its rank, its place and its
  // target.
  static std::int64_t least_bytes(const Problem& data) {
    std::int64_t bits = 8 * static_cast<std::int64_t>(sizeof(Rank) + sizeof(int)) + 1;
    if (kPriced<Targets>)
      bits += 8 * static_cast<std::int64_t>(sizeof(Cost) + sizeof(int));
    else if (kNumbers<Targets>)
      bits += 8 * static_cast<std::int64_t>(sizeof(double) * (data.masses != nullptr ? 2 : 1));
    else
      bits += Targets::kWeighted ? 8 * static_cast<std::int64_t>(sizeof(Cost) + sizeof(int))
                                 : std::max(1, data.classes > 2 ? data.classes : 1);
    return bits * data.rows / 8 * data.features;
  }
  void finish(bool counted, Workspace& work) {
    for (int f = 0; f < features_; ++f) {
      work.spend_on(rows_ / 4);
      const Rank* r = ranks_.own(f);
      Word* e = &ends_[index(f, words_)];
      for (int w = 0; w < words_; ++w) e[w] = group_ends(r + w * 64);
      // The padding differs from every rank, so the last row ends a group; nothing after it does.
      e[words_ - 1] &= ranks_.last_word();
    }
    missing_.assign(static_cast<std::size_t>(groups_of(ranks_.leaders()) * kGroup), 0);
    for (int g = 0; g < ranks_.leaders(); ++g)
      missing_[static_cast<std::size_t>(g)] = ranks_.missing(g);
    if constexpr (kTwinned<Targets>) targets_.lead(ranks_.leaders());
    targets_.finish(unit_, leaf_, label_);
    if (Targets::kWeighted) prefix_.resize(index(features_, rows_ + 1));
    if (counted) counts_.resize(index(features_, rows_ + 1));
  }
  void set_root_prefixes(const Problem& data, int f, Workspace& work) {
    if (counts_.empty() && prefix_.empty()) return;
    work.spend_on(rows_);
    if (!counts_.empty()) {
      int* sum = &counts_[index(f, rows_ + 1)];
      sum[0] = 0;
      for (int i = 0; i < rows_; ++i) sum[i + 1] = sum[i] + data.counts[ranks_.row_order(f)[i]];
    }
    if (!prefix_.empty()) set_cost_prefix(f);
  }
  void set_child_prefixes(const ColumnNode& parent, int f, Workspace& work) {
    work.spend_on(rows_);
    if (!prefix_.empty()) set_cost_prefix(f);
    if (counts_.empty()) return;
    int* sum = &counts_[index(f, rows_ + 1)];
    const Word* keep = ranks_.kept(f);
    sum[0] = 0;
    int i = 0;
    for (int w = 0; w < parent.words_; ++w)
      for (Word v = keep[w]; v != 0; v &= v - 1, ++i)
        sum[i + 1] = sum[i] + parent.count_at(f, w * 64 + exactree::EXACTREE_ISA::first(v));
  }
  void set_cost_prefix(int f) {
    Cost* sum = &prefix_[index(f, rows_ + 1)];
    sum[0] = 0;
    for (int i = 0; i < rows_; ++i) sum[i + 1] = sum[i] + targets_.cost_at(f, i, unit_);
  }
};

}  // namespace exactree::EXACTREE_ISA
