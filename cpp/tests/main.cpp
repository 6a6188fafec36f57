#include <array>
#include <cstdio>
#include <exception>

namespace exactree::tests {
void test_bitset();
void test_caches();
void test_geometry();
void test_search_tiny();
void test_search_deep();
void test_search_interrupted();
void test_search_two_levels();
void test_search_one_column();
void test_search_three_levels();
void test_search_mask_threads();
void test_small_budgets();
void test_search_cells();
void test_squares();
void test_audit();
}  // namespace exactree::tests

namespace {

struct Test {
  const char* name;
  void (*run)();
};

// To add a test: declare it above, add a line here, and its file to EXACTREE_TEST_SOURCES.
constexpr std::array kTests{
    Test{"bitset", exactree::tests::test_bitset},
    Test{"caches", exactree::tests::test_caches},
    Test{"geometry", exactree::tests::test_geometry},
    Test{"search: tiny problems", exactree::tests::test_search_tiny},
    Test{"search: four levels", exactree::tests::test_search_deep},
    Test{"search: stopped at any moment", exactree::tests::test_search_interrupted},
    Test{"search: two levels", exactree::tests::test_search_two_levels},
    Test{"search: more ranks than 16 bits", exactree::tests::test_search_one_column},
    Test{"search: limits and threads", exactree::tests::test_search_three_levels},
    Test{"search: masks and threads", exactree::tests::test_search_mask_threads},
    Test{"search: masks without budgets", exactree::tests::test_small_budgets},
    Test{"search: cells", exactree::tests::test_search_cells},
    Test{"search: squared error", exactree::tests::test_squares},
    Test{"audit: finds what is false", exactree::tests::test_audit},
};

bool passes(const Test& test) {
  try {
    test.run();
  } catch (const std::exception& error) {
    std::printf("%s: FAILED, %s\n", test.name, error.what());
    return false;
  }
  std::printf("%s: ok\n", test.name);
  return true;
}

}  // namespace

int main() {
  int failures = 0;
  for (const Test& test : kTests) failures += passes(test) ? 0 : 1;
  return failures == 0 ? 0 : 1;
}
