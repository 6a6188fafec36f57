// What a node over rank columns does whatever its targets are: it knows the order of its rows in
// every column, and the ends of groups of equal values. Compiled per instruction set, once for a
// width of ranks; column_scans.hpp adds the targets.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "search/columns/rank_table.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

template <class Rank>
class RankedNode : public Node {
 public:
  int rank_at(int f, int p) const override { return ranks_.rank_at(f, p); }
  int position_of(int f, int rank, int from) const override {
    return ranks_.position_of(f, rank, from);
  }
  int leader(int f) const override {
    const int leading = ranks_.leader(f);
    return leading < 0 ? f : leading;
  }
  void list_between(int f, int a, int b, Difference& out) override;
  bool find_covers(int errors, Covers& covers) override;
  bool keeps_pairs() const override { return ranks_.keeps_all(); }

 protected:
  RankedNode(int features, std::shared_ptr<const RankTools> tools)
      : ranks_(features, std::move(tools)) {
    features_ = features;
  }

  // Building a node: the size of its ranks, then where groups of equal values end, then the sums of
  // row counts, if `counts_` has room for them.
  void take_size();
  void mark_ends(Workspace& work);
  void set_root_counts(const int* counts, int f);
  void set_child_counts(const RankedNode& parent, int f);

  // All but the targets.
  std::int64_t bytes_of_ranks() const;

  RankTable<Rank> ranks_;
  std::vector<int> missing_;  // per column that leads: RankTable::missing()
};

extern template class RankedNode<std::int16_t>;
extern template class RankedNode<std::int32_t>;

}  // namespace exactree::EXACTREE_ISA
