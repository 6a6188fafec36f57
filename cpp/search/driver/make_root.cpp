// Compiled per instruction set: chooses the node class for a problem.
#include "search/driver/make_root.hpp"
#include "search/binary/kernel.hpp"
#include "search/columns/column_node.hpp"
#include "search/masks/kernel.hpp"
#include "search/targets/eight_classes.hpp"
#include "search/targets/squared_targets.hpp"
#include "search/targets/two_classes.hpp"
#include "search/targets/unit_targets.hpp"
#include "search/targets/weighted_targets.hpp"

namespace exactree::EXACTREE_ISA {

namespace {

template <class Targets>
std::unique_ptr<Node> root_of(const Problem& data, Workspace& work) {
  // Ranks in 16 bits where they fit: twice as many in a vector.
  if (data.max_rank < 65535) return ColumnNode<std::int16_t, Targets>::root(data, work);
  return ColumnNode<std::int32_t, Targets>::root(data, work);
}

// Whether all columns have two values, and the tables of pairs stay within some 500 MB.
bool is_binary(const Problem& data) {
  const double features = data.features, rows = data.rows;
  return data.weights == nullptr && data.max_rank <= 1 && data.features > 0 &&
         features * features * std::max(data.classes, 1) <= 3e7 && rows * features <= 3e8;
}

}  // namespace

std::unique_ptr<Node> make_root(const Problem& data, Workspace& work) {
  if (data.masks != nullptr) {
    if (data.weights != nullptr) return MaskNodeOf<TableMeasure>::root(data, work);
    return MaskNodeOf<UnitMeasure>::root(data, work);
  }
  if (data.squared())
    return data.masses != nullptr ? root_of<SquaredTargets<true>>(data, work)
                                  : root_of<SquaredTargets<false>>(data, work);
  if (is_binary(data)) return PackedNode::root(data, work);
  if (data.weights != nullptr) return root_of<WeightedTargets>(data, work);
  if (data.classes <= 2) return root_of<TwoClasses>(data, work);
#if EXACTREE_SIMD
  if (data.classes <= 8 && data.rows <= EightClasses::kMostRows)
    return root_of<EightClasses>(data, work);
#endif
  return root_of<ManyClasses>(data, work);
}

}  // namespace exactree::EXACTREE_ISA
