// The Python face of the search. Like bindings.cpp it checks shapes and releases the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "kernels.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

template <class T, int Dimensions>
using ArrayIn = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

using Poll = nb::typed<nb::callable, void(double, Cost, Cost)>;

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

template <class T>
void require_length(const ArrayIn<T, 1>& array, std::size_t rows, const char* name) {
  require(array.size() == rows, std::string(name) + " has " + std::to_string(array.size()) +
                                    " entries, but there are " + std::to_string(rows) + " rows");
}

// A tree as int32 arrays, in preorder.
using TreeArrays = std::map<std::string, nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>>;

TreeArrays tree_arrays(const Tree& tree) {
  TreeArrays out;
  const auto column = [&](const char* name, int TreeNode::* member) {
    auto data = std::make_unique<std::int32_t[]>(tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) data[i] = tree[i].*member;
    nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    out[name] =
        nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(data.release(), {tree.size()}, owner);
  };
  column("feature", &TreeNode::feature);
  column("low", &TreeNode::low);
  column("high", &TreeNode::high);
  column("left", &TreeNode::left);
  column("right", &TreeNode::right);
  column("label", &TreeNode::label);
  return out;
}

const char* status_name(Status status) {
  switch (status) {
    case Status::kTimeLimit:
      return "time_limit";
    case Status::kMemoryLimit:
      return "memory_limit";
    case Status::kInterrupted:
      return "interrupted";
    default:
      return "optimal";
  }
}

std::map<std::string, std::int64_t> counters_by_name(const Counters& counters) {
  std::map<std::string, std::int64_t> out;
  out["nodes"] = counters.nodes;
  out["evaluations"] = counters.evaluations;
  out["scans"] = counters.scans;
  for (std::size_t i = 0; i < counters.pruned.size(); ++i)
    out[kPruningNames[i]] = counters.pruned[i];
  return out;
}

// Calls back into Python from the search: signals, and the user's own function. Ctrl-C stops the
// search, which then reports it; any other exception of the function is raised afterwards.
class Watcher {
 public:
  Watcher(std::optional<Poll> poll, const SearchProgress& progress)
      : poll_(std::move(poll)), progress_(progress) {}

  bool operator()(double seconds) {
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (poll_) (*poll_)(seconds, progress_.objective.load(), progress_.lower_bound.load());
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) failure_ = std::current_exception();
      return true;
    }
    return false;
  }
  void raise() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::optional<Poll> poll_;
  const SearchProgress& progress_;
  std::exception_ptr failure_;
};

Columns columns_of(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels,
                   int classes, const std::optional<ArrayIn<std::int64_t, 1>>& weights,
                   const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Columns data;
  const std::size_t rows = ranks.shape(1);
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require(classes > 0, "n_classes must be positive");
  require_length(labels, rows, "labels");
  if (weights) require_length(*weights, rows, "weights");
  if (counts) require_length(*counts, rows, "counts");
  require(!counts || weights, "counts need weights");
  data.features = static_cast<int>(ranks.shape(0));
  data.rows = static_cast<int>(rows);
  data.classes = classes;
  data.ranks = ranks.data();
  data.labels = labels.data();
  data.weights = weights ? weights->data() : nullptr;
  data.counts = counts ? counts->data() : nullptr;
  if (ranks.size() > 0) {
    const auto [low, high] = std::minmax_element(ranks.data(), ranks.data() + ranks.size());
    require(*low >= 0 && *high < data.rows, "ranks must be dense, from 0");
    data.max_rank = *high;
  }
  const auto [low, high] = std::minmax_element(labels.data(), labels.data() + rows);
  require(*low >= 0 && *high < classes, "a label is out of range");
  return data;
}

SearchResult search_columns(const ArrayIn<std::int32_t, 2>& ranks,
                            const ArrayIn<std::int32_t, 1>& labels, int n_classes,
                            std::optional<ArrayIn<std::int64_t, 1>> weights,
                            std::optional<ArrayIn<std::int32_t, 1>> counts, int max_depth,
                            int max_splits, int min_rows, std::int64_t unit, std::int64_t penalty,
                            bool sizes, std::int64_t lower_bound, double time_limit,
                            std::int64_t memory_limit, int threads, std::uint32_t switches,
                            const std::string& isa, std::optional<Poll> poll) {
  Columns data = columns_of(ranks, labels, n_classes, weights, counts);
  require(max_depth >= 0, "max_depth must not be negative");
  require(min_rows >= 1, "min_rows must be at least 1");
  require(unit >= 1 && penalty >= 0, "unit must be positive, penalty not negative");
  require(!sizes || max_splits >= 0, "sizes needs max_splits");
  data.unit = unit;
  data.penalty = penalty;
  data.min_rows = min_rows;
  SearchRequest request;
  request.max_depth = max_depth;
  request.max_splits = max_splits;
  request.sizes = sizes;
  request.threads = threads;
  request.lower_bound = lower_bound;
  request.switches.off = switches;
  SearchProgress progress;
  Watcher watcher(std::move(poll), progress);
  Control control;
  control.time_limit = time_limit;
  control.memory_limit = memory_limit;
  control.signal = [&watcher](double seconds) { return watcher(seconds); };
  const MakeRoot make_root = kernels(isa).make_root;
  SearchResult result;
  {
    nb::gil_scoped_release release;
    result = search(data, request, make_root, control, progress);
  }
  watcher.raise();
  return result;
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<SearchResult>(m, "SearchResult", "What a search found and proved.")
      .def_prop_ro("status", [](const SearchResult& r) { return status_name(r.status); })
      .def_prop_ro("objective", [](const SearchResult& r) { return r.answers.back().objective; })
      .def_prop_ro("lower_bound",
                   [](const SearchResult& r) { return r.answers.back().lower_bound; })
      .def_prop_ro(
          "tree", [](const SearchResult& r) { return tree_arrays(r.answers.back().tree); },
          nb::rv_policy::move)
      .def_prop_ro("size_objectives",
                   [](const SearchResult& r) {
                     std::vector<Cost> out;
                     for (const auto& a : r.answers) out.push_back(a.objective);
                     return out;
                   })
      .def_prop_ro("size_lower_bounds",
                   [](const SearchResult& r) {
                     std::vector<Cost> out;
                     for (const auto& a : r.answers) out.push_back(a.lower_bound);
                     return out;
                   })
      .def_prop_ro(
          "size_trees",
          [](const SearchResult& r) {
            std::vector<TreeArrays> out;
            for (const auto& a : r.answers) out.push_back(tree_arrays(a.tree));
            return out;
          },
          nb::rv_policy::move)
      .def_prop_ro("counters", [](const SearchResult& r) { return counters_by_name(r.counters); })
      .def_ro("history", &SearchResult::history)
      .def_ro("seconds", &SearchResult::seconds)
      .def_ro("peak_bytes", &SearchResult::peak_bytes);
  m.def(
      "prunings",
      [] { return std::vector<std::string>(kPruningNames.begin(), kPruningNames.end()); },
      "List the prunings in the order of the bits of `switches`, which turn them off in tests.");
  m.def("search_columns", &search_columns, "ranks"_a.noconvert(), "labels"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(),
        nb::kw_only(), "max_depth"_a, "max_splits"_a = -1, "min_rows"_a = 1, "unit"_a = 1,
        "penalty"_a = 0, "sizes"_a = false, "lower_bound"_a = 0,
        "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
        "threads"_a = 1, "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
        "Find an optimal tree over rank columns (features x rows); see exactree.engines.search.");
}

}  // namespace exactree
