// The pair counts of a node and of the sides of its columns, whatever they count and however wide
// the counts are: what BinaryKernel asks for. Compiled per instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "search/binary/class_counts.hpp"
#include "search/binary/class_differences.hpp"
#include "search/binary/weight_differences.hpp"

namespace exactree::EXACTREE_ISA {

class NodePairs {
 public:
  using Errors = Fewest<Cost>;
  virtual ~NodePairs() = default;

  // Whether what is known of a side is kept (pair_cache.hpp).
  virtual bool cached() const = 0;
  virtual std::size_t table_size() const = 0;

  // See class_counts.hpp.
  virtual void count_node(Workspace& work) = 0;
  virtual Errors fewest() const = 0;
  virtual void leaves(int i, Cost errors[2]) const = 0;
  virtual void singles(int i, Cost errors[2]) const = 0;
  virtual void overlaps(int i, int* out) const = 0;
  virtual void count_side(int i) = 0;
  virtual Errors outer() = 0;
  virtual Errors inner() = 0;

  // The same with enough rows on both sides of every split.
  virtual const LimitedSplits& node_limited(LeastSide least_side) = 0;
  virtual void count_side_limited(int i) = 0;
  virtual Errors outer_limited(LeastSide least_side) = 0;
  virtual Errors inner_limited(LeastSide least_side) = 0;
};

// Counts: NodeCounts, NodeDifferences or WeightDifferences.
template <class Counts>
class PairsOf final : public NodePairs {
 public:
  PairsOf(const PackedNode& node, BinaryScratch& scratch)
      : counts_(node, scratch), limited_(scratch.limited) {}

  bool cached() const override { return Counts::kCached; }
  std::size_t table_size() const override { return counts_.table_size(); }

  void count_node(Workspace& work) override { counts_.count_node(work); }
  Errors fewest() const override { return wide(counts_.fewest()); }
  void leaves(int i, Cost errors[2]) const override {
    typename Counts::Errors mine[2];
    counts_.leaves(i, mine);
    std::copy_n(mine, 2, errors);
  }
  void singles(int i, Cost errors[2]) const override {
    typename Counts::Errors mine[2];
    counts_.singles(i, mine);
    std::copy_n(mine, 2, errors);
  }
  void overlaps(int i, int* out) const override { counts_.overlaps(i, out); }
  void count_side(int i) override { counts_.count_side(i); }
  Errors outer() override { return wide(counts_.outer()); }
  Errors inner() override { return wide(counts_.inner()); }

  const LimitedSplits& node_limited(LeastSide least_side) override {
    if constexpr (Counts::kLimits) counts_.node_limited(least_side);
    return limited_;
  }
  void count_side_limited(int i) override {
    if constexpr (Counts::kLimits) counts_.count_side_limited(i);
  }
  Errors outer_limited(LeastSide least_side) override {
    if constexpr (Counts::kLimits) return wide(counts_.outer_limited(least_side));
    return {};
  }
  Errors inner_limited(LeastSide least_side) override {
    if constexpr (Counts::kLimits) return wide(counts_.inner_limited(least_side));
    return {};
  }

 private:
  static Errors wide(const Fewest<typename Counts::Errors>& e) { return {e[0], e[1], e[2], e[3]}; }

  Counts counts_;
  const LimitedSplits& limited_;
};

// Calls act(pairs) with what suits the node: the narrowest counts that hold its rows. A limit on
// the rows of a side binds only where there are counts that know of it.
template <class Act>
bool with_pairs(const PackedNode& node, BinaryScratch& scratch, Act act) {
  const auto with = [&]<class Counts>(std::type_identity<Counts>) {
    PairsOf<Counts> pairs(node, scratch);
    return act(pairs);
  };
  using std::type_identity;
  if (!node.table().weights.empty()) return with(type_identity<WeightDifferences>());
  if (node.table().classes == 2 && !node.table().least_side.binds()) {
    [[maybe_unused]] const int most = std::max(node.totals()[0], node.totals()[1]);
    if constexpr (!kSpare) {
      if (most <= 127) return with(type_identity<NodeDifferences<std::int8_t>>());
      if (node.rows() <= 32767) return with(type_identity<NodeDifferences<std::int16_t>>());
    }
    return with(type_identity<NodeDifferences<std::int32_t>>());
  }
  if constexpr (!kSpare) {
    if (node.rows() <= 252) return with(type_identity<NodeCounts<std::uint8_t>>());
    if (node.rows() <= 32767) return with(type_identity<NodeCounts<std::int16_t>>());
  }
  return with(type_identity<NodeCounts<std::int32_t>>());
}

}  // namespace exactree::EXACTREE_ISA
