// Thresholds of many root columns at once, for trees of two levels over very many columns.
#include <algorithm>

#include "search/columns/column_frontier.hpp"
#include "search/driver/search.hpp"

namespace exactree {

namespace {

// From how many columns on a pass over all of them costs less than what pairs of columns take.
constexpr int kSweptColumns = 128;
// With more rows a column has many thresholds, and what the first of them tell of its second
// columns (floors) rules most of these out: so many are swept, a run of columns at a time.
constexpr int kSweptRows = 4096, kSweptFirst = 7;
// How many thresholds have floors at once: those that are swept, and some of each of their columns.
constexpr std::int64_t kFloorsKept = 5 * Sweep::kMost;

}  // namespace

// With a limit on the rows of a leaf bounds and trees are those of two problems, and are found by
// two scans.
template <class V>
void ColumnFrontier<V>::start_sweeps() {
  const Switches& switches = top_.request.switches;
  const int rows = top_.root.rows(), columns = top_.root.features();
  if (top_.budget.depth != 2 || top_.request.remote || !top_.worker.subset_holds()) return;
  if (!switches.on(Pruning::kJump)) return;  // tests ask for plain scans
  if (columns < kSweptColumns && !switches.everywhere()) return;
  top_.worker.leave_rooms();  // of the first tree
  sweep_ = top_.root.make_sweep(top_.worker.work());
  if (!sweep_) return;
  // Tests of small problems have both ways, by chance.
  sweep_all_ = switches.everywhere() ? (rows + columns) % 2 == 0 : rows < kSweptRows;
  // The other thresholds of bounds are swept, too.
  if (!sweep_all_ && !sweep_->exact()) sweep_.reset();
  frame_.swept = sweep_all_;
  // A row of a numeric target may cost anything: the floors of one side alone tell of others. Room
  // for them is taken before pairs of columns have it all.
  const std::int64_t bytes = kFloorsKept * 2 * std::int64_t{sizeof(std::uint16_t)} * columns;
  lends_floors_ = sweep_all_ && !sweep_->exact() && top_.root.unbounded() &&
                  switches.on(Pruning::kFloor) && top_.worker.control().has_room(bytes);
  if (lends_floors_) top_.worker.control().use_memory(bytes);
}

// The next threshold of a column, if it has one.
template <class V>
bool ColumnFrontier<V>::add_swept(int place, Worker<V>& worker) {
  PlacedJob<V> at;
  if (!take_threshold(place, worker, at.job)) return false;
  at.place = place;
  at.feature = column(place);
  Lane& lane = lanes_[static_cast<std::size_t>(place)];
  ++lane.busy;
  const bool narrow =
      lends_floors_ && ColumnSource<V>::of(worker).lend_floors(frame_, *lane.chain, at.job);
  (narrow ? narrow_ : to_sweep_).push_back(std::move(at));
  return true;
}

// A threshold that is evaluated by itself. Its floors are not kept: those it was lent say as much.
template <class V>
bool ColumnFrontier<V>::take_narrow(ColumnPiece<V>& piece) {
  if (narrow_.empty()) return false;
  PlacedJob<V>& next = narrow_.back();
  piece.place = next.place;
  piece.round = 0;
  piece.whole = 0;
  piece.job = std::move(next.job);
  piece.job.target = piece.job.best;  // more would rule out nothing else between its neighbours
  narrow_.pop_back();
  return true;
}

// The open thresholds of the first columns that have any. Narrow ones come first: they leave little
// open there.
template <class V>
Asked ColumnFrontier<V>::sweep_all(Worker<V>& worker, ColumnPiece<V>& piece) {
  const int places = static_cast<int>(lanes_.size());
  const auto most = static_cast<std::size_t>(sweep_->most());
  const auto wanted = [&] { return narrow_.empty() && to_sweep_.size() < most; };
  bool busy = false;
  for (int o = first_open_; o < places && wanted(); ++o) {
    Lane& lane = lanes_[static_cast<std::size_t>(o)];
    while (!lane.done && wanted()) {
      if (add_swept(o, worker)) continue;
      if (lane.busy > 0) break;  // what is under way may open more
      end_round(o, worker);
    }
    busy = busy || lane.busy > 0;
    if (lane.done && o == first_open_) ++first_open_;
  }
  if (take_narrow(piece)) return Asked::kPiece;
  piece.swept.swap(to_sweep_);
  if (!piece.swept.empty()) return Asked::kPiece;
  return busy ? Asked::kBusy : Asked::kNone;
}

// One threshold of each column of a run, until each has had its share; the other thresholds of
// these columns are then searched one by one. The floors of a column are one array, which moves
// when it grows: so no column has two thresholds under evaluation.
template <class V>
bool ColumnFrontier<V>::sweep_first(Worker<V>& worker, ColumnPiece<V>& piece) {
  if (!sweep_) return false;
  const int places = static_cast<int>(lanes_.size());
  const auto done = [&](int o) { return lanes_[static_cast<std::size_t>(o)].done; };
  int end = std::min(first_open_ + sweep_->most(), places);
  bool over = true;
  for (int o = first_open_; o < end; ++o) over = over && done(o);
  if (over) {
    first_open_ = end;
    end = std::min(first_open_ + sweep_->most(), places);
  }
  for (int o = first_open_; o < end; ++o) {
    Lane& lane = lanes_[static_cast<std::size_t>(o)];
    if (lane.done || lane.busy > 0 || lane.swept == kSweptFirst) continue;
    if (add_swept(o, worker))
      ++lane.swept;
    else
      lane.swept = kSweptFirst;
  }
  piece.swept.swap(to_sweep_);
  return !piece.swept.empty();
}

#define EXACTREE_SWEEPS(V)                                                  \
  template void ColumnFrontier<V>::start_sweeps();                          \
  template bool ColumnFrontier<V>::add_swept(int, Worker<V>&);              \
  template bool ColumnFrontier<V>::take_narrow(ColumnPiece<V>&);            \
  template Asked ColumnFrontier<V>::sweep_all(Worker<V>&, ColumnPiece<V>&); \
  template bool ColumnFrontier<V>::sweep_first(Worker<V>&, ColumnPiece<V>&);
EXACTREE_SWEEPS(One)
EXACTREE_SWEEPS(Curve<8>)
EXACTREE_SWEEPS(Curve<32>)
#undef EXACTREE_SWEEPS

}  // namespace exactree
