// Plans, and bounds with what they say of a split: for both kinds of rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "basics.hpp"
#include "rows.hpp"

namespace checker {

constexpr int kDeepest = 200;

// Numbers of seven bits a byte, lowest first.
class Plan {
 public:
  explicit Plan(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      demand(at_ < bytes_.size() && shift <= 56, "the plan is cut off or damaged");
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// Bounds without (0) and with (1) the limit on sides, for 0, 1, ... splits or for the depth alone.
struct Bound {
  std::vector<Cost> of[2];
};

inline std::size_t budgets(std::int64_t depth, std::int64_t splits) {
  if (splits < 0) return 1;
  const std::int64_t most = (std::int64_t{1} << std::min<std::int64_t>(depth, 60)) - 1;
  return static_cast<std::size_t>(std::min(splits, most)) + 1;
}

// Few: less depth is enough where rows are few or the leaf is cheap.
inline std::int64_t useful_depth(const Rows& rows, std::size_t n, Cost leaf, std::int64_t depth,
                                 std::int64_t splits) {
  depth = std::min(depth, static_cast<std::int64_t>(n) - 1);
  if (splits >= 0) depth = std::min(depth, splits);
  if (leaf == 0) depth = 0;
  if (leaf > 0 && rows.penalty > 0) depth = std::min(depth, (leaf - 1) / rows.penalty);
  demand(depth <= kDeepest, "the plan is too deep");
  return depth;
}

// Cover: lower the bounds to those of a split whose sides have these bounds, for `fewer` numbers of
// splits each.
inline void join(const Cost* left, const Cost* right, std::size_t fewer, Cost penalty,
                 std::vector<Cost>& out) {
  if (out.size() == 1) {
    out[0] = std::min(out[0], left[fewer - 1] + right[fewer - 1] + penalty);
    return;
  }
  for (std::size_t k = 1; k < out.size(); ++k)
    for (std::size_t i = 0; i <= std::min(k - 1, fewer - 1); ++i) {
      const std::size_t j = std::min(k - 1 - i, fewer - 1);
      out[k] = std::min(out[k], left[i] + right[j] + penalty);
    }
}

}  // namespace checker
