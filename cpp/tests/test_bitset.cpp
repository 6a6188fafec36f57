#include <random>
#include <set>
#include <thread>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"

namespace exactree::tests {

namespace {

using Members = std::set<std::size_t>;
using Words = std::vector<Word>;

Words pack(const Members& members, std::size_t words) {
  Words packed(words);
  for (const std::size_t i : members) packed[i / 64] |= Word{1} << (i % 64);
  return packed;
}

Members draw(std::mt19937_64& random, std::size_t words) {
  Members members;
  for (std::size_t i = 0; i < 64 * words; ++i) {
    if (random() % 3 == 0) members.insert(i);
  }
  return members;
}

void check_pair(const BitsetKernels& kernels, std::size_t words, std::mt19937_64& random) {
  const Members a = draw(random, words), b = draw(random, words);
  Members both, rest;
  for (const std::size_t i : a) (b.contains(i) ? both : rest).insert(i);
  const Words packed = pack(a, words), other = pack(b, words);
  Words out(words);
  kernels.intersect(packed.data(), other.data(), out.data(), words);
  check(out == pack(both, words));
  kernels.subtract(packed.data(), other.data(), out.data(), words);
  check(out == pack(rest, words));
  check(kernels.count(packed.data(), words) == a.size());
  check(kernels.count_common(packed.data(), other.data(), words) == both.size());
  std::size_t k = 0;
  for (const std::size_t i : a) check(kernels.kth(packed.data(), words, k++) == i);
  check(kernels.kth(packed.data(), words, k) == 64 * words);
}

void check_threads(const BitsetKernels& kernels) {
  const Words shared(1000, 0x5555555555555555);
  std::vector<std::size_t> counts(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : counts) {
      threads.emplace_back([&] { count = kernels.count(shared.data(), shared.size()); });
    }
  }
  for (const std::size_t count : counts) check(count == 32 * shared.size());
}

}  // namespace

void test_bitset(Effort) {
  std::mt19937_64 random(1);
  for (const std::string& isa : instruction_sets()) {
    const BitsetKernels bitset = kernels(isa).bitset;
    for (std::size_t words = 0; words < 20; ++words) check_pair(bitset, words, random);
    check_threads(bitset);
  }
}

}  // namespace exactree::tests
