// The Python face of searches for trees of some shape.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "shapes/monotone.hpp"
#include "shapes/perfect.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

template <class T, int Dimensions>
using Given = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Whole = Given<std::int64_t, 1>;
using Real = Given<double, 1>;

template <class Cost>
using Found =
    std::tuple<bool, bool, Cost, Cost, std::vector<std::int32_t>, std::vector<std::int32_t>>;

void require_shape(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

MonotoneProblem read_problem(const Given<std::int32_t, 2>& ranks, const Given<std::int8_t, 1>& ways,
                             const Whole& counts, int min_rows, int depth, int splits) {
  const std::size_t columns = ranks.shape(0), rows = ranks.shape(1);
  require_shape(ways.size() == columns, "there must be a direction for every column");
  require_shape(counts.size() == rows, "there must be a count for every row");
  require_shape(rows < (std::size_t{1} << 31), "more than 2**31 rows");
  require_shape(depth >= 0 && splits >= 0, "a budget is negative");
  return {ranks.data(), ways.data(), columns, rows, counts.data(), {min_rows}, depth, splits};
}

// Searches without the GIL, which the question whether to stop takes back.
template <class Search>
auto searched(const nb::object& stop, const Search& search) {
  const StopAsked ask = [&stop](std::int64_t bytes) {
    nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(stop(bytes));
  };
  nb::gil_scoped_release release;
  auto found = search(ask);
  return Found<decltype(found.cost)>{found.better, found.stopped,     found.cost,
                                     found.bound,  found.tree.column, found.tree.rank};
}

Found<std::int64_t> monotone_classes_of(const Given<std::int32_t, 2>& ranks,
                                        const Given<std::int8_t, 1>& ways, const Whole& counts,
                                        int min_rows, int depth, int splits, const Whole& zeros,
                                        const Whole& ones, std::int64_t penalty, std::int64_t cap,
                                        const nb::object& stop) {
  const MonotoneProblem problem = read_problem(ranks, ways, counts, min_rows, depth, splits);
  require_shape(zeros.size() == problem.rows && ones.size() == problem.rows,
                "there must be weights for every row");
  return searched(stop, [&](const StopAsked& ask) {
    return monotone_classes(problem, zeros.data(), ones.data(), penalty, cap, ask);
  });
}

Found<double> monotone_numbers_of(const Given<std::int32_t, 2>& ranks,
                                  const Given<std::int8_t, 1>& ways, const Whole& counts,
                                  int min_rows, int depth, int splits, const Real& weights,
                                  const Real& targets, double slack, double penalty, double cap,
                                  const nb::object& stop) {
  const MonotoneProblem problem = read_problem(ranks, ways, counts, min_rows, depth, splits);
  require_shape(weights.size() == problem.rows && targets.size() == problem.rows,
                "there must be a weight and a target for every row");
  return searched(stop, [&](const StopAsked& ask) {
    return monotone_numbers(problem, weights.data(), targets.data(), slack, penalty, cap, ask);
  });
}

std::pair<std::optional<bool>, std::vector<std::int64_t>> perfect_tree_of(
    const Given<std::int32_t, 2>& ranks, const Given<std::int32_t, 1>& labels, int depth,
    const nb::object& stop, unsigned switches) {
  const std::size_t columns = ranks.shape(0), rows = ranks.shape(1);
  require_shape(labels.size() == rows, "there must be a label for every row");
  require_shape(rows < (std::size_t{1} << 15), "more than 32,767 rows");
  require_shape(depth >= 0, "a budget is negative");
  const auto ask = [&stop] {
    nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(stop());
  };
  nb::gil_scoped_release release;
  const auto [found, pruned] =
      perfect_tree(ranks.data(), columns, rows, labels.data(), depth, switches, ask);
  std::optional<bool> exists;
  if (found != Perfect::kStopped) exists = found == Perfect::kFound;
  return {exists, {pruned.begin(), pruned.end()}};
}

}  // namespace

void bind_shapes(nb::module_& m) {
  m.def("monotone_classes", &monotone_classes_of, "ranks"_a.noconvert(), "ways"_a.noconvert(),
        "counts"_a.noconvert(), "min_rows"_a, "depth"_a, "splits"_a, "zeros"_a.noconvert(),
        "ones"_a.noconvert(), "penalty"_a, "cap"_a, "stop"_a,
        "Find the best monotone tree of two classes that costs less than a cap.\n\n"
        "`stop` is asked now and then. Gives whether there is one, whether the search was stopped, "
        "its cost, what is proved of all costs, and its splits in preorder: columns, -1 of a leaf, "
        "and the highest ranks that go left.");
  m.def("monotone_numbers", &monotone_numbers_of, "ranks"_a.noconvert(), "ways"_a.noconvert(),
        "counts"_a.noconvert(), "min_rows"_a, "depth"_a, "splits"_a, "weights"_a.noconvert(),
        "targets"_a.noconvert(), "slack"_a, "penalty"_a, "cap"_a, "stop"_a,
        "Find the best monotone tree for numbers, which are centred; see `monotone_classes`.");
  m.def("perfect_tree", &perfect_tree_of, "ranks"_a.noconvert(), "labels"_a.noconvert(), "depth"_a,
        "stop"_a, nb::kw_only(), "switches"_a = 0,
        "Tell whether a tree of so many levels gets every row right.\n\n"
        "`stop` is asked now and then; None if the search was stopped. `switches` turns rules off, "
        "for tests: 1 sides with more classes than leaves, 2 pivots by the intervals of the "
        "classes, 4 sets of rows that were met before, 8 columns of two values as bits. The second "
        "part of the answer says how often each of them acted.");
}

}  // namespace exactree
