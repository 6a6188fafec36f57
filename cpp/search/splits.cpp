#include "search/splits.hpp"

#include <algorithm>
#include <vector>

namespace exactree {

namespace {

// What the rows on one side add up to.
struct Side {
  std::vector<Cost> by_class;
  Cost all = 0;

  void move(int label, Cost cost) {
    by_class[static_cast<std::size_t>(label)] += cost;
    all += cost;
  }
  Cost errors() const { return all - *std::max_element(by_class.begin(), by_class.end()); }
  double gini() const {
    if (all == 0) return 0;
    double squares = 0;
    for (const Cost c : by_class) squares += static_cast<double>(c) * static_cast<double>(c);
    return static_cast<double>(all) - squares / static_cast<double>(all);
  }
};

}  // namespace

SingleSplit best_split(const Node& node, int classes, Criterion criterion, Cost* cost) {
  SingleSplit best;
  Side total{std::vector<Cost>(static_cast<std::size_t>(std::max(classes, 1)), 0), 0};
  const Side none = total;
  for (int i = 0; i < node.rows(); ++i) total.move(node.class_at(0, i), node.cost_at(0, i));
  for (int f = 0; f < node.features(); ++f) {
    Side left = none, right = total;
    const int last = node.last_allowed(f);
    int done = 0;
    for (int p = node.next(f, node.first_allowed(f)); p <= last && p < node.rows();
         p = node.next(f, p + 1)) {
      for (; done < p; ++done) {
        left.move(node.class_at(f, done), node.cost_at(f, done));
        right.move(node.class_at(f, done), -node.cost_at(f, done));
      }
      const Cost errors = left.errors() + right.errors();
      const double score = criterion == Criterion::kErrors ? static_cast<double>(errors)
                                                           : left.gini() + right.gini();
      const bool better = best.feature < 0 ||
                          (criterion == Criterion::kErrors ? errors < *cost : score < best.score);
      if (!better) continue;
      best = {f, p, score};
      *cost = errors;
    }
  }
  return best;
}

}  // namespace exactree
