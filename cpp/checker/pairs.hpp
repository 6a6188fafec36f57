// The bound that a plan shows over columns of two values. The rules are those of
// src/exactree/proof/checking_binary.py, where the proofs are, and of docs/certificates.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "plan.hpp"

namespace checker {

// T holds all sums: 32 bits where they are enough. Below, a column is 1 where it has the rarer one
// of its two values, which makes no difference to a bound; the plan means the values themselves.
template <class T>
class PairChecker {
 public:
  PairChecker(const Rows& rows, Plan& plan, std::int64_t work)
      : rows_(rows), plan_(plan), work_(work), m_(rows.columns), limited_(rows.least > 1) {
    signed_ = rows.costs.empty() && rows.classes == 2 && !limited_;
    kinds_ = signed_ ? 1 : rows.classes + (limited_ ? 1 : 0);
    stride_ = (m_ + 15) / 16 * 16;
    demand(kinds_ * m_ * stride_ < std::size_t{1} << 28, "too large for this checker");
    ones_.resize(rows.n);
    values_.assign(rows.n * stride_, 0);
    if (limited_) sizes_.assign(rows.n * stride_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      std::size_t many = 0;
      for (const int rank : rows.ranks[f]) {
        demand(rank < 2, "a column has more than two values");
        many += rank == 1 ? 1 : 0;
      }
      common_.push_back(2 * many > rows.n ? 1 : 0);
      for (std::size_t i = 0; i < rows.n; ++i) {
        if (rows.ranks[f][i] == common_[f]) continue;
        ones_[i].push_back(f);
        values_[i * stride_ + f] = amount(i);
        if (limited_) sizes_[i * stride_ + f] = static_cast<T>(rows.size[i]);
      }
    }
    for (std::size_t i = 0; i < rows.n; ++i)
      influence_.push_back(rows.influence(static_cast<int>(i)));
    for (std::size_t l = 0; l < rows.classes; ++l) {
      worst_.push_back(rows.costs.empty() ? 1 : 0);
      for (std::size_t a = 0; !rows.costs.empty() && a < rows.classes; ++a)
        worst_[l] = std::max(worst_[l], rows.cost(l, a));
    }
  }

  std::vector<Cost> root(std::int64_t depth, std::int64_t splits) {
    std::vector<int> every(rows_.n);
    std::iota(every.begin(), every.end(), 0);
    const Bound found = claim(every, count(every), depth, splits);
    demand(plan_.at_end(), "something follows the plan");
    return found.of[limited_ ? 1 : 0];
  }

 private:
  // Sums over some rows where two columns are 1, by kind; of one column, and of all rows.
  struct Table {
    std::vector<T> pairs, total;
    std::vector<Cost> weight;  // by column: w where it is 1
    Cost all = 0;
  };
  struct Side {
    std::size_t column;
    int side;
    Bound bound;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int variants() const { return limited_ ? 2 : 1; }
  T* cells(Table& table, std::size_t kind, std::size_t i) const {
    return &table.pairs[(kind * m_ + i) * stride_];
  }
  const T* cells(const Table& table, std::size_t kind, std::size_t i) const {
    return &table.pairs[(kind * m_ + i) * stride_];
  }

  Table count(const std::vector<int>& inside) const {
    Table out;
    out.pairs.assign(kinds_ * m_ * stride_, 0);
    out.total.assign(kinds_, 0);
    out.weight.assign(m_, 0);
    for (const int row : inside) {
      const std::size_t r = at(row), label = at(rows_.label[r]);
      add(out, r, signed_ ? 0 : label, amount(r), values_);
      if (limited_) add(out, r, kinds_ - 1, static_cast<T>(rows_.size[r]), sizes_);
      for (const std::size_t i : ones_[r]) out.weight[i] += influence_[r];
      out.all += influence_[r];
    }
    return out;
  }
  // What a row adds up to: its weight, of two classes with a sign.
  T amount(std::size_t row) const {
    const auto w = static_cast<T>(rows_.weight[row]);
    return signed_ && rows_.label[row] == 0 ? -w : w;
  }
  void add(Table& out, std::size_t row, std::size_t kind, T all, const std::vector<T>& from) const {
    const T* values = &from[row * stride_];
    out.total[kind] += all;
    for (const std::size_t i : ones_[row]) {
      T* to = cells(out, kind, i);
      for (std::size_t j = 0; j < stride_; ++j) to[j] += values[j];
    }
  }
  Table rest(const Table& whole, const Table& part) const {
    Table out = whole;
    for (std::size_t k = 0; k < out.pairs.size(); ++k) out.pairs[k] -= part.pairs[k];
    for (std::size_t k = 0; k < kinds_; ++k) out.total[k] -= part.total[k];
    for (std::size_t i = 0; i < m_; ++i) out.weight[i] -= part.weight[i];
    out.all -= part.all;
    return out;
  }

  // Half: w - 2 leaf.
  Cost excess(const std::vector<T>& sums) const {
    if (signed_) return std::abs(static_cast<Cost>(sums[0]));
    std::vector<Cost> weights(sums.begin(),
                              sums.begin() + static_cast<std::ptrdiff_t>(rows_.classes));
    Cost all = 0;
    for (std::size_t l = 0; l < rows_.classes; ++l) all += worst_[l] * weights[l];
    return all - 2 * rows_.leaf(weights.data());
  }

  Bound claim(const std::vector<int>& inside, const Table& table, std::int64_t depth,
              std::int64_t splits) {
    const auto columns = static_cast<std::int64_t>(m_);
    const auto looked = static_cast<std::int64_t>(inside.size() + rows_.classes);
    demand(looked < kTotal / columns / columns, "too large for this checker");
    work_ -= looked * columns * columns;
    demand(work_ >= 0, "the plan takes more work than the certificate says");
    const Cost leaf = (table.all - excess(table.total)) / 2;
    const std::size_t many = budgets(depth, splits);
    demand(many <= 1 << 16, "too many numbers of splits");
    depth = useful_depth(rows_, inside.size(), leaf, depth, splits);
    Bound inner, out;
    for (int v = 0; v < variants(); ++v) inner.of[v].assign(budgets(depth, splits), leaf);
    if (depth > 2)
      cover(inside, table, depth, splits, inner);
    else if (depth > 0)
      pairs(table, static_cast<std::size_t>(depth), inner);
    for (int v = 0; v < variants(); ++v)
      for (std::size_t k = 0; k < many; ++k)
        out.of[v].push_back(inner.of[v][std::min(k, inner.of[v].size() - 1)]);
    return out;
  }

  // What a column has on its smaller side; without a limit, whether it parts the rows.
  bool parts(const Table& table, std::size_t g, int v) const {
    Cost one = 0, all = 0;
    for (std::size_t k = limited_ ? kinds_ - 1 : 0; k < kinds_ && !signed_; ++k) {
      one += cells(table, k, g)[g];
      all += table.total[k];
    }
    if (signed_) one = table.weight[g], all = table.all;
    return std::min(one, all - one) >= (v == 1 ? rows_.least : 1);
  }

  // Pairs: all trees of one or two levels.
  void pairs(const Table& table, std::size_t depth, Bound& out) const {
    std::vector<T> one(kinds_ * stride_, 0), whole(kinds_);
    for (std::size_t k = 0; k < kinds_; ++k)
      for (std::size_t i = 0; i < m_; ++i) one[k * stride_ + i] = cells(table, k, i)[i];
    for (std::size_t i = 0; i < m_; ++i) {
      if (!parts(table, i, 0)) continue;
      Cost side[2][2][2];  // by side, variant, and at most no or one split
      for (int s = 0; s < 2; ++s) {
        for (std::size_t k = 0; k < kinds_; ++k) {
          whole[k] = one[k * stride_ + i];
          if (s == 0) whole[k] = table.total[k] - whole[k];
        }
        const Cost weight = s == 1 ? table.weight[i] : table.all - table.weight[i];
        const Cost leaf = (weight - excess(whole)) / 2;
        Cost most[2] = {-kInfinite, -kInfinite};
        if (depth == 2 && leaf > rows_.penalty) {
          if (signed_)
            most[0] = furthest(cells(table, 0, i), one.data(), whole[0], s);
          else
            furthest(table, i, s, one, whole, most);
        }
        for (int v = 0; v < 2; ++v) {
          side[s][v][0] = leaf;
          side[s][v][1] =
              most[v] == -kInfinite ? leaf : std::min(leaf, (weight - most[v]) / 2 + rows_.penalty);
        }
      }
      for (int v = 0; v < variants(); ++v)
        if (parts(table, i, v)) join(side[0][v], side[1][v], depth, rows_.penalty, out.of[v]);
    }
  }
  // The most that the excesses of two leaves are together, on one side of a column.
  Cost furthest(const T* both, const T* one, T whole, int s) const {
    T most = 0;
    for (std::size_t j = 0; j < stride_; ++j) {
      const T part = s == 1 ? both[j] : one[j] - both[j], other = whole - part;
      most = std::max(most, (part < 0 ? -part : part) + (other < 0 ? -other : other));
    }
    return most;
  }
  void furthest(const Table& table, std::size_t i, int s, const std::vector<T>& one,
                const std::vector<T>& whole, Cost most[2]) const {
    std::vector<T> part(kinds_), other(kinds_);
    for (std::size_t j = 0; j < m_; ++j) {
      for (std::size_t k = 0; k < kinds_; ++k) {
        const T both = cells(table, k, i)[j];
        part[k] = s == 1 ? both : one[k * stride_ + j] - both;
        other[k] = whole[k] - part[k];
      }
      const Cost found = excess(part) + excess(other);
      most[0] = std::max(most[0], found);
      if (limited_ && std::min(part.back(), other.back()) >= rows_.least)
        most[1] = std::max(most[1], found);
    }
  }

  // Cover: bounds of the sides that the plan names, and by Mono of all.
  void cover(const std::vector<int>& inside, const Table& table, std::int64_t depth,
             std::int64_t splits, Bound& out) {
    const std::int64_t below = splits < 0 ? -1 : splits - 1;
    const std::size_t fewer = budgets(depth - 1, below);
    const std::uint64_t count_of = plan_.number();
    demand(count_of <= m_, "the plan has too many columns");
    std::vector<std::pair<std::size_t, unsigned>> listed;
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < count_of; ++i) {
      const std::uint64_t code = plan_.number(), step = code >> 2;
      demand(step > 0 && step <= m_ - next, "the plan has columns that are not in order");
      next += step;
      listed.emplace_back(static_cast<std::size_t>(next - 1), static_cast<unsigned>(code & 3));
    }
    std::vector<Side> known;
    for (const auto& [g, used] : listed) {
      std::vector<int> rows[2];
      for (const int row : inside) rows[rows_.ranks[g][at(row)]].push_back(row);
      demand(!rows[0].empty() && !rows[1].empty(), "the plan has a column that parts nothing");
      const int smaller = rows[0].size() < rows[1].size() ? 0 : 1;
      Table tables[2];
      tables[smaller] = count(rows[smaller]);
      tables[1 - smaller] = rest(table, tables[smaller]);
      for (int s = 0; s < 2; ++s)
        if ((used >> s & 1) != 0)
          known.push_back({g, s, claim(rows[s], tables[s], depth - 1, below)});
    }
    carry(inside, table, known, fewer, out);
  }

  void carry(const std::vector<int>& inside, const Table& table, const std::vector<Side>& known,
             std::size_t fewer, Bound& out) const {
    // By column, side, variant and number of splits.
    std::vector<Cost> bounds(m_ * 4 * fewer, 0);
    const auto place = [&](std::size_t g, int t, int v) {
      return &bounds[((g * 2 + at(t)) * 2 + at(v)) * fewer];
    };
    std::vector<Cost> lost[2];
    std::vector<std::size_t> within;
    for (const Side& side : known) {
      for (auto& of : lost) of.assign(m_, 0);
      std::size_t here = 0;
      within.assign(m_, 0);  // rows here and there 1
      Cost all = 0;
      for (const int row : inside) {
        if (rows_.ranks[side.column][at(row)] != side.side) continue;
        ++here;
        all += influence_[at(row)];
        for (const std::size_t g : ones_[at(row)]) {
          lost[0][g] += influence_[at(row)];
          ++within[g];
        }
      }
      for (std::size_t g = 0; g < m_; ++g) {
        lost[1][g] = all - lost[0][g];
        for (int t = 0; t < 2; ++t) {
          Cost* free = place(g, t, 0);
          for (std::size_t k = 0; k < fewer; ++k)
            free[k] = std::max(free[k], side.bound.of[0][k] - lost[t][g]);
          if (!limited_ || beyond(inside, g, t, t == 1 ? within[g] : here - within[g])) continue;
          Cost* bound = place(g, t, 1);
          for (std::size_t k = 0; k < fewer; ++k)
            bound[k] = std::max(bound[k], side.bound.of[1][k] - lost[t][g]);
        }
      }
    }
    for (std::size_t g = 0; g < m_; ++g)
      for (int v = 0; v < variants(); ++v) {
        if (!parts(table, g, v)) continue;
        for (int t = 0; t < 2; ++t)
          for (std::size_t k = 0; k < fewer && v == 1; ++k)
            place(g, t, 1)[k] = std::max(place(g, t, 1)[k], place(g, t, 0)[k]);
        join(place(g, 0, v), place(g, 1, v), fewer, rows_.penalty, out.of[v]);
      }
  }
  // Whether a side of a column has more rows than those.
  bool beyond(const std::vector<int>& inside, std::size_t g, int t, std::size_t shared) const {
    std::size_t size = 0;
    for (const int row : inside)
      size += (rows_.ranks[g][at(row)] != common_[g]) == (t == 1) ? 1 : 0;
    return size > shared;
  }

  const Rows& rows_;
  Plan& plan_;
  std::int64_t work_;
  std::size_t m_, kinds_ = 0, stride_ = 0;
  bool limited_, signed_ = false;
  std::vector<int> common_;                     // by column: its more frequent value
  std::vector<std::vector<std::size_t>> ones_;  // by row: the columns that are 1
  std::vector<T> values_, sizes_;               // by row and column, where it is 1
  std::vector<Cost> influence_, worst_;         // of rows; of a unit of weight, by label
};

}  // namespace checker
