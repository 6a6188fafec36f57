#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "check.hpp"

namespace exactree::tests {
void test_caches(Effort);
void test_geometry(Effort);
void test_search_tiny(Effort);
void test_search_deep(Effort);
void test_search_interrupted(Effort);
void test_search_two_levels(Effort);
void test_search_one_column(Effort);
void test_search_three_levels(Effort);
void test_search_mask_threads(Effort);
void test_small_budgets(Effort);
void test_splits(Effort);
void test_search_cells(Effort);
void test_squares(Effort);
void test_losses(Effort);
void test_plain_trees(Effort);
void test_row_costs(Effort);
void test_line_search(Effort);
void test_oblique(Effort);
void test_audit(Effort);
}  // namespace exactree::tests

namespace {

struct Test {
  const char* name;
  void (*run)(exactree::tests::Effort);
};

// To add a test: declare it above, add a line here, and its file to EXACTREE_TEST_SOURCES.
constexpr std::array kTests{
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
    Test{"search: by splits", exactree::tests::test_splits},
    Test{"search: cells", exactree::tests::test_search_cells},
    Test{"search: squared error", exactree::tests::test_squares},
    Test{"search: other losses of numbers", exactree::tests::test_losses},
    Test{"search: hundreds of rows", exactree::tests::test_plain_trees},
    Test{"search: costs per row", exactree::tests::test_row_costs},
    Test{"local search: lines", exactree::tests::test_line_search},
    Test{"local search: hyperplanes", exactree::tests::test_oblique},
    Test{"audit: finds what is false", exactree::tests::test_audit},
};

bool passes(const Test& test, exactree::tests::Effort effort) {
  try {
    test.run(effort);
  } catch (const std::exception& error) {
    std::printf("%s: FAILED, %s\n", test.name, error.what());
    return false;
  }
  std::printf("%s: ok\n", test.name);
  std::fflush(stdout);
  return true;
}

}  // namespace

// native_tests [per cent]: how many of the random problems are drawn.
int main(int count, char** arguments) {
  exactree::tests::Effort effort;
  if (count > 1) effort.per_cent = std::atoi(arguments[1]);
  if (count > 2 || effort.per_cent < 1) {
    std::printf("usage: native_tests [per cent of the random problems, from 1; 100 if missing]\n");
    return 2;
  }
  int failures = 0;
  for (const Test& test : kTests) failures += passes(test, effort) ? 0 : 1;
  return failures == 0 ? 0 : 1;
}
