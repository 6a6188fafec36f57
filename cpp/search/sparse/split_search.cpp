#include "search/sparse/split_search.hpp"

#include <algorithm>

#include "search/columns/floors.hpp"

namespace exactree {

namespace {

// The floor of a column that is not asked for. Where costs are larger, it is scanned all the same,
// which only takes time. (The audit knows this number.)
constexpr std::uint16_t kBarred = 0xFFFF;

// A class is rare that has this part of the rows at most.
constexpr std::int64_t kRare = 16;

}  // namespace

SplitSearch::SplitSearch(const Problem& data, int max_splits, Switches switches, Control& control,
                         std::int64_t table_bytes)
    : data_(data),
      penalty_(data.penalty),
      max_splits_(max_splits),
      control_(control),
      carver_(data),
      table_(data.features, table_bytes, control) {
  work_.switches = switches;
  work_.control = &control;
  work_.calling_thread = true;
  by_label_ = in_order() && (has_rare_class() || switches.everywhere());
}

SplitSearch::Level& SplitSearch::level(int depth) {
  while (static_cast<int>(levels_.size()) <= depth) levels_.push_back(std::make_unique<Level>());
  return *levels_[static_cast<std::size_t>(depth)];
}

Node& SplitSearch::child(Node& node, int depth, int f, int p, int side) {
  std::unique_ptr<Node>& room = level(depth).child;
  if (!room) {
    control_.need_memory(node.bytes());
    room = node.make_empty();
  }
  const std::int64_t before = room->bytes();
  node.make_child(f, p, side == 0, *room, work_);
  if (room->bytes() != before) control_.use_memory(room->bytes() - before);
  ++work_.counters.nodes;
  return *room;
}

// Useful. A tree of s splits costs at least s prices.
int SplitSearch::useful(int splits, Cost limit) const {
  if (penalty_ == 0) return splits;
  const Cost most = limit <= 0 ? 0 : (limit - 1) / penalty_;
  return most < splits ? static_cast<int>(most) : splits;
}

// No split and one. True: nothing is left to be found; `splits` is what can be useful.
bool SplitSearch::solve_small(Node& node, int& splits, Cost limit, Outcome& out) {
  splits = useful(splits, limit);
  out.low = limit;
  if (limit <= 0 || splits == 0) return true;
  SideQuery query;
  query.wanted = true;
  query.best = limit - penalty_;
  node.whole(query, false, work_);
  if (query.best + penalty_ < limit) {
    out = {query.best + penalty_, query.best + penalty_};
    splits = useful(splits, out.low);
  }
  return splits <= 1;
}

SplitSearch::Outcome SplitSearch::look_up(const Node& node, int splits, int bar) {
  table_.set_key(node, splits, bar);
  const Outcome* known = table_.find();
  return known == nullptr ? Outcome{0, node.leaf()} : *known;
}

SplitSearch::Outcome SplitSearch::solve(Node& node, int depth, int splits, int bar, Cost cap,
                                        bool first) {
  const Cost leaf = node.leaf();
  Outcome out{std::min(cap, leaf), leaf};
  if (out.low <= 0) return out;
  const bool keep =
      !first && splits > 1 && work_.switches.on(Pruning::kArchive) && useful(splits, out.low) > 1;
  std::vector<std::int32_t> key;
  std::uint64_t hash = 0;
  if (keep) {
    out = look_up(node, splits, bar);
    if (out.low >= std::min(cap, out.high)) {
      work_.counters.count(Pruning::kArchive);
      return out;
    }
    out.low = std::min(cap, out.high);
    key = table_.key();
    hash = table_.hash();
  }
  Frame frame{node, depth, splits, bar, out};
  if (!solve_small(node, frame.splits, out.low, frame.best)) {
    solve_fewer(frame);
    for (int f = 0; f < node.features() && !control_.stopped(); ++f) carve(frame, f);
    for (int f = 0; f < node.features() && !control_.stopped(); ++f) both(frame, f);
    if (control_.stopped()) return frame.best;
  }
  if (keep) table_.add(key, hash, frame.best);
  return frame.best;
}

// Trees that need not keep to a bar. One split was tried already.
void SplitSearch::solve_fewer(Frame& frame) {
  if (frame.bar == 0 || frame.splits < 3) return;
  const int fewer = unlimited() ? kUnlimited : frame.splits - 1;
  Outcome out = solve(frame.node, frame.depth, fewer, 0, frame.best.low - penalty_);
  if (control_.stopped() || out.low != out.high) return;
  out.low = out.high = out.high + penalty_;
  improve(frame, out);
}

void SplitSearch::improve(Frame& frame, int f, int p, const int splits[2], const Cost cost[2],
                          int bar) {
  const Cost total = cost[0] + cost[1] + penalty_;
  improve(frame, {total, total, f, p, {splits[0], splits[1]}, {cost[0], cost[1]}, bar});
}
void SplitSearch::improve(Frame& frame, const Outcome& found) {
  if (found.high >= frame.best.low) return;
  frame.best = found;
  frame.splits = useful(frame.splits, found.high);
  if (frame.depth == 0 && found.high < found_.high) found_ = found;
}

SplitSearch::Outcome SplitSearch::solve_side(Frame& frame, int f, int p, int side, int splits,
                                             After after, Cost cap, Floors& floors) {
  const int useful_splits = useful(splits, cap);
  if (useful_splits > 1) {
    Node& rest = child(frame.node, frame.depth, f, p, side);
    return solve(rest, frame.depth + 1, splits, after.bar, cap);
  }
  frame.node.part(f, p, work_);
  const Cost leaf = work_.side_leaf[side];
  Outcome out{std::min(cap, leaf), leaf};
  if (useful_splits == 0 || out.low <= penalty_) return out;
  ++work_.counters.evaluations;
  SideQuery query[2];
  query[side].wanted = true;
  query[side].best = out.low - penalty_;
  query[side].floors = barred(frame.node, after.column, floors);
  frame.node.depth_one(f, p, query, false, work_);
  const Cost one = query[side].best + penalty_;
  if (one < out.low) out.low = out.high = one;
  return out;
}

// Support (carving.hpp): what a leaf has to weigh at least, without its cost.
Cost SplitSearch::support() const {
  return penalty_ > 0 && work_.switches.on(Pruning::kSmallSide) ? penalty_ : -1;
}

bool SplitSearch::in_order() const {
  return data_.classes == 2 && data_.costs == nullptr && work_.switches.on(Pruning::kQuadrant);
}
bool SplitSearch::has_rare_class() const {
  const auto ones = std::count(data_.labels, data_.labels + data_.rows, 1);
  return std::min<std::int64_t>(ones, data_.rows - ones) * kRare <= data_.rows;
}
std::uint16_t* SplitSearch::barred(const Node& node, int from, Floors& floors) {
  if (from == 0) return floors.empty() ? nullptr : floors.data();
  Floors& to = floors.empty() ? bars_ : floors;
  if (floors.empty()) to.assign(static_cast<std::size_t>(floor_stride(node.features())), 0);
  std::fill_n(to.begin(), from, kBarred);
  work_.counters.pruned[static_cast<std::size_t>(Pruning::kQuadrant)] += from;
  return to.data();
}

void SplitSearch::carve(Frame& frame, int f) {
  work_.spend(1 + frame.node.rows() / 4096);
  for (int s = 0; s < 2; ++s)
    for (int label = by_label_ ? 0 : -1; label < (by_label_ ? 2 : 0); ++label) {
      if (control_.stopped()) return;
      if (is_barred(frame.bar, f, s, label))
        work_.counters.count(Pruning::kQuadrant);
      else
        carve(frame, f, s, label);
    }
}

// Takes off what is known to be too expensive at both ends of a run. From right to left the leaves
// cost less and the rests more, from left to right it is the other way round, and the rest loses
// at most the influence of the rows it loses (Subset, Similarity). False: nothing is left.
bool SplitSearch::trim(const Frame& frame, int f, const std::vector<Carving>& list, Run& run) {
  const Cost limit = frame.best.low - penalty_;
  const auto at = [&](int i) { return list[static_cast<std::size_t>(i)]; };
  if (work_.switches.on(Pruning::kSubInterval))
    while (run.last >= run.first && at(run.last).leaf + run.right_value >= limit) {
      work_.counters.count(Pruning::kSubInterval);
      --run.last;
    }
  if (run.left >= 0 && work_.switches.on(Pruning::kNeighbour))
    while (run.last >= run.first) {
      const Cost lost = between(frame, f, at(run.left).position, at(run.first).position);
      if (at(run.first).leaf + run.left_value - lost < limit) break;
      work_.counters.count(Pruning::kNeighbour);
      ++run.first;
    }
  return run.first <= run.last;
}

// The largest leaf first: often it settles all, and then the others need not be listed.
void SplitSearch::carve(Frame& frame, int f, int s, int label) {
  const bool all = !work_.switches.on(Pruning::kCarving);
  // Support: without the leaf, the rest has to keep to this bar. It does if the leaf has its label.
  const bool supported = frame.bar == 0 || (frame.bar - 1) % 2 == label;
  Carver::Terms terms{frame.best.low - penalty_, label, supported ? support() : -1, all,
                      all ? ~0u : 1u};
  std::vector<Carving>& list = level(frame.depth).carvings[s];
  carver_.read(frame.node, f);
  const auto count = [&](const Carver::Excluded& excluded) {
    work_.counters.pruned[static_cast<std::size_t>(Pruning::kCarving)] += excluded.by_others;
    work_.counters.pruned[static_cast<std::size_t>(Pruning::kSmallSide)] += excluded.by_support;
  };
  count(carver_.list(frame.node, f, s, terms, list));
  if (list.empty()) return;
  const Carving least = list.front();
  const Carving last = all ? list.back() : carver_.last(frame.node, f, s, label, terms.limit);
  Run run{0, -1, -1, 0, 0, {}, no_floors(frame)};
  // Solved beyond what it needs itself, so that the smaller leaves before it are settled, too.
  run.right_value = carve_at(frame, f, s, label, last, terms.limit - least.leaf, run.right_floors);
  if (control_.stopped()) return;
  const bool skip = work_.switches.on(Pruning::kSubInterval);
  terms.limit = frame.best.low - penalty_ - (skip ? run.right_value : 0);
  if (least.leaf >= terms.limit || least.position == last.position) {
    if (least.position != last.position) work_.counters.count(Pruning::kSubInterval);
    return;
  }
  if (!all) {
    terms.most = ~0u;
    carver_.read(frame.node, f);
    count(carver_.list(frame.node, f, s, terms, list));
  }
  while (!list.empty() &&
         (s == 0 ? list.back().position >= last.position : list.back().position <= last.position))
    list.pop_back();
  run.last = static_cast<int>(list.size()) - 1;
  carve(frame, f, s, label, std::move(run));
}

void SplitSearch::carve(Frame& frame, int f, int s, int label, Run whole) {
  const std::vector<Carving>& list = level(frame.depth).carvings[s];
  const auto at = [&](int i) { return list[static_cast<std::size_t>(i)]; };
  std::vector<Run> runs;
  runs.push_back(std::move(whole));
  while (!runs.empty()) {
    Run run = std::move(runs.back());
    runs.pop_back();
    if (!trim(frame, f, list, run)) continue;
    const int i = (run.first + run.last + 1) / 2;
    Floors floors = no_floors(frame);
    if (!run.right_floors.empty()) take_floors(run.right_floors, 0, floors);
    if (!run.left_floors.empty())
      take_floors(run.left_floors, between(frame, f, at(run.left).position, at(i).position),
                  floors);
    const Cost cap = frame.best.low - penalty_ - at(run.first).leaf;
    const Cost value = carve_at(frame, f, s, label, at(i), cap, floors);
    if (control_.stopped()) return;
    runs.push_back({i + 1, run.last, i, value, run.right_value, floors, run.right_floors});
    runs.push_back({run.first, i - 1, run.left, run.left_value, value, std::move(run.left_floors),
                    std::move(floors)});
  }
}

// What the rest beside a leaf costs at least: all of it, if that is less than `cap`.
Cost SplitSearch::carve_at(Frame& frame, int f, int s, int label, Carving at, Cost cap,
                           Floors& floors) {
  const int below = unlimited() ? kUnlimited : frame.splits - 1;
  const After after{label >= 0 ? bar_of(f, s, label) : 0, in_order() ? f : 0};
  const Outcome rest = solve_side(frame, f, at.position, 1 - s, below, after, cap, floors);
  if (!control_.stopped() && rest.low == rest.high) {
    int splits[2] = {below, below};
    Cost cost[2] = {rest.high, rest.high};
    splits[s] = 0;
    cost[s] = at.leaf;
    improve(frame, f, at.position, splits, cost, after.bar);
  }
  return rest.low;
}

Cost SplitSearch::between(const Frame& frame, int f, int p, int q) {
  return frame.node.influence(f, std::min(p, q), std::max(p, q));
}

// Floors (columns/floors.hpp) of the one side that is scanned. Subset and Similarity hold for them
// as well.
SplitSearch::Floors SplitSearch::no_floors(const Frame& frame) const {
  const bool pay = frame.node.rows() >= kFloorRows && frame.node.features() <= kFloorColumns;
  if (data_.weights != nullptr || !work_.switches.on(Pruning::kFloor)) return {};
  if (!pay && !work_.switches.everywhere()) return {};
  return Floors(static_cast<std::size_t>(floor_stride(frame.node.features())), 0);
}
void SplitSearch::take_floors(const Floors& from, Cost influence, Floors& to) const {
  const Cost less = (influence + data_.unit - 1) / data_.unit;
  if (!to.empty()) raise_floors(to.data(), from.data(), less, static_cast<int>(to.size()));
}

// Splits on both sides. A side has formal splits here: one that parts nothing may count. So it
// costs a price at least, and Subset and Similarity hold.
void SplitSearch::both(Frame& frame, int f) {
  if (frame.splits < 3) return;
  std::vector<Cut> cuts(2);
  for (Cut& cut : cuts)
    for (auto& low : cut.low) low.assign(static_cast<std::size_t>(frame.splits - 1), penalty_);
  // Both sides have two leaves, each with its support.
  const Cost least = 2 * std::max<Cost>(support(), 0) + 1;
  cuts[0].position = frame.node.reach(f, 0, least) - 1;
  cuts[1].position = frame.node.reach_back(f, frame.node.rows(), least) + 1;
  if (cuts[0].position + 1 >= cuts[1].position) return;
  std::vector<std::pair<int, int>> runs{{0, 1}};
  while (!runs.empty() && frame.splits > 2) {
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

// How many splits the sides may have if both have some and a node has n: the i-th way to share
// them. Without a limit there is one, and place 1 stands for any number.
SplitSearch::Shares SplitSearch::shares(int i, int n) const {
  if (unlimited()) return {{kUnlimited, kUnlimited}, {1, 1}};
  return {{i, n - 1 - i}, {static_cast<std::size_t>(i), static_cast<std::size_t>(n - 1 - i)}};
}

// Where between two positions there may still be something. For a position p between a and b
// with i and j splits on its sides, e(L(a), i) + e(R(b), j) is a bound (Subset); so is
// e(L(a), i) + e(R(a), j) less the influence of the rows from a to p, and the same from b.
bool SplitSearch::open_between(const Frame& frame, int f, const Cut& a, const Cut& b, int& first,
                               int& last) {
  const Cost limit = frame.best.low - penalty_;
  first = frame.node.rows();
  last = 0;
  for (int i = 1; i <= ways(frame.splits); ++i) {
    const auto [l, r] = shares(i, frame.splits).place;
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
  const int p = cut.position, n = frame.splits;
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
  for (int i = 1; i <= ways(n) && frame.splits == n && !control_.stopped(); ++i)
    raise_both(frame, f, a, b, shares(i, n), high, cut);
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
  if (shares.splits[0] != shares.splits[1]) s = shares.splits[0] < shares.splits[1] ? 0 : 1;
  while (*low[0] + *low[1] < goal && !(solved(0) && solved(1))) {
    if (solved(s) || (!solved(1 - s) && spent[1 - s] < spent[s])) s = 1 - s;
    // What more than this costs, no neighbour needs to know.
    const Cost most = limit - known[1 - s];
    Cost cap = most;
    if (useful(shares.splits[s], cap) > 1) {
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
        solve_side(frame, f, cut.position, s, shares.splits[s], {}, cap, cut.floors[s]);
    if (control_.stopped()) return;
    spent[s] += work_.counters.nodes - before + 1;
    *low[s] = std::max(*low[s], out.low);
    if (out.low == out.high) *top[s] = out.high;
  }
  if (!solved(0) || !solved(1)) return;
  const Cost cost[2] = {*top[0], *top[1]};
  improve(frame, f, cut.position, shares.splits, cost, 0);
}

}  // namespace exactree
