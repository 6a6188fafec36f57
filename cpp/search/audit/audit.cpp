#include "search/audit/audit.hpp"

#ifdef EXACTREE_AUDIT

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <unordered_set>
#include <vector>

#include "search/masks/mask_tree.hpp"
#include "search/node.hpp"
#include "search/targets/number_loss.hpp"

namespace exactree {

std::size_t Audit::Hash::operator()(const Key& key) const {
  const std::size_t budget =
      static_cast<std::size_t>(key.depth * 1000 + key.splits * 2) + (key.limited ? 1u : 0u);
  return std::hash<RowSet>{}(key.rows) ^ budget * 0x9E3779B97F4A7C15u;
}

RowSet Audit::all() const {
  RowSet rows;
  for (int i = 0; i < data_.rows; ++i) rows.set(static_cast<std::size_t>(i));
  return rows;
}

RowSet Audit::below(const RowSet& rows, int f, int rank) const {
  RowSet out;
  for (int i = 0; i < data_.rows; ++i)
    if (rows[static_cast<std::size_t>(i)] && data_.rank(f, i) < rank)
      out.set(static_cast<std::size_t>(i));
  return out;
}

std::vector<Audit::Split> Audit::splits(const RowSet& rows, int f) const {
  std::map<int, RowSet> groups;
  for (int i = 0; i < data_.rows; ++i)
    if (rows[static_cast<std::size_t>(i)])
      groups[data_.rank(f, i)].set(static_cast<std::size_t>(i));
  std::vector<Split> out;
  RowSet left;
  for (const auto& [rank, group] : groups) {
    if (left.any()) out.push_back({static_cast<int>(left.count()), left, rows & ~left});
    left |= group;
  }
  return out;
}

Audit::Exact Audit::error(const RowSet& rows) const {
  if (data_.loss != nullptr) {
    std::vector<int> list;
    for (int i = 0; i < data_.rows; ++i)
      if (rows[static_cast<std::size_t>(i)]) list.push_back(i);
    return data_.loss->error(list);
  }
  // Sums of row sums p, of weights w, and of p^2 / w rounded up; none is as large as 2^107.
  const auto quotient_up = [](Exact a, Exact b) { return a / b + (a % b != 0 ? 1 : 0); };
  Exact total = 0, weight = 0, squares = 0;
  for (int i = 0; i < data_.rows; ++i) {
    if (!rows[static_cast<std::size_t>(i)]) continue;
    const auto p = static_cast<Exact>(data_.sums[i]);
    const Exact w = data_.masses == nullptr ? 1 : static_cast<Exact>(data_.masses[i]);
    total += p;
    weight += w;
    squares += quotient_up(p * p, w);
  }
  return weight == 0 ? 0 : squares - quotient_up(total * total, weight);
}

Cost Audit::two_leaves(const Split& split) const {
  if (data_.numbers())
    return static_cast<Cost>((error(split.left) + error(split.right)) >> data_.shift);
  return leaf(split.left) + leaf(split.right);
}

RowSet Audit::unpacked(const std::uint64_t* words) const {
  RowSet out;
  for (int i = 0; i < data_.rows; ++i)
    if ((words[i / 64] >> (i % 64) & 1) != 0) out.set(static_cast<std::size_t>(i));
  return out;
}

std::vector<Audit::Split> Audit::mask_splits(const RowSet& rows) const {
  std::vector<Split> out;
  std::unordered_set<RowSet> seen;
  Workspace work;
  data_.masks->for_all(work, [&](const std::uint64_t* mask) {
    const RowSet left = rows & unpacked(mask), right = rows & ~left;
    if (left.any() && right.any() && seen.insert(left).second)
      out.push_back({static_cast<int>(left.count()), left, right});
  });
  return out;
}

std::vector<Audit::Split> Audit::splits(const RowSet& rows) const {
  if (data_.masks != nullptr) return mask_splits(rows);
  std::vector<Split> out;
  for (int f = 0; f < data_.features; ++f)
    for (const Split& split : splits(rows, f)) out.push_back(split);
  return out;
}

Cost Audit::leaf(const RowSet& rows) const {
  if (data_.numbers()) return static_cast<Cost>(error(rows) >> data_.shift);
  Cost best = prediction_cost(rows, 0);
  for (int p = 1; p < data_.classes; ++p) best = std::min(best, prediction_cost(rows, p));
  return best;
}

Cost Audit::prediction_cost(const RowSet& rows, int prediction) const {
  Cost sum = 0;
  for (int i = 0; i < data_.rows; ++i) {
    if (!rows[static_cast<std::size_t>(i)]) continue;
    if (data_.priced()) {
      sum += data_.row_costs[i * data_.classes + prediction];
      continue;
    }
    const int label = data_.labels[i];
    if (data_.costs != nullptr)
      sum += cost(i) * data_.costs[label * data_.classes + prediction];
    else if (label != prediction)
      sum += cost(i);
  }
  return sum;
}

int Audit::rows_for(const RowSet& rows) const {
  int sum = 0;
  for (int i = 0; i < data_.rows; ++i)
    if (rows[static_cast<std::size_t>(i)]) sum += data_.counts == nullptr ? 1 : data_.counts[i];
  return sum;
}

bool Audit::allows(const Split& split, bool limited) const {
  return !limited || data_.least_side.allows(rows_for(split.left), rows_for(split.right));
}

Cost Audit::one_split(const RowSet& rows, int f, bool limited) const {
  Cost best = leaf(rows);
  for (const Split& split : splits(rows, f))
    if (allows(split, limited)) best = std::min(best, two_leaves(split));
  return best;
}

Cost Audit::optimum(const RowSet& rows, Terms terms) {
  const std::lock_guard lock(mutex_);
  return compute(rows, terms);
}

Cost Audit::split_optimum(const Split& split, Terms terms) {
  const std::lock_guard lock(mutex_);
  return join(split, terms);
}

Cost Audit::compute(const RowSet& rows, Terms terms) {
  // Tell apart only what differs: a limit that cannot bind is none.
  const int depth = std::min(terms.depth, terms.splits);
  const int most = std::min(terms.splits, (1 << depth) - 1);
  const Key key{rows, depth, most, terms.limited && data_.least_side.binds()};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  Cost best = leaf(rows);
  if (depth > 0)
    for (const Split& split : splits(rows))
      best = std::min(best, join(split, {depth, most, key.limited}));
  known_[key] = best;
  return best;
}

Cost Audit::join(const Split& split, Terms terms) {
  if (terms.depth < 1 || terms.splits < 1 || !allows(split, terms.limited)) return kInfinite;
  if (std::min(terms.depth, terms.splits) == 1) return two_leaves(split) + data_.penalty;
  const int below = terms.depth - 1, most = (1 << below) - 1;
  const int rest = std::min(terms.splits - 1, 2 * most);
  Cost best = kInfinite;
  for (int i = std::max(0, rest - most); i <= std::min(rest, most); ++i)
    best = std::min(best, compute(split.left, {below, i, terms.limited}) +
                              compute(split.right, {below, rest - i, terms.limited}));
  return best + data_.penalty;
}

Cost Audit::tree_cost(const Tree& tree) const {
  return subtree_cost(tree, 0, all());
}

RowSet Audit::left_of(const RowSet& rows, const TreeNode& node) const {
  if (data_.masks == nullptr) return below(rows, node.feature, node.low + 1);
  return rows & unpacked(data_.masks->given(static_cast<std::uint32_t>(node.feature)));
}

Cost Audit::subtree_cost(const Tree& tree, int at, const RowSet& rows) const {
  const TreeNode& node = tree[static_cast<std::size_t>(at)];
  if (node.feature < 0) {
    return data_.numbers() ? leaf(rows) : prediction_cost(rows, node.label);
  }
  const RowSet left = left_of(rows, node), right = rows & ~left;
  if (left.none() || right.none() || !allows({0, left, right}, true)) return kInfinite;
  return data_.penalty + subtree_cost(tree, node.left, left) +
         subtree_cost(tree, node.right, right);
}

bool Audit::affords(const RowSet& rows, int depth) const {
  constexpr double kMost = 1e6;
  const auto ways = static_cast<double>(splits(rows).size());
  return ways * std::pow(2 * ways, std::max(depth - 1, 0)) <= kMost;
}

void AuditedRows::set_root(const Problem& data) {
  audit = root_of(data);
  if (audit != nullptr) rows = audit->all();
}

void AuditedRows::set_child(const AuditedRows& parent, int f, int rank, bool left) {
  audit = parent.audit;
  if (audit == nullptr) return;
  const RowSet below = audit->below(parent.rows, f, rank);
  rows = left ? below : parent.rows & ~below;
}

std::shared_ptr<Audit> AuditedRows::root_of(const Problem& data) {
  return data.rows > kAuditedRows ? nullptr : std::make_shared<Audit>(data);
}

void AuditedRows::set_packed(const std::shared_ptr<Audit>& of, const std::uint64_t* words) {
  audit = of;
  if (audit != nullptr) rows = audit->unpacked(words);
}

void false_claim(const std::string& name, const std::string& numbers) {
  throw std::logic_error("audit: the claim of \"" + name + "\" is false:" + numbers);
}

}  // namespace exactree

#endif
