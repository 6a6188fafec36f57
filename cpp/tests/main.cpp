#include <array>
#include <cstdio>
#include <exception>

namespace exactree::tests {
void test_bitset();
void test_geometry();
}  // namespace exactree::tests

namespace {

struct Test {
  const char* name;
  void (*run)();
};

// To add a test: declare it above, add a line here, and its file to EXACTREE_TEST_SOURCES.
constexpr std::array kTests{
    Test{"bitset", exactree::tests::test_bitset},
    Test{"geometry", exactree::tests::test_geometry},
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
