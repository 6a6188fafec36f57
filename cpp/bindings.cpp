// The Python face of the native core: checks shapes, releases the GIL, calls the kernels. Only
// the files bindings*.cpp know nanobind. Arrays are never converted: a wrong type is an error, not
// a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

using WordsIn = nb::ndarray<const Word, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WordsOut = nb::ndarray<nb::numpy, Word, nb::ndim<1>>;

WordsOut to_numpy(std::unique_ptr<Word[]> words, std::size_t size) {
  nb::capsule owner(words.get(), [](void* p) noexcept { delete[] static_cast<Word*>(p); });
  return WordsOut(words.release(), {size}, owner);
}

void require_equal_lengths(const WordsIn& a, const WordsIn& b) {
  if (a.size() == b.size()) return;
  throw std::invalid_argument("bit sets of " + std::to_string(a.size()) + " and " +
                              std::to_string(b.size()) +
                              " words: both must be packed for the same number of members");
}

using Combine = void (*)(const Word*, const Word*, Word*, std::size_t);

WordsOut combine(Combine kernel, const WordsIn& a, const WordsIn& b) {
  require_equal_lengths(a, b);
  auto out = std::make_unique<Word[]>(a.size());
  {
    nb::gil_scoped_release release;
    kernel(a.data(), b.data(), out.get(), a.size());
  }
  return to_numpy(std::move(out), a.size());
}

WordsOut bitset_and(const WordsIn& a, const WordsIn& b, const std::string& isa) {
  return combine(kernels(isa).bitset.intersect, a, b);
}

WordsOut bitset_and_not(const WordsIn& a, const WordsIn& b, const std::string& isa) {
  return combine(kernels(isa).bitset.subtract, a, b);
}

std::size_t bitset_count(const WordsIn& a, const std::string& isa) {
  const auto kernel = kernels(isa).bitset.count;
  nb::gil_scoped_release release;
  return kernel(a.data(), a.size());
}

std::size_t bitset_count_and(const WordsIn& a, const WordsIn& b, const std::string& isa) {
  require_equal_lengths(a, b);
  const auto kernel = kernels(isa).bitset.count_common;
  nb::gil_scoped_release release;
  return kernel(a.data(), b.data(), a.size());
}

std::size_t bitset_kth(const WordsIn& a, std::size_t k, const std::string& isa) {
  const BitsetKernels set = kernels(isa).bitset;
  nb::gil_scoped_release release;
  const std::size_t member = set.kth(a.data(), a.size(), k);
  if (member < 64 * a.size()) return member;
  throw std::invalid_argument("k = " + std::to_string(k) + ", but the set has " +
                              std::to_string(set.count(a.data(), a.size())) +
                              " members, counted from zero");
}

}  // namespace

}  // namespace exactree

NB_MODULE(_native, m) {
  using namespace exactree;
  m.doc() = "The native core of exactree: arrays in, arrays out.";
  m.def("instruction_sets", &instruction_sets,
        "List the instruction sets this processor can run, the fastest (\"auto\") last.");
  m.def("bitset_and", &bitset_and, "a"_a.noconvert(), "b"_a.noconvert(), "isa"_a = "auto",
        "Intersect two packed bit sets: member i is bit i % 64 of word i // 64.");
  m.def("bitset_and_not", &bitset_and_not, "a"_a.noconvert(), "b"_a.noconvert(), "isa"_a = "auto",
        "Take the members of b out of a.");
  m.def("bitset_count", &bitset_count, "a"_a.noconvert(), "isa"_a = "auto",
        "Count the members of a.");
  m.def("bitset_count_and", &bitset_count_and, "a"_a.noconvert(), "b"_a.noconvert(),
        "isa"_a = "auto", "Count the members that a and b have in common.");
  m.def("bitset_kth", &bitset_kth, "a"_a.noconvert(), "k"_a, "isa"_a = "auto",
        "Return the k-th member of a in increasing order, counted from zero.");
  bind_geometry(m);
  bind_search(m);
  bind_masks(m);
  bind_oblique(m);
  bind_rows(m);
  bind_squares(m);
}
