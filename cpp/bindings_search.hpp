// What the Python faces of all searches share: reading arguments, running, watching for signals.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "search/driver/search.hpp"
#include "search/targets/squares.hpp"

namespace exactree {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int Dimensions>
using ArrayIn = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

// Seconds, objective and bound; then the open pieces, -1 if nobody counts them, and the nodes.
using PollFunction = nb::typed<nb::callable, void(double, Cost, Cost, std::int64_t, std::int64_t)>;

inline void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

template <class T>
void require_length(const ArrayIn<T, 1>& array, std::size_t rows, const char* name) {
  require(array.size() == rows, std::string(name) + " has " + std::to_string(array.size()) +
                                    " entries, but there are " + std::to_string(rows) + " rows");
}

// Calls back into Python from the search: signals, and the user's own function. Ctrl-C stops the
// search, which then reports it; any other exception of the function is raised afterwards.
class Watcher {
 public:
  Watcher(std::optional<PollFunction> poll, const SearchProgress& progress, Control& control)
      : poll_(std::move(poll)), progress_(progress), control_(control) {
    control.signal = [this](double seconds) { return (*this)(seconds); };
  }

  bool operator()(double seconds) {
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (poll_)
        (*poll_)(seconds, progress_.objective.load(), progress_.lower_bound.load(),
                 control_.open_pieces(), control_.nodes());
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
  std::optional<PollFunction> poll_;
  const SearchProgress& progress_;
  const Control& control_;
  std::exception_ptr failure_;
};

// The rows of a problem, without its splits.
inline Problem rows_of(std::size_t rows, const ArrayIn<std::int32_t, 1>& labels, int classes,
                       const std::optional<ArrayIn<std::int64_t, 1>>& weights,
                       const std::optional<ArrayIn<std::int32_t, 1>>& counts) {
  Problem data;
  require(rows > 0, "there are no rows");
  require(rows < (std::size_t{1} << 30), "more than 2**30 rows");
  require(classes > 0, "n_classes must be positive");
  require_length(labels, rows, "labels");
  if (weights) require_length(*weights, rows, "weights");
  if (counts) require_length(*counts, rows, "counts");
  require(!counts || weights, "counts need weights");
  data.rows = static_cast<int>(rows);
  data.classes = classes;
  data.labels = labels.data();
  data.weights = weights ? weights->data() : nullptr;
  data.counts = counts ? counts->data() : nullptr;
  const auto [low, high] = std::minmax_element(labels.data(), labels.data() + rows);
  require(*low >= 0 && *high < classes, "a label is out of range");
  return data;
}

// Floors are 16 bits each: what one of their units is worth if the single leaf costs `all`.
inline Cost unit_of_floors(Wide all) {
  return static_cast<Cost>(all) / std::numeric_limits<std::uint16_t>::max() + 1;
}

// A tree as plain lists, a node each.
using TreeRows = std::vector<std::vector<int>>;

inline TreeRows rows_of_tree(const Tree& tree) {
  TreeRows out;
  for (const TreeNode& node : tree)
    out.push_back({node.feature, node.low, node.high, node.left, node.right, node.label});
  return out;
}

// In preorder, as the search writes it: the left child is the next node.
inline Tree tree_from(const TreeRows& rows) {
  Tree tree;
  const int size = static_cast<int>(rows.size());
  for (int i = 0; i < size; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    require(row.size() == 6, "a node of a tree has six numbers");
    tree.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    const TreeNode& node = tree.back();
    require(node.feature < 0 || (node.left == i + 1 && node.right > node.left && node.right < size),
            "the nodes of a tree are not in order");
  }
  return tree;
}

// Everything about a search but its data: the keywords that all kinds of search have in common.
struct Terms {
  int max_depth = -1, max_splits = -1, min_rows = 1;
  std::int64_t unit = 1, penalty = 0;
  bool sizes = false;
  std::int64_t lower_bound = 0, upper_bound = kInfinite;
  TreeRows start;
  bool prove = true;
  int threads = 1;
  std::uint32_t switches = 0;
  std::string isa = "auto";
  // Limits, which say nothing of the problem.
  double time_limit = std::numeric_limits<double>::infinity();
  std::int64_t memory_limit = 0;
  std::optional<PollFunction> poll;

  explicit Terms(const nb::kwargs& given) {
    for (const auto& [key, value] : given) read(nb::cast<std::string>(key), value);
    require(min_rows >= 1, "min_rows must be at least 1");
    require(unit >= 1 && penalty >= 0, "unit must be positive, penalty not negative");
    require(unit < kInfinite && penalty < kInfinite, "unit and penalty must fit 60 bits");
    require(!sizes || max_splits >= 0, "sizes needs max_splits");
    kernels(isa);  // or refuse it
  }

 private:
  void read(const std::string& name, nb::handle value) {
    const bool known =
        set(name, value, "max_depth", max_depth) || set(name, value, "max_splits", max_splits) ||
        set(name, value, "min_rows", min_rows) || set(name, value, "unit", unit) ||
        set(name, value, "penalty", penalty) || set(name, value, "sizes", sizes) ||
        set(name, value, "lower_bound", lower_bound) ||
        set(name, value, "upper_bound", upper_bound) || set(name, value, "start", start) ||
        set(name, value, "prove", prove) || set(name, value, "threads", threads) ||
        set(name, value, "switches", switches) || set(name, value, "isa", isa) ||
        set(name, value, "time_limit", time_limit) ||
        set(name, value, "memory_limit", memory_limit) || set(name, value, "poll", poll);
    if (!known) throw nb::type_error(("there is no term " + name).c_str());
  }
  template <class T>
  static bool set(const std::string& name, nb::handle value, const char* of, T& term) {
    if (name != of) return false;
    if (!nb::try_cast(value, term)) throw nb::type_error((name + " is of the wrong type").c_str());
    return true;
  }
};

// Runs a search without the GIL, watched for signals.
template <class Run>
SearchResult watched(const Run& run, double time_limit, std::int64_t memory_limit,
                     std::optional<PollFunction> poll) {
  SearchProgress progress;
  Control control;
  Watcher watcher(std::move(poll), progress, control);
  control.time_limit = time_limit;
  control.memory_limit = memory_limit;
  SearchResult result;
  {
    nb::gil_scoped_release release;
    result = run(control, progress);
  }
  watcher.raise();
  return result;
}

// A search as Python put it: with all that it reads, and ready to be run here or elsewhere.
struct Posed {
  Problem data;
  SearchRequest request;
  std::string isa;
  std::vector<std::shared_ptr<const void>> kept;  // the arrays
  // Renumbers the splits of the trees as Python knows them; empty where they are so already.
  std::function<void(SearchResult&)> translate = {};

  template <class T>
  void keep(const T& array) {
    kept.push_back(std::make_shared<const T>(array));
  }
  SearchResult run(double time_limit, std::int64_t memory_limit,
                   std::optional<PollFunction> poll) const {
    const MakeRoot make_root = kernels(isa).make_root;
    SearchResult result = watched(
        [&](Control& control, SearchProgress& progress) {
          return search(data, request, make_root, control, progress);
        },
        time_limit, memory_limit, std::move(poll));
    if (translate) translate(result);
    return result;
  }
};

inline void set_terms(Posed& posed, const Terms& terms) {
  require(terms.max_depth >= 0, "max_depth is missing or negative");
  posed.isa = terms.isa;
  posed.data.unit = terms.unit;
  posed.data.penalty = terms.penalty;
  posed.data.least_side.least = terms.min_rows;
  SearchRequest& request = posed.request;
  request.max_depth = terms.max_depth;
  request.max_splits = terms.max_splits;
  request.sizes = terms.sizes;
  request.threads = terms.threads;
  request.lower_bound = terms.lower_bound;
  request.upper_bound = terms.upper_bound;
  request.start = tree_from(terms.start);
  for (const TreeNode& node : request.start)
    require(node.feature < posed.data.features, "a column of the start is out of range");
  request.prove = terms.prove;
  request.switches.off = terms.switches;
}

// Defines pose_<kind>, which puts a search together, and search_<kind>, which runs it at once.
// `pose` takes the terms and then the data; reading the data counts as time of the search.
template <class... Data, class... Extra>
void bind_kind(nb::module_& m, const std::string& kind, Posed (*pose)(const Terms&, Data...),
               const char* about, const Extra&... extra) {
  m.def(("pose_" + kind).c_str(),
        [pose](Data... data, const nb::kwargs& terms) { return pose(Terms(terms), data...); },
        extra..., "terms"_a, ("Pose the search of `search_" + kind + "`.").c_str());
  m.def(("search_" + kind).c_str(),
        [pose](Data... data, const nb::kwargs& given) {
          const auto start = std::chrono::steady_clock::now();
          const Terms terms(given);
          const Posed posed = pose(terms, data...);
          const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
          return posed.run(std::max(0.0, terms.time_limit - reading.count()), terms.memory_limit,
                           terms.poll);
        },
        extra..., "terms"_a, about);
}

}  // namespace exactree
