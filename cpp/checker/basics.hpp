// What a checker needs besides its rules: errors, exact fractions, SHA-256. Standard library only.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace checker {

// The certificate does not show what it says.
struct Rejected : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void demand(bool holds, const std::string& complaint) {
  if (!holds) throw Rejected(complaint);
}

__extension__ using Wide = __int128;

// Fractions of 128 bits; what does not fit is refused, never rounded.
class Fraction {
 public:
  Fraction(Wide above = 0, Wide below = 1) {
    demand(below != 0, "a division by zero");
    Wide a = above < 0 ? -above : above, b = below < 0 ? -below : below;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    const Wide common = below < 0 ? -a : a;
    above_ = above / common;
    below_ = below / common;
  }
  // Not negative: 3 or 3/4.
  static Fraction read(const std::string& text) {
    const std::size_t bar = text.find('/');
    const Wide above = digits(text.substr(0, bar));
    return {above, bar == std::string::npos ? 1 : digits(text.substr(bar + 1))};
  }
  // Every finite double is a fraction.
  static Fraction of(double value) {
    demand(std::isfinite(value), "a weight that is not finite");
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    Fraction out(static_cast<Wide>(std::ldexp(mantissa, 53)));
    for (exponent -= 53; exponent > 0; --exponent) out = out * Fraction(2);
    for (; exponent < 0; ++exponent) out = out * Fraction(1, 2);
    return out;
  }
  Wide above() const { return above_; }
  Wide below() const { return below_; }

  friend Fraction operator*(const Fraction& x, const Fraction& y) {
    const Fraction a(x.above_, y.below_), b(y.above_, x.below_);  // cancels before it multiplies
    return {product(a.above_, b.above_), product(a.below_, b.below_)};
  }
  friend Fraction operator/(const Fraction& x, const Fraction& y) {
    demand(y.above_ != 0, "a division by zero");
    return x * Fraction(y.below_, y.above_);
  }
  friend Fraction operator+(const Fraction& x, const Fraction& y) {
    Wide sum = 0;
    const bool lost =
        __builtin_add_overflow(product(x.above_, y.below_), product(y.above_, x.below_), &sum);
    demand(!lost, kTooLarge);
    return {sum, product(x.below_, y.below_)};
  }
  friend bool operator==(const Fraction& x, const Fraction& y) {
    return x.above_ == y.above_ && x.below_ == y.below_;
  }
  friend bool operator<(const Fraction& x, const Fraction& y) {
    return product(x.above_, y.below_) < product(y.above_, x.below_);
  }
  // The nearest whole number, the even one of two.
  Wide nearest() const {
    demand(above_ >= 0, "a negative weight");
    const Wide down = above_ / below_, twice = product(above_ % below_, 2);
    const bool up = twice > below_ || (twice == below_ && down % 2 == 1);
    return down + (up ? 1 : 0);
  }
  std::string text() const {
    return below_ == 1 ? decimal(above_) : decimal(above_) + "/" + decimal(below_);
  }

 private:
  static constexpr const char* kTooLarge = "numbers too large for this checker: use checking.py";
  static Wide product(Wide a, Wide b) {
    Wide out = 0;
    demand(!__builtin_mul_overflow(a, b, &out), kTooLarge);
    return out;
  }
  static Wide digits(const std::string& text) {
    demand(!text.empty() && text.size() <= 40, "a fraction that cannot be read");
    Wide out = 0;
    for (const char c : text) {
      demand(c >= '0' && c <= '9', "a fraction that cannot be read");
      Wide ten = product(out, 10);
      demand(!__builtin_add_overflow(ten, static_cast<Wide>(c - '0'), &out), kTooLarge);
    }
    return out;
  }
  static std::string decimal(Wide number) {
    std::string out;
    for (Wide rest = number < 0 ? -number : number; rest > 0 || out.empty(); rest /= 10)
      out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    return number < 0 ? "-" + out : out;
  }
  Wide above_ = 0, below_ = 1;
};

class Sha256 {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    for (std::size_t i = 0; i < size; ++i) {
      block_[length_++ % 64] = bytes[i];
      if (length_ % 64 == 0) mix();
    }
  }
  std::string hex() {
    const std::uint64_t bits = length_ * 8;
    const std::uint8_t one = 0x80, zero = 0;
    add(&one, 1);
    while (length_ % 64 != 56) add(&zero, 1);
    for (int i = 7; i >= 0; --i) {
      const auto byte = static_cast<std::uint8_t>(bits >> (8 * i));
      add(&byte, 1);
    }
    std::string out;
    for (const std::uint32_t word : state_)
      for (int i = 28; i >= 0; i -= 4) out += "0123456789abcdef"[word >> i & 15];
    return out;
  }

 private:
  // The first bits of the fractional parts of the cube roots of the first primes.
  static std::array<std::uint32_t, 64> constants() {
    std::array<std::uint32_t, 64> out{};
    std::size_t found = 0;
    for (std::uint64_t p = 2; found < 64; ++p) {
      bool prime = true;
      for (std::uint64_t d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
      if (prime) out[found++] = root(p, 3);
    }
    return out;
  }
  // floor(2^32 * p^(1/k)) without its whole part, by bisection in whole numbers.
  static std::uint32_t root(std::uint64_t p, int k) {
    Wide low = 0, high = Wide{1} << 36;
    const Wide target = static_cast<Wide>(p) << 32 * k;
    while (high - low > 1) {
      const Wide middle = (low + high) / 2;
      const Wide power = k == 2 ? middle * middle : middle * middle * middle;
      (power <= target ? low : high) = middle;
    }
    return static_cast<std::uint32_t>(low);
  }
  void mix() {
    static const std::array<std::uint32_t, 64> k = constants();
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t j = 0; j < 4; ++j) w[i] = w[i] << 8 | block_[4 * i + j];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t t1 = s[7] +
                               (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                               choice + k[i] + w[i];
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t t2 =
          (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::array<std::uint32_t, 8> state_ = {root(2, 2),  root(3, 2),  root(5, 2),  root(7, 2),
                                         root(11, 2), root(13, 2), root(17, 2), root(19, 2)};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t length_ = 0;
};

}  // namespace checker
