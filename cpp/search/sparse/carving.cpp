#include "search/sparse/carving.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace exactree {

namespace {

// A position that Larger and Smaller allow or not; the right rows of its leaf have this weight.
void keep_or_count(Carving at, bool allowed, Cost weight, const Carver::Terms& terms,
                   std::vector<Carving>& out, Carver::Excluded& excluded) {
  if (!allowed)
    ++excluded.by_others;
  else if (weight <= terms.support)
    ++excluded.by_support;
  else
    out.push_back(at);
}

// Without an instruction for it, which this file is compiled without, std::popcount is a call.
int count_bits(std::uint64_t v) {
  constexpr std::uint64_t kPairs = 0x5555555555555555, kFours = 0x3333333333333333;
  v -= v >> 1 & kPairs;
  v = (v & kFours) + (v >> 2 & kFours);
  return static_cast<int>(((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

// By byte of a word: how many bits are set in the bytes before it.
std::uint64_t count_before_bytes(std::uint64_t v) {
  constexpr std::uint64_t kPairs = 0x5555555555555555, kFours = 0x3333333333333333;
  v -= v >> 1 & kPairs;
  v = (v & kFours) + (v >> 2 & kFours);
  return ((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 << 8;
}

// How many bits of a byte are set.
constexpr std::array<std::uint8_t, 256> kBitsOfByte = [] {
  std::array<std::uint8_t, 256> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<std::uint8_t>(std::popcount(i));
  return bits;
}();

// The members of a set of rows from one row on and before another.
int count_between(const std::uint64_t* set, int first, int last) {
  if (last - first == 1) return static_cast<int>(set[first / 64] >> (first % 64) & 1);
  const int begin = first / 64, end = (last - 1) / 64;
  int n = 0;
  for (int w = begin; w <= end; ++w) {
    std::uint64_t word = set[w];
    if (w == begin) word &= ~std::uint64_t{0} << (first % 64);
    if (w == end) word &= ~std::uint64_t{0} >> (63 - (last - 1) % 64);
    n += count_bits(word);
  }
  return n;
}

}  // namespace

void Carver::read(const Node& node, int f) {
  masks_.clear();
  sums_.clear();
  if (data_.weights == nullptr)
    for (int c = data_.classes > 2 ? 0 : 1; c < data_.classes; ++c)
      if (const std::uint64_t* mask = node.class_mask(f, c)) masks_.push_back(mask);
  if (masks_.empty()) read_rows(node, f);
}
void Carver::read_rows(const Node& node, int f) {
  classes_.resize(static_cast<std::size_t>(node.rows()));
  costs_.resize(static_cast<std::size_t>(node.rows()));
  node.list_rows(f, classes_.data(), costs_.data());
}

Carver::Excluded Carver::list(const Node& node, int f, int s, const Terms& terms,
                              std::vector<Carving>& out) {
  out.clear();
  if (!masks_.empty() && !terms.all) return list_masks(node, f, s, terms, out);
  if (!masks_.empty()) read_rows(node, f);
  return list_rows(node, f, s, terms, out);
}

// Takes one more row into the leaf.
Cost Carver::add(int row, int label) {
  const auto at = static_cast<std::size_t>(row);
  Cost& sum = by_class_[static_cast<std::size_t>(classes_[at])];
  sum += costs_[at];
  total_ += costs_[at];
  most_ = std::max(most_, sum);
  if (label >= 0) return total_ - by_class_[static_cast<std::size_t>(label)];
  return leaf_cost_.plain() ? total_ - most_ : leaf_cost_(by_class_);
}

Carver::Excluded Carver::list_rows(const Node& node, int f, int s, const Terms& terms,
                                   std::vector<Carving>& out) {
  by_class_.assign(static_cast<std::size_t>(data_.classes), 0);
  total_ = most_ = 0;
  const int rows = node.rows(), begin = s == 0 ? 0 : rows;
  Cost leaf = 0;  // of the rows passed
  Excluded excluded;
  bool smaller = true;  // whether the position before this one is no worse
  for (int passed = 0; passed < rows && leaf < terms.limit && out.size() < terms.most;) {
    const int here = s == 0 ? passed : rows - passed;
    const int there = s == 0 ? node.next(f, here + 1) : node.prev(f, here - 1);
    const int end = s == 0 ? there : rows - there;
    Cost next = leaf;
    for (; passed < end; ++passed) next = add(s == 0 ? passed : rows - 1 - passed, terms.label);
    const Cost weight = node.influence(f, std::min(begin, here), std::max(begin, here)) - leaf;
    if (here != begin)
      keep_or_count({here, leaf}, terms.all || (next > leaf && !smaller), weight, terms, out,
                    excluded);
    smaller = next > leaf &&
              next - leaf >= node.influence(f, std::min(here, there), std::max(here, there));
    leaf = next;
  }
  return excluded;
}

// The same, where rows of a class that leads alone are passed at once: the leaf costs no more with
// them. So the time grows with the errors of the leaf, not with its rows.
Carver::Excluded Carver::list_masks(const Node& node, int f, int s, const Terms& terms,
                                    std::vector<Carving>& out) {
  counts_.assign(static_cast<std::size_t>(data_.classes), 0);
  const int rows = node.rows(), begin = s == 0 ? 0 : rows, end = rows - begin;
  Cost leaf = 0;
  Excluded excluded;
  bool smaller = true;
  for (int here = begin; leaf < terms.limit && out.size() < terms.most;) {
    const int before = here;
    if (!pass_leading(node, f, s, terms.label, here) || here == end) break;
    if (here != before) smaller = false, ++excluded.by_others;
    const int there = s == 0 ? node.next(f, here + 1) : node.prev(f, here - 1);
    const Cost weight = data_.unit * right(terms.label);
    count(std::min(here, there), std::max(here, there), 1);
    const Cost next = data_.unit * (std::abs(there - begin) - right(terms.label));
    if (here != begin)
      keep_or_count({here, leaf}, next > leaf && !smaller, weight, terms, out, excluded);
    smaller = next > leaf && next - leaf >= data_.unit * std::abs(there - here);
    leaf = next;
    here = there;
  }
  return excluded;
}

Carving Carver::last(const Node& node, int f, int s, int label, Cost limit) {
  if (is_quick()) return last_of_two(node, f, s, label, limit);
  if (!masks_.empty()) return last_of_masks(node, f, s, label, limit);
  by_class_.assign(static_cast<std::size_t>(data_.classes), 0);
  total_ = most_ = 0;
  const int rows = node.rows();
  Carving found{s == 0 ? 0 : rows, 0};
  for (int passed = 0; passed < rows;) {
    const int here = s == 0 ? passed : rows - passed;
    const int there = s == 0 ? node.next(f, here + 1) : node.prev(f, here - 1);
    const int end = s == 0 ? there : rows - there;
    Cost leaf = 0;
    for (; passed < end; ++passed) leaf = add(s == 0 ? passed : rows - 1 - passed, label);
    if (leaf >= limit || passed == rows) break;
    found = {there, leaf};
  }
  return found;
}

void Carver::sum_up(int rows) {
  int sum = 0;
  for (int w = 0; w * 64 <= rows; ++w) {
    sums_.push_back(sum);
    if (w * 64 < rows) sum += count_bits(masks_[0][w]);
  }
}
int Carver::ones_before(int p) const {
  const int n = sums_[static_cast<std::size_t>(p / 64)];
  return p % 64 == 0 ? n : n + count_bits(masks_[0][p / 64] << (64 - p % 64));
}

// By halves, words first, then bytes: a larger leaf costs no less. Then back to the last end of a
// group of equal values. With the leaf on the right that is the end after the last row it cannot
// have.
Carving Carver::last_of_two(const Node& node, int f, int s, int label, Cost limit) {
  const int rows = node.rows();
  if (sums_.empty()) sum_up(rows);
  const int all = ones_before(rows);
  const Cost few = (limit + data_.unit - 1) / data_.unit;
  const auto errors = [&](int p, int ones) {
    const int size = s == 0 ? p : rows - p, mine = s == 0 ? ones : all - ones;
    if (label >= 0) return label == 1 ? size - mine : mine;
    return std::min(mine, size - mine);
  };
  const auto is_before = [&](int p, int ones) {
    return p <= rows && (errors(p, ones) < few) == (s == 0);
  };
  int word = 0, beyond = rows / 64 + 1;
  while (beyond - word > 1) {
    const int middle = word + (beyond - word) / 2;
    (is_before(64 * middle, sums_[static_cast<std::size_t>(middle)]) ? word : beyond) = middle;
  }
  int p = 64 * word, ones = sums_[static_cast<std::size_t>(word)];
  const std::uint64_t mask = p < rows ? masks_[0][word] : 0, sums = count_before_bytes(mask);
  int byte = 0, bits = 0;
  for (int step = 4; step > 0; step /= 2) {
    const int to = byte + step;
    if (is_before(p + 8 * to, ones + static_cast<int>(sums >> 8 * to & 255))) byte = to;
  }
  p += 8 * byte;
  ones += static_cast<int>(sums >> 8 * byte & 255);
  for (int step = 4; step > 0; step /= 2) {
    const std::uint64_t passed = mask >> 8 * byte & ((1u << (bits + step)) - 1);
    if (is_before(p + bits + step, ones + kBitsOfByte[passed])) bits += step;
  }
  p += bits;
  const int start = s == 0 ? node.prev(f, std::min(p, rows - 1)) : node.next(f, p + 1);
  return {start, data_.unit * errors(start, ones_before(start))};
}

// Word by word, then row by row, then back to the last end of a group of equal values.
Carving Carver::last_of_masks(const Node& node, int f, int s, int label, Cost limit) {
  counts_.assign(static_cast<std::size_t>(data_.classes), 0);
  const int rows = node.rows(), begin = s == 0 ? 0 : rows, end = rows - begin;
  const auto leaf = [&](int here) { return data_.unit * (std::abs(here - begin) - right(label)); };
  int here = begin;
  for (const int size : {64, 8, 1})
    while (here != end) {
      // Up to the end of a word, or of a part of it.
      const int there =
          s == 0 ? std::min((here / size + 1) * size, rows) : std::max((here - 1) / size * size, 0);
      count(std::min(here, there), std::max(here, there), 1);
      if (leaf(there) < limit && there != end) {
        here = there;
        continue;
      }
      count(std::min(here, there), std::max(here, there), -1);
      break;
    }
  const int start = s == 0 ? node.prev(f, here) : node.next(f, here);
  count(std::min(start, here), std::max(start, here), -1);
  return {start, leaf(start)};
}

// How many rows of the leaf are of its label.
int Carver::right(int label) const {
  if (label >= 0) return counts_[static_cast<std::size_t>(label)];
  return counts_[static_cast<std::size_t>(leading().first)];
}

// The class of most rows, and whether no other has as many.
std::pair<int, bool> Carver::leading() const {
  if (counts_.size() == 2) return {counts_[1] > counts_[0], counts_[1] != counts_[0]};
  const auto top = std::max_element(counts_.begin(), counts_.end());
  const bool alone = std::find(top + 1, counts_.end(), *top) == counts_.end();
  return {static_cast<int>(top - counts_.begin()), alone};
}

// Passes rows of the leaf's label, or of the class that leads, up to the group of equal values that
// has another row. False: there is none.
bool Carver::pass_leading(const Node& node, int f, int s, int label, int& here) {
  const auto [top, alone] = label >= 0 ? std::pair(label, true) : leading();
  if (!alone) return true;
  const int row = other_row(top, s, here, node.rows());
  if (row < 0) return false;
  const int start = s == 0 ? node.prev(f, row) : node.next(f, row + 1);
  counts_[static_cast<std::size_t>(top)] += std::abs(start - here);
  here = start;
  return true;
}

std::uint64_t Carver::others(int c, int word) const {
  if (masks_.size() > 1) return ~masks_[static_cast<std::size_t>(c)][word];
  return c == 0 ? masks_[0][word] : ~masks_[0][word];
}

// The first row that is not of class c, from a position on in the direction of side s; -1: none.
int Carver::other_row(int c, int s, int here, int rows) const {
  if (s == 0) {
    for (int w = here / 64; w * 64 < rows; ++w) {
      std::uint64_t v = others(c, w);
      if (w == here / 64) v &= ~std::uint64_t{0} << (here % 64);
      if (v == 0) continue;
      const int row = w * 64 + std::countr_zero(v);
      return row < rows ? row : -1;
    }
    return -1;
  }
  for (int w = (here - 1) / 64; here > 0 && w >= 0; --w) {
    std::uint64_t v = others(c, w);
    if (w == (here - 1) / 64) v &= ~std::uint64_t{0} >> (63 - (here - 1) % 64);
    if (v != 0) return w * 64 + 63 - std::countl_zero(v);
  }
  return -1;
}

// Takes the rows between two positions into the leaf, or out of it.
void Carver::count(int first, int last, int sign) {
  if (first == last) return;
  if (masks_.size() == 1) {
    const int n = count_between(masks_[0], first, last);
    counts_[1] += sign * n;
    counts_[0] += sign * (last - first - n);
    return;
  }
  for (std::size_t m = 0; m < masks_.size(); ++m)
    counts_[m] += sign * count_between(masks_[m], first, last);
}

}  // namespace exactree
