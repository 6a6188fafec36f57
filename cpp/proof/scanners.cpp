// The choice of a scanner and of a counter of pairs by instruction set.
#include "kernels.hpp"
#include "proof/pairs.hpp"
#include "proof/scanner.hpp"

namespace exactree {

namespace plain {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
std::unique_ptr<proof::PairCounter> make_pair_counter(const proof::Facts& facts);
}  // namespace plain
#ifdef EXACTREE_HAS_AVX2
namespace avx2 {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
std::unique_ptr<proof::PairCounter> make_pair_counter(const proof::Facts& facts);
}  // namespace avx2
#endif
#ifdef EXACTREE_HAS_AVX512
namespace avx512 {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
std::unique_ptr<proof::PairCounter> make_pair_counter(const proof::Facts& facts);
}  // namespace avx512
#endif

namespace proof {

namespace {

std::string chosen_set(std::string_view isa) {
  kernels(isa);  // refuses an unknown name
  return isa == "auto" ? instruction_sets().back() : std::string(isa);
}

}  // namespace

MakeScanner scanner_maker(std::string_view isa) {
  const std::string chosen = chosen_set(isa);
#ifdef EXACTREE_HAS_AVX2
  if (chosen == "avx2") return avx2::make_scanner;
#endif
#ifdef EXACTREE_HAS_AVX512
  if (chosen == "avx512") return avx512::make_scanner;
#endif
  return plain::make_scanner;
}

MakePairCounter pair_counter_maker(std::string_view isa) {
  const std::string chosen = chosen_set(isa);
#ifdef EXACTREE_HAS_AVX2
  if (chosen == "avx2") return avx2::make_pair_counter;
#endif
#ifdef EXACTREE_HAS_AVX512
  if (chosen == "avx512") return avx512::make_pair_counter;
#endif
  return plain::make_pair_counter;
}

}  // namespace proof

}  // namespace exactree
