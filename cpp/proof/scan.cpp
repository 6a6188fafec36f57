// Compiled once per instruction set: the scanner for the rows of a node, and the counter of pairs.
#include <memory>

#include "proof/count_pairs.hpp"
#include "proof/scan_counted.hpp"
#include "proof/scan_squares.hpp"
#include "proof/scan_weighed.hpp"

namespace exactree::EXACTREE_ISA {

namespace proving {

template <class Place>
std::unique_ptr<Scanner> counted(const Facts& facts, const Rows& rows) {
  if (facts.problem.classes == 2) return std::make_unique<CountedScanner<Place, 2>>(facts, rows);
  return std::make_unique<CountedScanner<Place, 0>>(facts, rows);
}

}  // namespace proving

std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows) {
  using namespace proving;
  if (facts.rigid) return std::make_unique<SquaresScanner>(facts, rows);
  if (!facts.unit || facts.sized) return std::make_unique<WeighedScanner>(facts, rows);
  if constexpr (!kSpare)
    if (rows.n < 32767) return counted<std::int16_t>(facts, rows);
  return counted<std::int32_t>(facts, rows);
}

std::unique_ptr<proof::PairCounter> make_pair_counter(const proof::Facts& facts) {
  using namespace proving;
  const ProofProblem& p = facts.problem;
  if (p.classes == 2 && p.costs == nullptr && p.least <= 1) {
    if constexpr (!kSpare)
      if (facts.all < 32767) return std::make_unique<TwoClassPairs<std::int16_t>>(facts);
    if (facts.all < 1 << 30) return std::make_unique<TwoClassPairs<std::int32_t>>(facts);
  }
  return std::make_unique<ClassPairs>(facts);
}

}  // namespace exactree::EXACTREE_ISA
