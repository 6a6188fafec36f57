// All cells of a central arrangement of hyperplanes, exactly, degenerate or not.
//
// Glossary
//   z_i   the given vectors, no two parallel, spanning R^r; z_i.w = 0 is the hyperplane of z_i
//   cell  a maximal set of w on which no z_i.w vanishes and none changes sign; its mask says which
//         z_i are positive. With z_i as points and w as surface: a signed dichotomy.
//   c_k   c_1, ..., c_r are directions in general position: no determinant of some of them and of
//         independent z_i vanishes. They are random. Each such determinant that a decision rests on
//         is known not to vanish, by the filter or exactly; a zero throws NotGeneric, upon which
//         the caller draws other directions.
//   U_k   the w with c_1.w = ... = c_(k-1).w = 0, of dimension r - k + 1
//   d     r - k at level k: the arrangement within U_k in the chart c_k.w > 0 has dimension d. Its
//         vertices are the rays v on which d independent z_i vanish.
//
// cells(S, k), the cells within U_k of the z_i in S that meet c_k.w > 0, come in two kinds.
//   1. Cells on which c_(k+1).w / c_k.w is bounded from below. It attains its minimum at a vertex v
//      of the closed cell, and only there, as no edge is orthogonal to c_(k+1). So each such cell
//      is listed at exactly one vertex. Off v, signs are those of z_i.v. Let S_v be the z_i with
//      z_i.v = 0. Around v the cell is a cell C of S_v in U_(k+1) (which is U_k modulo v), and v is
//      its lowest point if and only if c_(k+1) > 0 on the closure of C but 0: if and only if C, but
//      not -C, is among cells(S_v, k+1). If S_v has d members, there is one such C: the sign of z_j
//      is that of l_j, where c_(k+1) = sum over S_v of l_j z_j modulo c_1, ..., c_k.
//   2. Cells on which it is not. They meet c_k.w = 0 in a w with c_(k+1).w < 0, and since c_k is
//      generic, in an open part of it: these are -C for C in cells(S, k+1).
// For k = r there is one cell. In general position cells(S, k) has sum_{j <= d} C(|S|, j) members.
//
// A vertex is found once: through the lexicographically first basis of S_v. Bases grow one vector
// at a time. The last is chosen last: for the first d - 1 of them (F below), what is left of all
// other vectors has two coordinates (a, b), and the side of q with respect to F and p is the sign
// of a_p b_q - b_p a_q. Where the filter cannot tell, exact integers do.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "geometry/geometry.hpp"
#include "geometry/minors.hpp"
#include "geometry/residuals.hpp"
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

struct NotGeneric {};
struct Stopped {};

// Throws Stopped when the poll says so; asks it every few milliseconds.
class Ticker {
 public:
  explicit Ticker(const Poll& poll) : poll_(poll) {}
  void tick(std::size_t work);

 private:
  const Poll& poll_;
  std::size_t work_ = 0;
  double next_ = 0;
};

class CellLister {
 public:
  CellLister(const PointSet& points, std::uint64_t seed, Ticker& ticker);

  // Appends the masks of cells(all, 1), one of each pair C, -C at least, to `out`.
  void list(std::vector<Word>& out);

  // After Stopped: what is beyond this many words of `out` is unfinished.
  std::size_t sound() const { return sound_; }

 private:
  // The working memory of one level.
  struct Frame {
    std::size_t level = 0;
    std::size_t depth = 0;                // d: how many vectors define a vertex
    std::size_t size = 0;                 // |S|
    std::size_t words = 0;                // of a mask over S
    std::vector<std::size_t> members;     // S, then c_k and c_(k+1)
    std::vector<Residuals> left;          // modulo c_1 .. c_(k-1) and the first 0, 1, ... chosen
    std::vector<Residuals> expressed;     // modulo c_1 .. c_(k+1) and them, with their coefficients
    std::vector<std::size_t> slots;       // which column has the coefficient of each chosen vector
    std::vector<bool> free;               // and which columns have none
    std::vector<std::size_t> chosen;      // the basis so far, positions in S
    std::vector<std::vector<Word>> span;  // the members of S in the span of the first 0, 1, ...
    Pencil pencil;
    std::vector<Word> positive, uncertain, on, done;
    std::vector<std::size_t> flat;    // S_v, positions in S
    std::vector<Word> flat_cells;     // cells(S_v, k+1)
    std::vector<const Word*> sorted;  // these, sorted
    std::vector<Word> opposite;
    std::unique_ptr<RowStack> rows;  // the chosen vectors
    bool flipped = false;            // whether det(.., F, p, c_k) was negative
    int last_sign = 0;               // of det(.., F, c_(k+1), c_k)
  };

  void list(Frame& frame, std::vector<Word>& out);
  void enter(Frame& frame);
  void list_last(Frame& frame, std::vector<Word>& out);
  void choose(Frame& frame, std::size_t chosen, std::vector<Word>& out);
  void close(Frame& frame, std::size_t chosen);
  void sweep(Frame& frame, std::vector<Word>& out);
  void find_surface(Frame& frame, std::size_t p);
  void list_simple(Frame& frame, std::size_t p, std::vector<Word>& out);
  void list_flat(Frame& frame, std::vector<Word>& out);
  void solve_flat(Frame& frame);
  int exact_sign(Frame& frame, std::size_t p, std::size_t q);
  int direction_sign(Frame& frame);
  int coefficient_sign(Frame& frame, std::size_t j, std::size_t p);
  int generic_sign(const std::vector<std::size_t>& rows);
  std::vector<std::size_t> first_directions(std::size_t count) const;

  PointSet points_;
  Directions directions_;
  Ticker& ticker_;
  std::unique_ptr<Determinant> determinant_;
  std::vector<Residuals> base_;  // points and directions modulo the first 0, 1, ... directions
  std::vector<Frame> frames_;    // by level; frames_[0] is unused
  Multipliers work_;
  std::size_t sound_ = static_cast<std::size_t>(-1);
};

}  // namespace KERNEL_NAMESPACE
