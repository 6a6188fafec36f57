// The Python face of the local search over hyperplanes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bindings_costs.hpp"
#include "bindings_search.hpp"
#include "oblique/oblique.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

using PointTable = ArrayIn<double, 2>;
using NumberList = ArrayIn<double, 1>;
// A tree in preorder: for every node its children, -1 of a leaf, and its plane.
using StartTree = std::tuple<std::vector<int>, std::vector<int>, std::vector<std::vector<double>>>;

const char* name_of(Status status) {
  switch (status) {
    case Status::kOptimal:
      return "ended";
    case Status::kTimeLimit:
      return "time_limit";
    case Status::kMemoryLimit:
      return "memory_limit";
    case Status::kInterrupted:
      break;
  }
  return "interrupted";
}

ObliqueTree read_tree(const StartTree& lists, std::size_t columns) {
  const auto& [left, right, planes] = lists;
  require(!left.empty() && left.size() == right.size() && left.size() == planes.size(),
          "a start has three lists of one length");
  ObliqueTree tree;
  tree.nodes.resize(left.size());
  const int n = static_cast<int>(left.size());
  for (int i = 0; i < n; ++i) {
    auto& node = tree.nodes[static_cast<std::size_t>(i)];
    node.left = left[static_cast<std::size_t>(i)];
    node.right = right[static_cast<std::size_t>(i)];
    node.plane = planes[static_cast<std::size_t>(i)];
    if (node.left < 0) continue;
    require(node.plane.size() == columns + 1, "a plane of a start has the wrong length");
    for (const int child : {node.left, node.right}) {
      require(child > i && child < n, "the nodes of a start are not in preorder");
      tree.nodes[static_cast<std::size_t>(child)].parent = i;
    }
  }
  return tree;
}

StartTree write_tree(const ObliqueTree& tree) {
  StartTree lists;
  auto& [left, right, planes] = lists;
  for (const auto& node : tree.nodes) {
    left.push_back(node.left);
    right.push_back(node.right);
    planes.push_back(node.left < 0 ? std::vector<double>() : node.plane);
  }
  return lists;
}

ObliqueResult search_oblique(const PointTable& z, std::optional<ArrayIn<std::int32_t, 1>> labels,
                             int n_classes, std::optional<ArrayIn<std::int64_t, 1>> costs,
                             std::optional<ArrayIn<std::int32_t, 1>> counts,
                             std::optional<NumberList> targets, std::optional<NumberList> masses,
                             std::optional<ArrayIn<std::int64_t, 2>> prices, double scale,
                             int max_depth, int max_splits, int min_rows, std::int64_t unit,
                             std::int64_t penalty, int plane_columns, std::int64_t lower_bound,
                             const std::vector<StartTree>& starts, std::uint64_t seed,
                             int idle_rounds, double time_limit, int threads,
                             const std::string& isa, std::optional<PollFunction> poll) {
  const std::size_t rows = z.shape(1);
  require(rows > 0 && rows < (std::size_t{1} << 30), "there must be 1 to 2**30 rows");
  require(z.shape(0) > 0, "there are no columns");
  require(max_depth >= 1, "max_depth must be at least 1");
  require(min_rows >= 1 && unit >= 1 && penalty >= 0,
          "min_rows and unit must be positive, penalty not negative");
  require((labels ? 1 : 0) + (targets ? 1 : 0) + (prices ? 1 : 0) == 1 &&
              labels.has_value() == (n_classes > 0) && targets.has_value() == masses.has_value(),
          "give labels and their number, or targets and masses, or prices");
  ObliqueData data;
  data.rows = static_cast<int>(rows);
  data.columns = static_cast<int>(z.shape(0));
  data.z = z.data();
  data.classes = n_classes;
  if (labels) {
    require_length(*labels, rows, "labels");
    const auto [low, high] = std::minmax_element(labels->data(), labels->data() + rows);
    require(*low >= 0 && *high < n_classes, "a label is out of range");
    data.labels = labels->data();
  }
  if (prices) {
    data.classes = priced_rows(rows, *prices, std::nullopt).classes;
    data.prices = prices->data();
  }
  if (costs) require_length(*costs, rows, "costs"), data.costs = costs->data();
  if (counts) require_length(*counts, rows, "counts"), data.counts = counts->data();
  if (targets) require_length(*targets, rows, "targets"), data.targets = targets->data();
  if (masses) require_length(*masses, rows, "masses"), data.masses = masses->data();
  data.scale = scale;
  data.unit = unit;
  data.least_side.least = min_rows;
  data.penalty = penalty;
  ObliqueRequest request;
  request.max_depth = max_depth;
  request.max_splits = max_splits;
  request.plane_columns = plane_columns;
  request.lower_bound = lower_bound;
  request.seed = seed;
  request.idle_rounds = idle_rounds;
  request.threads = threads;
  for (const StartTree& start : starts) request.starts.push_back(read_tree(start, z.shape(0)));
  SearchProgress progress;
  progress.lower_bound = lower_bound;
  Control control;
  Watcher watcher(std::move(poll), progress, control);
  control.time_limit = time_limit;
  const ObliqueSearch search = kernels(isa).oblique;
  ObliqueResult result;
  {
    nb::gil_scoped_release release;
    result = search(data, request, control, progress.objective);
  }
  watcher.raise();
  return result;
}

}  // namespace

void bind_oblique(nb::module_& m) {
  nb::class_<ObliqueResult>(m, "ObliqueResult", "What a local search found.")
      .def_prop_ro("status", [](const ObliqueResult& r) { return name_of(r.status); })
      .def_prop_ro("cost", [](const ObliqueResult& r) { return r.tree.cost; })
      .def_prop_ro("tree", [](const ObliqueResult& r) { return write_tree(r.tree); })
      .def_ro("rounds", &ObliqueResult::rounds)
      .def_ro("scans", &ObliqueResult::scans)
      .def_ro("history", &ObliqueResult::history)
      .def_ro("seconds", &ObliqueResult::seconds);
  m.def("search_oblique", &search_oblique, "z"_a.noconvert(), "labels"_a.noconvert() = nb::none(),
        "n_classes"_a = 0, "costs"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(),
        "targets"_a.noconvert() = nb::none(), "masses"_a.noconvert() = nb::none(),
        "prices"_a.noconvert() = nb::none(), nb::kw_only(), "scale"_a = 1.0, "max_depth"_a,
        "max_splits"_a = -1, "min_rows"_a = 1, "unit"_a = 1, "penalty"_a = 0, "plane_columns"_a = 0,
        "lower_bound"_a = 0, "starts"_a = nb::list(), "seed"_a = 0, "idle_rounds"_a = 100,
        "time_limit"_a = std::numeric_limits<double>::infinity(), "threads"_a = 1, "isa"_a = "auto",
        "poll"_a = nb::none(),
        "Search for a good tree of hyperplanes over columns of numbers (columns x rows).\n\n"
        "A tree is three lists in preorder: left and right children, -1 of a leaf, and planes, "
        "whose last number is the constant; a row goes right where the sum is above 0. The search "
        "ends at a tree of cost `lower_bound`, or after `idle_rounds` rounds without a better one; "
        "the tree depends on `seed`, not on `threads`. `plane_columns` above 0 limits the columns "
        "in a plane. For numbers, costs are in units of which one of squared error has `scale`, "
        "and the targets must be centred. `prices` (rows x answers) are costs as for "
        "`search_costs`.");
}

}  // namespace exactree
