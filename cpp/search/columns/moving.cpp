#include "search/columns/moving.hpp"

#include <cmath>

namespace exactree {

namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// A move has to save this share of what is at stake, which rounding does not reach.
constexpr double kTiny = 1e-9;
// So many rows are looked at in a unit of effort.
constexpr std::int64_t kRowsAUnit = 64;

}  // namespace

bool Moving::move(Tree& tree, const std::vector<bool>& path) {
  work_.spend(1 + data_.rows / kRowsAUnit);
  const int here = list_rows(tree, path);
  TreeNode& split = tree[index(here)];
  if (data_.squared()) find_means(tree, here);
  more_.resize(rows_.size());
  Place best;
  double stake = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = rows_[i];
    more_[i] = cost(tree, leaf_of(tree, split.left, row), row) -
               cost(tree, leaf_of(tree, split.right, row), row);
    stake += std::abs(more_[i]);
    if (goes_left(split, row)) best.cost += more_[i];
  }
  best.cost -= kTiny * stake;
  for (int f = 0; f < data_.features; ++f) {
    work_.spend(1 + (static_cast<std::int64_t>(rows_.size()) + data_.max_rank) / kRowsAUnit);
    try_column(f, best);
  }
  if (best.feature < 0) return false;
  split.feature = best.feature;
  split.high = best.rank;
  return true;
}

int Moving::leaf_of(const Tree& tree, int at_node, int row) const {
  while (tree[index(at_node)].feature >= 0) {
    const TreeNode& here = tree[index(at_node)];
    at_node = goes_left(here, row) ? here.left : here.right;
  }
  return at_node;
}

int Moving::list_rows(const Tree& tree, const std::vector<bool>& path) {
  rows_.clear();
  int here = 0;
  for (const bool right : path) here = right ? tree[index(here)].right : tree[index(here)].left;
  for (int row = 0; row < data_.rows; ++row) {
    int node = 0;
    bool inside = true;
    for (std::size_t i = 0; i < path.size() && inside; ++i) {
      const TreeNode& split = tree[index(node)];
      inside = goes_left(split, row) != path[i];
      node = path[i] ? split.right : split.left;
    }
    if (inside) rows_.push_back(row);
  }
  return here;
}

void Moving::find_means(const Tree& tree, int here) {
  means_.assign(tree.size(), 0);
  std::vector<double> masses(tree.size(), 0);
  for (const int row : rows_) {
    const std::size_t leaf = index(leaf_of(tree, here, row));
    means_[leaf] += data_.sums[row];
    masses[leaf] += data_.masses == nullptr ? 1 : data_.masses[row];
  }
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (masses[i] > 0) means_[i] /= masses[i];
}

// Up to something that depends on the row alone.
double Moving::cost(const Tree& tree, int leaf, int row) const {
  const int answer = tree[index(leaf)].label;
  if (data_.squared()) {
    const double mass = data_.masses == nullptr ? 1 : data_.masses[row];
    return means_[index(leaf)] * (means_[index(leaf)] * mass - 2 * data_.sums[row]);
  }
  if (data_.priced())
    return static_cast<double>(data_.row_costs[index(row) * index(data_.classes) + index(answer)]);
  const double weight = static_cast<double>(data_.weights == nullptr ? 1 : data_.weights[row]);
  const int label = data_.labels[row];
  if (data_.costs == nullptr) return label == answer ? 0 : weight;
  return weight *
         static_cast<double>(data_.costs[index(label) * index(data_.classes) + index(answer)]);
}

void Moving::try_column(int feature, Place& best) {
  sums_.assign(index(data_.max_rank) + 1, 0);
  counts_.assign(sums_.size(), 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::size_t rank = index(data_.rank(feature, rows_[i]));
    sums_[rank] += more_[i];
    ++counts_[rank];
  }
  double sum = 0;
  std::size_t below = 0;
  for (std::size_t rank = 0; rank < sums_.size(); ++rank) {
    if (counts_[rank] == 0) continue;
    if (below > 0 && sum < best.cost) best = {feature, static_cast<int>(rank), sum};
    sum += sums_[rank];
    below += index(counts_[rank]);
  }
}

}  // namespace exactree
