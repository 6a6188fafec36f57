// A node over rank columns, compiled per instruction set: how its rows are split (rank_table.hpp)
// and what they are to be classified as (a file for each kind of target).
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/columns/column_scans.hpp"

namespace exactree::EXACTREE_ISA {

template <class Targets>
class ColumnNode final : public ColumnScans<Targets> {
  using Scans = ColumnScans<Targets>;
  using Scans::counts_, Scans::ends_, Scans::features_, Scans::label_, Scans::leaf_,
      Scans::leaf_cost_, Scans::least_side_, Scans::prefix_, Scans::ranks_, Scans::rows_,
      Scans::targets_, Scans::unbounded_, Scans::unit_, Scans::words_;
  using Scans::index, Scans::weight_at;

 public:
  ColumnNode(int features, Cost unit, LeastSide least_side, std::shared_ptr<const RankTools> tools)
      : Scans(features, std::move(tools)) {
    unit_ = unit;
    least_side_ = least_side;
    unbounded_ = kNumbers<Targets>;
  }

  // The node of all rows.
  static std::unique_ptr<Node> root(const Problem& data, Workspace& work) {
    if (work.control != nullptr) work.control->need_memory(least_bytes(data));
    auto node = std::make_unique<ColumnNode>(
        data.features, data.unit, data.least_side,
        // Plain scans, which tests ask for, look at every column by itself.
        make_rank_tools(
            data, work.control,
            kTwinned<Targets> && data.counts == nullptr && work.switches.on(Pruning::kJump)));
    node->ranks_->read_size();
    node->take_size();
    node->leaf_cost_ = LeafCost(data);
    node->targets_.allocate(data, data.rows, node->words_);
    for (int f = 0; f < data.features; ++f) {
      work.spend_on(2 * data.rows);
      node->ranks_->read(f);
      node->targets_.take_rows(data, f, node->ranks_->row_order(f));
    }
    node->finish(data.counts != nullptr && data.least_side.binds(), work);
    node->set_sums(work, [&](int f) { node->set_root_counts(data.counts, f); });
    EXACTREE_CLAIM(node->audited.set_root(data));
    return node;
  }

  std::unique_ptr<Node> make_empty() const override {
    auto node = std::make_unique<ColumnNode>(features_, unit_, least_side_, ranks_->tools());
    node->leaf_cost_ = leaf_cost_;
    return node;
  }

  void make_child(int f, int p, bool left, Node& into, Workspace& work) override {
    const SplitSide side{f, p, left ? 0 : 1};
    make_common({&side, 1}, into, work);
  }
  bool make_common(std::span<const SplitSide> sides, Node& into, Workspace& work) override {
    auto& child = static_cast<ColumnNode&>(into);
    if (!child.ranks_->take_size(*ranks_, sides)) return false;
    child.take_size();
    child.targets_.allocate(targets_, child.rows_, child.words_);
    for (int g = 0; g < this->leaders(); ++g) {
      work.spend_on(rows_);
      child.ranks_->take(g);
      child.targets_.take(targets_, g, child.ranks_->kept(g), words_);
    }
    if constexpr (kTwinned<Targets>)
      for (int h = this->leaders(); h < features_; ++h) {
        const int g = ranks_->leader(h);
        child.ranks_->follow(h);
        child.targets_.follow(h, g, child.ranks_->position_of(g, 1, 0));
      }
    child.finish(!counts_.empty(), work);
    child.set_sums(work, [&](int g) { child.set_child_counts(*this, g); });
    EXACTREE_CLAIM(claim_child(sides, child));
    return true;
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
  Cost between(int f, int a, int b) const override {
    if constexpr (requires { targets_.between(f, a, b); }) return targets_.between(f, a, b);
    return 0;
  }

  std::int64_t bytes() const override { return this->bytes_of_ranks() + targets_.bytes(); }
  std::unique_ptr<Sweep> make_sweep(Workspace& work) override {
    if constexpr (requires { typename Targets::Sweeping; }) {
      using Sweeping = typename Targets::Sweeping;
      const Problem& data = *ranks_->tools()->data;
      if (!ranks_->has_all_rows() || !Sweeping::handles(data)) return nullptr;
      if (Control* control = work.control; control != nullptr) {
        // Far less than the ranks of pairs, which have to keep to their share of the memory; but at
        // most half of what is left, as the search needs some, too.
        const std::int64_t bytes = Sweeping::bytes_of(data), limit = control->memory_limit;
        if (limit > 0 && control->peak_bytes() + 2 * bytes > limit) return nullptr;
        control->use_memory(bytes);
      }
      auto sweep = std::make_unique<Sweeping>(data, ends_.data(), ranks_->tools()->twins);
      for (int f = 0; f < features_; ++f) {
        work.spend_on(rows_);
        sweep->set_order(f, ranks_->row_order(f));
      }
      return sweep;
    }
    return nullptr;
  }

 private:
#ifdef EXACTREE_AUDIT
  void claim_child(std::span<const SplitSide> sides, ColumnNode& child) const {
    AuditedRows rows = this->audited;
    for (const auto& [f, p, s] : sides) {
      const AuditedRows before = rows;
      rows.set_child(before, f, this->rank_at(f, p), s == 0);
    }
    child.audited = rows;
    claims::built(child);
  }
#endif
  // What the node of all rows takes at least: per row and column its rank, its place and its
  // target.
  static std::int64_t least_bytes(const Problem& data) {
    std::int64_t bits = 8 * static_cast<std::int64_t>(rank_bytes(data) + sizeof(int)) + 1;
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
    this->mark_ends(work);
    if constexpr (kTwinned<Targets>) targets_.lead(this->leaders());
    targets_.finish(unit_, leaf_, label_);
    if (Targets::kWeighted) prefix_.resize(index(features_, rows_ + 1));
    if (counted) counts_.resize(index(features_, rows_ + 1));
  }
  // The sums of row costs and of row counts, where there are any.
  template <class SetCounts>
  void set_sums(Workspace& work, SetCounts set_counts) {
    if (counts_.empty() && prefix_.empty()) return;
    for (int f = 0; f < features_; ++f) {
      work.spend_on(rows_);
      if (!prefix_.empty()) set_cost_prefix(f);
      set_counts(f);
    }
  }
  void set_cost_prefix(int f) {
    Cost* sum = &prefix_[index(f, rows_ + 1)];
    sum[0] = 0;
    for (int i = 0; i < rows_; ++i) sum[i + 1] = sum[i] + targets_.cost_at(f, i, unit_);
  }
};

}  // namespace exactree::EXACTREE_ISA
