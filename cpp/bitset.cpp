#include "bitset.hpp"

#include <bit>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

namespace {

constexpr std::size_t kWordBits = 64;

void intersect(const Word* a, const Word* b, Word* out, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) out[i] = a[i] & b[i];
}

void subtract(const Word* a, const Word* b, Word* out, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) out[i] = a[i] & ~b[i];
}

std::size_t members(Word word) {
  return static_cast<std::size_t>(std::popcount(word));
}

std::size_t count(const Word* a, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += members(a[i]);
  return total;
}

std::size_t count_common(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += members(a[i] & b[i]);
  return total;
}

// The position of the k-th one of a word that has more than k of them.
std::size_t kth_in_word(Word word, std::size_t k) {
#ifdef __BMI2__
  word = _pdep_u64(Word{1} << k, word);
#else
  for (; k > 0; --k) word &= word - 1;
#endif
  return static_cast<std::size_t>(std::countr_zero(word));
}

std::size_t kth(const Word* a, std::size_t words, std::size_t k) {
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t here = members(a[i]);
    if (k < here) return i * kWordBits + kth_in_word(a[i], k);
    k -= here;
  }
  return words * kWordBits;
}

}  // namespace

BitsetKernels bitset_kernels() {
  return {intersect, subtract, count, count_common, kth};
}

}  // namespace KERNEL_NAMESPACE
