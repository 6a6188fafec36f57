// The caches of solved subproblems over binary columns: exact, bounded, given up where useless.
#include <random>
#include <unordered_map>

#include "check.hpp"
#include "search/archive.hpp"
#include "search/binary/pair_cache.hpp"

namespace exactree::tests {

namespace {

// Whatever was replaced meanwhile, what is found is what was put there last.
void check_pairs(std::int64_t memory_limit) {
  Control control;
  control.memory_limit = memory_limit;
  PairCache cache;
  std::unordered_map<std::uint64_t, PairCache::Errors> known;
  std::mt19937_64 random(5);
  int hits = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t key = 1 + random() % 30000;
    PairCache::Errors errors;
    if (cache.find(key, errors, &control)) {
      check(errors == known.at(key));
      ++hits;
      continue;
    }
    const int n = static_cast<int>(random() % PairCache::kMostRows);
    known[key] = {n, n / 2, n / 3};
    cache.put(key, known[key], &control);
    if (memory_limit > 0) check(cache.bytes() <= memory_limit / 4);
  }
  check(hits > 1000 || cache.off());
  check(!control.stopped());
}

void check_useless_pairs() {
  Control control;
  PairCache cache;
  PairCache::Errors errors;
  for (std::int64_t i = 1; i <= PairCache::kTrial; ++i) {
    check(!cache.off());
    check(!cache.find(static_cast<std::uint64_t>(i), errors, &control));
    cache.put(static_cast<std::uint64_t>(i), {1, 1, 1}, &control);
  }
  check(cache.off() && cache.bytes() == 0);
  check(!cache.find(1, errors, &control));
}

using Sets = Archive<One>;

Sets::Set draw(std::mt19937_64& random) {
  return {random() % 64, random() % 64};
}

void check_archive(std::int64_t most_bytes) {
  Control control;
  Sets archive(2, 1, most_bytes);
  std::unordered_map<std::uint64_t, Cost> known;
  std::mt19937_64 random(7);
  int hits = 0;
  for (int i = 0; i < 50000; ++i) {
    const Sets::Set set = draw(random);
    const std::uint64_t hash = Sets::hash_of(set), number = 64 * set[0] + set[1];
    One lower = One::constant(0, 1), upper = One::constant(kInfinite, 1);
    if (archive.find(set, hash, lower, upper)) {
      check(lower.most() == known.at(number) && upper.most() == known.at(number));
      ++hits;
      continue;
    }
    const Cost cost = known.contains(number) ? known[number] : static_cast<Cost>(random() % 100);
    known[number] = cost;
    archive.put(set, hash, 10, One::constant(cost, 1), One::constant(cost, 1), control);
  }
  check(hits > 100);
  check(control.peak_bytes() <= 2 * most_bytes + 4096);
}

}  // namespace

void test_caches(Effort) {
  check_pairs(0);
  check_pairs(std::int64_t{1} << 20);
  check_pairs(1000);
  check_useless_pairs();
  check_archive(std::int64_t{1} << 20);
  check_archive(std::int64_t{1} << 14);
}

}  // namespace exactree::tests
