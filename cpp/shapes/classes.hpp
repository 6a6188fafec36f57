// How many classes some rows have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace exactree {

// Up to `enough`; `seen` has them afterwards.
template <class Rows>
std::size_t count_classes(const Rows& rows, const std::vector<std::int32_t>& labels,
                          std::size_t enough, std::vector<std::int32_t>& seen) {
  seen.clear();
  for (const auto i : rows) {
    if (std::find(seen.begin(), seen.end(), labels[i]) != seen.end()) continue;
    seen.push_back(labels[i]);
    if (seen.size() >= enough) break;
  }
  return seen.size();
}

}  // namespace exactree
