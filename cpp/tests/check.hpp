// The native tests are plain functions that check(); main.cpp runs them. No framework, so that the
// sanitizers see nothing but our code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>

namespace exactree::tests {

inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": check failed");
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
