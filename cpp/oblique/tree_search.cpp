#include "oblique/tree_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "oblique/growing.hpp"
#include "oblique/split_search.hpp"

namespace KERNEL_NAMESPACE {

template <class Targets>
int TreeSearch<Targets>::add_leaf(int parent) {
  nodes_.emplace_back();
  right_.emplace_back();
  nodes_.back().parent = parent;
  return static_cast<int>(nodes_.size()) - 1;
}

// Puts the subtree `by` in place of n, of which it is a part.
template <class Targets>
void TreeSearch<Targets>::replace(int n, int by) {
  const int parent = at(n).parent;
  at(n) = std::move(at(by));
  right_[static_cast<std::size_t>(n)].swap(right_[static_cast<std::size_t>(by)]);
  at(n).parent = parent;
  if (is_leaf(n)) return;
  at(at(n).left).parent = n;
  at(at(n).right).parent = n;
}

// Decides the sides of all rows, whether they reach the node or not: they may yet.
template <class Targets>
void TreeSearch<Targets>::route(int n) {
  constexpr std::size_t kBlock = 512;  // rows whose scores stay in the nearest cache
  const auto rows = static_cast<std::size_t>(data_.rows);
  const Plane& plane = at(n).plane;
  auto& right = right_[static_cast<std::size_t>(n)];
  right.resize(rows);
  std::array<double, kBlock> score;
  for (std::size_t from = 0; from < rows; from += kBlock) {
    const std::size_t many = std::min(kBlock, rows - from);
    std::fill_n(score.begin(), many, plane.back());
    for (std::size_t j = 0; j + 1 < plane.size(); ++j) {
      if (plane[j] == 0) continue;
      const double* z = data_.z + j * rows + from;
      for (std::size_t i = 0; i < many; ++i) score[i] += plane[j] * z[i];
    }
    for (std::size_t i = 0; i < many; ++i) right[from + i] = score[i] > 0 ? 1 : 0;
  }
}

template <class Targets>
void TreeSearch<Targets>::part(int n, const Rows& rows, Rows sides[2]) const {
  const std::uint8_t* goes = right_[static_cast<std::size_t>(n)].data();
  std::size_t many[2] = {0, 0};  // written to both sides, kept on one: no branch to guess
  for (int s = 0; s < 2; ++s) sides[s].resize(rows.size());
  int *left = sides[0].data(), *right = sides[1].data();
  for (const int i : rows) {
    const std::size_t side = goes[i];
    left[many[0]] = right[many[1]] = i;
    many[0] += 1 - side;
    many[1] += side;
  }
  for (int s = 0; s < 2; ++s) sides[s].resize(many[s]);
}

template <class Targets>
std::vector<int> TreeSearch<Targets>::all_rows() const {
  Rows rows(static_cast<std::size_t>(data_.rows));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

template <class Targets>
std::vector<int> TreeSearch<Targets>::rows_of(int n) const {
  Rows rows = all_rows();
  std::vector<int> path;
  for (int k = n; k >= 0; k = at(k).parent) path.push_back(k);
  for (std::size_t k = path.size(); k-- > 1;) {
    const std::uint8_t wanted = at(path[k]).right == path[k - 1] ? 1 : 0;
    const std::uint8_t* goes = right_[static_cast<std::size_t>(path[k])].data();
    std::size_t kept = 0;
    for (const int i : rows) {
      rows[kept] = i;
      kept += goes[i] == wanted ? 1 : 0;
    }
    rows.resize(kept);
  }
  return rows;
}

template <class Targets>
std::int64_t TreeSearch<Targets>::count(const Rows& rows) const {
  if (data_.counts == nullptr) return static_cast<std::int64_t>(rows.size());
  std::int64_t sum = 0;
  for (const int i : rows) sum += data_.counts[i];
  return sum;
}

// The node and all below it, a parent before its children.
template <class Targets>
void TreeSearch<Targets>::collect(int n, std::vector<int>& found) const {
  found.push_back(n);
  if (is_leaf(n)) return;
  collect(at(n).left, found);
  collect(at(n).right, found);
}

template <class Targets>
std::vector<int> TreeSearch<Targets>::inner_nodes() const {
  std::vector<int> found;
  collect(0, found);
  std::erase_if(found, [this](int n) { return is_leaf(n); });
  return found;
}

// Gives the leaves below n their values; what the subtree costs, or kInfinite if a side of a split
// has some rows, but too few.
template <class Targets>
Cost TreeSearch<Targets>::relabel(int n, const Rows& rows) {
  if (is_leaf(n)) {
    targets_.fill(rows, at(n));
    const bool few = n != 0 && !rows.empty() && !data_.least_side.enough(count(rows));
    return few ? kInfinite : at(n).cost;
  }
  Rows sides[2];
  part(n, rows, sides);
  const Cost left = relabel(at(n).left, sides[0]), right = relabel(at(n).right, sides[1]);
  return left >= kInfinite || right >= kInfinite ? kInfinite : left + right + data_.penalty;
}

// Drops the splits below n with too few rows on a side.
template <class Targets>
void TreeSearch<Targets>::repair(int n, const Rows& rows) {
  if (is_leaf(n)) return;
  Rows sides[2];
  part(n, rows, sides);
  for (const Rows& side : sides)
    if (!side.empty() && !data_.least_side.enough(count(side))) return cut_to_leaf(n);
  repair(at(n).left, sides[0]);
  repair(at(n).right, sides[1]);
}

// Drops the splits below n that have an empty side, or cost more than they save; gives the cost.
template <class Targets>
Cost TreeSearch<Targets>::simplify(int n, const Rows& rows) {
  while (!is_leaf(n)) {
    Rows sides[2];
    part(n, rows, sides);
    if (sides[0].empty() || sides[1].empty()) {
      replace(n, sides[0].empty() ? at(n).right : at(n).left);
      continue;
    }
    const Cost split = simplify(at(n).left, sides[0]) + simplify(at(n).right, sides[1]);
    Node leaf;
    targets_.fill(rows, leaf);
    if (split + data_.penalty < leaf.cost) return split + data_.penalty;
    cut_to_leaf(n);
  }
  targets_.fill(rows, at(n));
  return at(n).cost;
}

// Drops last splits until there are no more than allowed, those first that save least.
template <class Targets>
void TreeSearch<Targets>::keep_budgets() {
  while (shape_.max_splits >= 0 && splits_below(0) > shape_.max_splits) {
    int least = 0;
    Cost saved = kInfinite;
    for (const int n : inner_nodes()) {
      if (!is_leaf(at(n).left) || !is_leaf(at(n).right)) continue;
      Node leaf;
      targets_.fill(rows_of(n), leaf);
      const Cost saves = leaf.cost - at(at(n).left).cost - at(at(n).right).cost;
      if (saves < saved) saved = saves, least = n;
    }
    cut_to_leaf(least);
    targets_.fill(rows_of(least), at(least));
  }
}

// After a change anywhere: budgets, values, cost.
template <class Targets>
void TreeSearch<Targets>::settle() {
  const Rows rows = all_rows();
  repair(0, rows);
  relabel(0, rows);
  if (limited()) simplify(0, rows);
  keep_budgets();
  total_ = cost_below(0);
}

// A new plane at n: other rows reach the nodes below, and the nodes above have other prices.
template <class Targets>
void TreeSearch<Targets>::open_around(int n) {
  std::vector<int> concerned;
  collect(n, concerned);
  for (int k = at(n).parent; k >= 0; k = at(k).parent) concerned.push_back(k);
  open_.resize(nodes_.size(), 1);
  for (const int k : concerned) open_[static_cast<std::size_t>(k)] = 1;
}

template <class Targets>
void TreeSearch<Targets>::set(const ObliqueTree& tree) {
  nodes_ = tree.nodes;
  open_.clear();
  right_.assign(nodes_.size(), {});
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].left >= 0) route(static_cast<int>(n));
  settle();
}

template <class Targets>
ObliqueTree TreeSearch<Targets>::written() {
  simplify(0, all_rows());
  total_ = cost_below(0);
  ObliqueTree tree;
  tree.cost = total_;
  const auto write = [&](auto&& self, int n, int parent) -> int {
    const auto me = tree.nodes.size();
    tree.nodes.push_back(at(n));
    tree.nodes[me].parent = parent;
    if (is_leaf(n)) return static_cast<int>(me);
    const int left = self(self, at(n).left, static_cast<int>(me));
    const int right = self(self, at(n).right, static_cast<int>(me));
    tree.nodes[me].left = left;
    tree.nodes[me].right = right;
    return static_cast<int>(me);
  };
  write(write, 0, -1);
  return tree;
}

// All columns, or those of the plane, filled up at random; now and then one of them is exchanged.
template <class Targets>
std::vector<int> TreeSearch<Targets>::columns_for(const Plane& plane) {
  std::vector<int> all(static_cast<std::size_t>(data_.columns));
  std::iota(all.begin(), all.end(), 0);
  const auto most = static_cast<std::size_t>(shape_.plane_columns);
  if (most == 0 || most >= all.size()) return all;
  std::vector<int> used, others;
  for (const int j : all) (plane[static_cast<std::size_t>(j)] != 0 ? used : others).push_back(j);
  if (used.size() == most && random_.coin())
    used.erase(used.begin() + random_.below(shape_.plane_columns));
  draw_some(others, most - used.size(), random_);
  used.insert(used.end(), others.begin(), others.end());
  std::sort(used.begin(), used.end());
  return used;
}

template <class Targets>
template <class Meter>
bool TreeSearch<Targets>::search_split(int n, const NodeRows& rows, Meter& meter, Plane& found) {
  int least[2];
  const int below[2] = {at(n).left, at(n).right};
  for (int s = 0; s < 2; ++s) least[s] = data_.least_side.least * (1 + splits_below(below[s]));
  SplitSearch<Meter> search(rows, meter, least[0], least[1], random_, pace_);
  search.start(rows.narrowed(at(n).plane));
  const auto before = search.level();
  search.improve(patience(), 0);
  scans_ += search.scans();
  if (meter.below(before, search.level())) return false;
  found = rows.widened(search.plane(), data_.columns);
  return true;
}

// The rows near the plane of n in full, and of the others some, each for several. What a better
// plane changes is mostly near, and a few of the others tell what it would do to them.
template <class Targets>
SomeRows TreeSearch<Targets>::thinned(int n, Rows rows) {
  constexpr int kFar = 8;
  const auto columns = static_cast<std::size_t>(data_.columns);
  const std::size_t near = 200 + columns * columns;  // fewer would fit planes to themselves
  if (rows.size() < 2 * near) return {std::move(rows), {}};
  const Plane& plane = at(n).plane;
  Scores scores(rows.size(), plane.back());
  for (std::size_t j = 0; j + 1 < plane.size(); ++j) {
    if (plane[j] == 0) continue;
    const double* z = data_.z + j * static_cast<std::size_t>(data_.rows);
    for (std::size_t k = 0; k < rows.size(); ++k) scores[k] += plane[j] * z[rows[k]];
  }
  const double edge = distance_of_nearest(scores, near);
  SomeRows some;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool far = std::fabs(scores[k]) > edge;
    if (far && random_.below(kFar) != 0) continue;
    some.rows.push_back(rows[k]);
    some.times.push_back(far ? kFar : 1);
  }
  return some;
}

// What it costs more if a row of n goes right: the values of the leaves below are those of now.
template <class Targets>
Cost TreeSearch<Targets>::price(int n, int i) const {
  return targets_.cost(i, end_value(at(n).right, i)) - targets_.cost(i, end_value(at(n).left, i));
}

// Leaves the rows out that cost the same on both sides of n.
template <class Targets>
void TreeSearch<Targets>::leave_out_free(int n, Rows& rows) const {
  std::size_t kept = 0;
  for (const int i : rows) {
    rows[kept] = i;
    kept += price(n, i) != 0 ? 1 : 0;
  }
  rows.resize(kept);
}

// Searches a better plane for the node, all others fixed, with the values that the leaves below
// have now; above two leaves, now and then with the best values for the two sides. True if the tree
// is better.
template <class Targets>
bool TreeSearch<Targets>::improve_node(int n) {
  const Rows rows = rows_of(n);
  const Cost before = cost_below(n);
  const Node &left = at(at(n).left), &right = at(at(n).right);
  const bool joint = left.left < 0 && right.left < 0 &&
                     (left.value == right.value || random_.uniform() < Targets::kJoint);
  Rows care = rows;
  if (!joint && !data_.least_side.binds()) leave_out_free(n, care);
  if (care.size() < 2) return false;
  const NodeRows own(data_, thinned(n, std::move(care)), columns_for(at(n).plane));
  Plane found;
  bool any = false;
  if (joint) {
    targets_.with_last_meter(own, [&](auto& meter) { any = search_split(n, own, meter, found); });
  } else {
    std::vector<Cost> prices;
    for (std::size_t k = 0; k < own.rows().size(); ++k)
      prices.push_back(own.times(k) * price(n, own.rows()[k]));
    PriceMeter meter(prices);
    any = search_split(n, own, meter, found);
  }
  if (!any) return false;
  at(n).plane.swap(found);
  auto old = right_[static_cast<std::size_t>(n)];
  route(n);
  if (relabel(n, rows) > before) {
    at(n).plane.swap(found);
    right_[static_cast<std::size_t>(n)].swap(old);
    relabel(n, rows);
    return false;
  }
  return cost_below(n) < before;
}

template <class Targets>
void TreeSearch<Targets>::alternate(int idle_passes, Cost target) {
  for (int idle = 0; idle < idle_passes;) {
    const Cost before = total_;
    extend();
    std::vector<int> order = inner_nodes();
    if (random_.coin())
      std::reverse(order.begin(), order.end());
    else
      shuffle(order, random_);
    open_.resize(nodes_.size(), 1);
    for (const int n : order) {
      if (open_[static_cast<std::size_t>(n)] == 0) continue;
      open_[static_cast<std::size_t>(n)] = 0;
      if (improve_node(n)) open_around(n);
      total_ = cost_below(0);
      if (total_ <= target || pace_.stopped()) return;
    }
    if (limited()) settle();
    idle = total_ < before ? 0 : idle + 1;
  }
}

template class TreeSearch<Answers>;
template class TreeSearch<Classes>;
template class TreeSearch<Numbers>;

}  // namespace KERNEL_NAMESPACE
