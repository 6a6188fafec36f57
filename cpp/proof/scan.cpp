// Compiled once per instruction set: the scanner for the rows of a node.
#include <memory>

#include "proof/scan_counted.hpp"
#include "proof/scan_squares.hpp"
#include "proof/scan_weighed.hpp"

namespace exactree::EXACTREE_ISA {

namespace {

template <class Place>
std::unique_ptr<Scanner> counted(const Facts& facts, const Rows& rows) {
  if (facts.problem.classes == 2) return std::make_unique<CountedScanner<Place, 2>>(facts, rows);
  return std::make_unique<CountedScanner<Place, 0>>(facts, rows);
}

}  // namespace

std::unique_ptr<Scanner> make_scanner(const Facts& facts, const Rows& rows) {
  if (facts.rigid) return std::make_unique<SquaresScanner>(facts, rows);
  if (!facts.unit || facts.sized) return std::make_unique<WeighedScanner>(facts, rows);
  if (rows.n < 32767) return counted<std::int16_t>(facts, rows);
  return counted<std::int32_t>(facts, rows);
}

}  // namespace exactree::EXACTREE_ISA
