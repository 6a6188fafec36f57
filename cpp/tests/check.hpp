// The native tests are plain functions that check(); main.cpp runs them. No framework, so that the
// sanitizers see nothing but our code.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace exactree::tests {

inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": check failed");
}

}  // namespace exactree::tests
