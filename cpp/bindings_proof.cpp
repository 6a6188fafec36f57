// The Python face of the prover.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "proof/prove.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

constexpr int kMostAnswers = 256, kMostSplits = 63;

void demand(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

bool all_between(const std::int32_t* data, std::size_t size, std::int64_t end) {
  return std::all_of(data, data + size, [&](std::int32_t x) { return x >= 0 && x < end; });
}

Proof prove_columns(const In<std::int32_t, 2>& ranks, const In<std::int32_t, 1>& labels,
                    const In<std::int64_t, 1>& weights, const In<std::int64_t, 1>& sizes,
                    int n_classes, const std::optional<In<std::int64_t, 2>>& costs, int max_depth,
                    int max_splits, std::int64_t least, std::int64_t penalty,
                    const std::vector<std::int64_t>& targets,
                    const std::optional<In<double, 1>>& squares, double price, bool pairs,
                    const std::string& isa) {
  const std::size_t rows = ranks.shape(1);
  demand(rows > 0 && rows < (std::size_t{1} << 30), "there must be 1 to 2**30 rows");
  demand(labels.size() == rows && weights.size() == rows && sizes.size() == rows,
         "labels, weights and sizes need an entry for every row");
  demand(n_classes > 0 && n_classes <= kMostAnswers, "there must be 1 to 256 classes");
  demand(all_between(labels.data(), rows, n_classes), "labels must be below n_classes");
  demand(all_between(ranks.data(), ranks.size(), static_cast<std::int64_t>(rows)),
         "ranks must be dense, from 0");
  demand(!costs || (costs->shape(0) == static_cast<std::size_t>(n_classes) &&
                    costs->shape(1) == static_cast<std::size_t>(n_classes)),
         "costs need a row and a column for every class");
  demand(!squares || (squares->size() == rows && price > 0), "a number for every row, and a price");
  demand(!pairs || (!squares && all_between(ranks.data(), ranks.size(), 2)),
         "pairs are for columns of two values, and not for squares");
  demand(max_splits <= kMostSplits, "at most 63 splits");
  demand(max_depth >= 0 && penalty >= 0 && least >= 1, "budgets must not be negative");
  demand(targets.size() == static_cast<std::size_t>(std::max(max_splits, 0)) + 1,
         "one target for every number of splits");
  ProofProblem problem;
  problem.rows = static_cast<int>(rows);
  problem.features = static_cast<int>(ranks.shape(0));
  problem.classes = problem.answers = n_classes;
  problem.ranks = ranks.data();
  problem.labels = labels.data();
  problem.weights = weights.data();
  problem.sizes = sizes.data();
  problem.costs = costs ? costs->data() : nullptr;
  problem.targets_of = squares ? squares->data() : nullptr;
  problem.price = price;
  problem.penalty = penalty;
  problem.least = least;
  problem.depth = max_depth;
  problem.splits = max_splits;
  problem.pairs = pairs;
  problem.targets = targets;
  nb::gil_scoped_release release;
  return prove(problem, isa, [] {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  });
}

}  // namespace

void bind_proof(nb::module_& m) {
  nb::class_<Proof>(m, "Proof", "A plan of where to look, and what it shows.")
      .def_prop_ro("plan",
                   [](const Proof& p) {
                     return nb::bytes(reinterpret_cast<const char*>(p.plan.data()), p.plan.size());
                   })
      .def_ro("bounds", &Proof::bounds)
      .def_ro("work", &Proof::work)
      .def_ro("claims", &Proof::claims)
      .def_ro("scans", &Proof::scans);
  m.def(
      "prove_columns",
      [](const In<std::int32_t, 2>& ranks, const In<std::int32_t, 1>& labels,
         const In<std::int64_t, 1>& weights, const In<std::int64_t, 1>& sizes, int n_classes,
         const std::optional<In<std::int64_t, 2>>& costs, int max_depth, int max_splits,
         std::int64_t least, std::int64_t penalty, const std::vector<std::int64_t>& targets,
         const std::optional<In<double, 1>>& squares, double price, bool pairs,
         const std::string& isa) {
        Proof found =
            prove_columns(ranks, labels, weights, sizes, n_classes, costs, max_depth, max_splits,
                          least, penalty, targets, squares, price, pairs, isa);
        if (found.stopped) throw nb::python_error();
        return found;
      },
      "ranks"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "sizes"_a.noconvert(),
      nb::kw_only(), "n_classes"_a, "costs"_a.noconvert() = nb::none(), "max_depth"_a,
      "max_splits"_a = -1, "least"_a = 1, "penalty"_a = 0, "targets"_a,
      "squares"_a.noconvert() = nb::none(), "price"_a = 0.0, "pairs"_a = false, "isa"_a = "auto",
      "Write a plan that shows that no tree over rank columns (features x rows) costs less than "
      "the targets: one, or one for each number of splits. With `squares`, whole numbers, the cost "
      "is their squared error times `price`. `pairs`: for columns of two values. See "
      "docs/certificates.md.");
}

}  // namespace exactree
