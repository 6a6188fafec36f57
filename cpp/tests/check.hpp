// The native tests are plain functions that check(); main.cpp runs them. No framework, so that the
// sanitizers see nothing but our code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace exactree::tests {

// The place is the caller's. (std::source_location is unknown to clang 14.)
inline void check(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": check failed");
}

// How many of its random problems a test draws: all, or a share of them where they take long, as
// under the sanitizers.
struct Effort {
  int per_cent = 100;
  std::uint64_t of(std::uint64_t problems) const {
    return std::max<std::uint64_t>(1, problems * static_cast<std::uint64_t>(per_cent) / 100);
  }
};

}  // namespace exactree::tests
