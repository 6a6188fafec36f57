// From the cells of the arrangement to the list of dichotomies, and the sides of given surfaces.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "geometry/cells.hpp"
#include "geometry/cutting.hpp"

namespace KERNEL_NAMESPACE {

namespace {

constexpr std::uint64_t kMostSeeds = 64;
constexpr int kAtATime = 1 << 15;  // masks between two looks at the clock

std::size_t mask_words(const PointSet& points) {
  return (points.points + 63) / 64;
}

Word last_word(std::size_t size) {
  return size % 64 == 0 ? ~Word{0} : (Word{1} << (size % 64)) - 1;
}

// C and -C are one dichotomy: the one with point 0.
void normalise(std::vector<Word>& masks, const PointSet& points, Ticker& ticker) {
  const std::size_t words = mask_words(points);
  for (std::size_t begin = 0; begin < masks.size(); begin += words) {
    if (begin / words % kAtATime == 0) ticker.tick(kAtATime);
    if ((masks[begin] & 1) != 0) continue;
    for (std::size_t w = 0; w < words; ++w) masks[begin + w] = ~masks[begin + w];
    masks[begin + words - 1] &= last_word(points.points);
  }
}

// Sorts by the bytes from `depth` on, the first word's highest first, asking the ticker now and
// then.
template <class Mask>
void sort_bytes(Mask* begin, Mask* end, std::size_t depth, Ticker& ticker) {
  const auto size = static_cast<std::size_t>(end - begin);
  ticker.tick(size);
  if (size < 4096 || depth == sizeof(Mask)) {
    std::sort(begin, end);
    return;
  }
  const auto byte = [depth](const Mask& mask) {
    return static_cast<std::size_t>(mask[depth / 8] >> (56 - 8 * (depth % 8)) & 0xff);
  };
  std::array<std::size_t, 257> start{};
  for (const Mask* mask = begin; mask != end; ++mask) ++start[byte(*mask) + 1];
  for (std::size_t b = 0; b < 256; ++b) start[b + 1] += start[b];
  std::array<std::size_t, 257> next = start;
  std::size_t swaps = 0;
  for (std::size_t b = 0; b < 256; ++b) {
    while (next[b] < start[b + 1]) {
      Mask& here = begin[next[b]];
      std::swap(here, begin[next[byte(here)]++]);
      if (++swaps % kAtATime == 0) ticker.tick(kAtATime);
    }
  }
  for (std::size_t b = 0; b < 256; ++b) {
    if (start[b + 1] - start[b] > 1) {
      sort_bytes(begin + start[b], begin + start[b + 1], depth + 1, ticker);
    }
  }
}

template <std::size_t Words>
void sort_unique_fixed(std::vector<Word>& masks, Ticker& ticker) {
  using Mask = std::array<Word, Words>;
  static_assert(sizeof(Mask) == Words * sizeof(Word));
  auto* begin = reinterpret_cast<Mask*>(masks.data());
  auto* end = begin + masks.size() / Words;
  sort_bytes(begin, end, 0, ticker);
  Mask* last = begin;
  for (Mask* next = begin; next != end; ++next) {
    if (*next != *last) *++last = *next;
    if ((next - begin) % kAtATime == 0) ticker.tick(kAtATime);
  }
  masks.resize(begin == end ? 0 : static_cast<std::size_t>(last + 1 - begin) * Words);
}

void sort_unique_any(std::vector<Word>& masks, std::size_t words, Ticker& ticker) {
  std::vector<const Word*> order;
  for (std::size_t i = 0; i < masks.size(); i += words) order.push_back(&masks[i]);
  const auto less = [words, &ticker](const Word* a, const Word* b) {
    ticker.tick(words);
    return std::lexicographical_compare(a, a + words, b, b + words);
  };
  const auto equal = [words](const Word* a, const Word* b) { return std::equal(a, a + words, b); };
  std::sort(order.begin(), order.end(), less);
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  std::vector<Word> result;
  result.reserve(order.size() * words);
  for (const Word* mask : order) result.insert(result.end(), mask, mask + words);
  masks.swap(result);
}

// Sorts masks as sequences of words and drops repetitions.
template <std::size_t Words = 1>
void sort_unique(std::vector<Word>& masks, std::size_t words, Ticker& ticker) {
  if (words == Words) {
    sort_unique_fixed<Words>(masks, ticker);
  } else if constexpr (Words < 8) {
    sort_unique<Words + 1>(masks, words, ticker);
  } else {
    sort_unique_any(masks, words, ticker);
  }
}

bool never(void*) {
  return false;
}

// After a stop there is no time to sort all that was found.
void keep_some(std::vector<Word>& masks, const PointSet& points) {
  constexpr std::size_t kSome = 10000;
  const std::size_t words = mask_words(points);
  masks.resize(std::min(masks.size(), kSome * words));
  const Poll poll{never, nullptr};
  Ticker ticker(poll);
  normalise(masks, points, ticker);
  sort_unique(masks, words, ticker);
}

void drop_trivial(std::vector<Word>& masks, const PointSet& points) {
  const std::size_t words = mask_words(points);
  for (std::size_t begin = 0; begin < masks.size(); begin += words) {
    bool all = masks[begin + words - 1] == last_word(points.points);
    for (std::size_t w = 0; all && w + 1 < words; ++w) all = masks[begin + w] == ~Word{0};
    if (!all) continue;
    const auto first = masks.begin() + static_cast<std::ptrdiff_t>(begin);
    masks.erase(first, first + static_cast<std::ptrdiff_t>(words));
    return;
  }
}

// Independent points are parted in every way.
MaskList all_partitions(std::size_t points) {
  MaskList result{{}, true};
  for (Word rest = 0; rest + 1 < Word{1} << (points - 1); ++rest) {
    result.masks.push_back(rest << 1 | 1);
  }
  return result;
}

// Lists the cells with other directions until these turn out to be generic.
bool list_cells(const PointSet& points, Ticker& ticker, std::vector<Word>& masks) {
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    masks.clear();
    CellLister lister(points, seed, ticker);
    try {
      lister.list(masks);
      return true;
    } catch (const NotGeneric&) {
    } catch (const Stopped&) {
      masks.resize(std::min(masks.size(), lister.sound()));
      return false;
    }
  }
  throw std::runtime_error("no direction in general position was found: are two rows parallel?");
}

MaskList dichotomies(const PointSet& points, std::size_t expected, const Poll& poll) {
  if (points.points == points.columns) return all_partitions(points.points);
  refuse_many_columns(points);
  MaskList result{{}, true};
  result.masks.reserve(expected * mask_words(points));
  Ticker ticker(poll);
  result.complete = list_cells(points, ticker, result.masks);
  try {
    if (result.complete) {
      normalise(result.masks, points, ticker);
      sort_unique(result.masks, mask_words(points), ticker);
    }
  } catch (const Stopped&) {
    // Stopped between two swaps, so that every entry is a whole mask: some of them are kept.
    result.complete = false;
  }
  if (!result.complete) keep_some(result.masks, points);
  drop_trivial(result.masks, points);
  return result;
}

// The signs of all points with respect to one list of owners after another. Lists that begin alike
// share their eliminations.
class Sides {
 public:
  explicit Sides(const PointSet& points)
      : points_(points),
        owners_(points.columns - 1, points.points),
        left_(points.columns),
        rows_(make_row_stack(points)) {
    left_[0].load(points, 0);
  }

  void find(const std::uint32_t* owners, Word* positive, Word* on) {
    choose(owners);
    const Residuals& last = left_.back();
    for (std::size_t q = 0; q < points_.points; ++q) {
      int sign = last.sign_of(0, q) * last.sign;
      if (sign == 0) sign = rows_->sign(q);
      const Word bit = Word{1} << (q % 64);
      if (sign > 0) positive[q / 64] |= bit;
      if (sign == 0) on[q / 64] |= bit;
    }
  }

 private:
  void choose(const std::uint32_t* owners) {
    std::size_t depth = 0;
    while (depth < owners_.size() && owners_[depth] == owners[depth]) ++depth;
    for (; depth < owners_.size(); ++depth) {
      owners_[depth] = owners[depth];
      rows_->put(depth, owners[depth]);
      eliminate(left_[depth], owners[depth], left_[depth + 1], work_);
    }
  }

  PointSet points_;
  std::vector<std::size_t> owners_;
  std::vector<Residuals> left_;
  std::unique_ptr<RowStack> rows_;
  Multipliers work_;
};

// Bits that move together: from word `from` shifted down to word `to` shifted up.
struct Move {
  std::size_t from, down, to, up;
  Word bits;
};

// Rows that follow each other like their points move together, as far as the words reach.
std::vector<Move> moves_of(const std::uint32_t* rows, std::size_t row_count) {
  std::vector<Move> moves;
  for (std::size_t i = 0; i < row_count;) {
    const std::size_t point = rows[i];
    const std::size_t reach = 64 - std::max(i % 64, point % 64);
    std::size_t length = 1;
    while (length < reach && i + length < row_count && rows[i + length] == point + length) ++length;
    moves.push_back({point / 64, point % 64, i / 64, i % 64, last_word(length)});
    i += length;
  }
  return moves;
}

void expand(const Word* masks, std::size_t count, std::size_t points, const std::uint32_t* rows,
            std::size_t row_count, Word* out) {
  const std::size_t from = (points + 63) / 64;
  const std::size_t to = (row_count + 63) / 64;
  const std::vector<Move> moves = moves_of(rows, row_count);
  std::fill_n(out, count * to, Word{0});
  for (std::size_t m = 0; m < count; ++m, masks += from, out += to) {
    for (const Move& move : moves) {
      out[move.to] |= (masks[move.from] >> move.down & move.bits) << move.up;
    }
  }
}

void sides(const PointSet& points, const std::uint32_t* owners, std::size_t count, Word* positive,
           Word* on) {
  const std::size_t words = mask_words(points);
  std::fill_n(positive, count * words, Word{0});
  std::fill_n(on, count * words, Word{0});
  Sides of(points);
  for (std::size_t i = 0; i < count; ++i) {
    of.find(owners + i * (points.columns - 1), positive + i * words, on + i * words);
  }
}

}  // namespace

GeometryKernels geometry_kernels() {
  return {dichotomies, sides, expand, make_arrangement};
}

}  // namespace KERNEL_NAMESPACE
