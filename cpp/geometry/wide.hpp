// Integers of a fixed number of 64-bit words in two's complement. Sums and products are taken
// modulo 2^(64 Words): a value computed by additions and multiplications alone is right whenever
// the final result fits, whatever happened on the way. So only final results need a bound, and the
// width can be chosen once, before anything is computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bitset.hpp"
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

__extension__ typedef unsigned __int128 DoubleWord;

template <std::size_t Words>
class WideInt {
 public:
  WideInt() = default;

  explicit WideInt(std::int64_t value) {
    limbs_.fill(value < 0 ? ~Word{0} : Word{0});
    limbs_[0] = static_cast<Word>(value);
  }

  // Reads `count` limbs of two's complement.
  static WideInt read(const Word* source, std::size_t count) {
    WideInt result;
    const Word extension = (source[count - 1] >> 63) != 0 ? ~Word{0} : Word{0};
    for (std::size_t i = 0; i < Words; ++i) result.limbs_[i] = i < count ? source[i] : extension;
    return result;
  }

  WideInt& operator+=(const WideInt& other) {
    Word carry = 0;
    for (std::size_t i = 0; i < Words; ++i) {
      const DoubleWord sum = DoubleWord{limbs_[i]} + other.limbs_[i] + carry;
      limbs_[i] = static_cast<Word>(sum);
      carry = static_cast<Word>(sum >> 64);
    }
    return *this;
  }

  WideInt& operator-=(const WideInt& other) {
    Word carry = 1;  // a - b = a + ~b + 1
    for (std::size_t i = 0; i < Words; ++i) {
      const DoubleWord sum = DoubleWord{limbs_[i]} + static_cast<Word>(~other.limbs_[i]) + carry;
      limbs_[i] = static_cast<Word>(sum);
      carry = static_cast<Word>(sum >> 64);
    }
    return *this;
  }

  friend WideInt operator*(const WideInt& a, const WideInt& b) {
    WideInt result;
    for (std::size_t i = 0; i < Words; ++i) {
      if (a.limbs_[i] == 0) continue;
      Word carry = 0;
      for (std::size_t j = 0; i + j < Words; ++j) {
        const DoubleWord sum = DoubleWord{a.limbs_[i]} * b.limbs_[j] + result.limbs_[i + j] + carry;
        result.limbs_[i + j] = static_cast<Word>(sum);
        carry = static_cast<Word>(sum >> 64);
      }
    }
    return result;
  }

  // Multiplies by 2^bits.
  WideInt shifted(std::size_t bits) const {
    WideInt result;
    const std::size_t whole = bits / 64;
    const std::size_t part = bits % 64;
    for (std::size_t i = Words; i-- > whole;) {
      const Word low = part != 0 && i > whole ? limbs_[i - whole - 1] >> (64 - part) : 0;
      result.limbs_[i] = limbs_[i - whole] << part | low;
    }
    return result;
  }

  bool is_zero() const {
    Word any = 0;
    for (const Word limb : limbs_) any |= limb;
    return any == 0;
  }

  int sign() const {
    if ((limbs_[Words - 1] >> 63) != 0) return -1;
    return is_zero() ? 0 : 1;
  }

 private:
  std::array<Word, Words> limbs_{};
};

}  // namespace KERNEL_NAMESPACE
