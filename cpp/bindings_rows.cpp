// The Python face of what is done to rows before and after a search.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "bindings.hpp"
#include "rows/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

template <class T, int Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>>;

template <class T>
struct Fresh {
  explicit Fresh(std::size_t size) : data(new T[size]) {}
  template <int Dimensions>
  Out<T, Dimensions> give(std::initializer_list<std::size_t> shape) {
    nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out<T, Dimensions>(data.release(), shape, owner);
  }
  std::unique_ptr<T[]> data;
};

void require_rows(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

Out<std::int32_t, 2> rank_columns(const In<double, 2>& values) {
  const std::size_t features = values.shape(0), rows = values.shape(1);
  require_rows(rows < (std::size_t{1} << 31), "more than 2**31 rows");
  Fresh<std::int32_t> ranks(features * rows);
  {
    nb::gil_scoped_release release;
    Ranker ranker(rows);
    for (std::size_t f = 0; f < features; ++f)
      ranker.rank(values.data() + f * rows, ranks.data.get() + f * rows);
  }
  return ranks.give<2>({features, rows});
}

using Sorted = std::tuple<Out<std::int64_t, 1>, Out<std::int32_t, 1>, Out<bool, 1>>;

Sorted sort_rows_of(const In<std::int32_t, 2>& columns, const In<std::int32_t, 1>& labels) {
  const std::size_t rows = labels.size();
  require_rows(rows > 0 && rows < (std::size_t{1} << 31), "there must be 1 to 2**31 rows");
  require_rows(columns.shape(1) == rows, "columns and labels have different numbers of rows");
  Fresh<std::int64_t> order(rows);
  Fresh<std::int32_t> points(rows);
  Fresh<bool> first(rows);
  {
    nb::gil_scoped_release release;
    const RowOrder found = sort_rows(columns.data(), columns.shape(0), rows, labels.data());
    std::copy(found.order.begin(), found.order.end(), order.data.get());
    std::copy(found.points.begin(), found.points.end(), points.data.get());
    std::copy(found.first.begin(), found.first.end(), first.data.get());
  }
  return {order.give<1>({rows}), points.give<1>({rows}), first.give<1>({rows})};
}

using Binary = std::tuple<Out<double, 1>, Out<double, 1>, Out<std::int32_t, 2>, std::ptrdiff_t>;

Binary two_values(const In<double, 2>& table) {
  const std::size_t rows = table.shape(0), features = table.shape(1);
  require_rows(rows > 0, "there are no rows");
  Fresh<double> low(features), high(features);
  Fresh<std::int32_t> ranks(features * rows);
  std::ptrdiff_t guilty = -1;
  {
    nb::gil_scoped_release release;
    guilty = tell_two_values(table.data(), rows, features, low.data.get(), high.data.get(),
                             ranks.data.get());
  }
  return {low.give<1>({features}), high.give<1>({features}), ranks.give<2>({features, rows}),
          guilty};
}

using StridedTable = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

void check_tree(const In<std::int32_t, 1>& feature, const In<double, 1>& threshold,
                const In<std::uint8_t, 1>& missing_left, const In<std::int32_t, 1>& left,
                const In<std::int32_t, 1>& right, std::size_t columns) {
  const std::size_t n = feature.size();
  require_rows(n > 0 && threshold.size() == n && missing_left.size() == n && left.size() == n &&
                   right.size() == n,
               "a tree has one entry a node in every array");
  for (std::size_t i = 0; i < n; ++i) {
    if (feature.data()[i] < 0) continue;
    require_rows(static_cast<std::size_t>(feature.data()[i]) < columns, "there is no such column");
    for (const std::int32_t child : {left.data()[i], right.data()[i]})
      require_rows(child > static_cast<std::int64_t>(i) && static_cast<std::size_t>(child) < n,
                   "children come after their parent");
  }
}

Out<std::int64_t, 1> route_rows(const StridedTable& table, const In<std::int32_t, 1>& feature,
                                const In<double, 1>& threshold,
                                const In<std::uint8_t, 1>& missing_left,
                                const In<std::int32_t, 1>& left, const In<std::int32_t, 1>& right) {
  const std::size_t rows = table.shape(0);
  check_tree(feature, threshold, missing_left, left, right, table.shape(1));
  Fresh<std::int64_t> ends(rows);
  {
    nb::gil_scoped_release release;
    route({feature.data(), threshold.data(), missing_left.data(), left.data(), right.data()},
          table.data(), rows, table.stride(0), table.stride(1), ends.data.get());
  }
  return ends.give<1>({rows});
}

}  // namespace

void bind_rows(nb::module_& m) {
  m.def("rank_columns", &rank_columns, "values"_a.noconvert(),
        "Give the dense rank of every value within its row of a table of finite numbers.");
  m.def("sort_rows", &sort_rows_of, "columns"_a.noconvert(), "labels"_a.noconvert(),
        "Sort rows by ranks (features x rows), then label: order, numbers of the distinct ranks, "
        "and whether ranks or label are new.");
  m.def("two_values", &two_values, "table"_a.noconvert(),
        "Give the lower and the higher value of every column (rows x features), which values are "
        "the higher one (features x rows), and the first column of more than two values or -1.");
  m.def("route_rows", &route_rows, "table"_a.noconvert(), "feature"_a.noconvert(),
        "threshold"_a.noconvert(), "missing_left"_a.noconvert(), "left"_a.noconvert(),
        "right"_a.noconvert(),
        "Give the node, in preorder, that every row ends in; feature -1 marks a leaf.");
}

}  // namespace exactree
