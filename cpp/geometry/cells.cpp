#include "geometry/cells.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

namespace KERNEL_NAMESPACE {

namespace {

bool has(const std::vector<Word>& set, std::size_t i) {
  return (set[i / 64] >> (i % 64) & 1) != 0;
}

void put(Word* set, std::size_t i, bool value) {
  const Word bit = Word{1} << (i % 64);
  set[i / 64] = value ? set[i / 64] | bit : set[i / 64] & ~bit;
}

void put(std::vector<Word>& set, std::size_t i, bool value) {
  put(set.data(), i, value);
}

// The words of {0, ..., size - 1}.
Word full_word(std::size_t size, std::size_t word) {
  const std::size_t begin = 64 * word;
  if (size >= begin + 64) return ~Word{0};
  return (Word{1} << (size - begin)) - 1;
}

// What an exact sign costs in units of the filter: a guess on the safe side.
constexpr std::size_t kExactWork = 100;

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

Directions draw(std::size_t columns, std::uint64_t seed) {
  Directions result{{}, columns};
  for (std::size_t i = 0; i < columns * columns; ++i) {
    const auto size = static_cast<std::int64_t>(next_random(seed) >> (64 - Directions::kBits));
    result.random.push_back(next_random(seed) % 2 == 0 ? size : -size);
  }
  return result;
}

}  // namespace

void Ticker::tick(std::size_t work) {
  work_ += work;
  if (work_ < (std::size_t{1} << 18)) return;
  work_ = 0;
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  const double now = std::chrono::duration<double>(since).count();
  if (now < next_) return;
  next_ = now + 0.02;
  if (poll_.stop(poll_.context)) throw Stopped{};
}

CellLister::CellLister(const PointSet& points, std::uint64_t seed, Ticker& ticker)
    : points_(points),
      directions_(draw(points.columns, seed)),
      ticker_(ticker),
      determinant_(make_determinant(points, directions_)),
      base_(points.columns + 1),
      frames_(points.columns + 1) {
  const std::size_t r = points.columns;
  base_[0].load(points, r);
  for (std::size_t c = 0; c < r; ++c) {
    for (std::size_t k = 0; k < r; ++k) {
      const auto random = static_cast<double>(directions_.random[k * r + c]);
      base_[0].value(c)[points.points + k] = std::ldexp(random, -int{Directions::kBits});
      base_[0].radius(c)[points.points + k] = 0;
    }
  }
  for (std::size_t k = 0; k < r; ++k) eliminate(base_[k], points.points + k, base_[k + 1], work_);
  for (std::size_t k = 1; k <= r; ++k) {
    frames_[k].level = k;
    frames_[k].depth = r - k;
    frames_[k].left.resize(r - k + 1);
    frames_[k].expressed.resize(r - k + 1);
    frames_[k].span.resize(r - k + 1);
    frames_[k].rows = make_row_stack(points);
  }
}

void CellLister::list(std::vector<Word>& out) {
  Frame& frame = frames_[1];
  frame.members.clear();
  for (std::size_t i = 0; i < points_.points; ++i) frame.members.push_back(i);
  list(frame, out);
}

void CellLister::list(Frame& frame, std::vector<Word>& out) {
  frame.size = frame.members.size();
  frame.words = (frame.size + 63) / 64;
  if (frame.depth == 0) {
    list_last(frame, out);
    return;
  }
  enter(frame);
  choose(frame, 0, out);
  if (frame.level == 1) sound_ = out.size();
  // The second kind of cells: those of the same vectors one level down, with the other sign.
  Frame& below = frames_[frame.level + 1];
  below.members.assign(frame.members.begin(),
                       frame.members.begin() + static_cast<std::ptrdiff_t>(frame.size));
  const std::size_t begin = out.size();
  list(below, out);
  for (std::size_t i = begin; i < out.size(); ++i) {
    out[i] = ~out[i] & full_word(frame.size, (i - begin) % frame.words);
  }
}

// Level r: U_r is a line.
void CellLister::list_last(Frame& frame, std::vector<Word>& out) {
  const Residuals& base = base_[frame.level - 1];
  std::vector<std::size_t> rows = first_directions(frame.level - 1);
  rows.push_back(0);
  const auto sign = [&](std::size_t vector) {
    const int certain = base.sign_of(0, vector);
    rows.back() = vector;
    return certain != 0 ? certain : generic_sign(rows) * base.sign;
  };
  const int up = sign(points_.points + frame.level - 1);
  const std::size_t begin = out.size();
  out.resize(begin + frame.words, 0);
  for (std::size_t i = 0; i < frame.size; ++i) {
    put(&out[begin], i, sign(frame.members[i]) == up);
  }
}

// Sets up the residuals of the members and of the two directions of this level.
void CellLister::enter(Frame& frame) {
  const std::size_t k = frame.level;
  frame.members.push_back(points_.points + k - 1);
  frame.members.push_back(points_.points + k);
  frame.left[0].gather(base_[k - 1], frame.members);
  if (frame.depth > 1) frame.expressed[0].gather(base_[k + 1], frame.members);
  frame.free.assign(frame.depth - 1, true);
  frame.slots.assign(frame.depth - 1, 0);
  frame.chosen.assign(frame.depth, 0);
  for (auto& span : frame.span) span.assign(frame.words, 0);
}

// Extends the basis by one vector in all ways that keep it the first basis of its span.
void CellLister::choose(Frame& frame, std::size_t chosen, std::vector<Word>& out) {
  if (chosen + 1 == frame.depth) {
    sweep(frame, out);
    return;
  }
  std::vector<Word> done = frame.span[chosen];
  for (std::size_t i = chosen == 0 ? 0 : frame.chosen[chosen - 1] + 1; i < frame.size; ++i) {
    if (has(done, i)) continue;
    frame.chosen[chosen] = i;
    frame.rows->put(chosen, frame.members[i]);
    eliminate(frame.left[chosen], i, frame.left[chosen + 1], work_);
    close(frame, chosen + 1);
    bool first = true;
    for (std::size_t w = 0; w < frame.words; ++w) {
      const Word fresh = frame.span[chosen + 1][w] & ~frame.span[chosen][w];
      done[w] |= fresh;
      const Word before = w < i / 64 ? ~Word{0} : w == i / 64 ? (Word{1} << (i % 64)) - 1 : 0;
      first = first && (fresh & before) == 0;
    }
    if (!first) continue;
    const std::size_t slot =
        express(frame.expressed[chosen], i, frame.free, frame.expressed[chosen + 1], work_);
    frame.slots[chosen] = slot;
    frame.free[slot] = false;
    choose(frame, chosen + 1, out);
    frame.free[slot] = true;
  }
}

// The members in the span of the first `chosen` vectors of the basis.
void CellLister::close(Frame& frame, std::size_t chosen) {
  frame.span[chosen] = frame.span[chosen - 1];
  put(frame.span[chosen], frame.chosen[chosen - 1], true);
  const Residuals& left = frame.left[chosen];
  for (std::size_t i = 0; i < frame.size; ++i) {
    bool zero = true;
    for (std::size_t c = 0; zero && c < left.columns(); ++c) zero = left.sign_of(c, i) == 0;
    if (zero && !has(frame.span[chosen], i)) {
      put(frame.span[chosen], i, frame.rows->depends(chosen, frame.members[i]));
    }
  }
}

// All vertices through the first d - 1 vectors of the basis.
void CellLister::sweep(Frame& frame, std::vector<Word>& out) {
  const std::size_t f = frame.depth - 1;
  frame.pencil.assign(frame.left[f]);
  const std::size_t padded = (frame.size + 2 + 63) / 64;
  frame.positive.resize(padded);
  frame.uncertain.resize(padded);
  frame.on.assign(frame.words, 0);
  frame.done = frame.span[f];
  frame.last_sign = direction_sign(frame);
  for (std::size_t p = f == 0 ? 0 : frame.chosen[f - 1] + 1; p < frame.size; ++p) {
    if (has(frame.done, p)) continue;
    frame.chosen[f] = p;
    frame.rows->put(f, frame.members[p]);
    find_surface(frame, p);
    ticker_.tick(frame.size);
    std::size_t first = frame.size;
    std::size_t count = 0;
    for (std::size_t w = 0; w < frame.words; ++w) {
      frame.done[w] |= frame.on[w];
      if (frame.on[w] != 0 && first == frame.size) {
        first = 64 * w + static_cast<std::size_t>(std::countr_zero(frame.on[w]));
      }
      const Word all = frame.on[w] | frame.span[f][w];
      count += static_cast<std::size_t>(std::popcount(all));
    }
    if (first != p) continue;
    if (count == frame.depth) {
      list_simple(frame, p, out);
    } else {
      list_flat(frame, out);
    }
  }
}

// The sides of the surface through F and p, oriented so that c_k is on its positive side:
// frame.positive, and the members on it that are not in the span of F: frame.on.
void CellLister::find_surface(Frame& frame, std::size_t p) {
  const std::vector<Word>& span = frame.span[frame.depth - 1];
  frame.pencil.signs(p, frame.positive.data(), frame.uncertain.data());
  for (std::size_t w = 0; w < frame.words; ++w) {
    frame.on[w] = 0;
    Word rest = frame.uncertain[w] & full_word(frame.size, w) & ~span[w];
    for (; rest != 0; rest &= rest - 1) {
      const std::size_t q = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
      const int sign = q == p ? 0 : exact_sign(frame, p, q);
      put(frame.positive, q, sign > 0);
      put(frame.on, q, sign == 0);
    }
  }
  const std::size_t up = frame.size;  // where c_k is
  if (has(frame.uncertain, up)) put(frame.positive, up, exact_sign(frame, p, up) > 0);
  frame.flipped = !has(frame.positive, up);
  const Word flip = frame.flipped ? ~Word{0} : 0;
  for (std::size_t w = 0; w < frame.words; ++w) {
    const Word off = full_word(frame.size, w) & ~span[w] & ~frame.on[w];
    frame.positive[w] = (frame.positive[w] ^ flip) & off;
  }
}

// A vertex with no more members than it needs: one cell, the signs of the l_j.
void CellLister::list_simple(Frame& frame, std::size_t p, std::vector<Word>& out) {
  // l_p = det(.., F, c_(k+1), c_k) / det(.., F, p, c_k), and l_j = - l_p times the coefficient of
  // z_j in z_p modulo c_1, ..., c_(k+1).
  const int last = frame.flipped ? -frame.last_sign : frame.last_sign;
  put(frame.positive, p, last > 0);
  const std::size_t f = frame.depth - 1;
  for (std::size_t j = 0; j < f; ++j) {
    int sign = frame.expressed[f].sign_of(frame.slots[j], p);
    if (sign == 0) sign = coefficient_sign(frame, j, p);
    put(frame.positive, frame.chosen[j], sign != last);
  }
  out.insert(out.end(), frame.positive.begin(),
             frame.positive.begin() + static_cast<std::ptrdiff_t>(frame.words));
}

// A vertex with more members: those cells of the flat whose opposite is none.
void CellLister::list_flat(Frame& frame, std::vector<Word>& out) {
  frame.flat.clear();
  for (std::size_t w = 0; w < frame.words; ++w) frame.on[w] |= frame.span[frame.depth - 1][w];
  for_each(frame.on.data(), frame.words, [&](std::size_t i) { frame.flat.push_back(i); });
  solve_flat(frame);
  const std::size_t words = (frame.flat.size() + 63) / 64;
  const auto less = [words](const Word* a, const Word* b) {
    return std::lexicographical_compare(a, a + words, b, b + words);
  };
  frame.sorted.clear();
  for (std::size_t i = 0; i < frame.flat_cells.size(); i += words) {
    frame.sorted.push_back(&frame.flat_cells[i]);
  }
  std::sort(frame.sorted.begin(), frame.sorted.end(), less);
  frame.opposite.resize(words);
  for (const Word* cell : frame.sorted) {
    for (std::size_t w = 0; w < words; ++w) {
      frame.opposite[w] = ~cell[w] & full_word(frame.flat.size(), w);
    }
    const Word* opposite = frame.opposite.data();
    if (std::binary_search(frame.sorted.begin(), frame.sorted.end(), opposite, less)) continue;
    const std::size_t begin = out.size();
    out.insert(out.end(), frame.positive.begin(),
               frame.positive.begin() + static_cast<std::ptrdiff_t>(frame.words));
    for_each(cell, words, [&](std::size_t i) { put(&out[begin], frame.flat[i], true); });
  }
}

// flat_cells = cells(S_v, k + 1)
void CellLister::solve_flat(Frame& frame) {
  Frame& below = frames_[frame.level + 1];
  below.members.clear();
  for (const std::size_t i : frame.flat) below.members.push_back(frame.members[i]);
  frame.flat_cells.clear();
  list(below, frame.flat_cells);
}

// The sign of a_p b_q - b_p a_q by integers: q is a member or, at frame.size, c_k.
int CellLister::exact_sign(Frame& frame, std::size_t p, std::size_t q) {
  ticker_.tick(kExactWork);
  const std::size_t k = frame.level;
  const int orientation = frame.left[frame.depth - 1].sign;
  const bool member = q < frame.size;
  if (member && k == 1) return frame.rows->sign(frame.members[q]) * orientation;
  if (member && frame.rows->depends(frame.depth, frame.members[q])) return 0;
  std::vector<std::size_t> rows = first_directions(k - 1);
  for (std::size_t j = 0; j + 1 < frame.depth; ++j) {
    rows.push_back(frame.members[frame.chosen[j]]);
  }
  rows.push_back(frame.members[p]);
  rows.push_back(frame.members[q]);
  return generic_sign(rows) * orientation;
}

// The sign of a b' - b a' for c_(k+1) and c_k.
int CellLister::direction_sign(Frame& frame) {
  const int certain = frame.pencil.sign(frame.size + 1, frame.size);
  if (certain != 0) return certain;
  return exact_sign(frame, frame.size + 1, frame.size);
}

// The sign of the coefficient of the j-th chosen vector in z_p, modulo c_1, ..., c_(k+1): by Cramer
// det(c_1, ..., c_(k+1), F with p for j) / det(c_1, ..., c_(k+1), F).
int CellLister::coefficient_sign(Frame& frame, std::size_t j, std::size_t p) {
  std::vector<std::size_t> rows = first_directions(frame.level + 1);
  const std::size_t begin = rows.size();
  for (std::size_t i = 0; i + 1 < frame.depth; ++i) {
    rows.push_back(frame.members[frame.chosen[i]]);
  }
  const int whole = generic_sign(rows);
  rows[begin + j] = frame.members[p];
  return generic_sign(rows) * whole;
}

int CellLister::generic_sign(const std::vector<std::size_t>& rows) {
  const int sign = determinant_->sign(rows);
  if (sign == 0) throw NotGeneric{};
  return sign;
}

std::vector<std::size_t> CellLister::first_directions(std::size_t count) const {
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < count; ++k) rows.push_back(points_.points + k);
  return rows;
}

}  // namespace KERNEL_NAMESPACE
