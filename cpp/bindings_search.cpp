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
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "bindings_search.hpp"
#include "rows/rows.hpp"
#include "search/sparse/split_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

// A tree as lists, in preorder.
using TreeLists = std::map<std::string, std::vector<int>>;

TreeLists tree_lists(const Tree& tree) {
  TreeLists out;
  const auto column = [&](const char* name, int TreeNode::* member) {
    auto& list = out[name];
    for (const TreeNode& node : tree) list.push_back(node.*member);
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

Problem columns_of(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels,
                   int classes, const std::optional<ArrayIn<std::int64_t, 1>>& weights,
                   const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Problem data = rows_of(ranks.shape(1), labels, classes, weights, counts);
  data.features = static_cast<int>(ranks.shape(0));
  data.ranks = ranks.data();
  if (ranks.size() > 0) {
    const auto [low, high] = extremes(ranks.data(), ranks.size());
    require(low >= 0 && high < data.rows, "ranks must be dense, from 0");
    data.max_rank = high;
  }
  return data;
}

void set_costs(Problem& data, const ArrayIn<std::int64_t, 2>& costs) {
  const auto classes = static_cast<std::size_t>(data.classes);
  require(data.weights != nullptr, "costs need weights");
  require(costs.shape(0) == classes && costs.shape(1) == classes,
          "costs must have a row and a column for every class");
  require(std::all_of(costs.data(), costs.data() + costs.size(), [](Cost c) { return c >= 0; }),
          "costs must not be negative");
  data.costs = costs.data();
}

Posed pose_columns(const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels,
                   int n_classes, std::optional<ArrayIn<std::int64_t, 1>> weights,
                   std::optional<ArrayIn<std::int32_t, 1>> counts,
                   std::optional<ArrayIn<std::int64_t, 2>> costs, int max_depth, int max_splits,
                   int min_rows, std::int64_t unit, std::int64_t penalty, bool sizes,
                   std::int64_t lower_bound, int threads, std::uint32_t switches,
                   const std::string& isa, std::int64_t upper_bound) {
  Posed posed;
  posed.data = columns_of(ranks, labels, n_classes, weights, counts);
  posed.isa = isa;
  if (costs) set_costs(posed.data, *costs);
  posed.keep(ranks);
  posed.keep(labels);
  posed.keep(weights);
  posed.keep(counts);
  posed.keep(costs);
  set_terms(posed, {max_depth, max_splits, min_rows, unit, penalty, sizes, lower_bound, threads,
                    switches, upper_bound});
  return posed;
}

SearchResult search_columns(
    const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels, int n_classes,
    std::optional<ArrayIn<std::int64_t, 1>> weights, std::optional<ArrayIn<std::int32_t, 1>> counts,
    std::optional<ArrayIn<std::int64_t, 2>> costs, int max_depth, int max_splits, int min_rows,
    std::int64_t unit, std::int64_t penalty, bool sizes, std::int64_t lower_bound,
    double time_limit, std::int64_t memory_limit, int threads, std::uint32_t switches,
    const std::string& isa, std::optional<PollFunction> poll, std::int64_t upper_bound) {
  return pose_columns(ranks, labels, n_classes, weights, counts, costs, max_depth, max_splits,
                      min_rows, unit, penalty, sizes, lower_bound, threads, switches, isa,
                      upper_bound)
      .run(time_limit, memory_limit, std::move(poll));
}

// None: not a problem for this search, whose weights are too large, or whose tree would be too
// deep.
std::optional<SearchResult> search_sparse_columns(
    const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels, int n_classes,
    std::optional<ArrayIn<std::int64_t, 1>> weights, int max_depth, std::int64_t unit,
    std::int64_t penalty, double time_limit, std::int64_t memory_limit, std::uint32_t switches,
    const std::string& isa, std::optional<PollFunction> poll) {
  Problem data = columns_of(ranks, labels, n_classes, weights, std::nullopt);
  require(unit >= 1 && penalty >= 1, "unit and penalty must be positive");
  data.unit = unit;
  data.penalty = penalty;
  Switches chosen;
  chosen.off = switches;
  const MakeSparse make = kernels(isa).make_sparse;
  const auto run = [&](Control& control, SearchProgress& progress) {
    return search_sparse(data, max_depth, chosen, make, control, progress);
  };
  SearchResult result = watched(run, time_limit, memory_limit, std::move(poll));
  if (result.answers.empty()) return std::nullopt;
  return result;
}

// None: stopped before it began.
std::optional<SearchResult> search_by_splits(
    const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels, int n_classes,
    std::optional<ArrayIn<std::int64_t, 1>> weights, int max_splits, std::int64_t unit,
    std::int64_t penalty, std::optional<std::int64_t> upper_bound, double time_limit,
    std::int64_t memory_limit, std::uint32_t switches, const std::string& isa,
    std::optional<PollFunction> poll) {
  Problem data = columns_of(ranks, labels, n_classes, weights, std::nullopt);
  require(unit >= 1 && penalty >= 0, "unit must be positive, penalty not negative");
  require(max_splits >= 0 || penalty > 0, "neither max_splits nor a penalty limits the tree");
  require(data.features > 0, "there are no columns");
  data.unit = unit;
  data.penalty = penalty;
  Switches chosen;
  chosen.off = switches;
  const MakeRoot make_root = kernels(isa).make_root;
  const auto run = [&](Control& control, SearchProgress& progress) {
    return search_splits(data, max_splits, upper_bound.value_or(kInfinite), chosen, make_root,
                         control, progress);
  };
  SearchResult result = watched(run, time_limit, memory_limit, std::move(poll));
  if (result.answers.empty()) return std::nullopt;
  return result;
}

}  // namespace

void bind_search(nb::module_& m) {
  m.attr("COST_LIMIT") = kInfinite;
  nb::class_<SearchResult>(m, "SearchResult", "What a search found and proved.")
      .def_prop_ro("status", [](const SearchResult& r) { return status_name(r.status); })
      .def_prop_ro("objective", [](const SearchResult& r) { return r.answers.back().objective; })
      .def_prop_ro("lower_bound",
                   [](const SearchResult& r) { return r.answers.back().lower_bound; })
      .def_prop_ro("tree", [](const SearchResult& r) { return tree_lists(r.answers.back().tree); })
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
      .def_prop_ro("size_trees",
                   [](const SearchResult& r) {
                     std::vector<TreeLists> out;
                     for (const auto& a : r.answers) out.push_back(tree_lists(a.tree));
                     return out;
                   })
      .def_prop_ro("counters", [](const SearchResult& r) { return counters_by_name(r.counters); })
      .def_prop_ro("parts",
                   [](const SearchResult& r) {
                     std::vector<std::tuple<int, std::vector<std::uint64_t>>> out;
                     for (const auto& part : r.parts) out.emplace_back(part.source, part.left);
                     return out;
                   })
      .def_ro("history", &SearchResult::history)
      .def_ro("seconds", &SearchResult::seconds)
      .def_ro("peak_bytes", &SearchResult::peak_bytes)
      .def_ro("threads", &SearchResult::threads);
  m.def(
      "prunings",
      [] { return std::vector<std::string>(kPruningNames.begin(), kPruningNames.end()); },
      "List the prunings in the order of the bits of `switches`, which turn them off in tests. One "
      "more bit uses them everywhere, where they do not pay too.");
  nb::class_<Posed>(m, "Posed", "A search with all that it reads.")
      .def("run", &Posed::run, nb::kw_only(),
           "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
           "poll"_a = nb::none(), "Run it here.");
  m.def("pose_columns", &pose_columns, "ranks"_a.noconvert(), "labels"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(), nb::kw_only(),
        "costs"_a.noconvert() = nb::none(), "max_depth"_a, "max_splits"_a = -1, "min_rows"_a = 1,
        "unit"_a = 1, "penalty"_a = 0, "sizes"_a = false, "lower_bound"_a = 0, "threads"_a = 1,
        "switches"_a = 0, "isa"_a = "auto", "upper_bound"_a = kInfinite,
        "Pose the search for an optimal tree over rank columns (features x rows); see "
        "exactree.engines.search.");
  m.def("search_columns", &search_columns, "ranks"_a.noconvert(), "labels"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(),
        nb::kw_only(), "costs"_a.noconvert() = nb::none(), "max_depth"_a, "max_splits"_a = -1,
        "min_rows"_a = 1, "unit"_a = 1, "penalty"_a = 0, "sizes"_a = false, "lower_bound"_a = 0,
        "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
        "threads"_a = 1, "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
        "upper_bound"_a = kInfinite,
        "Find an optimal tree over rank columns (features x rows); see exactree.engines.search. "
        "Trees of `upper_bound` or more are of no interest; there must be one below it.");
  m.def(
      "search_sparse", &search_sparse_columns, "ranks"_a.noconvert(), "labels"_a.noconvert(),
      "n_classes"_a, "weights"_a.noconvert() = nb::none(), nb::kw_only(), "max_depth"_a,
      "unit"_a = 1, "penalty"_a, "time_limit"_a = std::numeric_limits<double>::infinity(),
      "memory_limit"_a = 0, "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
      "Find an optimal tree over binary columns with a penalty and no limit on depth; None if the "
      "weights need more than 31 bits, or the tree is deeper than max_depth.");
  m.def(
      "search_splits", &search_by_splits, "ranks"_a.noconvert(), "labels"_a.noconvert(),
      "n_classes"_a, "weights"_a.noconvert() = nb::none(), nb::kw_only(), "max_splits"_a = -1,
      "unit"_a = 1, "penalty"_a = 0, "upper_bound"_a = nb::none(),
      "time_limit"_a = std::numeric_limits<double>::infinity(), "memory_limit"_a = 0,
      "switches"_a = 0, "isa"_a = "auto", "poll"_a = nb::none(),
      "Find an optimal tree over rank columns that only its splits limit: at most so many, or a "
      "penalty for each. If none costs less than upper_bound, the single leaf comes back, and that "
      "as lower bound; None if a limit came before the search.");
}

}  // namespace exactree
