// Splits that are ruled out many at once.
#include <algorithm>

#include "search/audit/split_claims.hpp"
#include "search/sparse/split_search.hpp"

namespace exactree {

namespace {

// From so many splits of a node on that pays beside a leaf; with a split there, one more.
constexpr int kGroupSplits = 4;
// With one split less it does where most groups are ruled out, as where few errors are allowed: so
// many are tried to see.
constexpr int kTrials = 32;
// With more of them the rows that are left are too few as a rule.
constexpr std::size_t kMostSplits = 8;

// Pairs of leaves are looked at where there are so many rows for an error that is allowed; with
// more errors nearly all pairs are possible. And no more pairs than this, in words of rows.
constexpr Cost kRowsPerError = 12;
constexpr std::int64_t kMostWords = 1 << 24;

}  // namespace

bool SplitSearch::Luck::often() const {
  return tried < kTrials || 3 * dear > 2 * tried;
}

// Rules out splits of several columns and sides at once. All have a small tree on one side: a leaf,
// or one split. The other side of each holds the rows that are on none of the largest small sides
// of the group. Where trees of these rows cost too much, so do those of every other side (Subset,
// and a bar only makes them dearer).
//   The groups grow while that is so, and are halved when it is not. The smallest sides come
// first, which leave most of the rows together.
void SplitSearch::settle_groups(Frame& frame, int splits) {
  std::vector<char>& settled = frame.settled[splits];
  settled.assign(static_cast<std::size_t>(2 * frame.node.features()), 0);
  if (!work_.switches.on(Pruning::kBranch) || (splits > 0 && unlimited())) return;
  const int least = work_.switches.everywhere() ? 2 : kGroupSplits;
  const bool doubtful = frame.trees.splits == least + splits - 1;
  if (frame.trees.splits < least + splits && !(doubtful && pay_.often())) return;
  Trees other = with_one_less(frame.trees);
  if (splits > 0) {
    const Shares way = shares(splits, frame.trees);
    if (!way.open) return;
    other = way.trees[1];
  }
  std::vector<SmallSide> sides = small_sides(frame, splits);
  std::sort(sides.begin(), sides.end(),
            [](const SmallSide& a, const SmallSide& b) { return a.rows < b.rows; });
  std::size_t size = 2;
  for (std::size_t i = 0; i + 1 < sides.size() && size > 1;) {
    size = std::min(size, sides.size() - i);
    const bool dear = is_dear(frame, &sides[i], size, other);
    if (control_.stopped()) return;
    if (doubtful) pay_.note(dear);
    if (!dear) {
      size /= 2;
      continue;
    }
    for (std::size_t k = i; k < i + size; ++k) {
      const auto [f, s, p, rows] = sides[k];
      EXACTREE_CLAIM(claims::no_small_side(frame.node, f, s, splits, other, frame.best.low));
      settled[static_cast<std::size_t>(2 * f + s)] = 1;
    }
    i += size;
    size = std::min(2 * size, kMostSplits);
  }
}

// Rules out leaves beside a last split, or columns of that split, by covers.hpp.
void SplitSearch::settle_pairs(Frame& frame) {
  const bool possible = in_order() && data_.weights == nullptr;
  if (frame.trees.splits != 2 || !possible || !work_.switches.on(Pruning::kTwoSplits)) return;
  Node& node = frame.node;
  const Cost errors = (frame.best.low - 2 * penalty_ + data_.unit - 1) / data_.unit;
  const bool few = errors * kRowsPerError <= node.rows() || work_.switches.everywhere();
  const std::int64_t sides = 2 * node.features(), words = sides * sides * (node.rows() / 64 + 1);
  if (errors < 1 || errors > node.rows() || !few || words > kMostWords) return;
  work_.spend(1 + words / 4096);
  frame.covered = node.find_covers(static_cast<int>(errors), covers_);
  for (int f = 0; f < node.features() && frame.covered; ++f)
    for (int s = 0; s < 2; ++s) {
      const Last last = last_beside(frame, f, s);
      bool open = false;
      for (int g = last.from; g < node.features() && !open; ++g)
        open = last.among[g / 64] >> (g % 64) & 1;
      if (open) continue;
      frame.settled[0][static_cast<std::size_t>(2 * f + s)] = 1;
      work_.counters.count(Pruning::kTwoSplits);
    }
}

std::vector<SplitSearch::SmallSide> SplitSearch::small_sides(Frame& frame, int splits) {
  const Cost limit = frame.best.low - penalty_;
  const int rows = frame.node.rows();
  std::vector<SmallSide> sides;
  for (int f = 0; f < frame.node.features(); ++f)
    for (int s = 0; s < 2 && !control_.stopped(); ++s) {
      if (s == 0 && splits == 0) carver_.read(frame.node, f);
      const int p = splits == 0 ? carver_.last(frame.node, f, s, -1, limit).position
                                : largest_side(frame, f, s, limit);
      const int inside = s == 0 ? p : rows - p;
      if (inside > 0) sides.push_back({f, s, p, inside});
    }
  return sides;
}

// The last position at which one split of this side costs less than a limit: larger sides cost no
// less. It may be an end, of which no more is known than of the position before.
int SplitSearch::largest_side(Frame& frame, int f, int s, Cost limit) {
  const Node& node = frame.node;
  int cheap = s == 0 ? 0 : node.rows(), dear = node.rows() - cheap;
  Floors floors;
  while (!control_.stopped()) {
    const int middle = cheap + (dear - cheap) / 2;
    int p = s == 0 ? node.next(f, middle) : node.prev(f, middle);
    if (s == 0 ? p >= dear : p <= dear) p = s == 0 ? node.prev(f, middle) : node.next(f, middle);
    if (s == 0 ? p <= cheap : p >= cheap) break;
    const Outcome out = solve_side(frame, f, p, s, {1}, {}, limit, floors);
    (out.low < limit ? cheap : dear) = p;
  }
  return cheap;
}

bool SplitSearch::is_dear(Frame& frame, const SmallSide* sides, std::size_t count,
                          const Trees& other) {
  const Cost limit = frame.best.low - penalty_;
  others_.clear();
  for (std::size_t k = 0; k < count; ++k)
    others_.push_back({sides[k].column, sides[k].position, 1 - sides[k].side});
  Node* node = common(frame);
  if (node == nullptr) return false;
  const Outcome out = solve(*node, frame.depth + 1, other, limit, Asked::kWhether);
  if (control_.stopped() || out.low < limit) return false;
  work_.counters.pruned[static_cast<std::size_t>(Pruning::kBranch)] +=
      static_cast<std::int64_t>(count);
  return true;
}

}  // namespace exactree
