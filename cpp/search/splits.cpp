#include "search/splits.hpp"

#include <algorithm>
#include <vector>

#include "search/leaf_cost.hpp"

namespace exactree {

namespace {

// What the rows on one side add up to, kept up to date row by row.
class Side {
 public:
  explicit Side(const Columns& data)
      : leaf_(data), by_class_(static_cast<std::size_t>(std::max(data.classes, 1)), 0) {}

  void move(int label, Cost cost) {
    Cost& c = by_class_[static_cast<std::size_t>(label)];
    squares_ += static_cast<double>(cost) * static_cast<double>(2 * c + cost);
    c += cost;
    all_ += cost;
  }
  Cost errors() const { return leaf_(by_class_); }
  double gini() const {
    return all_ == 0 ? 0 : static_cast<double>(all_) - squares_ / static_cast<double>(all_);
  }

 private:
  LeafCost leaf_;
  std::vector<Cost> by_class_;
  Cost all_ = 0;
  double squares_ = 0;
};

// The split with the least squared error.
SingleSplit best_of_squares(const Node& node, int shift, Cost* cost) {
  SingleSplit best;
  const int rows = node.rows();
  std::vector<SquareSums> row(static_cast<std::size_t>(rows));
  for (int f = 0; f < node.features(); ++f) {
    node.list_squares(f, row.data());
    SquareSums left, right;
    for (const SquareSums& r : row) right = right + r;
    const int last = std::min(node.last_allowed(f), rows - 1);
    std::size_t done = 0;
    for (int p = node.next(f, node.first_allowed(f)); p <= last; p = node.next(f, p + 1)) {
      for (; done < static_cast<std::size_t>(p); ++done) {
        left = left + row[done];
        right = right - row[done];
      }
      const Cost found = split_cost(left, right, shift);
      if (best.feature >= 0 && found >= *cost) continue;
      best = {f, p, 0};
      *cost = found;
    }
  }
  return best;
}

}  // namespace

SingleSplit best_split(const Node& node, const Columns& data, Criterion criterion, Cost* cost) {
  if (data.squared()) return best_of_squares(node, data.shift, cost);
  SingleSplit best;
  const int rows = node.rows();
  std::vector<int> label(static_cast<std::size_t>(rows));
  std::vector<Cost> weight(static_cast<std::size_t>(rows));
  for (int f = 0; f < node.features(); ++f) {
    node.list_rows(f, label.data(), weight.data());
    Side left(data), right(data);
    for (std::size_t i = 0; i < label.size(); ++i) right.move(label[i], weight[i]);
    const int last = std::min(node.last_allowed(f), rows - 1);
    std::size_t done = 0;
    for (int p = node.next(f, node.first_allowed(f)); p <= last; p = node.next(f, p + 1)) {
      for (; done < static_cast<std::size_t>(p); ++done) {
        left.move(label[done], weight[done]);
        right.move(label[done], -weight[done]);
      }
      const bool gini = criterion == Criterion::kGini;
      const double score = gini ? left.gini() + right.gini() : 0;
      const Cost errors = gini ? 0 : left.errors() + right.errors();
      if (best.feature >= 0 && (gini ? score >= best.score : errors >= *cost)) continue;
      best = {f, p, score};
      *cost = errors;
    }
  }
  return best;
}

}  // namespace exactree
