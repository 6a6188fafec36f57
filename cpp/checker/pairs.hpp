// The bound that a plan shows over columns of two values. The rules are those of
// src/exactree/proof/checking_binary.py, where the proofs are, and of docs/certificates.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "merged.hpp"
#include "plan.hpp"

namespace checker {

// The columns of some rows: of those that part them in the same way, whichever side is 1, one. A
// column is 1 where it has the rarer one of its two values, which makes no difference to a bound.
// T holds all sums: 16 or 32 bits where they are enough.
template <class T>
struct Columns {
  std::size_t n = 0, m = 0, stride = 0;
  std::vector<std::vector<std::uint32_t>> ones;  // by row: the columns that are 1
  std::vector<T> values, weights, sizes;         // by row and column, 0 where it is 0
  std::vector<std::size_t> kind;                 // by row
  std::vector<T> amount, weight, size;           // by row
};

template <class T>
class PairChecker {
 public:
  PairChecker(const Rows& rows, Plan& plan, std::int64_t work)
      : rows_(rows), merged_(rows), plan_(plan), work_(work), limited_(rows.least > 1) {
    signed_ = rows.costs.empty() && rows.classes == 2 && !limited_;
    kinds_ = signed_ ? 1 : rows.classes + (limited_ ? 1 : 0);
    demand(kinds_ * rows.columns * (rows.columns + 16) < std::size_t{1} << 28,
           "too large for this checker");
    for (std::size_t l = 0; l < rows.classes; ++l) worst_.push_back(rows.worst(l));
  }

  std::vector<Cost> root(std::int64_t depth, std::int64_t splits) {
    std::vector<int> every(merged_.label.size());
    std::iota(every.begin(), every.end(), 0);
    const Bound found = claim(every, depth, splits);
    demand(plan_.at_end(), "something follows the plan");
    return found.of[limited_ ? 1 : 0];
  }

 private:
  // 16 bytes of sums, which GCC and Clang add at once. In memory they are anywhere.
  typedef T Register __attribute__((vector_size(16)));
  static constexpr std::size_t kWide = 4 * sizeof(Register) / sizeof(T);

  using Local = std::vector<std::uint32_t>;  // rows by their place in Columns
  // What some rows weigh and count: by column where it is 1, and together.
  struct Sums {
    std::vector<T> weight, size;
    Cost all = 0, count = 0;
  };
  // And sums where two columns are 1, by kind; and of all rows.
  struct Table : Sums {
    std::vector<T> pairs, total;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int variants() const { return limited_ ? 2 : 1; }

  Columns<T> columns_of(const std::vector<int>& inside) const {
    Columns<T> out;
    out.n = inside.size();
    std::vector<std::pair<std::size_t, bool>> chosen;  // columns, and whether 0 is the rarer value
    std::unordered_set<std::string> seen;
    std::string way(out.n, 0);  // by row: 1 if the column is unlike that of the first row
    for (std::size_t f = 0; f < rows_.columns; ++f) {
      const std::vector<char>& bits = merged_.bits[f];
      const char first = bits[at(inside[0])];
      for (std::size_t r = 0; r < out.n; ++r)
        way[r] = static_cast<char>(bits[at(inside[r])] ^ first);
      const auto others = static_cast<std::size_t>(std::count(way.begin(), way.end(), 1));
      if (others == 0 || !seen.insert(way).second) continue;
      const bool first_is_rare = 2 * others > out.n;
      chosen.emplace_back(f, (first == 0) == first_is_rare);
    }
    out.m = chosen.size();
    out.stride = (out.m + kWide - 1) / kWide * kWide;
    out.ones.resize(out.n);
    out.values.assign(out.n * out.stride, 0);
    out.weights = out.values;
    if (!signed_) out.sizes = out.values;
    for (std::size_t r = 0; r < out.n; ++r) fill(out, r, at(inside[r]), chosen);
    return out;
  }
  void fill(Columns<T>& out, std::size_t r, std::size_t row,
            const std::vector<std::pair<std::size_t, bool>>& chosen) const {
    const auto w = static_cast<T>(merged_.weight[row]);
    out.kind.push_back(signed_ ? 0 : merged_.label[row]);
    out.amount.push_back(signed_ && merged_.label[row] == 0 ? static_cast<T>(-w) : w);
    out.weight.push_back(static_cast<T>(merged_.influence[row]));
    out.size.push_back(static_cast<T>(merged_.size[row]));
    for (std::size_t g = 0; g < out.m; ++g) {
      if ((merged_.bits[chosen[g].first][row] == 0) != chosen[g].second) continue;
      out.ones[r].push_back(static_cast<std::uint32_t>(g));
      out.values[r * out.stride + g] = out.amount[r];
      out.weights[r * out.stride + g] = out.weight[r];
      if (!signed_) out.sizes[r * out.stride + g] = out.size[r];
    }
  }

  static void add_to(T& to, T more) { to = static_cast<T>(to + more); }
  // Sums by column of some rows.
  static std::vector<T> sums(const Columns<T>& c, const std::vector<T>& of, const Local& rows) {
    std::vector<T> out(c.stride, 0);
    for (const std::uint32_t r : rows)
      for (std::size_t j = 0; j < c.stride; ++j) add_to(out[j], of[r * c.stride + j]);
    return out;
  }
  void count(const Columns<T>& c, const Local& rows, Table& out) {
    out.pairs.resize(kinds_ * c.m * c.stride);
    out.total.assign(kinds_, 0);
    for (const std::uint32_t r : rows) {
      add_to(out.total[c.kind[r]], c.amount[r]);
      if (limited_) add_to(out.total[kinds_ - 1], c.size[r]);
    }
    for (std::size_t k = 0; k < rows_.classes && k < kinds_; ++k) add_up(out, c, rows, k, c.values);
    if (limited_) add_up(out, c, rows, kinds_ - 1, c.sizes);
    weigh(out, c, rows);
  }
  // The pairs of one kind. Where a column is 1 the lines of its rows are added up, four registers
  // of sums at a time.
  void add_up(Table& out, const Columns<T>& c, const Local& rows, std::size_t kind,
              const std::vector<T>& from) {
    lines_.resize(std::max(lines_.size(), c.m * rows.size()));
    many_.assign(c.m, 0);
    for (const std::uint32_t r : rows) {
      if (&from == &c.values && c.kind[r] != kind) continue;
      for (const std::uint32_t i : c.ones[r])
        lines_[i * rows.size() + many_[i]++] = &from[r * c.stride];
    }
    for (std::size_t i = 0; i < c.m; ++i)
      for (std::size_t j = 0; j < c.stride; j += kWide)
        add_lines(&lines_[i * rows.size()], many_[i], j,
                  &out.pairs[(kind * c.m + i) * c.stride + j]);
  }
  static void add_lines(const T* const* lines, std::size_t many, std::size_t j, T* out) {
    Register sums[4] = {};
    for (std::size_t i = 0; i < many; ++i) {
      Register line[4];
      std::memcpy(line, lines[i] + j, sizeof line);
      for (int k = 0; k < 4; ++k) sums[k] += line[k];
    }
    std::memcpy(out, sums, sizeof sums);
  }
  // With two classes and no limit sizes matter only as far as there are rows: weights will do.
  void weigh(Sums& out, const Columns<T>& c, const Local& rows) const {
    out.all = out.count = 0;
    for (const std::uint32_t r : rows) {
      out.all += c.weight[r];
      out.count += signed_ ? c.weight[r] : c.size[r];
    }
    out.weight = sums(c, c.weights, rows);
    out.size = signed_ ? out.weight : sums(c, c.sizes, rows);
  }
  static void less(const std::vector<T>& from, const std::vector<T>& part, std::vector<T>& out) {
    out.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) out[k] = static_cast<T>(from[k] - part[k]);
  }
  static void rest(const Table& whole, const Table& part, Table& out) {
    less(whole.pairs, part.pairs, out.pairs);
    less(whole.total, part.total, out.total);
    less(whole.weight, part.weight, out.weight);
    less(whole.size, part.size, out.size);
    out.all = whole.all - part.all;
    out.count = whole.count - part.count;
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

  void spend(Cost n) {
    const auto columns = static_cast<std::int64_t>(rows_.columns);
    const auto looked = n + static_cast<std::int64_t>(rows_.classes);
    demand(looked < kTotal / columns / columns, "too large for this checker");
    work_ -= looked * columns * columns;
    demand(work_ >= 0, "the plan takes more work than the certificate says");
  }

  Bound claim(const std::vector<int>& inside, std::int64_t depth, std::int64_t splits) {
    Cost all = 0, n = 0;
    std::vector<T> total(kinds_, 0);
    for (const int row : inside) {
      const auto w = static_cast<T>(merged_.weight[at(row)]);
      const bool minus = signed_ && merged_.label[at(row)] == 0;
      add_to(total[signed_ ? 0 : merged_.label[at(row)]], minus ? static_cast<T>(-w) : w);
      all += merged_.influence[at(row)];
      n += merged_.copies[at(row)];
    }
    spend(n);
    const Cost leaf = (all - excess(total)) / 2;
    const std::size_t many = budgets(depth, splits);
    demand(many <= 1 << 16, "too many numbers of splits");
    depth = useful_depth(rows_, static_cast<std::size_t>(n), leaf, depth, splits);
    Bound inner, out;
    for (int v = 0; v < variants(); ++v) inner.of[v].assign(budgets(depth, splits), leaf);
    if (depth > 0) {
      const Columns<T> c = columns_of(inside);
      if (depth < 3) {
        count(c, every(c), whole_);
        pairs(c, whole_, static_cast<std::size_t>(depth), inner);
      } else {
        cover(inside, c, depth, splits, inner);
      }
    }
    for (int v = 0; v < variants(); ++v)
      for (std::size_t k = 0; k < many; ++k)
        out.of[v].push_back(inner.of[v][std::min(k, inner.of[v].size() - 1)]);
    return out;
  }
  static Local every(const Columns<T>& c) {
    Local out(c.n);
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }

  // Whether a column has enough on both sides; without a limit, whether it parts the rows.
  bool parts(const Sums& table, std::size_t g, int v) const {
    const Cost one = table.size[g];
    return std::min(one, table.count - one) >= (v == 1 ? rows_.least : 1);
  }

  // Pairs: all trees of one or two levels.
  void pairs(const Columns<T>& c, const Table& table, std::size_t depth, Bound& out) const {
    std::vector<T> one(kinds_ * c.stride, 0), whole(kinds_);
    for (std::size_t k = 0; k < kinds_; ++k)
      for (std::size_t i = 0; i < c.m; ++i)
        one[k * c.stride + i] = table.pairs[(k * c.m + i) * c.stride + i];
    for (std::size_t i = 0; i < c.m; ++i) {
      if (!parts(table, i, 0)) continue;
      Cost side[2][2][2];  // by side, variant, and at most no or one split
      for (int s = 0; s < 2; ++s) {
        for (std::size_t k = 0; k < kinds_; ++k) {
          whole[k] = one[k * c.stride + i];
          if (s == 0) whole[k] = static_cast<T>(table.total[k] - whole[k]);
        }
        const Cost weight = s == 1 ? table.weight[i] : table.all - table.weight[i];
        const Cost leaf = (weight - excess(whole)) / 2;
        Cost most[2] = {-kInfinite, -kInfinite};
        if (depth == 2 && leaf > rows_.penalty) {
          if (signed_)
            most[0] = furthest(&table.pairs[i * c.stride], one.data(), c.stride, whole[0], s);
          else
            furthest(c, table, i, s, one, whole, most);
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
  // The most that the excesses of two leaves are together, on one side of a column. Half: of all
  // parts of the whole the largest and the least are enough.
  static Cost furthest(const T* both, const T* one, std::size_t stride, T whole, int s) {
    T high = 0, low = 0;  // the empty part
    if (s == 1)
      for (std::size_t j = 0; j < stride; ++j) {
        high = std::max(high, both[j]);
        low = std::min(low, both[j]);
      }
    else
      for (std::size_t j = 0; j < stride; ++j) {
        high = std::max(high, static_cast<T>(one[j] - both[j]));
        low = std::min(low, static_cast<T>(one[j] - both[j]));
      }
    const Cost w = whole;
    return std::max({w, -w, 2 * Cost{high} - w, w - 2 * Cost{low}});
  }
  void furthest(const Columns<T>& c, const Table& table, std::size_t i, int s,
                const std::vector<T>& one, const std::vector<T>& whole, Cost most[2]) const {
    std::vector<T> part(kinds_), other(kinds_);
    for (std::size_t j = 0; j < c.m; ++j) {
      for (std::size_t k = 0; k < kinds_; ++k) {
        const T both = table.pairs[(k * c.m + i) * c.stride + j];
        part[k] = s == 1 ? both : static_cast<T>(one[k * c.stride + j] - both);
        other[k] = static_cast<T>(whole[k] - part[k]);
      }
      const Cost found = excess(part) + excess(other);
      most[0] = std::max(most[0], found);
      if (limited_ && std::min(part.back(), other.back()) >= rows_.least)
        most[1] = std::max(most[1], found);
    }
  }

  // A side of a column of the plan: sums of its rows, and what is shown of it.
  struct Side {
    Sums here;
    Bound bound;
  };

  // Cover: bounds of the sides that the plan names, and by Mono of all.
  void cover(const std::vector<int>& inside, const Columns<T>& c, std::int64_t depth,
             std::int64_t splits, Bound& out) {
    const std::int64_t below = splits < 0 ? -1 : splits - 1;
    if (depth == 3) count(c, every(c), whole_);
    std::vector<Side> known;
    for (const auto& [g, used] : listed()) {
      Local rows[2];
      Cost copies[2] = {0, 0};
      for (std::uint32_t r = 0; r < c.n; ++r) {
        const int s = merged_.bits[g][at(inside[r])];
        rows[s].push_back(r);
        copies[s] += merged_.copies[at(inside[r])];
      }
      demand(!rows[0].empty() && !rows[1].empty(), "the plan has a column that parts nothing");
      if (depth == 3) {
        const int smaller = rows[0].size() < rows[1].size() ? 0 : 1;
        count(c, rows[smaller], sides_[smaller]);
        rest(whole_, sides_[smaller], sides_[1 - smaller]);
      }
      for (int s = 0; s < 2; ++s) {
        if ((used >> s & 1) == 0) continue;
        Side& side = known.emplace_back();
        if (depth == 3) {
          side.bound = shallow(c, sides_[s], copies[s], below);
          side.here = sides_[s];
        } else {
          side.bound = claim(chosen(inside, rows[s]), depth - 1, below);
          weigh(side.here, c, rows[s]);
        }
      }
    }
    carry(c, known, budgets(depth - 1, below), out);
  }
  std::vector<std::pair<std::size_t, unsigned>> listed() {
    const std::uint64_t many = plan_.number();
    demand(many <= rows_.columns, "the plan has too many columns");
    std::vector<std::pair<std::size_t, unsigned>> out;
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < many; ++i) {
      const std::uint64_t code = plan_.number(), step = code >> 2;
      demand(step > 0 && step <= rows_.columns - next,
             "the plan has columns that are not in order");
      next += step;
      out.emplace_back(static_cast<std::size_t>(next - 1), static_cast<unsigned>(code & 3));
    }
    return out;
  }
  static std::vector<int> chosen(const std::vector<int>& inside, const Local& rows) {
    std::vector<int> out;
    for (const std::uint32_t r : rows) out.push_back(inside[r]);
    return out;
  }
  // A claim of two levels, which is exact whatever Few says.
  Bound shallow(const Columns<T>& c, const Table& table, Cost n, std::int64_t splits) {
    spend(n);
    Bound out;
    const Cost leaf = (table.all - excess(table.total)) / 2;
    for (int v = 0; v < variants(); ++v) out.of[v].assign(budgets(2, splits), leaf);
    pairs(c, table, 2, out);
    return out;
  }

  void carry(const Columns<T>& c, const std::vector<Side>& known, std::size_t fewer,
             Bound& out) const {
    // By column, side, variant and number of splits.
    std::vector<Cost> bounds(c.m * 4 * fewer, 0);
    const auto place = [&](std::size_t g, int t, int v) {
      return &bounds[((g * 2 + at(t)) * 2 + at(v)) * fewer];
    };
    const auto raise = [&](Cost* to, const std::vector<Cost>& by, Cost lost) {
      for (std::size_t k = 0; k < fewer; ++k) to[k] = std::max(to[k], by[k] - lost);
    };
    Sums all;
    weigh(all, c, every(c));
    for (const Side& side : known) {
      const Sums& here = side.here;
      for (std::size_t g = 0; g < c.m; ++g)
        for (int t = 0; t < 2; ++t) {
          const Cost lost = t == 0 ? here.weight[g] : here.all - here.weight[g];
          raise(place(g, t, 0), side.bound.of[0], lost);
          if (!limited_) continue;
          const Cost there = t == 1 ? all.size[g] : all.count - all.size[g];
          const Cost both = t == 1 ? here.size[g] : here.count - here.size[g];
          if (there == both) raise(place(g, t, 1), side.bound.of[1], lost);
        }
    }
    for (std::size_t g = 0; g < c.m; ++g)
      for (int v = 0; v < variants(); ++v) {
        if (!parts(all, g, v)) continue;
        for (int t = 0; t < 2; ++t)
          for (std::size_t k = 0; k < fewer && v == 1; ++k)
            place(g, t, 1)[k] = std::max(place(g, t, 1)[k], place(g, t, 0)[k]);
        join(place(g, 0, v), place(g, 1, v), fewer, rows_.penalty, out.of[v]);
      }
  }
  const Rows& rows_;
  const MergedRows merged_;
  Plan& plan_;
  std::int64_t work_;
  std::size_t kinds_ = 0;
  bool limited_, signed_ = false;
  Table whole_, sides_[2];       // of a claim of three levels at most
  std::vector<Cost> worst_;      // of a unit of weight, by label
  std::vector<const T*> lines_;  // by column: lines of rows where it is 1, and how many there are
  std::vector<std::size_t> many_;
};

}  // namespace checker
