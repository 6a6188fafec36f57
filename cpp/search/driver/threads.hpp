// How many threads there may be.
#pragma once

#include <algorithm>
#include <thread>

namespace exactree {

// More than some per processor only take memory.
inline int most_threads(int asked) {
  constexpr unsigned kPerCore = 4;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 4u);
  return std::clamp(asked, 1, static_cast<int>(kPerCore * cores));
}

}  // namespace exactree
