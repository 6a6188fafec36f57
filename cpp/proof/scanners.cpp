// The choice of a scanner by instruction set.
#include "kernels.hpp"
#include "proof/scanner.hpp"

namespace exactree {

namespace plain {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
}
#ifdef EXACTREE_HAS_AVX2
namespace avx2 {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
}
#endif
#ifdef EXACTREE_HAS_AVX512
namespace avx512 {
std::unique_ptr<proof::Scanner> make_scanner(const proof::Facts& facts, const proof::Rows& rows);
}
#endif

namespace proof {

MakeScanner scanner_maker(std::string_view isa) {
  kernels(isa);  // refuses an unknown name
  const std::string chosen = isa == "auto" ? instruction_sets().back() : std::string(isa);
#ifdef EXACTREE_HAS_AVX2
  if (chosen == "avx2") return avx2::make_scanner;
#endif
#ifdef EXACTREE_HAS_AVX512
  if (chosen == "avx512") return avx512::make_scanner;
#endif
  return plain::make_scanner;
}

}  // namespace proof

}  // namespace exactree
