// Compiled per instruction set: chooses the node class for a problem.
#include "search/driver/make_root.hpp"

#include <algorithm>

#include "search/binary/kernel.hpp"
#include "search/columns/column_root.hpp"
#include "search/masks/kernel.hpp"
#include "search/targets/eight_classes.hpp"
#include "search/targets/quantile_targets.hpp"
#include "search/targets/row_costs.hpp"
#include "search/targets/squared_targets.hpp"
#include "search/targets/sum_targets.hpp"
#include "search/targets/two_classes.hpp"
#include "search/targets/two_weighted.hpp"
#include "search/targets/unit_targets.hpp"
#include "search/targets/weighted_targets.hpp"

namespace exactree::EXACTREE_ISA {

namespace {

// Whether all columns have two values, and the tables of pairs stay within some 500 MB. Weights are
// for two classes, and no limit on the rows of a side.
bool is_binary(const Problem& data) {
  const double features = data.features, rows = data.rows;
  if (data.weights != nullptr) {
    if (data.classes != 2 || data.costs != nullptr || data.least_side.binds()) return false;
    // What rows move is bounded there by their number times the heaviest: that has to fit.
    const Cost largest = *std::max_element(data.weights, data.weights + data.rows);
    if (static_cast<double>(largest) * rows > 4e18) return false;
  }
  return data.max_rank <= 1 && data.features > 0 &&
         features * features * std::max(data.classes, 1) <= 3e7 && rows * features <= 3e8;
}

std::unique_ptr<Node> make_loss_root(const Problem& data, Workspace& work) {
  switch (data.loss->kind()) {
    case NumberLoss::Kind::kLogarithm:
      return column_root<SumTargets<LogarithmGains>>(data, work);
    case NumberLoss::Kind::kPower:
      return column_root<SumTargets<PowerGains>>(data, work);
    case NumberLoss::Kind::kOutputs:
      return column_root<SumTargets<OutputGains>>(data, work);
    case NumberLoss::Kind::kQuantile:
      break;
  }
  if constexpr (!kSpare)
    if (static_cast<const QuantileLoss&>(*data.loss).most() < Wide{1} << 62)
      return column_root<QuantileTargets<std::int64_t>>(data, work);
  return column_root<QuantileTargets<Wide>>(data, work);
}

}  // namespace

std::unique_ptr<Node> make_root(const Problem& data, Workspace& work) {
  if (data.masks != nullptr) {
    if (data.priced()) return MaskNodeOf<AnswerCosts>::root(data, work);
    if (data.weights != nullptr) return MaskNodeOf<ClassCosts<TableMeasure>>::root(data, work);
    return MaskNodeOf<ClassCosts<UnitMeasure>>::root(data, work);
  }
  if (data.priced()) return column_root<RowCosts>(data, work);
  if (data.loss != nullptr) return make_loss_root(data, work);
  if (data.squared())
    return data.masses != nullptr ? column_root<SquaredTargets<true>>(data, work)
                                  : column_root<SquaredTargets<false>>(data, work);
  if (is_binary(data)) return PackedNode::root(data, work);
  if (data.weights != nullptr)
    return data.classes == 2 && data.costs == nullptr ? column_root<TwoWeighted>(data, work)
                                                      : column_root<WeightedTargets>(data, work);
  if (data.classes <= 2) return column_root<TwoClasses>(data, work);
#if EXACTREE_SIMD
  if (data.classes <= 8 && data.rows <= EightClasses::kMostRows)
    return column_root<EightClasses>(data, work);
#endif
  return column_root<ManyClasses>(data, work);
}

}  // namespace exactree::EXACTREE_ISA
