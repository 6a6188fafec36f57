#include "shapes/monotone.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <unordered_map>

#include "shapes/monotone_rules.hpp"

namespace exactree {
namespace {

constexpr std::int64_t kStepsBetweenQuestions = 1 << 20;
struct StoppedSearch {};

template <class Rules>
class MonotoneSearch {
  using Cost = typename Rules::Cost;
  using Sums = typename Rules::Sums;
  using Sides = std::vector<std::uint8_t>;

  // Of an entry: no split, or one that is not kept yet.
  static constexpr std::int32_t kLeaf = -1, kOpen = -2;

  // Some rows, in the order of every column one after the other.
  struct Node {
    std::vector<std::uint32_t> orders;
    std::size_t size = 0;
    Sums total;
  };
  // A threshold that was looked at: its sides and what they cost at least.
  struct Seen {
    Sums left, right;
    Cost left_low = 0, right_low = 0;
  };
  // Thresholds of a column that send from .. to - 1 rows left, between two that were looked at.
  struct Run {
    std::size_t column, from, to;
    Seen before, after;
  };
  // A split with the places of what is below it, in the order in which all were kept.
  struct Made {
    std::int32_t column, rank, left, right;
  };
  // A subtree: what it costs and predicts, its first split and where that is kept, kLeaf if it has
  // none. Most subtrees are dominated soon: those are not kept.
  struct Entry {
    Cost cost;
    double low, high;
    std::int32_t made = kLeaf;
    Made split{};
  };
  struct Limits {
    Cost cap;
    double low, high;
  };
  using Front = std::vector<Entry>;

 public:
  MonotoneSearch(const MonotoneProblem& problem, const Rules& rules, Cost penalty,
                 const StopAsked& stop)
      : problem_(problem), rules_(rules), penalty_(penalty), stop_(stop) {}

  // In rounds: fronts are short where the cap is near the least cost, so caps begin at the bound of
  // free leaves. The first round that finds a tree has found the best one.
  MonotoneFound<Cost> found(Cost cap) {
    MonotoneFound<Cost> answer;
    answer.cost = answer.bound = cap;
    const Node all = everything();
    if (problem_.depth == 0 || problem_.rows < 2) return answer;
    Entry best{cap, 0, 0};
    Cost proved = 0;
    highest_ = cap;
    try {
      if (stop_(bytes())) throw StoppedSearch{};
      const Cost free = bound(all, problem_.depth, cap, true);
      proved = std::max(free - rules_.margin, Cost{0});
      for (Cost share : {Cost{64}, Cost{16}, Cost{4}, Cost{1}}) {
        Cost target =
            share == 1 ? cap : std::min(cap, free + std::max((cap - free) / share, least_step()));
        best.cost = target;
        open_bound_ = 0;
        split_front(all, problem_.depth, problem_.splits, {target, -kWide, kWide}, &best);
        proved = best.cost;
        if (best.cost < target || target >= cap) break;
      }
    } catch (const StoppedSearch&) {
      answer.stopped = true;
      proved = std::min(std::max(proved, open_bound_), best.cost);
    }
    answer.bound = proved;
    answer.better = best.made >= 0;
    if (answer.better) answer.cost = best.cost, write(best.made, answer.tree);
    return answer;
  }

 private:
  const std::int32_t* ranks_of(std::size_t column) const {
    return problem_.ranks + column * problem_.rows;
  }

  void spend(std::size_t rows) { step(rows * problem_.columns); }
  void step(std::size_t steps) {
    steps_ += static_cast<std::int64_t>(steps);
    if (steps_ < kStepsBetweenQuestions) return;
    steps_ = 0;
    if (stop_(bytes())) throw StoppedSearch{};
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(made_.capacity() * sizeof(Made)); }

  Node everything() {
    Node all;
    all.size = problem_.rows;
    std::vector<std::uint32_t> order(problem_.rows);
    for (std::size_t c = 0; c < problem_.columns; ++c) {
      const std::int32_t* ranks = ranks_of(c);
      std::iota(order.begin(), order.end(), 0U);
      std::stable_sort(order.begin(), order.end(),
                       [ranks](auto a, auto b) { return ranks[a] < ranks[b]; });
      all.orders.insert(all.orders.end(), order.begin(), order.end());
    }
    for (std::size_t i = 0; i < problem_.rows; ++i) all.total.add(rules_.of(i));
    return all;
  }

  Node part(const Node& node, const Sides& side, std::uint8_t which, const Sums& total) {
    spend(node.size);
    Node found;
    found.total = total;
    for (std::uint32_t row : node.orders)
      if (side[row] == which) found.orders.push_back(row);
    found.size = found.orders.size() / problem_.columns;
    return found;
  }

  // ---- bounds: free leaves

  // The lesser of the bound and the cap.
  Cost bound(const Node& node, int depth, Cost cap, bool top = false) {
    Cost best = std::min(cap, rules_.leaf(node.total));
    if (depth == 0 || node.size < 2 || best <= penalty_) return best;
    if (depth == 1) {
      Cost low[2];
      const Sums total[2] = {node.total, Sums{}};
      one_level(node, Sides(problem_.rows, 0), total, low);
      return std::min(best, low[0]);
    }
    explore(
        node,
        [&](std::size_t column, std::size_t place, Seen& seen) {
          seen = sides_of(node, column, place, depth, best, top);
          const Cost cost = rules_.split(problem_.ways[column], seen.left, seen.left_low,
                                         seen.right, seen.right_low);
          best = std::min(best, cost + penalty_);
          return best;
        },
        best, top);
    return best;
  }

  // The least cost of at most one split on either side of a threshold, in one pass over columns.
  void one_level(const Node& node, const Sides& side, const Sums (&total)[2], Cost (&best)[2]) {
    spend(node.size);
    for (int s : {0, 1}) best[s] = rules_.leaf(total[s]);
    for (std::size_t c = 0; c < problem_.columns; ++c) {
      const std::uint32_t* order = node.orders.data() + c * node.size;
      const std::int32_t* ranks = ranks_of(c);
      const int way = problem_.ways[c];
      Sums left[2];
      std::int32_t last[2] = {-1, -1};
      for (std::size_t i = 0; i < node.size; ++i) {
        const std::uint32_t row = order[i];
        const int s = side[row];
        if (ranks[row] != last[s] && last[s] >= 0) {
          const Cost cost = rules_.leaves(way, left[s], total[s].without(left[s]));
          best[s] = std::min(best[s], cost + penalty_);
        }
        last[s] = ranks[row];
        left[s].add(rules_.of(row));
      }
    }
  }

  Sides split_at(const Node& node, std::size_t column, std::size_t place) {
    step(problem_.rows);
    const std::uint32_t* order = node.orders.data() + column * node.size;
    Sides side(problem_.rows, 1);
    for (std::size_t i = 0; i < place; ++i) side[order[i]] = 0;
    return side;
  }

  // The sides of a threshold with what they cost at least. At the top they are kept: all rounds
  // ask for them.
  Seen sides_of(const Node& node, std::size_t column, std::size_t place, int depth, Cost best,
                bool top) {
    const auto key = column * problem_.rows + place;
    if (top)
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const std::uint32_t* order = node.orders.data() + column * node.size;
    Sums total[2];
    for (std::size_t i = 0; i < place; ++i) total[0].add(rules_.of(order[i]));
    total[1] = node.total.without(total[0]);
    const Sides side = split_at(node, column, place);
    Cost low[2];
    if (depth == 2) {
      one_level(node, side, total, low);
    } else {
      // Beyond the best cost, so that the bounds of intervals are good for something.
      const Cost cap = top ? highest_ : best + best / 4;
      low[0] = bound(part(node, side, 0, total[0]), depth - 1, cap);
      low[1] = bound(part(node, side, 1, total[1]), depth - 1, cap);
    }
    const Seen seen{total[0], total[1], low[0], low[1]};
    if (top) known_.emplace(key, seen);
    return seen;
  }

  // Looks at thresholds of all columns, middles first, but for runs that hold nothing below the
  // cap. `look` fills in what it sees of a threshold and gives the new cap.
  template <class Look>
  void explore(const Node& node, const Look& look, Cost cap, bool top) {
    spend(node.size);
    std::vector<std::vector<std::size_t>> places(problem_.columns);  // rows sent left
    std::vector<Run> open;
    const Seen before{Sums{}, node.total}, after{node.total, Sums{}};
    for (std::size_t c = 0; c < problem_.columns; ++c) {
      const std::uint32_t* order = node.orders.data() + c * node.size;
      const std::int32_t* ranks = ranks_of(c);
      for (std::size_t i = 1; i < node.size; ++i)
        if (ranks[order[i]] != ranks[order[i - 1]]) places[c].push_back(i);
      open.push_back({c, 0, places[c].size(), before, after});
    }
    for (std::size_t next = 0; next < open.size(); ++next) {
      const Run run = open[next];
      if (run.from >= run.to || least(run) >= cap) continue;
      if (top) open_bound_ = least_open(open, next);
      const std::size_t middle = run.from + (run.to - run.from) / 2;
      Seen seen;
      cap = look(run.column, places[run.column][middle], seen);
      open.push_back({run.column, run.from, middle, run.before, seen});
      open.push_back({run.column, middle + 1, run.to, seen, run.after});
    }
  }

  Cost least(const Run& run) const {
    return rules_.between(problem_.ways[run.column], run.before.left, run.before.left_low,
                          run.after.right, run.after.right_low) +
           penalty_ - rules_.margin;
  }

  Cost least_open(const std::vector<Run>& open, std::size_t from) const {
    Cost found = std::numeric_limits<Cost>::max();
    for (std::size_t i = from; i < open.size(); ++i)
      if (open[i].from < open[i].to) found = std::min(found, least(open[i]));
    return found;
  }

  // ---- fronts: leaves with their own predictions

  bool within(double value, const Limits& limits) const {
    return value >= limits.low - rules_.slack && value <= limits.high + rules_.slack;
  }
  // Whether a side that predicts from a to b may be left of one from c to d.
  bool fits(int way, double a, double b, double c, double d) const {
    return way == 0 || (way > 0 ? b <= c + rules_.slack : a >= d - rules_.slack);
  }

  Front front(const Node& node, int depth, int splits, const Limits& limits) {
    const double value = rules_.value(node.total);
    if (!within(value, limits)) return {};
    Front found;
    if (rules_.leaf(node.total) < limits.cap)
      found.push_back({rules_.leaf(node.total), value, value});
    if (depth == 0 || splits == 0 || node.size < 2) return found;
    if (depth == 1 || splits == 1) {
      single_splits(node, limits, found);
      return kept(found);
    }
    const Front more = split_front(node, depth, splits, limits, nullptr);
    found.insert(found.end(), more.begin(), more.end());
    return kept(found);
  }

  void single_splits(const Node& node, const Limits& limits, Front& found) {
    spend(node.size);
    std::size_t most = kManyEntries;
    const std::int64_t rows = counted(node.orders.data(), node.size);
    for (std::size_t c = 0; c < problem_.columns; ++c) {
      const std::uint32_t* order = node.orders.data() + c * node.size;
      const std::int32_t* ranks = ranks_of(c);
      Sums left;
      std::int64_t count = 0;
      for (std::size_t i = 0; i + 1 < node.size; ++i) {
        left.add(rules_.of(order[i]));
        count += problem_.counts[order[i]];
        if (ranks[order[i]] == ranks[order[i + 1]]) continue;
        if (!problem_.least_side.allows(count, rows - count)) continue;
        const Sums right = node.total.without(left);
        const Cost cost = rules_.leaf(left) + rules_.leaf(right) + penalty_;
        if (cost >= limits.cap) continue;
        const double a = rules_.value(left), b = rules_.value(right);
        if (!within(a, limits) || !within(b, limits) || !fits(problem_.ways[c], a, a, b, b))
          continue;
        found.push_back({cost, std::min(a, b), std::max(a, b), kOpen,
                         split_of(c, ranks[order[i]], kLeaf, kLeaf)});
        thin_out(found, most);
      }
    }
  }

  // Subtrees that begin with a split and have more below it. At the top, where only the cost
  // counts, the best is kept instead.
  Front split_front(const Node& node, int depth, int splits, Limits limits, Entry* top) {
    Front found;
    explore(
        node,
        [&](std::size_t column, std::size_t place, Seen& seen) {
          seen = sides_of(node, column, place, depth, limits.cap, top != nullptr);
          const int way = problem_.ways[column];
          const Cost low = rules_.split(way, seen.left, seen.left_low, seen.right, seen.right_low) +
                           penalty_ - rules_.margin;
          const double a = rules_.value(seen.left), b = rules_.value(seen.right);
          const std::uint32_t* order = node.orders.data() + column * node.size;
          const std::int64_t rows = counted(order, node.size), count = counted(order, place);
          const bool enough = problem_.least_side.allows(count, rows - count);
          if (low >= limits.cap || !fits(way, a, a, b, b) || !enough) return limits.cap;
          const Sides side = split_at(node, column, place);
          const Node left = part(node, side, 0, seen.left), right = part(node, side, 1, seen.right);
          Limits on_left = limits, on_right = limits;
          if (way > 0)
            on_left.high = std::min(limits.high, b), on_right.low = std::max(limits.low, a);
          if (way < 0)
            on_left.low = std::max(limits.low, b), on_right.high = std::min(limits.high, a);
          const std::int32_t rank = ranks_of(column)[order[place - 1]];
          for (int i = 0; i < splits; ++i) {
            // Without a limit on splits, either side may have as many as its depth allows.
            const bool free = splits >= (1 << std::min(depth, 30)) - 1;
            if (free && i > 0) break;
            on_left.cap = limits.cap - penalty_ - seen.right_low + rules_.margin;
            const Front lefts = front(left, depth - 1, free ? splits : i, on_left);
            if (lefts.empty()) continue;
            Cost least = lefts[0].cost;
            for (const Entry& entry : lefts) least = std::min(least, entry.cost);
            on_right.cap = limits.cap - penalty_ - least;
            const Front rights = front(right, depth - 1, free ? splits : splits - 1 - i, on_right);
            combine(column, rank, lefts, rights, limits, top, found);
          }
          return limits.cap;
        },
        limits.cap, top != nullptr);
    return found;
  }

  void combine(std::size_t column, std::int32_t rank, const Front& lefts, const Front& rights,
               Limits& limits, Entry* top, Front& found) {
    std::size_t most = std::max(kManyEntries, 2 * found.size());
    for (const Entry& a : lefts) {
      step(rights.size());
      for (const Entry& b : rights) {
        const Cost cost = a.cost + b.cost + penalty_;
        if (cost >= limits.cap || !fits(problem_.ways[column], a.low, a.high, b.low, b.high))
          continue;
        Entry both{cost, std::min(a.low, b.low), std::max(a.high, b.high), kOpen,
                   split_of(column, rank, a.made, b.made)};
        if (top != nullptr) {
          keep(both);
          *top = both;
          limits.cap = cost;
        } else {
          found.push_back(both);
          thin_out(found, most);
        }
      }
    }
  }

  static Made split_of(std::size_t column, std::int32_t rank, std::int32_t left,
                       std::int32_t right) {
    return {static_cast<std::int32_t>(column), rank, left, right};
  }
  void keep(Entry& entry) {
    if (entry.made != kOpen) return;
    made_.push_back(entry.split);
    entry.made = static_cast<std::int32_t>(made_.size() - 1);
  }
  Front kept(Front& entries) {
    Front found = undominated(entries);
    for (Entry& entry : found) keep(entry);
    return found;
  }
  // Now and then, so that a long front is not compared with itself at every step.
  void thin_out(Front& found, std::size_t& most) {
    if (found.size() <= most) return;
    found = undominated(found);
    most = std::max(kManyEntries, 2 * found.size());
  }

  std::int64_t counted(const std::uint32_t* rows, std::size_t n) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += problem_.counts[rows[i]];
    return sum;
  }

  // Leaves out what is no better than another in cost, lowest and highest prediction.
  Front undominated(Front& entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.high - a.low < b.high - b.low;
    });
    Front best;
    for (const Entry& one : entries) {
      step(1 + best.size());
      const bool worse = std::any_of(best.begin(), best.end(), [&](const Entry& other) {
        return other.low >= one.low && other.high <= one.high;
      });
      if (!worse) best.push_back(one);
    }
    return best;
  }

  void write(std::int32_t made, MonotoneTree& tree) const {
    const Made leaf{-1, 0, -1, -1}, &node = made < 0 ? leaf : made_[static_cast<std::size_t>(made)];
    tree.column.push_back(node.column);
    tree.rank.push_back(node.rank);
    if (made < 0) return;
    write(node.left, tree);
    write(node.right, tree);
  }

  static Cost least_step() { return std::is_integral_v<Cost> ? Cost{1} : Cost{0}; }

  static constexpr std::size_t kManyEntries = 512;
  static constexpr double kWide = std::numeric_limits<double>::infinity();
  const MonotoneProblem& problem_;
  const Rules rules_;
  const Cost penalty_;
  const StopAsked& stop_;
  std::int64_t steps_ = 0;
  Cost open_bound_ = 0;  // of what is open at the top
  Cost highest_ = 0;     // the cap of the last round
  std::unordered_map<std::size_t, Seen> known_;
  std::vector<Made> made_;
};

}  // namespace

MonotoneFound<std::int64_t> monotone_classes(const MonotoneProblem& problem,
                                             const std::int64_t* zeros, const std::int64_t* ones,
                                             std::int64_t penalty, std::int64_t cap,
                                             const StopAsked& stop) {
  return MonotoneSearch<ClassRules>(problem, {zeros, ones}, penalty, stop).found(cap);
}

MonotoneFound<double> monotone_numbers(const MonotoneProblem& problem, const double* weights,
                                       const double* targets, double slack, double penalty,
                                       double cap, const StopAsked& stop) {
  NumberRules rules{weights, targets, slack};
  for (std::size_t i = 0; i < problem.rows; ++i) rules.margin += rules.of(i).square * 1e-12;
  return MonotoneSearch<NumberRules>(problem, rules, penalty, stop).found(cap);
}

}  // namespace exactree
