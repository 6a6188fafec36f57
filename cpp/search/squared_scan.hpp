// The scan of numbers by blocks: a bound for each block of a word at once, then the rows of those
// words in which a block could hold something better. See squared_targets.hpp for the bound.
#pragma once

#include "search/squared_lanes.hpp"
#include "search/squared_pass.hpp"

#if EXACTREE_SIMD

namespace exactree::EXACTREE_ISA {

// The numbers of one column: folded by words, and by blocks in their order.
struct FoldedColumn {
  const double* sums;
  const double* weights;        // null: one
  const double* block_sums;     // of p
  const double* block_sizes;    // of |p|
  const double* before;         // the sum of p before each block
  const double* block_weights;  // weights only
  const double* weight_before;  // weights only
};

// One side within a word: where its blocks begin and end.
struct BlockEnds {
  Lanes64 weight[2], sum[2];  // before and after each block
  Lanes64 own, size;          // the weight and the sum of |p| of each block
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

// Looks at every row of a word, backwards from the ends of its blocks.
template <bool Left, bool Right, bool Weighted>
[[gnu::noinline]] void look_into(const FoldedColumn& column, int w, Word member, Word other,
                                 Word ends, const BlockEnds at[2], SquaredPass pass[2],
                                 const SideBound bound[2]) {
  constexpr int kRows = 64 / Lanes64::kSize;
  const Lanes64 one = Lanes64::splat(1);
  Lanes64 weight[2] = {at[0].weight[1], at[1].weight[1]}, sum[2] = {at[0].sum[1], at[1].sum[1]};
  Picked members(member), group_ends(ends), others(other);
  for (int k = kRows - 1; k >= 0; --k) {
    for (int s = 0; s < 2; ++s) {
      if (s == 0 ? !Left : !Right) continue;
      unsigned hits = bound[s].close(weight[s], sum[s], pass[s].least) & group_ends.bits();
      if (hits == 0) continue;
      double weights[Lanes64::kSize], sums[Lanes64::kSize];
      weight[s].store(weights);
      sum[s].store(sums);
      for (; hits != 0; hits &= hits - 1) {
        const int lane = first(hits);
        pass[s].look(weights[lane], sums[lane]);
      }
    }
    const std::size_t row =
        static_cast<std::size_t>(w) * 64 + static_cast<std::size_t>(k) * Lanes64::kSize;
    const Lanes64 p = Lanes64::load(column.sums + row);
    const Lanes64 own = Weighted ? Lanes64::load(column.weights + row) : one;
    if (Left) {
      sum[0] = members.take(sum[0], p);
      weight[0] = members.take(weight[0], own);
    }
    if (Right) {
      sum[1] = others.take(sum[1], p);
      weight[1] = others.take(weight[1], own);
    }
    members.next();
    others.next();
    group_ends.next();
  }
}

template <bool Left, bool Right, bool Weighted, class Rank>
[[gnu::noinline]] void scan_blocks(const FoldedColumn& column, const Parting<Rank>& parting,
                                   const Word* group_end, SquaredPass pass[2], Counters& counters) {
  constexpr int kLanes = Lanes64::kSize, kRows = 64 / kLanes;
  const SideBound bound[2] = {SideBound(pass[0]), SideBound(pass[1])};
  Lanes64 sum_before = Lanes64::splat(0), weight_before = sum_before;
  int jumped = 0;
  for (int w = 0; w < parting.words; ++w) {
    const Word member = parting.left(w);
    Lanes64 sum = Lanes64::splat(0), size = sum, own = sum;
    Picked members(member);
    for (int k = kRows - 1; k >= 0; --k, members.next()) {
      const std::size_t row =
          static_cast<std::size_t>(w) * 64 + static_cast<std::size_t>(k) * kLanes;
      const Lanes64 p = Lanes64::load(column.sums + row);
      sum = members.add(sum, p);
      size = members.add(size, p.absolute());
      if (Weighted) own = members.add(own, Lanes64::load(column.weights + row));
    }
    BlockEnds at[2];
    Lanes64 up_to;
    if (Weighted)
      up_to = own.running();
    else
      Lanes64::count_blocks(member, own, up_to);
    at[0].sum[1] = sum_before + sum.running();
    at[0].sum[0] = at[0].sum[1] - sum;
    at[0].weight[1] = weight_before + up_to;
    at[0].weight[0] = at[0].weight[1] - own;
    at[0].own = own;
    at[0].size = size;
    unsigned open = Left ? bound[0].open(at[0], pass[0].least) : 0;
    if (Right) {
      const std::size_t block = static_cast<std::size_t>(w) * kLanes;
      const Lanes64 before = Lanes64::load(column.before + block);
      const Lanes64 all = Lanes64::load(column.block_sums + block);
      Lanes64 heavy, ahead;
      if (Weighted) {
        heavy = Lanes64::load(column.block_weights + block);
        ahead = Lanes64::load(column.weight_before + block);
      } else {
        Lanes64::count_blocks(parting.rows(w), heavy, ahead);
        ahead = Lanes64::splat(64.0 * w) + (ahead - heavy);
      }
      at[1].sum[0] = before - at[0].sum[0];
      at[1].sum[1] = at[1].sum[0] + (all - sum);
      at[1].weight[0] = ahead - at[0].weight[0];
      at[1].own = heavy - own;
      at[1].weight[1] = at[1].weight[0] + at[1].own;
      at[1].size = Lanes64::load(column.block_sizes + block) - size;
      open |= bound[1].open(at[1], pass[1].least);
    }
    if (open != 0) {
      look_into<Left, Right, Weighted>(column, w, member, ~member & parting.rows(w), group_end[w],
                                       at, pass, bound);
      if ((!Left || pass[0].done()) && (!Right || pass[1].done())) break;
    } else {
      ++jumped;
    }
    sum_before = at[0].sum[1].last();
    weight_before = at[0].weight[1].last();
  }
  counters.pruned[static_cast<std::size_t>(Pruning::kJump)] += jumped;
}

}  // namespace exactree::EXACTREE_ISA

#endif
