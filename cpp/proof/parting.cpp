// The columns that part some rows, each way of parting them once.
#include <set>

#include "proof/pairs.hpp"

namespace exactree::proof {

Parting parting(const ProofProblem& problem, const std::vector<int>& rows) {
  Parting out;
  std::set<std::vector<std::uint64_t>> seen;
  std::vector<std::uint64_t> unlike;  // by row, in bits: whether it is unlike the first row
  for (int f = 0; f < problem.features; ++f) {
    const std::int32_t* ranks = problem.ranks + static_cast<std::ptrdiff_t>(f) * problem.rows;
    const std::int32_t first = ranks[rows[0]];
    unlike.assign((rows.size() + 63) / 64, 0);
    std::size_t others = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t other = ranks[rows[i]] != first ? 1 : 0;
      unlike[i / 64] |= other << (i % 64);
      others += other;
    }
    if (others == 0 || !seen.insert(unlike).second) continue;
    const bool first_is_set = 2 * others > rows.size();
    out.columns.push_back(f);
    out.turned.push_back((first == 1) != first_is_set);
    std::vector<int>& set = out.set.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i)
      if ((ranks[rows[i]] == first) == first_is_set) set.push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace exactree::proof
