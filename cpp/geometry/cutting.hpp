// Cutting the cells of an arrangement, exactly, degenerate or not.
//
// Glossary
//   z_i    the given vectors, spanning R^r; no two are parallel
//   cell   the w with s_i z_i.w > 0 for the z_i of a path with their signs s_i; its closure is a
//          cone C. Once the path has r independent members, C is pointed, and spanned by its
//          extreme rays. The first r members of every path are the same independent ones; before,
//          C contains lines, and is spanned by rays of which some come with their opposites.
//   tight  a member z_i of the path is tight at v in C if z_i.v = 0
//   signs  a ray knows its sign against all z_i that may part the cell. Such a z_i does part it if
//          some ray is on its positive and some ray on its negative side; otherwise it has one sign
//          inside C, as the rays span the space and cannot all be on it.
//
// Cutting a cell by z_q keeps the rays on either side, and those on it on both. New extreme rays
// are where z_q.w = 0 meets a two-dimensional face of C (double description). Such a face is
// spanned by two adjacent rays a, b on opposite sides.
//   Adjacent. Let T be what is tight at both a and b. The least face that contains a and b is where
//   all of T is tight, and its extreme rays are those rays of C at which T is tight. So a and b are
//   adjacent if and only if T is tight at no third ray. If just r - 1 members are tight at a, they
//   are independent; then r - 2 common ones leave a space of dimension two: adjacent.
//   New ray. It lies between a and b, so a member of the path is tight there if and only if it is
//   so at both: T, of rank r - 2, and z_q. It is orthogonal to r - 2 independent members of T and
//   to z_q, which determines it up to its sign, and signs against other vectors are signs of
//   determinants: by the filter of residuals.hpp where that can tell, else in integers. Of the two
//   directions it has the one in which a member that is tight at b but not at a has its sign.
#pragma once

#include <memory>
#include <vector>

#include "geometry/arrangement.hpp"
#include "geometry/geometry.hpp"
#include "geometry/minors.hpp"
#include "geometry/residuals.hpp"
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

class CellCutter final : public Arrangement {
 public:
  explicit CellCutter(const PointSet& points);

  void start(CellSide& all) override;
  std::size_t open_points(const Cell& cell) const override;
  void list_open(const Cell& cell, std::vector<std::uint32_t>& out) const override;
  bool cut(const Cell& cell, CellSide out[2], const Poll& poll) override;

 private:
  // How the data of a cell is laid out: the open points, then rays of so many words, each with the
  // points on its positive side, those on it, and the members of the path that are tight.
  struct Layout {
    std::size_t signs, tight;
    explicit Layout(const Cell& cell)
        : signs(cell.points->words()), tight((cell.path.size() + 63) / 64) {}
    std::size_t ray() const { return 2 * signs + tight; }
    std::size_t rays(const Cell& cell) const { return (cell.data.size() - signs) / ray(); }
  };

  std::shared_ptr<const CellPoints> gather(std::vector<std::uint32_t> ids) const;
  void choose_basis();
  std::vector<std::vector<Word>> draw_surfaces();
  std::size_t choose(const Cell& cell, const Layout& is) const;
  std::size_t count_parted(const Cell& cell, const Layout& is, std::size_t bit, bool up) const;
  void sort_rays(const Cell& cell, const Layout& is, std::size_t bit);
  bool adjacent(const Cell& cell, const Layout& is, const Word* a, const Word* b);
  void add_ray(const Cell& cell, const Layout& is, const Word* a, const Word* b, std::size_t bit);
  void eliminate_all(std::size_t common, bool independent);
  bool depends(std::size_t depth, std::size_t member);
  double side(std::size_t point) const;
  int sign_of(std::size_t point);
  void find_signs(const CellPoints& points, const Word* wanted, std::size_t words, int orientation,
                  Word* positive, Word* on);
  void finish(const Cell& from, const Layout& was, std::size_t bit, bool positive, CellSide& out);
  void settle(const Word* open, CellSide& out);

  std::size_t rank_;
  PointSet points_;
  Residuals base_;  // the points, then the unit vectors
  std::vector<Residuals> left_;
  Multipliers work_;
  std::unique_ptr<RowStack> rows_;
  std::vector<std::uint32_t> basis_;

  // The surface at hand: its normal vector times left_.back().sign, and a bound of the error of the
  // sign of any point.
  std::vector<double> normal_;
  double error_ = 0;
  std::vector<std::size_t> members_;

  std::vector<const Word*> sides_[2], on_;  // the rays of the cell at hand
  std::vector<Word> fresh_, common_;        // and its new ones
};

// Throws std::invalid_argument if there are more columns, or longer numbers, than can be handled.
std::unique_ptr<Arrangement> make_arrangement(const PointSet& points);

}  // namespace KERNEL_NAMESPACE
