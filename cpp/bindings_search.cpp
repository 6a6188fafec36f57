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

Posed pose_columns(const Terms& terms, const ArrayIn<std::int32_t, 2>& ranks,
                   const ArrayIn<std::int32_t, 1>& labels, int n_classes,
                   const std::optional<ArrayIn<std::int64_t, 1>>& weights,
                   const std::optional<ArrayIn<std::int32_t, 1>>& counts,
                   const std::optional<ArrayIn<std::int64_t, 2>>& costs) {
  Posed posed;
  posed.data = columns_of(ranks, labels, n_classes, weights, counts);
  if (costs) set_costs(posed.data, *costs);
  posed.keep(ranks);
  posed.keep(labels);
  posed.keep(weights);
  posed.keep(counts);
  posed.keep(costs);
  set_terms(posed, terms);
  return posed;
}

// A problem for one of the searches that know no depth: `run` has their own arguments, and finds no
// answer where they are not made for it.
template <class Run>
std::optional<SearchResult> search_without_depth(
    const ArrayIn<std::int32_t, 2>& ranks, const ArrayIn<std::int32_t, 1>& labels, int n_classes,
    const std::optional<ArrayIn<std::int64_t, 1>>& weights, const Terms& terms, const Run& run) {
  Problem data = columns_of(ranks, labels, n_classes, weights, std::nullopt);
  data.unit = terms.unit;
  data.penalty = terms.penalty;
  Switches chosen;
  chosen.off = terms.switches;
  SearchResult result =
      watched([&](Control& control,
                  SearchProgress& progress) { return run(data, chosen, control, progress); },
              terms.time_limit, terms.memory_limit, terms.poll);
  if (result.answers.empty()) return std::nullopt;
  return result;
}

// None: not a problem for this search, whose weights are too large, or whose tree would be too
// deep.
std::optional<SearchResult> search_sparse_columns(const ArrayIn<std::int32_t, 2>& ranks,
                                                  const ArrayIn<std::int32_t, 1>& labels,
                                                  int n_classes,
                                                  std::optional<ArrayIn<std::int64_t, 1>> weights,
                                                  const nb::kwargs& given) {
  const Terms terms(given);
  require(terms.penalty >= 1, "the penalty must be positive");
  require(terms.max_depth >= 0, "max_depth is missing or negative");
  const auto run = [&](const Problem& data, const Switches& switches, Control& control,
                       SearchProgress& progress) {
    return search_sparse(data, terms.max_depth, switches, kernels(terms.isa).make_sparse, control,
                         progress);
  };
  return search_without_depth(ranks, labels, n_classes, weights, terms, run);
}

// None: stopped before it began.
std::optional<SearchResult> search_by_splits(const ArrayIn<std::int32_t, 2>& ranks,
                                             const ArrayIn<std::int32_t, 1>& labels, int n_classes,
                                             std::optional<ArrayIn<std::int64_t, 1>> weights,
                                             const nb::kwargs& given) {
  const Terms terms(given);
  require(terms.max_splits >= 0 || terms.penalty > 0,
          "neither max_splits nor a penalty limits the tree");
  require(ranks.shape(0) > 0, "there are no columns");
  const auto run = [&](const Problem& data, const Switches& switches, Control& control,
                       SearchProgress& progress) {
    const SplitsRequest request{terms.max_splits, std::max(terms.max_depth, 0), terms.lower_bound,
                                terms.upper_bound};
    return search_splits(data, request, switches, kernels(terms.isa).make_root, control, progress);
  };
  return search_without_depth(ranks, labels, n_classes, weights, terms, run);
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
  bind_kind(
      m, "columns", &pose_columns,
      "Find an optimal tree over rank columns (features x rows); see exactree.engines.search. "
      "Trees of `upper_bound` or more are of no interest; there must be one below it.",
      "ranks"_a.noconvert(), "labels"_a.noconvert(), "n_classes"_a,
      "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(), nb::kw_only(),
      "costs"_a.noconvert() = nb::none());
  m.def(
      "search_sparse", &search_sparse_columns, "ranks"_a.noconvert(), "labels"_a.noconvert(),
      "n_classes"_a, "weights"_a.noconvert() = nb::none(), "terms"_a,
      "Find an optimal tree over binary columns with a penalty and no limit on depth; None if the "
      "weights need more than 31 bits, or the tree is deeper than max_depth.");
  m.def(
      "search_splits", &search_by_splits, "ranks"_a.noconvert(), "labels"_a.noconvert(),
      "n_classes"_a, "weights"_a.noconvert() = nb::none(), "terms"_a,
      "Find an optimal tree over rank columns that only its splits limit: at most so many, or a "
      "penalty for each. If none costs less than upper_bound, the single leaf comes back, and that "
      "as lower bound; trees of max_depth levels are known not to, and none to cost less than "
      "lower_bound. None if a limit came before the search.");
}

}  // namespace exactree
