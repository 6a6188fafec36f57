// Rows over columns of two values: those that are equal in all columns and in their label become
// one, with the number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "basics.hpp"
#include "rows.hpp"

namespace checker {

struct MergedRows {
  std::vector<std::vector<char>> bits;  // by column and row
  std::vector<std::size_t> label;       // by row, and so are the next
  std::vector<Cost> weight, size, influence, copies;

  explicit MergedRows(const Rows& rows) : bits(rows.columns) {
    for (const auto& column : rows.ranks)
      for (const int rank : column) demand(rank < 2, "a column has more than two values");
    std::map<std::vector<std::uint64_t>, std::size_t> seen;
    for (std::size_t i = 0; i < rows.n; ++i) {
      std::vector<std::uint64_t> key(rows.columns / 64 + 2, 0);
      key[0] = static_cast<std::uint64_t>(rows.label[i]);
      for (std::size_t f = 0; f < rows.columns; ++f)
        key[1 + f / 64] |= static_cast<std::uint64_t>(rows.ranks[f][i]) << (f % 64);
      const auto [found, fresh] = seen.emplace(std::move(key), label.size());
      if (fresh) add(rows, i);
      const std::size_t r = found->second;
      weight[r] += rows.weight[i];
      size[r] += rows.size[i];
      influence[r] += rows.influence(static_cast<int>(i));
      copies[r] += 1;
    }
  }

 private:
  void add(const Rows& rows, std::size_t i) {
    label.push_back(static_cast<std::size_t>(rows.label[i]));
    for (auto* sums : {&weight, &size, &influence, &copies}) sums->push_back(0);
    for (std::size_t f = 0; f < rows.columns; ++f)
      bits[f].push_back(static_cast<char>(rows.ranks[f][i]));
  }
};

}  // namespace checker
