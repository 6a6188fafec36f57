// From the cells of the arrangement to the list of dichotomies, and the sides of given surfaces.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "geometry/cells.hpp"

namespace KERNEL_NAMESPACE {

namespace {

// Tables of minors have 2^columns entries.
constexpr std::size_t kMostColumns = 20;
constexpr std::uint64_t kMostSeeds = 64;

std::size_t mask_words(const PointSet& points) {
  return (points.points + 63) / 64;
}

Word last_word(std::size_t size) {
  return size % 64 == 0 ? ~Word{0} : (Word{1} << (size % 64)) - 1;
}

// C and -C are one dichotomy: the one with point 0.
void normalise(std::vector<Word>& masks, const PointSet& points) {
  const std::size_t words = mask_words(points);
  for (std::size_t begin = 0; begin < masks.size(); begin += words) {
    if ((masks[begin] & 1) != 0) continue;
    for (std::size_t w = 0; w < words; ++w) masks[begin + w] = ~masks[begin + w];
    masks[begin + words - 1] &= last_word(points.points);
  }
}

template <std::size_t Words>
void sort_unique_fixed(std::vector<Word>& masks) {
  using Mask = std::array<Word, Words>;
  static_assert(sizeof(Mask) == Words * sizeof(Word));
  auto* begin = reinterpret_cast<Mask*>(masks.data());
  auto* end = begin + masks.size() / Words;
  std::sort(begin, end);
  masks.resize(static_cast<std::size_t>(std::unique(begin, end) - begin) * Words);
}

void sort_unique_any(std::vector<Word>& masks, std::size_t words) {
  std::vector<const Word*> order;
  for (std::size_t i = 0; i < masks.size(); i += words) order.push_back(&masks[i]);
  const auto less = [words](const Word* a, const Word* b) {
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
void sort_unique(std::vector<Word>& masks, std::size_t words) {
  if (words == Words) {
    sort_unique_fixed<Words>(masks);
  } else if constexpr (Words < 8) {
    sort_unique<Words + 1>(masks, words);
  } else {
    sort_unique_any(masks, words);
  }
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
  if (points.columns > kMostColumns) {
    throw std::invalid_argument("surfaces with " + std::to_string(points.columns) +
                                " coefficients, at most " + std::to_string(kMostColumns) +
                                " are possible: use fewer columns or a simpler family");
  }
  MaskList result{{}, true};
  result.masks.reserve(expected * mask_words(points));
  Ticker ticker(poll);
  result.complete = list_cells(points, ticker, result.masks);
  normalise(result.masks, points);
  sort_unique(result.masks, mask_words(points));
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

void expand(const Word* masks, std::size_t count, std::size_t points, const std::uint32_t* rows,
            std::size_t row_count, Word* out) {
  const std::size_t from = (points + 63) / 64;
  const std::size_t to = (row_count + 63) / 64;
  std::fill_n(out, count * to, Word{0});
  for (std::size_t m = 0; m < count; ++m) {
    for (std::size_t i = 0; i < row_count; ++i) {
      const Word bit = masks[m * from + rows[i] / 64] >> (rows[i] % 64) & 1;
      out[m * to + i / 64] |= bit << (i % 64);
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
  return {dichotomies, sides, expand};
}

}  // namespace KERNEL_NAMESPACE
