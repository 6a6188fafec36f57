// The rounds of a frontier: their targets, what is solved between them, and when one is over.
#include <algorithm>
#include <iterator>
#include <limits>

#include "search/columns/column_frontier.hpp"
#include "search/columns/twins.hpp"

namespace exactree {

namespace {

// The targets of the rounds, as shares (in 1/256) of what the best cost is above what is known
// beforehand. The last round has no target but the best cost.
constexpr int kShares[] = {4, 12, 32, 68, 132, 180, 220};
// Searches that take long have them all. In others the lowest targets, and many of them, cost more
// than they prove. Three levels have a round only where they take a second or so; losses of numbers
// and costs per row, whose scans take many times as long, always do.
constexpr int kFewShares[] = {48, 160};
constexpr int kSlowShares[] = {32, 96, 192};
constexpr int kManyRows = 11000;
constexpr std::int64_t kManyPairs = 10'000'000;  // rows times pairs of columns
// From this depth on, so many promising thresholds are solved for the best cost before the end.
constexpr int kPromisingDepth = 4;
constexpr std::size_t kMostPromising = 3;
// The rounds that these come before, of many and of few. From so many rows times pairs of columns
// on one takes seconds, and half of the best cost is proved before.
constexpr int kPromisingOfMany[kMostPromising] = {2, 4, 5};
constexpr int kPromisingOfFew[kMostPromising] = {0, 1, 2};
constexpr int kPromisingLate[kMostPromising] = {5, 6, 7};
constexpr std::int64_t kLatePairs = 1'000'000;
// Rows are noisy if the best tree errs on one in so many.
constexpr Cost kNoise = 20;

}  // namespace

// At depth two the ranks of a column may be kept only while it is searched: there is one round.
template <class V>
void ColumnFrontier<V>::list_shares() {
  const int depth = top_.budget.depth;
  const std::int64_t rows = top_.root.rows(), columns = top_.root.features();
  // Both orders of a column with missing values are split, and one pass scans the two.
  const std::int64_t scanned = Twins::find(top_.data).leaders;
  const bool everywhere = top_.request.switches.everywhere();
  const bool slow = top_.data.loss != nullptr || top_.data.priced();
  if (depth == 2 && !everywhere) return;
  const bool quick = !slow && columns * scanned * rows < kManyPairs;
  if (depth == 3 && quick && !everywhere) return;
  const bool long_search = depth > 4 || rows >= kManyRows || everywhere;
  if (slow && depth == 3 && !everywhere)
    shares_.assign(std::begin(kSlowShares), std::end(kSlowShares));
  else if (long_search)
    shares_.assign(std::begin(kShares), std::end(kShares));
  else
    shares_.assign(std::begin(kFewShares), std::end(kFewShares));
}

// The target of a round is fixed when the first column gets there. Below what is known beforehand
// there is nothing to look for.
template <class V>
const V& ColumnFrontier<V>::target(int round) {
  while (static_cast<int>(targets_.size()) <= round) {
    const std::size_t at = targets_.size();
    V target = V::constant(kInfinite, budgets());
    for (int k = 0; k < budgets() && at < shares_.size(); ++k) {
      const Cost known = top_.request.lower_bound;
      const Cost gap = top_.incumbents[static_cast<std::size_t>(k)].value - known;
      target.set(k, known + gap / 256 * shares_[at] + gap % 256 * shares_[at] / 256 + 1);
    }
    targets_.push_back(target);
  }
  return targets_[static_cast<std::size_t>(round)];
}

// With every round, one of the thresholds that the best plans start with is solved for the best
// cost, not for the target of the round: better trees are found long before the last round, which
// would solve it anyway. Where there are many rounds the lowest come first: they take less than
// such a threshold, and before them nothing is proved. Trees of three levels were planned that way,
// and four levels below the root take too long.
template <class V>
bool ColumnFrontier<V>::take_promising(Worker<V>& worker, ColumnPiece<V>& piece) {
  if (V::kSizes || top_.budget.depth != kPromisingDepth || shares_.empty()) return false;
  const std::int64_t columns = top_.root.features();
  const bool late = columns * columns * top_.root.rows() >= kLatePairs;
  const int* rounds = shares_.size() <= std::size(kFewShares) ? kPromisingOfFew
                      : late                                  ? kPromisingLate
                                                              : kPromisingOfMany;
  int round = std::numeric_limits<int>::max();
  for (const Lane& lane : lanes_)
    if (!lane.done) round = std::min(round, lane.round);
  while (tried_promising_ < std::min(kMostPromising, promising_.size()) &&
         rounds[tried_promising_] <= round) {
    const Promising& at = promising_[tried_promising_++];
    const auto place = std::find(order_.begin(), order_.end(), at.feature) - order_.begin();
    Lane& lane = lanes_[static_cast<std::size_t>(place)];
    if (lane.done) continue;
    piece.place = static_cast<int>(place);
    piece.round = -1;
    piece.whole = 0;
    if (!lane.chain) start_lane(piece.place, worker);
    piece.job.task = lane.chain->task_at(at.position);
    const V below = goal(piece.place);
    ColumnSource<V>::of(worker).prepare(frame_, *lane.chain, below, piece.job);
    piece.job.target = below;
    ++lane.busy;
    return true;
  }
  return false;
}

// What the best tree costs, for rounds that look for less. Only if it errs on many rows are errors
// about everywhere, so that a side can be expected to have its share of them; and where a search is
// given a cost without a tree, trees may cost far more.
template <class V>
Cost ColumnFrontier<V>::expected(int round) const {
  const Problem& data = top_.data;
  if (V::kSizes || static_cast<std::size_t>(round) >= shares_.size()) return 0;
  if (shares_.size() <= std::size(kFewShares) || !top_.request.switches.on(Pruning::kIncumbent))
    return 0;
  if (data.numbers() || data.priced() || data.loss != nullptr) return 0;
  const Cost best = top_.incumbents[0].value;
  const bool noisy = best >= top_.root.influence(0, 0, top_.root.rows()) / kNoise;
  return noisy || top_.request.switches.everywhere() ? best : 0;
}

template <class V>
void ColumnFrontier<V>::begin_round(Lane& lane, const V& goal) {
  V below = goal;
  lower_to(below, target(lane.round));
  lane.chain->begin_round(below);
}

// Nothing below the target is left in a column, or below its goal, which never rises: then it is
// done. Where the ranks of columns are not kept there is one round, and the floors of a column make
// room for those of the next.
template <class V>
void ColumnFrontier<V>::end_round(int place, Worker<V>& worker) {
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  const V below = goal(place);
  V reached = target(lane.round);
  lower_to(reached, below);
  raise_to(lane.proved, reached);
  lane.done = !any_below(lane.proved, below);
  if (!lane.done) {
    ++lane.round;
    begin_round(lane, below);
  } else if (lends_floors_ || !top_.root.keeps_pairs()) {
    lane.chain->forget_floors();
    worker.control().use_memory(lane.chain->growth());
  }
}

#define EXACTREE_ROUNDS(V)                                                      \
  template void ColumnFrontier<V>::list_shares();                               \
  template const V& ColumnFrontier<V>::target(int);                             \
  template bool ColumnFrontier<V>::take_promising(Worker<V>&, ColumnPiece<V>&); \
  template Cost ColumnFrontier<V>::expected(int) const;                         \
  template void ColumnFrontier<V>::begin_round(Lane&, const V&);                \
  template void ColumnFrontier<V>::end_round(int, Worker<V>&);
EXACTREE_ROUNDS(One)
EXACTREE_ROUNDS(Curve<8>)
EXACTREE_ROUNDS(Curve<32>)
#undef EXACTREE_ROUNDS

}  // namespace exactree
