// What splits explain beside what their side does, in floating point, for many splits at once. It
// is compared with a margin only; sum_loss.hpp has what counts.
//
// All functions are plain loops without branches, which compilers turn into vectors.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "search/bits.hpp"
#include "search/targets/sum_loss.hpp"

namespace exactree::EXACTREE_ISA {

// The logarithm of a positive number, wrong by less than 2^-44 and 2^-51 of itself; of zero it is
// some negative number. With v = 2^e m, m around one, log m = 2 atanh((m - 1) / (m + 1)).
EXACTREE_INLINE double quick_log(double v) {
  constexpr std::uint64_t kOne = 0x3ff0000000000000, kLow = 0x3fe6a09e00000000;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v) + (kOne - kLow);
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) + kLow);
  const double e = std::bit_cast<double>(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
  const double z = (m - 1) / (m + 1), s = z * z;
  const double tail =
      s * (1.0 / 3 +
           s * (1.0 / 5 +
                s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11 + s * (1.0 / 13 + s * (1.0 / 15)))))));
  return e * 0.6931471805599453 + 2 * (z + z * tail);
}

// exp(v) for v <= 0, wrong by less than 2^-44 of itself, and by less than 2^-900.
EXACTREE_INLINE double quick_exp(double v) {
  const double w = std::max(v, -690.0) * 1.4426950408889634;
  const double shifted = w + 0x1.8p52;  // the nearest whole number, in the last bits
  const double n = shifted - 0x1.8p52, r = (w - n) * 0.6931471805599453;
  double sum = 1;
  for (int i = 13; i > 0; --i) sum = 1 + sum * r * (1.0 / i);
  const std::uint64_t scale = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(scale);
}

// Where splits are compared: gains are in units of `unit`, wrong by `margin` at most.
struct GainScale {
  double unit = 1, margin = 0;
};

// x log(x / t) for both sides, less that of the whole.
struct LogarithmGains {
  using Loss = DevianceLoss;
  static constexpr int kWidth = 2;

  // Each of the three terms in whole numbers is below its value by the distance of the grid, which
  // is scale x / (8 steps^2) and a share 1 / steps of that, and off by the rounding of A(k) t.
  static GainScale scale(const DevianceLoss& loss, const double* all, Wide) {
    const auto& grid = loss.grid();
    const double share = 1 / (grid.steps * grid.steps) + 0x1p-40;
    return {grid.scale, grid.scale * all[1] * share + 4 * all[0]};
  }
  static void gains(const DevianceLoss&, const double* const* left, int n, const double* all,
                    double* out) {
    const double *t = left[0], *x = left[1];
    const double weight = all[0], sum = all[1], inverse = weight / sum;
    for (int i = 0; i < n; ++i) {
      const double u = weight - t[i], y = sum - x[i];
      out[i] = x[i] * quick_log(x[i] / t[i] * inverse) + y * quick_log(y / u * inverse);
    }
  }
};

// One less the shares of t^(p - 1) x^(2 - p) that the sides have.
struct PowerGains {
  using Loss = DevianceLoss;
  static constexpr int kWidth = 2;

  static GainScale scale(const DevianceLoss& loss, const double* all, Wide) {
    const auto& grid = loss.grid();
    const double a = 2 - grid.power, c = grid.power - 1;
    const double unit = grid.scale * (1 / a + 1 / c) * std::pow(all[0], c) * std::pow(all[1], a);
    const double share = 1 / (grid.steps * grid.steps) + 0x1p-38;
    return {unit, unit * share + 4 * (all[0] + all[1])};
  }
  static void gains(const DevianceLoss& loss, const double* const* left, int n, const double* all,
                    double* out) {
    const double *t = left[0], *x = left[1];
    const double weight = all[0], sum = all[1];
    const double a = 2 - loss.grid().power, c = loss.grid().power - 1;
    for (int i = 0; i < n; ++i) {
      const double u = weight - t[i], y = sum - x[i];
      const double one = quick_exp(a * quick_log(x[i] / sum) + c * quick_log(t[i] / weight));
      const double two = quick_exp(a * quick_log(y / sum) + c * quick_log(u / weight));
      out[i] = 1 - one - two;
    }
  }
};

// The gain of squared_targets.hpp, added up over the targets.
struct OutputGains {
  using Loss = OutputLoss;
  static constexpr int kWidth = 0;

  static GainScale scale(const OutputLoss& loss, const double* all, Wide error) {
    const double largest = static_cast<double>(error) + 1;
    double size = 0;
    for (int j = 1; j < loss.width(); ++j) size += std::abs(all[j]);
    return {1,
            0x1p-46 * (std::sqrt(largest / loss.lightest()) * size + largest) + 4.0 * loss.width()};
  }
  static void gains(const OutputLoss& loss, const double* const* left, int n, const double* all,
                    double* out) {
    const double* c = left[0];
    const double weight = all[0];
    std::fill(out, out + n, 0.0);
    for (int j = 1; j < loss.width(); ++j) {
      const double* p = left[j];
      const double mean = all[j] / weight;
      for (int i = 0; i < n; ++i) {
        const double u = p[i] - c[i] * mean;
        out[i] += u * u;
      }
    }
    for (int i = 0; i < n; ++i) out[i] *= weight / (c[i] * (weight - c[i]));
  }
};

}  // namespace exactree::EXACTREE_ISA
