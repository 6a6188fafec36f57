// What the Python faces of all searches share: reading arguments, running, watching for signals.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "search/driver/search.hpp"

namespace exactree {

namespace nb = nanobind;

template <class T, int Dimensions>
using ArrayIn = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

using PollFunction = nb::typed<nb::callable, void(double, Cost, Cost)>;

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
  Watcher(std::optional<PollFunction> poll, const SearchProgress& progress)
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
  std::optional<PollFunction> poll_;
  const SearchProgress& progress_;
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

// Everything about a search but its data.
struct SearchTerms {
  int max_depth, max_splits, min_rows;
  std::int64_t unit, penalty;
  bool sizes;
  std::int64_t lower_bound;
  int threads;
  std::uint32_t switches;
  std::int64_t upper_bound = kInfinite;
};

// Runs a search without the GIL, watched for signals.
template <class Run>
SearchResult watched(const Run& run, double time_limit, std::int64_t memory_limit,
                     std::optional<PollFunction> poll) {
  SearchProgress progress;
  Watcher watcher(std::move(poll), progress);
  Control control;
  control.time_limit = time_limit;
  control.memory_limit = memory_limit;
  control.signal = [&watcher](double seconds) { return watcher(seconds); };
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
  // Puts the splits of the trees into words that Python knows; none: they are.
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

inline void set_terms(Posed& posed, const SearchTerms& terms) {
  require(terms.max_depth >= 0, "max_depth must not be negative");
  require(terms.min_rows >= 1, "min_rows must be at least 1");
  require(terms.unit >= 1 && terms.penalty >= 0, "unit must be positive, penalty not negative");
  require(terms.unit < kInfinite && terms.penalty < kInfinite, "unit and penalty must fit 60 bits");
  require(!terms.sizes || terms.max_splits >= 0, "sizes needs max_splits");
  posed.data.unit = terms.unit;
  posed.data.penalty = terms.penalty;
  posed.data.min_rows = terms.min_rows;
  SearchRequest& request = posed.request;
  request.max_depth = terms.max_depth;
  request.max_splits = terms.max_splits;
  request.sizes = terms.sizes;
  request.threads = terms.threads;
  request.lower_bound = terms.lower_bound;
  request.upper_bound = terms.upper_bound;
  request.switches.off = terms.switches;
  kernels(posed.isa);  // or refuse it
}

}  // namespace exactree
