#include "geometry/minors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "geometry/wide.hpp"

namespace KERNEL_NAMESPACE {

namespace {

// The column sets of each size, and the position of each among those of its size.
class ColumnSets {
 public:
  explicit ColumnSets(std::size_t columns)
      : by_size_(columns + 1), position_(std::size_t{1} << columns) {
    for (std::size_t set = 0; set < position_.size(); ++set) {
      auto& same = by_size_[static_cast<std::size_t>(std::popcount(set))];
      position_[set] = static_cast<std::uint32_t>(same.size());
      same.push_back(static_cast<std::uint32_t>(set));
    }
  }

  const std::vector<std::uint32_t>& of_size(std::size_t size) const { return by_size_[size]; }
  std::size_t position(std::uint32_t set) const { return position_[set]; }

 private:
  std::vector<std::vector<std::uint32_t>> by_size_;
  std::vector<std::uint32_t> position_;
};

// The minor on the columns `set` of some rows and a last row, given the minors of those rows:
// Laplace expansion along the last row, whose last entry has the positive sign.
template <class Int>
Int expand(std::uint32_t set, const std::vector<Int>& minors, const Int* row,
           const ColumnSets& sets) {
  Int sum;
  bool positive = true;
  for (std::uint32_t rest = set; rest != 0;) {
    const auto column = static_cast<std::size_t>(std::bit_width(rest) - 1);
    const std::uint32_t bit = std::uint32_t{1} << column;
    const Int product = row[column] * minors[sets.position(set ^ bit)];
    if (positive) {
      sum += product;
    } else {
      sum -= product;
    }
    positive = !positive;
    rest ^= bit;
  }
  return sum;
}

template <class Int>
void expand_all(std::size_t size, const std::vector<Int>& minors, const Int* row,
                const ColumnSets& sets, std::vector<Int>& out) {
  out.clear();
  for (const std::uint32_t set : sets.of_size(size)) {
    out.push_back(expand(set, minors, row, sets));
  }
}

template <class Int>
std::vector<Int> read_entries(const PointSet& points) {
  std::vector<Int> entries;
  for (std::size_t i = 0; i < points.points * points.columns; ++i) {
    entries.push_back(Int::read(points.limbs + i * points.words, points.words));
  }
  return entries;
}

template <class Int>
class RowStackOf final : public RowStack {
 public:
  explicit RowStackOf(const PointSet& points)
      : columns_(points.columns),
        sets_(points.columns),
        entries_(read_entries<Int>(points)),
        rows_(points.columns),
        minors_(points.columns + 1) {
    minors_[0].assign(1, Int(1));
  }

  void put(std::size_t depth, std::size_t point) override {
    rows_[depth] = point;
    known_ = std::min(known_, depth);
  }

  bool depends(std::size_t depth, std::size_t point) override {
    const std::vector<Int>& minors = minors_of(depth);
    const auto& all = sets_.of_size(depth + 1);
    return std::all_of(all.begin(), all.end(), [&](std::uint32_t set) {
      return expand(set, minors, row(point), sets_).is_zero();
    });
  }

  int sign(std::size_t point) override {
    const std::vector<Int>& minors = minors_of(columns_ - 1);
    return expand(sets_.of_size(columns_)[0], minors, row(point), sets_).sign();
  }

 private:
  const Int* row(std::size_t point) const { return &entries_[point * columns_]; }

  const std::vector<Int>& minors_of(std::size_t depth) {
    for (; known_ < depth; ++known_) {
      expand_all(known_ + 1, minors_[known_], row(rows_[known_]), sets_, minors_[known_ + 1]);
    }
    return minors_[depth];
  }

  std::size_t columns_;
  ColumnSets sets_;
  std::vector<Int> entries_;
  std::vector<std::size_t> rows_;
  std::vector<std::vector<Int>> minors_;  // of the first 0, 1, 2, ... rows
  std::size_t known_ = 0;                 // how many of them are up to date
};

template <class Int>
class DeterminantOf final : public Determinant {
 public:
  DeterminantOf(const PointSet& points, const Directions& directions)
      : columns_(points.columns), sets_(points.columns), entries_(read_entries<Int>(points)) {
    const std::vector<std::size_t> bits = column_bits(points);
    for (std::size_t i = 0; i < directions.random.size(); ++i) {
      entries_.push_back(Int(directions.random[i]).shifted(bits[i % columns_]));
    }
  }

  int sign(const std::vector<std::size_t>& rows) override {
    minors_.assign(1, Int(1));
    for (std::size_t k = 0; k < columns_; ++k) {
      expand_all(k + 1, minors_, &entries_[rows[k] * columns_], sets_, next_);
      minors_.swap(next_);
    }
    return minors_[0].sign();
  }

 private:
  std::size_t columns_;
  ColumnSets sets_;
  std::vector<Int> entries_;
  std::vector<Int> minors_;
  std::vector<Int> next_;
};

[[noreturn]] void refuse(std::size_t bits) {
  throw std::invalid_argument("the determinants of these points need integers of " +
                              std::to_string(bits) + " bits, the widest here have " +
                              std::to_string(kLargestWidth) +
                              ": round the columns to fewer digits, or use a simpler family");
}

// Makes a Result<WideInt<w>> for the smallest width w of at least so many bits.
template <template <class> class Result, class Interface, std::size_t Words = 1, class... Args>
std::unique_ptr<Interface> make(std::size_t bits, const Args&... args) {
  if (bits <= 64 * Words) return std::make_unique<Result<WideInt<Words>>>(args...);
  if constexpr (64 * Words < kLargestWidth) {
    return make<Result, Interface, 2 * Words>(bits, args...);
  } else {
    refuse(bits);
  }
}

}  // namespace

std::vector<std::size_t> column_bits(const PointSet& points) {
  std::vector<std::size_t> bits(points.columns, 0);
  for (std::size_t i = 0; i < points.points * points.columns; ++i) {
    const Word* entry = points.limbs + i * points.words;
    const Word flip = (entry[points.words - 1] >> 63) != 0 ? ~Word{0} : Word{0};
    std::size_t top = points.words;
    while (top > 0 && (entry[top - 1] ^ flip) == 0) --top;
    // The magnitude of -x is at most ~x + 1: one bit more for negative entries covers a power of 2.
    std::size_t length = flip != 0 ? 1 : 0;
    if (top > 0) {
      length += 64 * (top - 1) + static_cast<std::size_t>(std::bit_width(entry[top - 1] ^ flip));
    }
    bits[i % points.columns] = std::max(bits[i % points.columns], length);
  }
  return bits;
}

std::size_t determinant_bits(const PointSet& points) {
  const auto n = static_cast<double>(points.columns);
  auto bits = static_cast<std::size_t>(std::ceil(n / 2 * std::log2(n) + 1e-9)) + 1;
  for (const std::size_t column : column_bits(points)) bits += column;
  return bits;
}

void refuse_many_columns(const PointSet& points) {
  if (points.columns <= kMostColumns) return;
  throw std::invalid_argument("surfaces with " + std::to_string(points.columns) +
                              " coefficients, at most " + std::to_string(kMostColumns) +
                              " are possible: use fewer columns or a simpler family");
}

std::unique_ptr<RowStack> make_row_stack(const PointSet& points) {
  return make<RowStackOf, RowStack>(determinant_bits(points), points);
}

std::unique_ptr<Determinant> make_determinant(const PointSet& points,
                                              const Directions& directions) {
  // Each row may be a direction, larger by the factor 2^kBits.
  const std::size_t bits = determinant_bits(points) + points.columns * Directions::kBits;
  return make<DeterminantOf, Determinant>(bits, points, directions);
}

}  // namespace KERNEL_NAMESPACE
