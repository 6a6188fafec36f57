#include "kernels.hpp"

#include <algorithm>
#include <stdexcept>

namespace exactree {

namespace {

#if defined(EXACTREE_HAS_AVX2) || defined(EXACTREE_HAS_AVX512)
bool has_avx2() {
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif
#ifdef EXACTREE_HAS_AVX512
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
         __builtin_cpu_supports("avx512bitalg");
}
#endif

[[noreturn]] void refuse(std::string_view isa, const std::vector<std::string>& known) {
  std::string message = "unknown instruction set \"" + std::string(isa) + "\": use \"auto\"";
  for (const std::string& name : known) message += ", \"" + name + "\"";
  throw std::invalid_argument(message);
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names{"plain"};
#ifdef EXACTREE_HAS_AVX2
  if (has_avx2()) names.emplace_back("avx2");
#endif
#ifdef EXACTREE_HAS_AVX512
  if (has_avx512()) names.emplace_back("avx512");
#endif
  return names;
}

KernelTable kernels(std::string_view isa) {
  const std::vector<std::string> known = instruction_sets();
  const std::string_view chosen = isa == "auto" ? std::string_view(known.back()) : isa;
  if (std::find(known.begin(), known.end(), chosen) == known.end()) refuse(isa, known);
#ifdef EXACTREE_HAS_AVX2
  if (chosen == "avx2") return avx2::kernel_table();
#endif
#ifdef EXACTREE_HAS_AVX512
  if (chosen == "avx512") return avx512::kernel_table();
#endif
  return plain::kernel_table();
}

}  // namespace exactree
