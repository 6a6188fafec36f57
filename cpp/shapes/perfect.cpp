#include "shapes/perfect.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "shapes/classes.hpp"
#include "shapes/perfect_bits.hpp"

namespace exactree {

namespace {

using Rank = std::int16_t;
using RowList = std::vector<std::uint16_t>;

class PerfectSearch {
 public:
  PerfectSearch(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
                const std::int32_t* labels, unsigned off, const std::function<bool()>& stop)
      : columns_(columns), rows_(rows), off_(off), stop_(stop) {
    // Mixed up, so that the first rows of a set tell most of it: files are often sorted by class.
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    for (const std::size_t i : order) labels_.push_back(labels[i]);
    wide_ = (columns + kLanes - 1) / kLanes * kLanes;
    by_row_.assign(rows * wide_, 0);
    for (std::size_t j = 0; j < columns; ++j) read_column(ranks + j * rows, order, j);
    for (int side = 0; side < 2; ++side) low_[side].resize(wide_), high_[side].resize(wide_);
  }

  PerfectAnswer run(int depth) {
    lists_.resize(static_cast<std::size_t>(depth) + 1);
    pivots_.resize(static_cast<std::size_t>(depth) + 1);
    RowList all(rows_);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    const bool none = fails(all, depth);
    const Perfect found = stopped_ ? Perfect::kStopped : none ? Perfect::kNone : Perfect::kFound;
    return {found, pruned_};
  }

 private:
  static constexpr std::size_t kLanes = 16;           // columns at a time
  static constexpr std::size_t kRowsAtOnce = 8;       // then it is asked whether they can be parted
  static constexpr std::size_t kMostKnown = 1 << 17;  // some 20 MB
  static constexpr std::size_t kMostClasses = 16;     // whose intervals are looked at
  static constexpr std::size_t kRowsBetween = 16;     // two looks at these
  static constexpr Rank kRefuted = std::numeric_limits<Rank>::max();
  static constexpr int kKnownLevels = 3;             // fewer are refuted sooner than looked up
  static constexpr std::size_t kAskEvery = 1 << 16;  // rows times columns, of two levels
  static constexpr std::size_t kSample = 15;  // rows whose median is a first pivot of two levels

  struct Interval {
    Rank low, high;
  };

  bool on(PerfectRule rule) const { return (off_ >> static_cast<unsigned>(rule) & 1u) == 0; }
  void count(PerfectRule rule) { ++pruned_[static_cast<std::size_t>(rule)]; }

  void read_column(const std::int32_t* ranks, const std::vector<std::size_t>& order,
                   std::size_t j) {
    std::vector<std::int32_t> values(ranks, ranks + rows_);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<Rank> mine;
    for (const std::size_t i : order) {
      const auto at = std::lower_bound(values.begin(), values.end(), ranks[i]) - values.begin();
      by_row_[mine.size() * wide_ + j] = static_cast<Rank>(at);
      mine.push_back(static_cast<Rank>(at));
    }
    by_column_.push_back(mine);
    std::sort(mine.begin(), mine.end());
    sorted_.push_back(std::move(mine));
    within_.push_back({0, static_cast<Rank>(values.empty() ? 0 : values.size() - 1)});
    whole_.push_back(within_.back());
  }

  // Whether no tree of so many levels is perfect on the rows; false also if it was stopped.
  bool fails(const RowList& rows, int depth) {
    if (stopped_) return false;
    if (depth == 1)
      return one_split_fails(rows, by_column_[0].data(), 0, std::numeric_limits<Rank>::max());
    const std::size_t most = depth >= 31 ? rows.size() : std::size_t{1} << depth;
    const std::size_t enough = on(PerfectRule::kClasses) ? most + 1 : rows.size();
    const std::size_t classes = count_classes(rows, labels_, enough, seen_);
    if (classes <= 1) return false;
    if (classes > most && on(PerfectRule::kClasses)) return count(PerfectRule::kClasses), true;
    if (depth == 2 && (asked_ += rows.size() * columns_) >= kAskEvery) {
      asked_ = 0;
      if (stop_()) return stopped_ = true, false;
    }
    if (depth < kKnownLevels || !on(PerfectRule::kKnown))
      return every_column_fails(rows, depth, classes);
    const std::string key = written(depth);
    const auto known = known_.find(key);
    if (known != known_.end()) return count(PerfectRule::kKnown), known->second;
    const bool none = every_column_fails(rows, depth, classes);
    if (!stopped_ && known_.size() < kMostKnown) known_.emplace(key, none);
    return none;
  }

  bool every_column_fails(const RowList& rows, int depth, std::size_t classes) {
    std::vector<Interval>& pivots = pivots_[static_cast<std::size_t>(depth)];
    pivots = within_;
    if (classes > half(depth) && on(PerfectRule::kIntervals))
      narrow_by_classes(rows, half(depth), classes, pivots);
    for (std::size_t j = 0; j < columns_; ++j)
      if (pivots[j].low < kRefuted && !column_fails(rows, j, depth, pivots[j])) return false;
    return true;
  }

  // Looks for a pivot among these values.
  bool column_fails(const RowList& rows, std::size_t j, int depth, Interval among) {
    Rank low = among.low, high = among.high;
    Rank pivot = depth < kKnownLevels ? median(rows, j, low, high, kSample) : middle(j);
    if (pivot < low || pivot > high) pivot = median(rows, j, low, high, rows.size());
    while (pivot >= 0) {
      if (!side_fails(rows, j, pivot, true, depth))
        low = static_cast<Rank>(pivot + 1);
      else if (!side_fails(rows, j, pivot, false, depth))
        high = static_cast<Rank>(pivot - 1);
      else
        return true;
      if (stopped_) return false;
      pivot = median(rows, j, low, high, rows.size());
    }
    return false;
  }

  // More classes than leaves. From the value L on, rows up to there have more classes than one side
  // can tell apart; up to H, those from there on. If L <= H, L is a pivot. Else one above L is none
  // that L would not be, too, and one below H none that H would not be. With more rows L only gets
  // smaller and H larger, so that some of the rows may be enough.
  void narrow_by_classes(const RowList& rows, std::size_t most, std::size_t classes,
                         std::vector<Interval>& pivots) {
    if (classes > kMostClasses) return;
    first_.resize(classes * wide_), last_.resize(classes * wide_);
    std::size_t known = 0, open = columns_;
    for (std::size_t k = 0; k < rows.size() && open > 0; ++k) {
      const std::int32_t label = labels_[rows[k]];
      std::size_t mine = 0;
      while (mine < known && seen_[mine] != label) ++mine;
      widen(rows[k], mine == known, first_.data() + mine * wide_, last_.data() + mine * wide_);
      if (mine == known) ++known;  // in the order in which they were counted
      const bool look = k % kRowsBetween == kRowsBetween - 1 || k + 1 == rows.size();
      if (look && known == classes) open = narrowed(classes - most, classes, pivots);
    }
    if (open < columns_) count(PerfectRule::kIntervals);
  }

  // The intervals of a class in all columns, when a row of it comes.
  void widen(std::size_t row, bool first, Rank* low, Rank* high) const {
    const Rank* values = by_row_.data() + row * wide_;
    if (first) {
      std::copy(values, values + wide_, low);
      std::copy(values, values + wide_, high);
      return;
    }
    for (std::size_t j = 0; j < wide_; ++j) {
      low[j] = std::min(low[j], values[j]);
      high[j] = std::max(high[j], values[j]);
    }
  }

  // Sets the pivots of all columns by the intervals of the classes; how many are not refuted. The
  // n-th largest first value is L, as `most` of the classes begin before it.
  std::size_t narrowed(std::size_t n, std::size_t classes, std::vector<Interval>& pivots) {
    ends_.assign(2 * n * wide_, 0);
    Rank *largest = ends_.data(), *smallest = largest + n * wide_;
    std::fill(smallest, smallest + n * wide_, kRefuted);
    for (std::size_t c = 0; c < classes; ++c) {
      Rank *first = copy_of(first_, c, 0), *last = copy_of(last_, c, 1);
      for (std::size_t k = 0; k < n; ++k) {
        Rank *above = largest + k * wide_, *below = smallest + k * wide_;
        for (std::size_t j = 0; j < wide_; ++j) {
          const Rank a = first[j], b = last[j];
          first[j] = std::min(above[j], a), above[j] = std::max(above[j], a);
          last[j] = std::max(below[j], b), below[j] = std::min(below[j], b);
        }
      }
    }
    std::size_t open = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
      const Rank to = largest[(n - 1) * wide_ + j], from = smallest[(n - 1) * wide_ + j];
      pivots[j] = to <= from ? Interval{kRefuted, kRefuted} : Interval{from, to};
      open += to <= from ? 0 : 1;
    }
    return open;
  }

  Rank* copy_of(const std::vector<Rank>& all, std::size_t c, int which) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(c * wide_);
    spare_[which].assign(from, from + static_cast<std::ptrdiff_t>(wide_));
    return spare_[which].data();
  }

  static std::size_t half(int depth) { return std::size_t{1} << std::min(depth - 1, 31); }

  // The median of the first rows' values from low to high; -1 if there are none.
  Rank median(const RowList& rows, std::size_t j, Rank low, Rank high, std::size_t first) {
    const Rank* rank = by_column_[j].data();
    values_.resize(rows.size());
    std::size_t many = 0;
    for (std::size_t k = 0; k < std::min(first, rows.size()); ++k) {
      const Rank value = rank[rows[k]];
      values_[many] = value;
      many += value >= low && value <= high ? 1 : 0;
    }
    if (many == 0) return -1;
    const auto at = values_.begin() + static_cast<std::ptrdiff_t>(many / 2);
    std::nth_element(values_.begin(), at, values_.begin() + static_cast<std::ptrdiff_t>(many));
    return *at;
  }

  Rank middle(std::size_t j) const {
    const std::vector<Rank>& all = sorted_[j];
    const auto from = std::lower_bound(all.begin(), all.end(), within_[j].low);
    const auto to = std::upper_bound(from, all.end(), within_[j].high);
    return from[(to - from) / 2];
  }

  bool side_fails(const RowList& rows, std::size_t j, Rank pivot, bool left, int depth) {
    const Rank end = std::numeric_limits<Rank>::max();
    if (depth == 2)
      return one_split_fails(rows, by_column_[j].data(), left ? Rank{0} : pivot,
                             left ? pivot : end);
    RowList& side = lists_[static_cast<std::size_t>(depth) - 1];
    side.resize(rows.size());
    std::size_t many = 0;
    const Rank* rank = by_column_[j].data();
    for (const auto i : rows) {
      side[many] = i;
      many += (left ? rank[i] <= pivot : rank[i] >= pivot) ? 1 : 0;
    }
    side.resize(many);
    const Interval before = within_[j];
    if (left)
      within_[j].high = std::min(within_[j].high, pivot);
    else
      within_[j].low = std::max(within_[j].low, pivot);
    narrowed_.push_back(j);
    const bool none = fails(side, depth - 1);
    narrowed_.pop_back();
    within_[j] = before;
    return none;
  }

  // Of the rows whose rank in a column is from low to high.
  bool one_split_fails(const RowList& rows, const Rank* rank, Rank low, Rank high) {
    std::int32_t label[2] = {0, 0};
    int classes = 0;
    std::size_t many = 0;
    for (const auto i : rows) {
      if (rank[i] < low || rank[i] > high) continue;
      int mine = 0;
      while (mine < classes && label[mine] != labels_[i]) ++mine;
      if (mine == 2) return true;
      widen(i, mine == classes, low_[mine].data(), high_[mine].data());
      if (mine == classes) label[classes++] = labels_[i];
      if (++many % kRowsAtOnce == 0 && classes == 2 && !parted()) return true;
    }
    return classes == 2 && !parted();
  }

  // Whether the intervals of the two classes do not meet in some column.
  bool parted() const {
    int any = 0;
    for (std::size_t j = 0; j < wide_; ++j)
      any |= (high_[0][j] < low_[1][j] ? 1 : 0) | (high_[1][j] < low_[0][j] ? 1 : 0);
    return any != 0;
  }

  // The intervals that are narrower than their columns, and the depth.
  std::string written(int depth) const {
    std::vector<std::size_t> used = narrowed_;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::string key(1, static_cast<char>(depth));
    for (const std::size_t j : used) {
      if (within_[j].low == whole_[j].low && within_[j].high == whole_[j].high) continue;
      const auto column = static_cast<std::uint32_t>(j);
      key.append(reinterpret_cast<const char*>(&column), sizeof column);
      key.append(reinterpret_cast<const char*>(&within_[j]), sizeof within_[j]);
    }
    return key;
  }

  std::size_t columns_, rows_, wide_ = 0;
  unsigned off_;
  PerfectCounts pruned_ = {};
  const std::function<bool()>& stop_;
  bool stopped_ = false;
  std::size_t asked_ = 0;
  std::vector<std::int32_t> labels_, seen_;
  std::vector<std::vector<Rank>> by_column_, sorted_;
  std::vector<Rank> by_row_;  // rows x columns, of which there are a few more that are all 0
  std::vector<Interval> within_, whole_;
  std::vector<std::size_t> narrowed_;
  std::vector<RowList> lists_;                 // the sides of every level
  std::vector<std::vector<Interval>> pivots_;  // of every level and column
  std::vector<Rank> first_, last_;             // of every class and column
  std::vector<Rank> ends_, spare_[2];
  std::vector<Rank> low_[2], high_[2], values_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace

PerfectAnswer perfect_tree(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
                           const std::int32_t* labels, int depth, unsigned off,
                           const std::function<bool()>& stop) {
  if (depth < 1 || columns == 0) {
    const bool same =
        std::adjacent_find(labels, labels + rows, std::not_equal_to<>()) == labels + rows;
    return {same ? Perfect::kFound : Perfect::kNone, {}};
  }
  const bool bits = std::all_of(ranks, ranks + columns * rows, [](int r) { return r < 2; });
  if (bits && (off >> static_cast<unsigned>(PerfectRule::kBits) & 1u) == 0)
    return {perfect_by_bits(ranks, columns, rows, labels, depth, stop), {0, 0, 0, 1}};
  return PerfectSearch(ranks, columns, rows, labels, off, stop).run(depth);
}

}  // namespace exactree
