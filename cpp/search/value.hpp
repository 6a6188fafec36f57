// What the optimum of a subproblem is: one cost, or one cost for every number of splits.
//
// Costs are exact integers: loss scaled to whole units, plus `penalty` units for every split. With
// a limit on depth alone a subproblem has one optimum (One). With a limit on the number of splits
// its parent needs to know what 0, 1, 2, ... splits would achieve, so the optimum is a curve, not
// increasing in the number of splits (Curve). The search is written once for both: every bound of
// the search holds for each budget by itself, so it is applied element by element.
#pragma once

#include <algorithm>
#include <cstdint>

namespace exactree {

using Cost = std::int64_t;

// Above the cost of every set of rows and below overflow when up to seven are added. Problems whose
// leaves could cost as much are refused before they come here (COST_LIMIT in weights.py), and with
// a penalty as large as the cost of the single leaf nothing is searched.
inline constexpr Cost kInfinite = Cost{1} << 60;

// The optimum of a subproblem whose number of splits is limited by its depth only.
struct One {
  static constexpr bool kSizes = false;
  Cost cost = 0;

  static One constant(Cost c, int /*budgets*/) { return {c}; }
  static constexpr int budgets_of(int /*splits*/) { return 1; }
  int budgets() const { return 1; }
  Cost operator[](int) const { return cost; }
  void set(int, Cost c) { cost = c; }
  // The cost of a leaf and of at most one split, as an optimum.
  static One depth_one(Cost /*leaf*/, Cost one, int /*budgets*/) { return {one}; }
  Cost most() const { return cost; }  // with the largest budget
};

// The optima for at most 0, 1, ..., size - 1 splits.
template <int Capacity>
struct Curve {
  static constexpr bool kSizes = true;  // one cost for every number of splits
  Cost cost[Capacity];
  int size = 0;

  static Curve constant(Cost c, int budgets) {
    Curve curve;
    curve.size = budgets;
    for (int k = 0; k < budgets; ++k) curve.cost[k] = c;
    return curve;
  }
  static constexpr int budgets_of(int splits) { return splits + 1; }
  int budgets() const { return size; }
  Cost operator[](int k) const { return cost[std::min(k, size - 1)]; }
  void set(int k, Cost c) { cost[k] = c; }
  static Curve depth_one(Cost leaf, Cost one, int budgets) {
    Curve curve = constant(one, budgets);
    curve.cost[0] = leaf;
    return curve;
  }
  Cost most() const { return cost[size - 1]; }
};

template <class V>
bool any_below(const V& a, const V& b) {
  for (int k = 0; k < a.budgets(); ++k)
    if (a[k] < b[k]) return true;
  return false;
}

// Each returns whether it changed `a`.
template <class V>
bool lower_to(V& a, const V& b, Cost shift = 0) {
  bool changed = false;
  for (int k = 0; k < a.budgets(); ++k)
    if (b[k] + shift < a[k]) a.set(k, b[k] + shift), changed = true;
  return changed;
}
template <class V>
bool raise_to(V& a, const V& b, Cost shift = 0) {
  bool changed = false;
  for (int k = 0; k < a.budgets(); ++k)
    if (b[k] + shift > a[k]) a.set(k, b[k] + shift), changed = true;
  return changed;
}

// The cost of a split whose sides have these optima: a[i] + b[j] + penalty with i + j + 1 splits.
// Entry 0 (no split) is infinite: a split is not a leaf.
inline One join(const One& a, const One& b, Cost penalty, int /*budgets*/) {
  return {a.cost + b.cost + penalty};
}
template <int C>
Curve<C> join(const Curve<C>& a, const Curve<C>& b, Cost penalty, int budgets) {
  auto sum = Curve<C>::constant(kInfinite, budgets);
  for (int k = 1; k < budgets; ++k)
    for (int i = 0; i < k; ++i) sum.cost[k] = std::min(sum.cost[k], a[i] + b[k - 1 - i] + penalty);
  return sum;
}

// What one side may cost at most for the split to stay below `target`, the other side costing at
// least `other`: for each budget of the side, the most generous over the budgets of the split.
inline One side_cap(const One& target, const One& other, Cost penalty, int /*budgets*/) {
  return {target.cost - other.cost - penalty};
}
template <int C>
Curve<C> side_cap(const Curve<C>& target, const Curve<C>& other, Cost penalty, int budgets) {
  auto cap = Curve<C>::constant(-kInfinite, budgets);
  for (int i = 0; i < budgets; ++i)
    for (int k = i + 1; k < target.size; ++k)
      if (target.cost[k] > -kInfinite / 2)
        cap.cost[i] = std::max(cap.cost[i], target.cost[k] - other[k - 1 - i] - penalty);
  return cap;
}

}  // namespace exactree
