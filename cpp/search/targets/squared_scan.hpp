// The scan of numbers by blocks: a bound for each block of a word at once, then the rows of those
// words in which a block could hold something better. See squared_targets.hpp for the bound.
#pragma once

#include "search/targets/squared_lanes.hpp"
#include "search/targets/squared_pass.hpp"

#if EXACTREE_SIMD

namespace exactree::EXACTREE_ISA {

// The numbers of one column: folded by words, and by blocks in their order.
struct FoldedColumn {
  const double* sums;
  const double* weights;        // null: one
  const double* block_sums;     // of p
  const double* block_sizes;    // of |p|
  const double* block_peaks;    // the largest |p| / w
  const double* before;         // the sum of p before each block
  const double* block_weights;  // weights only
  const double* weight_before;  // weights only
};

// One side within a word: where its blocks begin and end.
struct BlockEnds {
  Lanes64 weight[2], sum[2];  // before and after each block
  Lanes64 own, size;          // the weight of each block, and at least its sum of |p|
};

// What a pass holds in registers for a side.
struct SideBound {
  Lanes64 mean, steepness, all, least_product;

  explicit SideBound(const SquaredPass& pass)
      : mean(Lanes64::splat(pass.mean)),
        steepness(Lanes64::splat(std::abs(pass.mean))),
        all(Lanes64::splat(pass.all.weight)),
        least_product(Lanes64::splat(pass.least_product)) {}

  // The blocks in which a gain could be large enough.
  EXACTREE_INLINE unsigned open(const BlockEnds& at, double least) const {
    const Lanes64 u1 = (at.sum[0] - at.weight[0] * mean).absolute();
    const Lanes64 u2 = (at.sum[1] - at.weight[1] * mean).absolute();
    const Lanes64 u = u1 + u2 + (at.own * steepness + at.size);
    const Lanes64 product =
        Lanes64::lower(at.weight[0] * (all - at.weight[0]), at.weight[1] * (all - at.weight[1]));
    // u is twice the bound on |u|.
    const Lanes64 limit = Lanes64::splat(4 * least) * Lanes64::higher(product, least_product);
    return Lanes64::above(u * u, limit);
  }
  // The lanes in which the gain is near.
  EXACTREE_INLINE unsigned close(Lanes64 weight, Lanes64 sum, double least) const {
    const Lanes64 u = sum - weight * mean;
    return Lanes64::above(u * u, Lanes64::splat(least) * (weight * (all - weight)));
  }
};

// Costs the splits in some lanes.
inline void look_at(unsigned lanes, Lanes64 weight, Lanes64 sum, SquaredPass& pass) {
  double weights[Lanes64::kSize], sums[Lanes64::kSize];
  weight.store(weights);
  sum.store(sums);
  for (; lanes != 0; lanes &= lanes - 1) pass.look(weights[first(lanes)], sums[first(lanes)]);
}

// Looks at every row of a word, backwards from the ends of its blocks.
template <bool Weighted>
[[gnu::noinline]] void look_into(const FoldedColumn& column, int w, Word member, Word ends,
                                 const BlockEnds& at, SquaredPass& pass, const SideBound& bound) {
  constexpr int kRows = 64 / Lanes64::kSize;
  Lanes64 weight = at.weight[1], sum = at.sum[1];
  Picked members(member), group_ends(ends);
  for (int k = kRows - 1; k >= 0; --k, members.next(), group_ends.next()) {
    const unsigned hits = bound.close(weight, sum, pass.least) & group_ends.bits();
    if (hits != 0) [[unlikely]]
      look_at(hits, weight, sum, pass);
    const std::size_t row =
        static_cast<std::size_t>(w) * 64 + static_cast<std::size_t>(k) * Lanes64::kSize;
    sum = members.take(sum, Lanes64::load(column.sums + row));
    weight =
        members.take(weight, Weighted ? Lanes64::load(column.weights + row) : Lanes64::splat(1));
  }
}

// What the members of a word add up to, block by block.
template <bool Weighted>
EXACTREE_INLINE void add_blocks(const FoldedColumn& column, int w, Word member, Lanes64& sum,
                                Lanes64& own) {
  constexpr int kLanes = Lanes64::kSize;
  Picked members(member);
  for (int k = 64 / kLanes - 1; k >= 0; --k, members.next()) {
    const std::size_t row = static_cast<std::size_t>(w) * 64 + static_cast<std::size_t>(k) * kLanes;
    sum = members.add(sum, Lanes64::load(column.sums + row));
    if (Weighted) own = members.add(own, Lanes64::load(column.weights + row));
  }
}

// What the |p| of this weight in each block can add up to: no more than all, nor than the largest
// of them for every unit of weight.
EXACTREE_INLINE Lanes64 size_of(const FoldedColumn& column, int w, Lanes64 weight) {
  const std::size_t block = static_cast<std::size_t>(w) * Lanes64::kSize;
  return Lanes64::lower(Lanes64::load(column.block_sizes + block),
                        weight * Lanes64::load(column.block_peaks + block));
}

// The blocks of a word for the left side, those before it having added up to these.
template <bool Weighted>
EXACTREE_INLINE BlockEnds left_ends(const FoldedColumn& column, int w, Word member,
                                    Lanes64 sum_before, Lanes64 weight_before) {
  Lanes64 sum = Lanes64::splat(0), own = sum, up_to;
  add_blocks<Weighted>(column, w, member, sum, own);
  if (Weighted)
    up_to = own.running();
  else
    Lanes64::count_blocks(member, own, up_to);
  const Lanes64 after = sum_before + sum.running(), weight_after = weight_before + up_to;
  return {{weight_after - own, weight_after}, {after - sum, after}, own, size_of(column, w, own)};
}

// What the left side leaves of them.
template <bool Weighted>
EXACTREE_INLINE BlockEnds right_ends(const FoldedColumn& column, int w, Word rows,
                                     const BlockEnds& left) {
  const std::size_t block = static_cast<std::size_t>(w) * Lanes64::kSize;
  Lanes64 heavy, ahead;
  if (Weighted) {
    heavy = Lanes64::load(column.block_weights + block);
    ahead = Lanes64::load(column.weight_before + block);
  } else {
    Lanes64::count_blocks(rows, heavy, ahead);
    ahead = Lanes64::splat(64.0 * w) + (ahead - heavy);
  }
  BlockEnds at;
  at.own = heavy - left.own;
  at.size = size_of(column, w, at.own);
  at.weight[0] = ahead - left.weight[0];
  at.weight[1] = at.weight[0] + at.own;
  at.sum[0] = Lanes64::load(column.before + block) - left.sum[0];
  at.sum[1] = at.sum[0] + (Lanes64::load(column.block_sums + block) - (left.sum[1] - left.sum[0]));
  return at;
}

template <bool Left, bool Right, bool Weighted>
[[gnu::noinline]] void scan_blocks(const FoldedColumn& column, const Parting& parting,
                                   const Word* group_end, SquaredPass pass[2], Counters& counters) {
  const SideBound bound[2] = {SideBound(pass[0]), SideBound(pass[1])};
  Lanes64 sum_before = Lanes64::splat(0), weight_before = sum_before;
  int jumped = 0;
  for (int w = 0; w < parting.words; ++w) {
    const Word member = parting.left(w), ends = group_end[w];
    const BlockEnds left = left_ends<Weighted>(column, w, member, sum_before, weight_before);
    sum_before = left.sum[1].last();
    weight_before = left.weight[1].last();
    // Without an end of a group there is no split.
    if (ends == 0) continue;
    BlockEnds right;
    unsigned open[2] = {Left ? bound[0].open(left, pass[0].least) : 0, 0};
    if (Right) {
      right = right_ends<Weighted>(column, w, parting.rows(w), left);
      open[1] = bound[1].open(right, pass[1].least);
    }
    if ((open[0] | open[1]) != 0) {
      const unsigned split = Picked::any(ends);
      open[0] &= split;
      open[1] &= split;
    }
    if ((open[0] | open[1]) == 0) {
      ++jumped;
      continue;
    }
    if (open[0] != 0) look_into<Weighted>(column, w, member, ends, left, pass[0], bound[0]);
    if (open[1] != 0)
      look_into<Weighted>(column, w, ~member & parting.rows(w), ends, right, pass[1], bound[1]);
    if ((!Left || pass[0].done()) && (!Right || pass[1].done())) break;
  }
  counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
}

}  // namespace exactree::EXACTREE_ISA

#endif
