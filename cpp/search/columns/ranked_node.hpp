// What a node over rank columns does whatever its targets are: it knows the order of its rows in
// every column, and the ends of groups of equal values. Compiled per instruction set;
// column_scans.hpp adds the targets.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "search/columns/rank_table.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

class RankedNode : public Node {
 public:
  int rank_at(int f, int p) const override { return ranks_->rank_at(f, p); }
  int position_of(int f, int rank, int from) const override {
    return ranks_->position_of(f, rank, from);
  }
  int leader(int f) const override {
    const int leading = twins_->leader[static_cast<std::size_t>(f)];
    return leading < 0 ? f : leading;
  }
  void list_between(int f, int a, int b, Difference& out) override;
  bool find_covers(int errors, Covers& covers) override;
  bool keeps_pairs() const override { return ranks_->keeps_all(); }

 protected:
  RankedNode(int features, std::shared_ptr<const RankTools> tools)
      : ranks_(make_rank_table(features, std::move(tools))), twins_(&ranks_->tools()->twins) {
    features_ = features;
  }

  int leaders() const { return twins_->leaders; }
  int follower(int g) const { return twins_->follower[static_cast<std::size_t>(g)]; }

  // Building a node: the size of its ranks, then where groups of equal values end, then the sums of
  // row counts, if `counts_` has room for them.
  void take_size();
  void mark_ends(Workspace& work);
  void set_root_counts(const int* counts, int f);
  void set_child_counts(const RankedNode& parent, int f);

  // All but the targets.
  std::int64_t bytes_of_ranks() const;

  std::unique_ptr<RankTable> ranks_;
  const Twins* twins_;        // of the ranks
  std::vector<int> missing_;  // per column that leads: RankTable::missing()
};

}  // namespace exactree::EXACTREE_ISA
