#include "geometry/residuals.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "geometry/minors.hpp"

namespace KERNEL_NAMESPACE {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The free column where the vector is most certainly not zero; columns() if there is none.
template <class Free>
std::size_t pivot_column(const Residuals& from, std::size_t row, Free is_free) {
  std::size_t best = from.columns();
  double most = 0;
  for (std::size_t c = 0; c < from.columns(); ++c) {
    const double certain = std::abs(from.value(c)[row]) - from.radius(c)[row];
    if (is_free(c) && certain > most) {
      most = certain;
      best = c;
    }
  }
  return best;
}

void give_up(const Residuals& from, std::size_t columns, Residuals& to) {
  to.resize(columns, from.size());
  for (std::size_t c = 0; c < columns; ++c) {
    std::fill_n(to.value(c), to.size(), 0.0);
    std::fill_n(to.radius(c), to.size(), kInfinity);
  }
  to.sign = from.sign;
}

// Step 1 of the proof in the header.
void multiply(const Residuals& from, std::size_t row, std::size_t column, Multipliers& out) {
  const std::size_t n = from.size();
  out.value.resize(n);
  out.radius.resize(n);
  const double y = from.value(column)[row];
  const double s = from.radius(column)[row];
  const double gap = (std::abs(y) - s) / kSlack;
  const double* x = from.value(column);
  const double* r = from.radius(column);
  for (std::size_t i = 0; i < n; ++i) {
    const double m = x[i] / y;
    const double size = std::abs(m);
    out.value[i] = m;
    out.radius[i] = ((r[i] + size * s) / gap + kUnit * size) * kSlack + kTiny;
  }
}

// Step 2.
void subtract(const Residuals& from, std::size_t row, std::size_t column, const Multipliers& m,
              double* value, double* radius) {
  const double y = from.value(column)[row];
  const double s = from.radius(column)[row];
  const double reach = std::abs(y) + s;
  const double* x = from.value(column);
  const double* r = from.radius(column);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double product = m.value[i] * y;
    const double result = x[i] - product;
    const double spread = r[i] + std::abs(m.value[i]) * s + m.radius[i] * reach;
    value[i] = result;
    radius[i] = (spread + kUnit * (std::abs(product) + std::abs(result))) * kSlack + kTiny;
  }
}

// An entry times 2^-bits, and a bound of the error: the top 64 bits are kept, then rounded.
struct Rounded {
  double value;
  double radius;
};

Rounded round_entry(const Word* entry, std::size_t words, std::size_t bits) {
  const bool negative = (entry[words - 1] >> 63) != 0;
  const Word flip = negative ? ~Word{0} : Word{0};
  std::size_t top = words;
  while (top > 1 && (entry[top - 1] ^ flip) == 0) --top;
  // |x| is ~x + 1 for negative x; the one, and the words below the two that are read, are rounded.
  const double high = static_cast<double>(entry[top - 1] ^ flip);
  const double low = top > 1 ? static_cast<double>(entry[top - 2] ^ flip) * 0x1p-64 : 0.0;
  const double one = negative && top == 1 ? 1.0 : 0.0;
  const double size = high + low + one;
  const bool exact = top == 1 && size < 0x1p53;
  const int shift = 64 * (static_cast<int>(top) - 1) - static_cast<int>(bits);
  const double value = std::ldexp(negative ? -size : size, shift);
  // At most four roundings, and less than two units of the last word read, 2^-64 relative.
  return {value, exact ? 0.0 : std::abs(value) * 0x1p-50 + kTiny};
}

}  // namespace

void Residuals::load(const PointSet& points, std::size_t extra) {
  const std::vector<std::size_t> bits = column_bits(points);
  resize(points.columns, points.points + extra);
  for (std::size_t c = 0; c < columns_; ++c) {
    for (std::size_t i = 0; i < points.points; ++i) {
      const Word* entry = points.limbs + (i * columns_ + c) * points.words;
      const Rounded rounded = round_entry(entry, points.words, bits[c]);
      value(c)[i] = rounded.value;
      radius(c)[i] = rounded.radius;
    }
  }
  sign = 1;
}

void Residuals::gather(const Residuals& from, const std::vector<std::size_t>& members) {
  resize(from.columns(), members.size());
  for (std::size_t c = 0; c < columns_; ++c) {
    for (std::size_t i = 0; i < size_; ++i) {
      value(c)[i] = from.value(c)[members[i]];
      radius(c)[i] = from.radius(c)[members[i]];
    }
  }
  sign = from.sign;
}

void eliminate(const Residuals& from, std::size_t row, Residuals& to, Multipliers& work) {
  const std::size_t pivot = pivot_column(from, row, [](std::size_t) { return true; });
  if (pivot == from.columns()) {
    give_up(from, from.columns() - 1, to);
    return;
  }
  to.resize(from.columns() - 1, from.size());
  multiply(from, row, pivot, work);
  for (std::size_t c = 0, out = 0; c < from.columns(); ++c) {
    if (c == pivot) continue;
    subtract(from, row, c, work, to.value(out), to.radius(out));
    ++out;
  }
  // Expansion along the row: its pivot times (-1)^pivot, all other entries being eliminated.
  const bool negative = (from.value(pivot)[row] < 0) != (pivot % 2 == 1);
  to.sign = negative ? -from.sign : from.sign;
}

std::size_t express(const Residuals& from, std::size_t row, const std::vector<bool>& free,
                    Residuals& to, Multipliers& work) {
  const std::size_t pivot = pivot_column(from, row, [&](std::size_t c) { return free[c]; });
  if (pivot == from.columns()) {
    give_up(from, from.columns(), to);
    return static_cast<std::size_t>(std::find(free.begin(), free.end(), true) - free.begin());
  }
  to.resize(from.columns(), from.size());
  multiply(from, row, pivot, work);
  for (std::size_t c = 0; c < from.columns(); ++c) {
    if (c != pivot) subtract(from, row, c, work, to.value(c), to.radius(c));
  }
  std::copy(work.value.begin(), work.value.end(), to.value(pivot));
  std::copy(work.radius.begin(), work.radius.end(), to.radius(pivot));
  return pivot;
}

void Pencil::assign(const Residuals& two_columns) {
  const std::size_t n = two_columns.size();
  const std::size_t padded = (n + 3) / 4 * 4;
  a.resize(padded);
  b.resize(padded);
  g.resize(padded);
  const double* x = two_columns.value(0);
  const double* y = two_columns.value(1);
  const double* r = two_columns.radius(0);
  const double* s = two_columns.radius(1);
  for (std::size_t i = 0; i < n; ++i) {
    // 2^-k for the exponent k of |x| + |y|, exactly.
    const auto bits = std::bit_cast<std::uint64_t>(std::abs(x[i]) + std::abs(y[i]));
    const std::uint64_t exponent = bits & 0x7ff0000000000000u;
    const auto scale = std::bit_cast<double>(0x7fe0000000000000u - exponent);
    const double e = (r[i] > s[i] ? r[i] : s[i]) * scale;
    a[i] = x[i] * scale;
    b[i] = y[i] * scale;
    g[i] = (2 * e + e * e + 8 * kUnit) * kSlack;
  }
}

void Pencil::signs(std::size_t p, Word* positive, Word* uncertain) const {
  const std::size_t n = a.size();
#ifdef __AVX2__
  const __m256d pa = _mm256_set1_pd(a[p]);
  const __m256d pb = _mm256_set1_pd(b[p]);
  const __m256d pg = _mm256_set1_pd(g[p]);
  const __m256d magnitude = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7fffffffffffffff));
  for (std::size_t start = 0; start < n; start += 64) {
    Word negative = 0;
    Word certain = 0;
    const std::size_t stop = std::min(n, start + 64);
    for (std::size_t q = start; q < stop; q += 4) {
      const __m256d left = _mm256_mul_pd(pa, _mm256_loadu_pd(&b[q]));
      const __m256d right = _mm256_mul_pd(pb, _mm256_loadu_pd(&a[q]));
      const __m256d det = _mm256_sub_pd(left, right);
      const __m256d bound = _mm256_add_pd(pg, _mm256_loadu_pd(&g[q]));
      const __m256d sure = _mm256_cmp_pd(_mm256_and_pd(det, magnitude), bound, _CMP_GT_OQ);
      negative |= static_cast<Word>(_mm256_movemask_pd(det)) << (q - start);
      certain |= static_cast<Word>(_mm256_movemask_pd(sure)) << (q - start);
    }
    positive[start / 64] = ~negative;
    uncertain[start / 64] = ~certain;
  }
#else
  for (std::size_t start = 0; start < n; start += 64) {
    Word above = 0;
    Word certain = 0;
    const std::size_t stop = std::min(n, start + 64);
    for (std::size_t q = start; q < stop; ++q) {
      const double det = a[p] * b[q] - b[p] * a[q];
      above |= static_cast<Word>(det > 0) << (q - start);
      certain |= static_cast<Word>(std::abs(det) > g[p] + g[q]) << (q - start);
    }
    positive[start / 64] = above;
    uncertain[start / 64] = ~certain;
  }
#endif
}

int Pencil::sign(std::size_t p, std::size_t q) const {
  const double det = a[p] * b[q] - b[p] * a[q];
  if (!(std::abs(det) > g[p] + g[q])) return 0;
  return det > 0 ? 1 : -1;
}

}  // namespace KERNEL_NAMESPACE
