#include "search/sparse/carving.hpp"

#include <algorithm>

namespace exactree {

void Carver::read(const Node& node, int f) {
  ones_ = data_.classes == 2 && data_.weights == nullptr ? node.class_mask(f, 1) : nullptr;
  if (ones_ != nullptr) return;
  classes_.resize(static_cast<std::size_t>(node.rows()));
  costs_.resize(static_cast<std::size_t>(node.rows()));
  node.list_rows(f, classes_.data(), costs_.data());
}

// Takes one more row into the leaf.
Cost Carver::add(int row) {
  const auto at = static_cast<std::size_t>(row);
  Cost& sum = by_class_[static_cast<std::size_t>(classes_[at])];
  sum += costs_[at];
  total_ += costs_[at];
  most_ = std::max(most_, sum);
  return leaf_cost_.plain() ? total_ - most_ : leaf_cost_(by_class_);
}

int Carver::list(const Node& node, int f, int s, Cost limit, bool all, std::vector<Carving>& out) {
  out.clear();
  if (ones_ != nullptr) {
    int ones = 0, rows = 0;
    const auto add_one = [&](int row) {
      ones += static_cast<int>(ones_[row / 64] >> (row % 64) & 1);
      ++rows;
      return data_.unit * std::min(ones, rows - ones);
    };
    return list(node, f, s, limit, all, add_one, out);
  }
  by_class_.assign(static_cast<std::size_t>(data_.classes), 0);
  total_ = most_ = 0;
  return list(node, f, s, limit, all, [this](int row) { return add(row); }, out);
}

template <class Add>
int Carver::list(const Node& node, int f, int s, Cost limit, bool all, const Add& add,
                 std::vector<Carving>& out) const {
  const int rows = node.rows();
  Cost leaf = 0;  // of the rows passed
  int excluded = 0;
  bool smaller = true;  // whether the position before this one is no worse
  for (int passed = 0; passed < rows && leaf < limit;) {
    const int here = s == 0 ? passed : rows - passed;
    const int there = s == 0 ? node.next(f, here + 1) : node.prev(f, here - 1);
    const int end = s == 0 ? there : rows - there;
    Cost next = leaf;
    for (; passed < end; ++passed) next = add(s == 0 ? passed : rows - 1 - passed);
    if (here > 0 && here < rows) {
      const bool kept = all || (next > leaf && !smaller);
      if (kept) out.push_back({here, leaf});
      if (!kept) ++excluded;
    }
    smaller = next > leaf &&
              next - leaf >= node.influence(f, std::min(here, there), std::max(here, there));
    leaf = next;
  }
  return excluded;
}

}  // namespace exactree
