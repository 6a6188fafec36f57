#include "search/sparse/split_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "search/audit/split_claims.hpp"
#include "search/columns/floors.hpp"

namespace exactree {

namespace {

// The floor of a column that is not asked for. Where costs are larger, it is scanned all the same,
// which only takes time. (The audit knows this number.)
constexpr std::uint16_t kBarred = 0xFFFF;

// A class is rare that has this part of the rows at most.
constexpr std::int64_t kRare = 16;

}  // namespace

SplitSearch::SplitSearch(const Problem& data, Trees trees, Switches switches, Control& control,
                         std::int64_t table_bytes)
    : data_(data),
      penalty_(data.penalty),
      trees_(trees),
      control_(control),
      carver_(data),
      table_(data.features, table_bytes, control),
      face_table_(table_bytes / 4, control) {
  work_.switches = switches;
  work_.control = &control;
  work_.calling_thread = true;
  by_label_ = in_order() && (has_rare_class() || switches.everywhere());
}

std::unique_ptr<Node> SplitSearch::read(MakeRoot make_root) {
  std::unique_ptr<Node> root = make_root(data_, work_);
  for (int f = 0; f < data_.features; ++f) {
    const int leader = root->leader(f);
    places_.push_back(2 * leader + (leader != f ? 1 : 0));
  }
  return root;
}

SplitSearch::Level& SplitSearch::level(int depth) {
  while (static_cast<int>(levels_.size()) <= depth) levels_.push_back(std::make_unique<Level>());
  return *levels_[static_cast<std::size_t>(depth)];
}

// Numbers that are copied or scanned in the time of one unit of effort.
void SplitSearch::spend_on(const Node& node) {
  constexpr std::int64_t kNumbers = 2048;
  work_.spend(1 + std::int64_t{node.features()} * node.rows() / kNumbers);
}

Node& SplitSearch::child(Node& node, int depth, int f, int p, int side) {
  Node* const room = made(node, depth, [&](Node& into) {
    node.make_child(f, p, side == 0, into, work_);
    return true;
  });
  level(depth + 1).faces.take_child(level(depth).faces, node, f, p, side);
  return *room;
}
// The rows on all of `others_`; null: there are none.
Node* SplitSearch::common(Frame& frame) {
  Node* const room = made(frame.node, frame.depth,
                          [&](Node& into) { return frame.node.make_common(others_, into, work_); });
  Faces& faces = level(frame.depth + 1).faces;
  faces = level(frame.depth).faces;
  for (const auto& [f, p, s] : others_) faces.set(Faces::of_side(frame.node, f, p, s));
  return room;
}
template <class Make>
Node* SplitSearch::made(Node& node, int depth, Make make) {
  spend_on(node);
  std::unique_ptr<Node>& room = level(depth).child;
  if (!room) {
    control_.need_memory(node.bytes());
    room = node.make_empty();
  }
  const std::int64_t before = room->bytes();
  const bool is_made = make(*room);
  if (room->bytes() != before) control_.use_memory(room->bytes() - before);
  if (!is_made) return nullptr;
  work_.count_node();
  return room.get();
}

// Classes. A tree of s splits has s + 1 leaves, so that it is right on as many classes at most, and
// costs all rows of the others and s prices. What trees of up to `splits` cost at least, of the
// side that was parted.
Cost SplitSearch::too_many_classes(int side, int splits) const {
  std::vector<Cost> costs = work_.class_cost[side];
  const Cost unit = data_.weights == nullptr ? data_.unit : 1;
  std::sort(costs.begin(), costs.end(), std::greater<>());
  Cost others = std::accumulate(costs.begin(), costs.end(), Cost{0}), least = kInfinite;
  for (int s = 0; s <= splits && s < data_.classes; ++s) {
    others -= costs[static_cast<std::size_t>(s)];
    least = std::min(least, s * penalty_ + others * unit);
  }
  return least;
}

// Useful. A tree of s splits costs at least s prices.
int SplitSearch::useful(int splits, Cost limit) const {
  if (penalty_ == 0) return splits;
  const Cost most = limit <= 0 ? 0 : (limit - 1) / penalty_;
  return most < splits ? static_cast<int>(most) : splits;
}

// No split and one. True: nothing is left to be found; the frame's splits are what can be useful.
bool SplitSearch::solve_small(Frame& frame, Cost limit) {
  int& splits = frame.trees.splits;
  splits = useful(splits, limit);
  frame.best.low = limit;
  if (limit <= 0 || splits == 0) return true;
  spend_on(frame.node);
  SideQuery query;
  query.wanted = true;
  query.best = limit - penalty_;
  frame.node.whole(query, false, work_);
  const Cost one = query.best + penalty_;
  if (one < limit) {
    frame.best = {frame.wanted.aim(one), one};
    splits = useful(splits, frame.best.low);
  }
  return splits <= 1;
}

SplitSearch::Outcome SplitSearch::look_up(const Node& node, const Trees& trees) {
  table_.set_key(node, trees);
  const Outcome* known = table_.find();
  return known == nullptr ? Outcome{0, node.leaf()} : *known;
}

SplitSearch::Outcome SplitSearch::solve(Node& node, int depth, Trees trees, const Wanted& wanted,
                                        Asked asked) {
  const Cost leaf = node.leaf();
  Outcome out{wanted.aim(leaf), leaf};
  if (out.low <= 0) return out;
  const bool keep = asked != Asked::kAnew && work_.switches.on(Pruning::kArchive) &&
                    trees.splits > 1 && useful(trees.splits, out.low) > 1;
  std::vector<std::int32_t> key;
  std::uint64_t hash = 0;
  Cost proved = 0;
  if (keep) {
    out = look_up(node, trees);
    proved = out.low;
    if (out.low >= wanted.aim(out.high) || (asked == Asked::kWhether && out.high < wanted.cap)) {
      work_.counters.count(Pruning::kArchive);
      return out;
    }
    out.low = wanted.aim(out.high);
    key = table_.key();
    hash = table_.hash();
  }
  Frame frame{node, depth, trees, wanted, out};
  const auto over = [&] {
    return control_.stopped() || (asked == Asked::kWhether && frame.best.low < out.low);
  };
  if (!solve_small(frame, out.low)) {
    if (!over()) solve_fewer(frame);
    if (!over()) settle_groups(frame, 0);
    if (!over()) settle_pairs(frame);
    carve_all(frame, over);
    if (!over()) settle_groups(frame, 1);
    for (int f = 0; f < node.features() && !over(); ++f) both(frame, f);
    if (control_.stopped()) return frame.best;
    if (over()) frame.best.low = proved;
  }
  EXACTREE_CLAIM(claims::trees(node, trees, frame.best.low, frame.best.high));
  if (keep) table_.add(key, hash, frame.best);
  if (keep && work_.switches.on(Pruning::kArchiveLike)) {
    asked_ = level(depth).faces;
    asked_.shrink(node);
    if (asked_.kept()) face_table_.add(asked_, trees, frame.best.low);
  }
  return frame.best;
}

// The column that was best last time comes first: with a good tree the others take less.
void SplitSearch::carve_all(Frame& frame, const std::function<bool()>& over) {
  const int first = level(frame.depth).column;
  if (!over()) carve(frame, first);
  for (int f = 0; f < frame.node.features() && !over(); ++f)
    if (f != first) carve(frame, f);
  if (frame.best.feature >= 0) level(frame.depth).column = frame.best.feature;
}

// Trees that need not keep to a bar. One split was tried already.
void SplitSearch::solve_fewer(Frame& frame) {
  if (frame.trees.bar == 0 || frame.trees.splits < 3) return;
  Outcome out =
      solve(frame.node, frame.depth, with_one_less(frame.trees), frame.best.low - penalty_);
  if (control_.stopped() || out.low != out.high) return;
  out.low = out.high = out.high + penalty_;
  improve(frame, out);
}

// T(k - 1, d - 1).
Trees SplitSearch::with_one_less(const Trees& trees) const {
  return {unlimited() ? kUnlimited : trees.splits - 1, 0, std::max(trees.levels - 1, 0)};
}

void SplitSearch::improve(Frame& frame, int f, int p, const Trees trees[2], const Cost cost[2]) {
  const Cost total = cost[0] + cost[1] + penalty_;
  improve(frame, {total, total, f, p, {trees[0], trees[1]}, {cost[0], cost[1]}});
}
void SplitSearch::improve(Frame& frame, const Outcome& found) {
  if (found.high >= frame.best.low) return;
  frame.best = found;
  frame.best.low = frame.wanted.aim(found.high);
  frame.trees.splits = useful(frame.trees.splits, frame.best.low);
  if (frame.depth == 0 && found.high < found_.high) found_ = found;
}

SplitSearch::Outcome SplitSearch::solve_side(Frame& frame, int f, int p, int side,
                                             const Trees& trees, const Last& last,
                                             const Wanted& wanted, Floors& floors) {
  const Cost cap = wanted.cap;
  const int useful_splits = useful(trees.splits, cap);
  if (data_.classes > 2 && useful_splits > 0 && work_.switches.on(Pruning::kMajority)) {
    frame.node.part(f, p, work_);
    const Cost leaf = work_.side_leaf[side], low = too_many_classes(side, useful_splits);
    if (low >= std::min(cap, leaf)) {
      work_.counters.count(Pruning::kMajority);
      return {std::min(cap, leaf), leaf};
    }
  }
  if (useful_splits > 1) {
    Node& rest = child(frame.node, frame.depth, f, p, side);
    return solve(rest, frame.depth + 1, trees, wanted);
  }
  frame.node.part(f, p, work_);
  const Cost leaf = work_.side_leaf[side];
  Outcome out{std::min(cap, leaf), leaf};
  if (useful_splits == 0 || out.low <= penalty_) return out;
  ++work_.counters.evaluations;
  spend_on(frame.node);
  SideQuery query[2];
  query[side].wanted = true;
  query[side].best = out.low - penalty_;
  query[side].floors = barred(frame.node, last, floors);
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
std::uint16_t* SplitSearch::barred(const Node& node, const Last& last, Floors& floors) {
  if (last.from == 0 && last.among == nullptr) return floors.empty() ? nullptr : floors.data();
  Floors& to = floors.empty() ? bars_ : floors;
  if (floors.empty()) to.assign(static_cast<std::size_t>(floor_stride(node.features())), 0);
  std::fill_n(to.begin(), last.from, kBarred);
  work_.counters.pruned[static_cast<std::size_t>(Pruning::kQuadrant)] += last.from;
  if (last.among == nullptr) return to.data();
  for (int g = last.from; g < node.features(); ++g) {
    if (last.among[g / 64] >> (g % 64) & 1) continue;
    to[static_cast<std::size_t>(g)] = kBarred;
    work_.counters.count(Pruning::kTwoSplits);
  }
  return to.data();
}

SplitSearch::Last SplitSearch::last_beside(const Frame& frame, int f, int s) const {
  return {in_order() ? frame.node.leader(f) : 0, frame.covered ? covers_.of(f, s) : nullptr};
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

}  // namespace exactree
