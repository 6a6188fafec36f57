// Splits with splits on both sides.
#include <algorithm>

#include "search/sparse/split_search.hpp"

namespace exactree {

// Splits on both sides. A side has formal splits here: one that parts nothing may count. So it
// costs a price at least, and Subset and Similarity hold.
void SplitSearch::both(Frame& frame, int f) {
  if (frame.trees.splits < 3) return;
  std::vector<Cut> cuts(2);
  for (Cut& cut : cuts)
    for (auto& low : cut.low)
      low.assign(static_cast<std::size_t>(frame.trees.splits - 1), penalty_);
  // Both sides have two leaves, each with its support.
  const Cost least = 2 * std::max<Cost>(support(), 0) + 1;
  cuts[0].position = frame.node.reach(f, 0, least) - 1;
  cuts[1].position = frame.node.reach_back(f, frame.node.rows(), least) + 1;
  if (cuts[0].position + 1 >= cuts[1].position) return;
  std::vector<std::pair<int, int>> runs{{0, 1}};
  while (!runs.empty() && frame.trees.splits > 2) {
    const auto a = static_cast<std::size_t>(runs.back().first);
    const auto b = static_cast<std::size_t>(runs.back().second);
    runs.pop_back();
    int first, last;
    if (!open_between(frame, f, cuts[a], cuts[b], first, last)) continue;
    const int middle = frame.node.next(f, first + (last - first) / 2);
    Cut cut;
    cut.position = middle <= last ? middle : frame.node.prev(f, last);
    evaluate(frame, f, cuts[a], cuts[b], cut);
    if (control_.stopped()) return;
    const int at = static_cast<int>(cuts.size());
    cuts.push_back(std::move(cut));
    runs.emplace_back(at, b);
    runs.emplace_back(a, at);
  }
}

// What the sides may be if both have splits: the i-th way to share those of a node. Without a limit
// there is one, and place 1 stands for any number. See Levels.
SplitSearch::Shares SplitSearch::shares(int i, const Trees& trees) const {
  if (unlimited()) return {true, {{kUnlimited}, {kUnlimited}}, {1, 1}};
  const int splits[2] = {i, trees.splits - 1 - i}, levels = std::max(trees.levels - 1, 0);
  Shares shares{false, {}, {}};
  for (int s = 0; s < 2; ++s) {
    shares.open |= splits[s] >= levels;
    shares.trees[s] = {splits[s], 0, splits[1 - s] < levels ? levels : 0};
    shares.place[s] = static_cast<std::size_t>(splits[s]);
  }
  return shares;
}

bool SplitSearch::is_settled(const Frame& frame, int f, const Shares& way) const {
  for (int s = 0; s < 2; ++s)
    if (way.trees[s].splits == 1 && frame.settled[1][static_cast<std::size_t>(2 * f + s)])
      return true;
  return false;
}

// Where between two positions there may still be something. For a position p between a and b
// with i and j splits on its sides, e(L(a), i) + e(R(b), j) is a bound (Subset); so is
// e(L(a), i) + e(R(a), j) less the influence of the rows from a to p, and the same from b.
bool SplitSearch::open_between(const Frame& frame, int f, const Cut& a, const Cut& b, int& first,
                               int& last) {
  const Cost limit = frame.best.low - penalty_;
  first = frame.node.rows();
  last = 0;
  for (int i = 1; i <= ways(frame.trees.splits); ++i) {
    const Shares way = shares(i, frame.trees);
    if (!way.open) work_.counters.count(Pruning::kLookAhead);
    if (!way.open || is_settled(frame, f, way)) continue;
    const auto [l, r] = way.place;
    if (a.low[0][l] + b.low[1][r] >= limit && work_.switches.on(Pruning::kSubInterval)) {
      work_.counters.count(Pruning::kSubInterval);
      continue;
    }
    int from = a.position + 1, to = b.position - 1;
    if (work_.switches.on(Pruning::kNeighbour)) {
      const Cost spare_a = a.low[0][l] + a.low[1][r] - limit;
      const Cost spare_b = b.low[0][l] + b.low[1][r] - limit;
      if (spare_a > 0 || spare_b > 0) work_.counters.count(Pruning::kNeighbour);
      from = std::max(from, frame.node.reach(f, a.position, spare_a + 1));
      to = std::min(to, frame.node.reach_back(f, b.position, spare_b + 1));
    }
    first = std::min(first, from);
    last = std::max(last, to);
  }
  first = frame.node.next(f, std::max(first, 1));
  last = last < 1 ? 0 : frame.node.prev(f, std::min(last, frame.node.rows() - 1));
  return first <= last;
}

void SplitSearch::evaluate(Frame& frame, int f, const Cut& a, const Cut& b, Cut& cut) {
  const Node& node = frame.node;
  const int p = cut.position;
  const Trees trees = frame.trees;
  const auto sizes = a.low[0].size();
  const Cost to_a = node.influence(f, a.position, p), to_b = node.influence(f, p, b.position);
  for (int s = 0; s < 2; ++s) cut.low[s].resize(sizes);
  for (std::size_t k = 0; k < sizes; ++k) {
    cut.low[0][k] = std::max({a.low[0][k], b.low[0][k] - to_b, penalty_});
    cut.low[1][k] = std::max({b.low[1][k], a.low[1][k] - to_a, penalty_});
  }
  for (int s = 0; s < 2; ++s) {
    cut.floors[s] = no_floors(frame);
    if (!a.floors[s].empty()) take_floors(a.floors[s], s == 0 ? 0 : to_a, cut.floors[s]);
    if (!b.floors[s].empty()) take_floors(b.floors[s], s == 0 ? to_b : 0, cut.floors[s]);
  }
  std::vector<Cost> high[2];
  for (int s = 0; s < 2; ++s) high[s].assign(sizes, kInfinite);
  for (int i = 1; i <= ways(trees.splits) && frame.trees.splits == trees.splits; ++i) {
    if (control_.stopped()) return;
    const Shares way = shares(i, trees);
    if (way.open && !is_settled(frame, f, way)) raise_both(frame, f, a, b, way, high, cut);
  }
}

// Raises the bounds of both sides until the split is too expensive or solved, and beyond that, so
// that its neighbours are settled, too: those before it by e(L(a), i) and its right side, those
// after it by its left side and e(R(b), j). A side that takes more than a scan is raised about
// half-way at a time, the one next that took less so far.
void SplitSearch::raise_both(Frame& frame, int f, const Cut& a, const Cut& b, const Shares& shares,
                             std::vector<Cost> high[2], Cut& cut) {
  const Cost limit = frame.best.low - penalty_;
  const Cost known[2] = {a.low[0][shares.place[0]], b.low[1][shares.place[1]]};
  const Cost goal = 2 * limit - known[0] - known[1];
  Cost* low[2] = {&cut.low[0][shares.place[0]], &cut.low[1][shares.place[1]]};
  Cost* top[2] = {&high[0][shares.place[0]], &high[1][shares.place[1]]};
  const auto solved = [&](int s) { return *top[s] < kInfinite; };
  std::int64_t spent[2] = {0, 0};
  int s = 2 * cut.position <= frame.node.rows() ? 0 : 1;
  const int splits[2] = {shares.trees[0].splits, shares.trees[1].splits};
  if (splits[0] != splits[1]) s = splits[0] < splits[1] ? 0 : 1;
  while (*low[0] + *low[1] < goal && !(solved(0) && solved(1))) {
    if (solved(s) || (!solved(1 - s) && spent[1 - s] < spent[s])) s = 1 - s;
    // What more than this costs, no neighbour needs to know.
    const Cost most = limit - known[1 - s];
    Cost cap = most;
    if (useful(splits[s], cap) > 1) {
      cap = std::min(cap, goal - *low[1 - s]);
      const Cost half = (goal - *low[0] - *low[1]) / 2 + 1;
      if (!solved(1 - s)) cap = std::min(cap, *low[s] + std::max(penalty_, half));
    }
    if (*low[s] >= cap) {
      // Enough is known of this side; the other one may settle the rest.
      if (solved(1 - s) || *low[1 - s] >= limit - known[s]) break;
      spent[s] = spent[1 - s] + 1;
      continue;
    }
    const std::int64_t before = work_.counters.nodes;
    const Outcome out =
        solve_side(frame, f, cut.position, s, shares.trees[s], {}, cap, cut.floors[s]);
    if (control_.stopped()) return;
    spent[s] += work_.counters.nodes - before + 1;
    *low[s] = std::max(*low[s], out.low);
    if (out.low == out.high) *top[s] = out.high;
  }
  if (!solved(0) || !solved(1)) return;
  const Cost cost[2] = {*top[0], *top[1]};
  improve(frame, f, cut.position, shares.trees, cost);
}

}  // namespace exactree
