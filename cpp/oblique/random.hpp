// Random numbers that are the same on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

// A xorshift generator with a multiplied output; seeds are spread by splitmix.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream)
      : state_(mixed(mixed(seed) ^ (stream * 0x9E3779B97F4A7C15ULL)) | 1) {}

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // In 0 .. n - 1.
  int below(int n) {
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32);
  }
  bool coin() { return (next() >> 63) != 0; }
  // About exponential, of mean 1: the tosses of a coin until it falls on the other side.
  double exponential() {
    constexpr double kHalfLife = 2.0 / 3;
    return kHalfLife * (std::countl_one(next()) + uniform());
  }
  // About normal: a sum of uniforms. Library functions would differ between machines.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

}  // namespace KERNEL_NAMESPACE
