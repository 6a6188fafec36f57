// The Python face of the search over side masks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bindings_costs.hpp"
#include "bindings_search.hpp"
#include "search/masks/mask_tree.hpp"

using namespace nanobind::literals;

namespace exactree {

namespace {

using Masks = ArrayIn<std::uint64_t, 2>;
using Ranks = ArrayIn<std::int32_t, 2>;
using Points = ArrayIn<std::uint64_t, 3>;
using PointsOfRows = ArrayIn<std::uint32_t, 1>;
using Cells = std::vector<std::pair<Points, PointsOfRows>>;

void check(const Masks& masks, const std::optional<Ranks>& ranks, std::size_t rows) {
  const std::size_t words = (rows + 63) / 64, used = rows % 64;
  require(masks.shape(1) == words, "masks of " + std::to_string(rows) + " rows have " +
                                       std::to_string(words) + " words, not " +
                                       std::to_string(masks.shape(1)));
  for (std::size_t i = 0; used != 0 && i < masks.shape(0); ++i)
    if (masks.data()[i * words + words - 1] >> used != 0)
      require(false, "mask " + std::to_string(i) + " has bits beyond the last row");
  if (ranks) require(ranks->shape(1) == rows, "ranks and labels differ in their rows");
  // Ids of masks and thresholds are 31-bit integers, places in the tree too.
  const std::size_t thresholds = ranks ? ranks->shape(0) * rows : 0;
  require(masks.shape(0) + thresholds < (std::size_t{1} << 30), "more than 2**30 splits");
}

// The arrangements of some points; every row must have its point.
std::vector<std::unique_ptr<Arrangement>> arrange(const Cells& cells, std::size_t rows,
                                                  const std::string& isa) {
  std::vector<std::unique_ptr<Arrangement>> found;
  for (const auto& [points, of_rows] : cells) {
    require(of_rows.size() == rows, "cells and labels differ in their rows");
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      require(of_rows.data()[i] <= next, "points must be numbered in the order of the rows");
      if (of_rows.data()[i] == next) ++next;
    }
    require(next == points.shape(0), "there are points without rows");
    require(points.shape(0) >= points.shape(1) && points.shape(1) > 0 && points.shape(2) > 0,
            "the points cannot span all columns: drop dependent ones");
    found.push_back(kernels(isa).geometry.arrange(
        {points.data(), points.shape(0), points.shape(1), points.shape(2)}));
  }
  return found;
}

// Numbers the splits of the trees as Python knows them: listed masks, columns, then parts.
void translate(const MaskTree& tree, std::size_t listed, SearchResult& result) {
  std::map<int, int> numbers;
  for (SearchAnswer& answer : result.answers)
    for (TreeNode& node : answer.tree) {
      if (node.feature < 0) continue;
      const auto id = static_cast<std::uint32_t>(node.feature);
      node.feature = tree.feature(id);
      if (id < tree.size()) continue;
      const auto [at, fresh] = numbers.emplace(id, static_cast<int>(numbers.size()));
      node.feature = static_cast<int>(listed) + tree.columns() + at->second;
      const std::uint64_t* left = tree.given(id);
      if (fresh) result.parts.push_back({tree.source(id), {left, left + tree.words()}});
    }
}

// What a tree of masks reads.
struct MaskSources {
  std::vector<std::unique_ptr<Arrangement>> arrangements;
  std::unique_ptr<MaskTree> tree;
};

// Adds the splits to a problem that has its rows.
void add_masks(Posed& posed, const Terms& terms, const Masks& masks,
               const std::optional<Ranks>& ranks, const Cells& cells) {
  const auto rows = static_cast<std::size_t>(posed.data.rows);
  check(masks, ranks, rows);
  posed.keep(masks);
  posed.keep(ranks);
  posed.keep(cells);
  const auto made = std::make_shared<MaskSources>();
  made->arrangements = arrange(cells, rows, terms.isa);
  std::vector<MaskCells> sources;
  for (std::size_t i = 0; i < cells.size(); ++i)
    sources.push_back({made->arrangements[i].get(), cells[i].second.data()});
  made->tree = std::make_unique<MaskTree>(
      masks.data(), masks.shape(0), posed.data.rows, ranks ? ranks->data() : nullptr,
      ranks ? static_cast<int>(ranks->shape(0)) : 0, std::move(sources));
  posed.kept.push_back(made);
  posed.data.masks = made->tree.get();
  posed.translate = [tree = made->tree.get(), listed = masks.shape(0)](SearchResult& result) {
    translate(*tree, listed, result);
  };
  set_terms(posed, terms);
}

Posed pose_masks(const Terms& terms, const Masks& masks, const ArrayIn<std::int32_t, 1>& labels,
                 int n_classes, const std::optional<ArrayIn<std::int64_t, 1>>& weights,
                 const std::optional<ArrayIn<std::int32_t, 1>>& counts,
                 const std::optional<Ranks>& ranks, const Cells& cells) {
  Posed posed;
  posed.data = rows_of(labels.size(), labels, n_classes, weights, counts);
  posed.keep(labels);
  posed.keep(weights);
  posed.keep(counts);
  add_masks(posed, terms, masks, ranks, cells);
  return posed;
}

Posed pose_mask_costs(const Terms& terms, const Masks& masks, const ArrayIn<std::int64_t, 2>& costs,
                      const std::optional<ArrayIn<std::int32_t, 1>>& counts,
                      const std::optional<Ranks>& ranks, const Cells& cells) {
  Posed posed;
  posed.data = priced_rows(costs.shape(0), costs, counts);
  posed.keep(costs);
  posed.keep(counts);
  add_masks(posed, terms, masks, ranks, cells);
  return posed;
}

}  // namespace

void bind_masks(nb::module_& m) {
  bind_kind(
      m, "masks", &pose_masks,
      "Find an optimal tree over side masks (masks x words, row i is bit i % 64 of word i // 64)."
      "\n\nA node's split is mask number `feature`, with low = high = 0: the rows in the mask go "
      "left. With `ranks` (columns x rows) the thresholds of these columns are splits too, with "
      "`feature` = number of masks + column: ranks <= low go left, and high is the lowest rank on "
      "the right among the rows of the node.\n\nWith `cells`, pairs of points as for `dichotomies` "
      "and of the point of every row (numbered in the order of the rows), the partitions of "
      "`dichotomies` are splits too, without being listed. Those in the trees are `parts`, with "
      "the "
      "number of their pair and the rows that go left; `feature` = number of masks + columns + "
      "place in `parts`.\n\nWith `upper_bound`, the cost of a tree that is known, only trees below "
      "it are looked for; if there is none, the single leaf comes back with it as lower bound.",
      "masks"_a.noconvert(), "labels"_a.noconvert(), "n_classes"_a,
      "weights"_a.noconvert() = nb::none(), "counts"_a.noconvert() = nb::none(), nb::kw_only(),
      "ranks"_a.noconvert() = nb::none(), "cells"_a = nb::list());
  bind_kind(m, "mask_costs", &pose_mask_costs,
            "Find a tree of least cost over side masks, given as for `search_masks`, with costs of "
            "rows as for `search_costs`.",
            "masks"_a.noconvert(), "costs"_a.noconvert(), "counts"_a.noconvert() = nb::none(),
            nb::kw_only(), "ranks"_a.noconvert() = nb::none(), "cells"_a = nb::list());
}

}  // namespace exactree
