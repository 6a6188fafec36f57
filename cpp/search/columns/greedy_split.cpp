#include "search/columns/greedy_split.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/targets/leaf_cost.hpp"

namespace exactree {

namespace {

// What the rows on one side add up to, kept up to date row by row.
class Side {
 public:
  explicit Side(const Problem& data)
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

// Two classes whose rows all cost the same. A split is a point (a, b): so many rows of the first
// and of the second class go left. What makes one better than another has `at(a, b)`, the lower the
// better, and `rounding`, by how much that can be too high or too low.
struct Errors {
  using Score = Cost;
  Cost unit;
  int all[2];
  Score rounding = 0;

  Score at(int a, int b) const {
    return unit * (std::min(a, b) + std::min(all[0] - a, all[1] - b));
  }
};

// The arithmetic of Side, for costs whose squares a double holds exactly.
struct Gini {
  using Score = double;
  Cost unit;
  int all[2];
  // A side's impurity is a quotient and a difference, the split's their sum: all that rounds by
  // less than three times 2^-53 of the whole cost.
  Score rounding = rounding_of(unit * (all[0] + all[1]));

  static Score rounding_of(Cost whole) { return 0x1p-51 * static_cast<double>(whole); }
  static bool exact(Cost unit, int rows) { return unit * rows <= Cost{94906265}; }
  Score at(int a, int b) const { return side(a, b) + side(all[0] - a, all[1] - b); }

 private:
  Score side(int a, int b) const {
    if (a + b == 0) return 0;
    const auto of_a = static_cast<double>(unit * a), of_b = static_cast<double>(unit * b);
    const double both = of_a + of_b;
    return both - (of_a * of_a + of_b * of_b) / both;
  }
};

// The best split of two classes, word by word of a column.
//
// Corner. The errors of a side, min(a, b), and its impurity, 2ab / (a + b), are concave in (a, b);
// so are their sums over both sides, and a concave function on a box is nowhere below its lowest
// corner. The splits in a word of rows lie in the box between the points before and after it. So
// none of them is better than a split that is better than all four corners.
template <class Score>
class TwoClassPass {
 public:
  using Value = typename Score::Score;

  TwoClassPass(const Node& node, const Score& score) : node_(node), score_(score) {}

  SingleSplit run(Value* lowest, Workspace& work) {
    for (int f = 0; f < node_.features(); ++f) {
      work.spend_on(node_.rows());
      list_words(f);
      for (std::size_t w = 0; w + 1 < before_.size(); ++w) {
        const Point &a = before_[w], &b = before_[w + 1];
        const Value corner =
            std::min({a.value, b.value, score_.at(a.zeros, b.ones), score_.at(b.zeros, a.ones)});
        if (corner - 2 * score_.rounding <= known_) search_word(f, w);
      }
    }
    *lowest = lowest_;
    return best_;
  }

 private:
  struct Point {
    int zeros = 0, ones = 0;
    Value value = 0;
  };

  // The points between the words of a column; the best of them that are splits is known by now.
  void list_words(int f) {
    const int rows = node_.rows();
    first_ = std::max(node_.first_allowed(f), 1);
    last_ = std::min(node_.last_allowed(f), rows - 1);
    mask_ = node_.class_mask(f, 1);
    Point at{0, 0, score_.at(0, 0)};
    before_.assign(1, at);
    for (int begin = 0; begin < last_; begin += 64) {
      const int end = std::min(begin + 64, rows);
      at.ones += std::popcount(mask_[begin / 64]);
      at.zeros = end - at.ones;
      at.value = score_.at(at.zeros, at.ones);
      before_.push_back(at);
      if (end >= first_ && end <= last_ && node_.next(f, end) == end)
        known_ = std::min(known_, at.value);
    }
  }

  void search_word(int f, std::size_t w) {
    const int begin = static_cast<int>(w) * 64, end = std::min(begin + 64, last_);
    for (int p = node_.next(f, std::max(first_, begin + 1)); p <= end; p = node_.next(f, p + 1)) {
      const std::uint64_t left = mask_[w] & ~std::uint64_t{0} >> (64 - (p - begin));
      const int ones = before_[w].ones + std::popcount(left);
      const Value found = score_.at(p - ones, ones);
      if (best_.feature >= 0 && found >= lowest_) continue;
      best_ = {f, p};
      lowest_ = found;
      known_ = std::min(known_, found);
    }
  }

  const Node& node_;
  const Score score_;
  const std::uint64_t* mask_ = nullptr;
  int first_ = 1, last_ = 0;   // positions that leave enough rows
  std::vector<Point> before_;  // per word; and after the last
  SingleSplit best_;
  Value lowest_ = 0;
  Value known_ = std::numeric_limits<Value>::max();  // some split has no more
};

SingleSplit best_of_two(const Node& node, Cost unit, Criterion criterion, Cost* cost,
                        Workspace& work) {
  int ones = 0;
  for (int w = 0; w * 64 < node.rows(); ++w) ones += std::popcount(node.class_mask(0, 1)[w]);
  const int zeros = node.rows() - ones;
  if (criterion == Criterion::kErrors)
    return TwoClassPass(node, Errors{unit, {zeros, ones}}).run(cost, work);
  *cost = 0;
  double lowest = 0;
  return TwoClassPass(node, Gini{unit, {zeros, ones}}).run(&lowest, work);
}

// The rows of every class on one side, all of the same cost.
class ClassCounts {
 public:
  ClassCounts(int classes, Cost unit) : unit_(unit), of_(static_cast<std::size_t>(classes), 0) {}

  void add(int label, int rows) {
    int& n = of_[static_cast<std::size_t>(label)];
    squares_ += static_cast<Cost>(rows) * (2 * n + rows);
    n += rows;
    rows_ += rows;
  }
  double score(Criterion criterion) const {
    const auto all = static_cast<double>(unit_ * rows_);
    if (criterion == Criterion::kErrors)
      return all - static_cast<double>(unit_ * *std::max_element(of_.begin(), of_.end()));
    return rows_ == 0 ? 0 : all - static_cast<double>(unit_ * unit_ * squares_) / all;
  }

 private:
  Cost unit_;
  int rows_ = 0;
  Cost squares_ = 0;  // of the counts
  std::vector<int> of_;
};

// The best split of several classes, word by word of a column.
//
// Errors and impurity of a side only grow with its rows (impurity is the least squared distance of
// the classes, as unit vectors, from one point). So a split in a word of rows is no better than the
// left side before the word together with the right side after it.
class ManyClassPass {
 public:
  ManyClassPass(const Node& node, int classes, Cost unit, Criterion criterion, Workspace& work)
      : node_(node),
        work_(work),
        criterion_(criterion),
        slack_(2 * Gini::rounding_of(unit * node.rows())),
        nothing_(classes, unit),
        all_(classes, unit) {
    masks_.resize(static_cast<std::size_t>(classes));
    take_column(0);
    for (int w = 0; w < words(); ++w) move_word(w, all_, nullptr);
  }

  SingleSplit run(double* lowest) {
    for (int f = 0; f < node_.features(); ++f) {
      work_.spend_on(node_.rows());
      take_column(f);
      list_words(f);
      ClassCounts left = nothing_, right = all_;
      for (int w = 0; w < words() && w * 64 < last_; ++w) {
        const auto i = static_cast<std::size_t>(w);
        if (left_[i] + right_[i + 1] - slack_ <= known_)
          search_word(f, w, left, right);
        else
          move_word(w, left, &right);
      }
    }
    *lowest = lowest_;
    return best_;
  }

 private:
  int words() const { return (node_.rows() + 63) / 64; }

  void take_column(int f) {
    for (std::size_t c = 0; c < masks_.size(); ++c)
      masks_[c] = node_.class_mask(f, static_cast<int>(c));
    first_ = std::max(node_.first_allowed(f), 1);
    last_ = std::min(node_.last_allowed(f), node_.rows() - 1);
  }

  void move_word(int w, ClassCounts& to, ClassCounts* from) const {
    work_.spend_on(64 * static_cast<int>(masks_.size()));
    for (std::size_t c = 0; c < masks_.size(); ++c) {
      const int n = std::popcount(masks_[c][w]), label = static_cast<int>(c);
      to.add(label, n);
      if (from != nullptr) from->add(label, -n);
    }
  }

  // Both sides between the words; the best of the splits there is known by now.
  void list_words(int f) {
    ClassCounts left = nothing_, right = all_;
    left_.assign(1, left.score(criterion_));
    right_.assign(1, right.score(criterion_));
    for (int w = 0; w < words(); ++w) {
      move_word(w, left, &right);
      left_.push_back(left.score(criterion_));
      right_.push_back(right.score(criterion_));
      const int end = (w + 1) * 64;
      if (end >= first_ && end <= last_ && node_.next(f, end) == end)
        known_ = std::min(known_, left_.back() + right_.back());
    }
  }

  void search_word(int f, int w, ClassCounts& left, ClassCounts& right) {
    work_.spend_on(1024 * static_cast<int>(masks_.size()));
    const int end = std::min((w + 1) * 64, node_.rows());
    int p = node_.next(f, std::max(first_, w * 64 + 1));
    for (int row = w * 64; row < end; ++row) {
      const int label = label_of(row);
      left.add(label, 1);
      right.add(label, -1);
      if (row + 1 != p) continue;
      if (p <= last_) try_split(f, p, left.score(criterion_) + right.score(criterion_));
      p = node_.next(f, p + 1);
    }
  }

  int label_of(int row) const {
    int label = 0;
    while ((masks_[static_cast<std::size_t>(label)][row / 64] >> (row % 64) & 1) == 0) ++label;
    return label;
  }

  void try_split(int f, int p, double score) {
    if (best_.feature >= 0 && score >= lowest_) return;
    best_ = {f, p};
    lowest_ = score;
    known_ = std::min(known_, score);
  }

  const Node& node_;
  Workspace& work_;
  const Criterion criterion_;
  const double slack_;  // for the rounding of what is compared
  const ClassCounts nothing_;
  ClassCounts all_;
  std::vector<const std::uint64_t*> masks_;  // of the column, per class
  std::vector<double> left_, right_;         // before every word, and after the last
  int first_ = 1, last_ = 0;                 // positions that leave enough rows
  SingleSplit best_;
  double lowest_ = 0;
  double known_ = std::numeric_limits<double>::max();  // some split has no more
};

SingleSplit best_of_many(const Node& node, const Problem& data, Criterion criterion, Cost* cost,
                         Workspace& work) {
  double lowest = 0;
  const SingleSplit best =
      ManyClassPass(node, data.classes, data.unit, criterion, work).run(&lowest);
  *cost = criterion == Criterion::kErrors ? static_cast<Cost>(lowest) : 0;
  return best;
}

// The split of numbers with the least loss.
SingleSplit best_of_numbers(const Node& node, Cost* cost, Workspace& work) {
  SingleSplit best;
  std::vector<int> positions;
  std::vector<Cost> costs;
  for (int f = 0; f < node.features(); ++f) {
    work.spend_on(16 * std::min(node.rows(), 1 << 26));
    const int last = std::min(node.last_allowed(f), node.rows() - 1);
    positions.clear();
    for (int p = node.next(f, node.first_allowed(f)); p <= last; p = node.next(f, p + 1))
      positions.push_back(p);
    costs.resize(positions.size());
    node.split_costs(f, positions, costs.data());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (best.feature >= 0 && costs[i] >= *cost) continue;
      best = {f, positions[i], 0};
      *cost = costs[i];
    }
  }
  return best;
}

// The split with the least cost, where rows have costs for every answer.
SingleSplit best_of_costs(const Node& node, const Problem& data, Cost* cost, Workspace& work) {
  SingleSplit best;
  const auto answers = static_cast<std::size_t>(data.classes);
  std::vector<int> rows(static_cast<std::size_t>(node.rows()));
  std::vector<Cost> all(answers, 0), left, right;
  const auto costs_of = [&](int row) {
    return data.row_costs + static_cast<std::size_t>(row) * answers;
  };
  for (int f = 0; f < node.features(); ++f) {
    work.spend_on(16 * std::min(node.rows(), 1 << 26));
    node.list_order(f, rows.data());
    if (f == 0)
      for (const int row : rows)
        for (std::size_t a = 0; a < answers; ++a) all[a] += costs_of(row)[a];
    left.assign(answers, 0);
    right = all;
    const int last = std::min(node.last_allowed(f), node.rows() - 1);
    std::size_t done = 0;
    for (int p = node.next(f, node.first_allowed(f)); p <= last; p = node.next(f, p + 1)) {
      for (; done < static_cast<std::size_t>(p); ++done)
        for (std::size_t a = 0; a < answers; ++a) {
          left[a] += costs_of(rows[done])[a];
          right[a] -= costs_of(rows[done])[a];
        }
      const Cost found = *std::min_element(left.begin(), left.end()) +
                         *std::min_element(right.begin(), right.end());
      if (best.feature >= 0 && found >= *cost) continue;
      best = {f, p, 0};
      *cost = found;
    }
  }
  return best;
}

}  // namespace

SingleSplit best_split(const Node& node, const Problem& data, Criterion criterion, Cost* cost,
                       Workspace& work) {
  work.spend_over(node.features());
  if (data.priced()) return best_of_costs(node, data, cost, work);
  if (data.numbers()) return best_of_numbers(node, cost, work);
  if (node.features() > 0 && node.class_mask(0, 1) != nullptr &&
      Gini::exact(data.unit, node.rows()))
    return data.classes <= 2 ? best_of_two(node, data.unit, criterion, cost, work)
                             : best_of_many(node, data, criterion, cost, work);
  SingleSplit best;
  const int rows = node.rows();
  std::vector<int> label(static_cast<std::size_t>(rows));
  std::vector<Cost> weight(static_cast<std::size_t>(rows));
  // The errors of a side are looked for among all classes, at every split.
  const std::int64_t each = criterion == Criterion::kErrors ? std::max(16, data.classes) : 16;
  const auto effort = static_cast<int>(std::min<std::int64_t>(each * rows, 1 << 30));
  for (int f = 0; f < node.features(); ++f) {
    work.spend_on(effort);
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
