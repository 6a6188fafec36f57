#include "shapes/perfect_bits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <vector>

#include "shapes/classes.hpp"

namespace exactree {

namespace {

using Word = std::uint64_t;
using PlaceList = std::vector<std::uint32_t>;

// Numbers above 0, of which those are forgotten that others take the place of.
class NumberSet {
 public:
  bool holds(Word number) const { return number != 0 && places_[place(number)] == number; }
  void add(Word number) { places_[place(number)] = number; }
  void clear() { std::fill(places_.begin(), places_.end(), 0); }

 private:
  static constexpr int kBits = 20;  // 8 MB
  static std::size_t place(Word number) { return number * 0x9e3779b97f4a7c15u >> (64 - kBits); }

  std::vector<Word> places_ = std::vector<Word>(std::size_t{1} << kBits, 0);
};

class PerfectBits {
 public:
  PerfectBits(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
              const std::int32_t* labels, const std::function<bool()>& stop)
      : ranks_(ranks),
        all_labels_(labels),
        columns_(columns),
        rows_(rows),
        words_((columns + 1 + 63) / 64),
        stop_(stop),
        order_(rows) {
    // Mixed up, so that the first rows are like all of them.
    std::iota(order_.begin(), order_.end(), 0u);
    std::shuffle(order_.begin(), order_.end(), std::mt19937(1));
    // Bits of the constant column and of all columns before it.
    used_.assign(words_, ~Word{0});
    if ((columns + 1) % 64 != 0) used_.back() = (Word{1} << (columns + 1) % 64) - 1;
    common_.resize(2 * words_);
    table_.resize(kChunks * kPatterns * 2 * words_);
    patterns_.resize(kChunks * columns);
  }

  Perfect run(int depth) {
    sides_.resize(static_cast<std::size_t>(depth) + 1);
    std::size_t many = (std::size_t{1} << std::min(depth, 20)) *
                       (static_cast<std::size_t>(std::bit_width(columns_)) + 1);
    for (;; many *= 2) {
      many = std::min(many, rows_);
      while (labels_.size() < many && !stopped_) read_row(order_[labels_.size()]);
      if (stopped_) return Perfect::kStopped;
      known_.clear();
      PlaceList some(many);
      std::iota(some.begin(), some.end(), 0u);
      const bool none = fails(some, depth);
      if (stopped_) return Perfect::kStopped;
      if (none) return Perfect::kNone;
      if (many == rows_) return Perfect::kFound;
    }
  }

 private:
  static constexpr std::size_t kChunkRows = 6, kPatterns = std::size_t{1} << kChunkRows;
  static constexpr std::size_t kMostTaken = 5, kTakenBits = 12;  // sides that fit into a word
  static constexpr std::size_t kAtOnce = 5;          // chunks that are looked at together
  static constexpr std::size_t kChunks = 8;          // rows beyond are looked at one by one
  static constexpr std::size_t kAskEvery = 1 << 16;  // second splits of two levels, values read

  // Only the rows that are looked at: of a large table those are few.
  void read_row(std::uint32_t i) {
    ask(columns_);
    const std::size_t at = values_.size();
    values_.resize(at + words_, 0);
    for (std::size_t j = 0; j < columns_; ++j) {
      const bool one = ranks_[j * rows_ + i] != 0;
      ones_.push_back(one);
      if (one) values_[at + j / 64] |= Word{1} << j % 64;
    }
    labels_.push_back(all_labels_[i]);
  }

  // Whether to stop, after so much more work.
  void ask(std::size_t work) {
    if ((asked_ += work) < kAskEvery) return;
    asked_ = 0;
    stopped_ = stopped_ || stop_();
  }

  // Whether no tree of so many levels is perfect on the rows; false also if it was stopped.
  bool fails(const PlaceList& rows, int depth) {
    const std::size_t most = std::size_t{1} << std::min(depth, 20);
    const std::size_t classes = count_classes(rows, labels_, most + 1, seen_);
    if (classes <= 1) return false;
    if (classes > most) return true;
    if (depth == 1) return one_level_fails(rows, 0, nullptr);
    if (depth == 2) ask(columns_);
    if (stopped_) return false;
    const Word key = sides_taken();
    if (known_.holds(key)) return true;
    const bool none =
        depth == 2 && classes == 2 ? two_levels_fail(rows) : columns_fail(rows, depth);
    if (none) known_.add(key);
    return none;
  }

  bool columns_fail(const PlaceList& rows, int depth) {
    for (std::size_t j = 0; j < columns_; ++j)
      if (!column_fails(rows, j, depth)) return false;
    return true;
  }

  // Which sides of which columns the rows are on, whatever the order; 0 if that takes more bits.
  Word sides_taken() const {
    if (path_.size() > kMostTaken || 2 * columns_ >= (std::size_t{1} << kTakenBits)) return 0;
    std::array<std::size_t, kMostTaken> taken = {};
    std::copy(path_.begin(), path_.end(), taken.begin());
    std::sort(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(path_.size()));
    Word key = 1;  // no sides, which is not asked for twice
    for (std::size_t k = 0; k < path_.size(); ++k) key = key << kTakenBits | taken[k];
    return key;
  }

  bool column_fails(const PlaceList& rows, std::size_t j, int depth) {
    PlaceList* sides = sides_[static_cast<std::size_t>(depth) - 1].of;
    for (int s = 0; s < 2; ++s) sides[s].clear();
    for (const auto i : rows) sides[ones_[i * columns_ + j]].push_back(i);
    const int larger = sides[1].size() > sides[0].size() ? 1 : 0;
    return side_fails(sides, j, larger, depth) ||
           (!stopped_ && side_fails(sides, j, 1 - larger, depth));
  }

  bool side_fails(const PlaceList* sides, std::size_t j, int side, int depth) {
    path_.push_back(2 * j + static_cast<std::size_t>(side));
    const bool none = fails(sides[side], depth - 1);
    path_.pop_back();
    return none;
  }

  // The columns that tell the class of a row (whether it is that of `first`), and the opposites.
  void tell(std::uint32_t row, std::int32_t first, Word* to) const {
    const Word flip = labels_[row] == first ? 0 : ~Word{0};
    const Word* value = values_.data() + row * words_;
    for (std::size_t w = 0; w < words_; ++w) {
      to[w] = (value[w] ^ flip) & used_[w];
      to[words_ + w] = ~(value[w] ^ flip) & used_[w];
    }
  }

  // Of two classes, from a row on; with what the rows before it have in common.
  bool one_level_fails(const PlaceList& rows, std::size_t from, const Word* before) {
    const std::int32_t first = labels_[rows[0]];
    told_.resize(2 * words_);
    if (before == nullptr)
      tell(rows[0], first, common_.data());
    else
      std::copy(before, before + 2 * words_, common_.begin());
    for (std::size_t k = from; k < rows.size(); ++k) {
      tell(rows[k], first, told_.data());
      if (!meet(told_.data(), common_.data())) return true;
    }
    return false;
  }

  bool meet(const Word* other, Word* common) const {
    const std::size_t both = 2 * words_;  // a copy: what is written might be words_ otherwise
    Word any = 0;
    for (std::size_t w = 0; w < both; ++w) any |= common[w] &= other[w];
    return any != 0;
  }

  // What the rows of a chunk have in common that a column sends to a side.
  const Word* entry(std::size_t c, std::size_t j, std::size_t turn) const {
    const std::size_t pattern = (patterns_[c * columns_ + j] ^ turn) & full_[c];
    return table_.data() + (c * kPatterns + pattern) * 2 * words_;
  }

  // Of the first chunks, after which there is mostly nothing left.
  bool meet_first(std::size_t j, std::size_t turn) {
    const Word *a = entry(0, j, turn), *b = entry(1, j, turn), *c = entry(2, j, turn),
               *d = entry(3, j, turn), *e = entry(4, j, turn);
    Word* to = common_.data();
    const std::size_t both = 2 * words_;
    Word any = 0;
    for (std::size_t w = 0; w < both; ++w) any |= to[w] = a[w] & b[w] & c[w] & d[w] & e[w];
    return any != 0;
  }

  // Of two classes.
  bool two_levels_fail(const PlaceList& rows) {
    const std::size_t filled = (rows.size() + kChunkRows - 1) / kChunkRows;
    const std::size_t chunks = std::clamp(filled, kAtOnce, kChunks);
    for (std::size_t c = 0; c < chunks; ++c) write_chunk(rows, c);
    for (std::size_t j = 0; j < columns_; ++j)
      if (!half_fails(rows, chunks, j, 0) && !half_fails(rows, chunks, j, kPatterns - 1))
        return false;
    return true;
  }

  // What any of six rows have in common, and which of them each column sends right.
  void write_chunk(const PlaceList& rows, std::size_t c) {
    const std::int32_t first = labels_[rows[0]];
    Word* table = table_.data() + c * kPatterns * 2 * words_;
    std::uint8_t* pattern = patterns_.data() + c * columns_;
    std::fill(pattern, pattern + columns_, std::uint8_t{0});
    std::copy(used_.begin(), used_.end(), table);
    std::copy(used_.begin(), used_.end(), table + words_);
    const std::size_t from = std::min(c * kChunkRows, rows.size());
    const std::size_t many = std::min(kChunkRows, rows.size() - from);
    const std::size_t columns = columns_, both = 2 * words_;
    for (std::size_t k = 0; k < many; ++k) {
      const std::uint32_t row = rows[from + k];
      const std::size_t half = (std::size_t{1} << k) * both;
      told_.resize(both);
      tell(row, first, told_.data());
      const Word* told = told_.data();
      for (std::size_t at = 0; at < half; at += both)
        for (std::size_t w = 0; w < both; ++w) table[half + at + w] = table[at + w] & told[w];
      const std::uint8_t* ones = ones_.data() + row * columns_;
      const std::uint8_t bit = static_cast<std::uint8_t>(1u << k);
      for (std::size_t j = 0; j < columns; ++j)
        pattern[j] = static_cast<std::uint8_t>(pattern[j] | ones[j] * bit);
    }
    full_[c] = (std::size_t{1} << many) - 1;
  }

  // The rows that a column sends right, or left where the pattern is turned round.
  bool half_fails(const PlaceList& rows, std::size_t chunks, std::size_t j, std::size_t turn) {
    if (!meet_first(j, turn)) return true;
    for (std::size_t c = kAtOnce; c < chunks; ++c)
      if (!meet(entry(c, j, turn), common_.data())) return true;
    const std::int32_t first = labels_[rows[0]];
    const std::uint8_t right = turn == 0 ? 1 : 0;
    for (std::size_t k = chunks * kChunkRows; k < rows.size(); ++k) {
      if (ones_[rows[k] * columns_ + j] != right) continue;
      tell(rows[k], first, told_.data());
      if (!meet(told_.data(), common_.data())) return true;
    }
    return false;
  }

  struct Sides {
    PlaceList of[2];
  };

  const std::int32_t *ranks_, *all_labels_;
  std::size_t columns_, rows_, words_;
  const std::function<bool()>& stop_;
  PlaceList order_;  // in which rows are read
  bool stopped_ = false;
  std::size_t asked_ = 0;
  std::vector<std::int32_t> labels_, seen_;
  std::vector<std::uint8_t> ones_;  // rows that were read x columns
  std::vector<Word> values_;        // the same in bits
  std::vector<Word> used_, common_, told_;
  std::vector<Word> table_;             // chunks x patterns of rows: what these have in common
  std::vector<std::uint8_t> patterns_;  // chunks x columns
  std::size_t full_[kChunks] = {};
  std::vector<Sides> sides_;       // of every level
  std::vector<std::size_t> path_;  // 2 x column + side, from the root
  NumberSet known_;                // sides that were refuted
};

}  // namespace

Perfect perfect_by_bits(const std::int32_t* ranks, std::size_t columns, std::size_t rows,
                        const std::int32_t* labels, int depth, const std::function<bool()>& stop) {
  return PerfectBits(ranks, columns, rows, labels, stop).run(depth);
}

}  // namespace exactree
