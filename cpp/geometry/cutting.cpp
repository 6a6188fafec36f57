#include "geometry/cutting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace KERNEL_NAMESPACE {

namespace {

bool has(const Word* set, std::size_t i) {
  return (set[i / 64] >> (i % 64) & 1) != 0;
}

void put(Word* set, std::size_t i) {
  set[i / 64] |= Word{1} << (i % 64);
}

std::size_t count(const Word* set, std::size_t words) {
  std::size_t sum = 0;
  for (std::size_t w = 0; w < words; ++w) sum += static_cast<std::size_t>(std::popcount(set[w]));
  return sum;
}

// How unevenly a point divides the groups of a sample.
double unevenness(const std::vector<std::vector<Word>>& sample,
                  const std::vector<std::size_t>& groups, std::size_t point) {
  std::unordered_map<std::size_t, double> sizes;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    const bool apart = has(sample[k].data(), point) != has(sample[k].data(), 0);
    ++sizes[2 * groups[k] + (apart ? 1 : 0)];
  }
  double sum = 0;
  for (const auto& [group, size] : sizes) sum += size * size;
  return sum;
}

constexpr std::size_t kSample = 128;      // surfaces that tell how points divide the cells
constexpr std::size_t kCandidates = 256;  // of many points, about so many are tried for a cut

}  // namespace

CellCutter::CellCutter(const PointSet& points)
    : rank_(points.columns),
      points_(points),
      left_(points.columns),
      rows_(make_row_stack(points)),
      normal_(points.columns) {
  base_.load(points, rank_);
  for (std::size_t c = 0; c < rank_; ++c)
    for (std::size_t k = 0; k < rank_; ++k) {
      base_.value(c)[points.points + k] = c == k ? 1 : 0;
      base_.radius(c)[points.points + k] = 0;
    }
  choose_basis();
}

// Independent points that part the cells evenly, as far as a sample of surfaces through random
// points tells: z_0 first, then one by one what divides the groups of the sample most evenly.
void CellCutter::choose_basis() {
  const std::vector<std::vector<Word>> sample = draw_surfaces();
  std::vector<std::size_t> groups(sample.size(), 0);
  std::vector<std::pair<double, std::uint32_t>> order(points_.points);
  Residuals rest = base_, next;
  while (basis_.size() < rank_) {
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {unevenness(sample, groups, i), i};
    if (!basis_.empty()) std::sort(order.begin(), order.end());
    const std::size_t depth = basis_.size();
    const auto found = std::find_if(order.begin(), order.end(), [&](const auto& candidate) {
      const std::uint32_t i = candidate.second;
      for (std::size_t c = 0; c < rest.columns(); ++c)
        if (rest.sign_of(c, i) != 0) return true;
      return depth == 0 || !rows_->depends(depth, i);
    });
    if (found == order.end()) throw std::logic_error("the points do not span the space");
    const std::uint32_t i = found->second;
    rows_->put(depth, i);
    basis_.push_back(i);
    for (std::size_t k = 0; k < sample.size(); ++k)
      groups[k] = 2 * groups[k] + (has(sample[k].data(), i) != has(sample[k].data(), 0) ? 1 : 0);
    if (basis_.size() == rank_) break;
    eliminate(rest, i, next, work_);
    std::swap(rest, next);
  }
}

// The positive sides of surfaces through random points.
std::vector<std::vector<Word>> CellCutter::draw_surfaces() {
  std::vector<std::vector<Word>> found;
  std::mt19937_64 dice(1);
  for (std::size_t k = 0; k < kSample; ++k) {
    members_.clear();
    while (members_.size() + 1 < rank_) members_.push_back(dice() % points_.points);
    eliminate_all(rank_ - 1, true);
    found.emplace_back((points_.points + 63) / 64, 0);
    for (std::size_t i = 0; i < points_.points; ++i)
      if (side(i) > 0) put(found.back().data(), i);
  }
  return found;
}

std::shared_ptr<const CellPoints> CellCutter::gather(std::vector<std::uint32_t> ids) const {
  auto found = std::make_shared<CellPoints>();
  const std::size_t padded = (ids.size() + 63) / 64 * 64;
  found->values.assign(rank_ * padded, 0.0);
  for (std::size_t c = 0; c < rank_; ++c)
    for (std::size_t i = 0; i < ids.size(); ++i)
      found->values[c * padded + i] = base_.value(c)[ids[i]];
  found->ids = std::move(ids);
  return found;
}

// The path is the first point of the basis. Ray j is orthogonal to all of the basis but its j-th
// point, where it is positive; all but the first come with their opposites.
void CellCutter::start(CellSide& all) {
  std::vector<std::uint32_t> ids(points_.points);
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  all.cell.points = gather(std::move(ids));
  all.cell.path = {2 * basis_[0] + 1};
  const Layout is(all.cell);
  std::vector<Word> everyone(is.signs, 0);
  for (std::size_t i = 0; i < points_.points; ++i) put(everyone.data(), i);
  std::vector<Word>& data = all.cell.data = everyone;
  for (std::size_t j = 0; j < rank_; ++j) {
    members_.clear();
    for (std::size_t i = 0; i < rank_; ++i)
      if (i != j) members_.push_back(basis_[i]);
    const std::size_t at = data.size();
    data.resize(at + is.ray(), 0);
    eliminate_all(rank_ - 1, true);
    find_signs(*all.cell.points, everyone.data(), is.signs, sign_of(basis_[j]), &data[at],
               &data[at + is.signs]);
    if (j == 0) continue;
    put(&data[at + 2 * is.signs], 0);
    data.resize(data.size() + is.ray());
    for (std::size_t w = 0; w < is.ray(); ++w) {
      const std::size_t opposite = at + is.ray() + w;
      data[opposite] =
          w < is.signs ? everyone[w] & ~data[at + w] & ~data[at + is.signs + w] : data[at + w];
    }
  }
  settle(everyone.data(), all);
}

std::size_t CellCutter::open_points(const Cell& cell) const {
  return cell.points ? count(cell.data.data(), cell.points->words()) : 0;
}

void CellCutter::list_open(const Cell& cell, std::vector<std::uint32_t>& out) const {
  out.clear();
  if (!cell.points) return;
  for_each(cell.data.data(), Layout(cell).signs,
           [&](std::size_t i) { out.push_back(cell.points->ids[i]); });
}

bool CellCutter::cut(const Cell& cell, CellSide out[2], const Poll& poll) {
  const Layout is(cell);
  const std::size_t bit = choose(cell, is);
  sort_rays(cell, is, bit);
  fresh_.clear();
  if (cell.path.size() >= rank_)
    for (const Word* a : sides_[0])
      for (const Word* b : sides_[1])
        if (adjacent(cell, is, a, b)) {
          if (poll.stop(poll.context)) return false;
          add_ray(cell, is, a, b, bit);
        }
  for (int s = 0; s < 2; ++s) finish(cell, is, bit, s == 0, out[s]);
  return true;
}

// The point to cut by: where the rays on its sides are parted by few other points. Cells that m
// points part have up to about m^(r-1) cells, so the sum of that for both sides is to be small. To
// begin with, the next point of the basis.
std::size_t CellCutter::choose(const Cell& cell, const Layout& is) const {
  const auto& ids = cell.points->ids;
  if (cell.path.size() < rank_) {
    const auto at = std::find(ids.begin(), ids.end(), basis_[cell.path.size()]);
    return static_cast<std::size_t>(at - ids.begin());
  }
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  const std::size_t step = 1 + count(cell.data.data(), is.signs) / kCandidates;
  std::size_t met = 0;
  for_each(cell.data.data(), is.signs, [&](std::size_t i) {
    if (met++ % step != 0) return;
    double score = 0;
    for (const bool up : {true, false}) {
      const auto parted = static_cast<double>(count_parted(cell, is, i, up) + 1);
      double power = parted;
      for (std::size_t k = 2; k < rank_; ++k) power *= parted;
      score += power;
    }
    if (score >= least) return;
    least = score;
    best = i;
  });
  return best;
}

// How many points part the rays on one side of the point at `bit`, those on it included.
std::size_t CellCutter::count_parted(const Cell& cell, const Layout& is, std::size_t bit,
                                     bool up) const {
  std::size_t sum = 0;
  for (std::size_t w = 0; w < is.signs; ++w) {
    Word above = 0, below = 0;
    for (std::size_t at = is.signs; at < cell.data.size(); at += is.ray()) {
      const Word* ray = &cell.data[at];
      if (has(ray, bit) != up && !has(ray + is.signs, bit)) continue;
      above |= ray[w];
      below |= ~(ray[w] | ray[is.signs + w]);
    }
    sum += static_cast<std::size_t>(std::popcount(above & below & cell.data[w]));
  }
  return sum;
}

void CellCutter::sort_rays(const Cell& cell, const Layout& is, std::size_t bit) {
  for (auto& side : sides_) side.clear();
  on_.clear();
  const Word* ray = &cell.data[is.signs];
  for (std::size_t k = is.rays(cell); k > 0; --k, ray += is.ray())
    (has(ray, bit) ? sides_[0] : has(ray + is.signs, bit) ? on_ : sides_[1]).push_back(ray);
}

// Leaves what is tight at both in common_.
bool CellCutter::adjacent(const Cell& cell, const Layout& is, const Word* a, const Word* b) {
  const std::size_t at = 2 * is.signs;
  common_.resize(is.tight);
  for (std::size_t w = 0; w < is.tight; ++w) common_[w] = a[at + w] & b[at + w];
  const std::size_t both = count(common_.data(), is.tight);
  if (both + 2 < rank_) return false;
  if (both + 2 == rank_ && count(a + at, is.tight) + 1 == rank_) return true;
  const Word* ray = &cell.data[is.signs];
  for (std::size_t k = is.rays(cell); k > 0; --k, ray += is.ray()) {
    if (ray == a || ray == b) continue;
    bool third = true;
    for (std::size_t w = 0; third && w < is.tight; ++w) third = (common_[w] & ~ray[at + w]) == 0;
    if (third) return false;
  }
  return true;
}

// The ray between two adjacent ones, on the surface of the point at `bit`.
void CellCutter::add_ray(const Cell& cell, const Layout& is, const Word* a, const Word* b,
                         std::size_t bit) {
  members_.clear();
  for_each(common_.data(), is.tight, [&](std::size_t i) { members_.push_back(cell.path[i] / 2); });
  const std::size_t common = members_.size();
  members_.push_back(cell.points->ids[bit]);
  eliminate_all(common, common + 2 == rank_);
  std::size_t witness = 0;
  while (has(a + 2 * is.signs, witness) || !has(b + 2 * is.signs, witness)) ++witness;
  const bool positive = cell.path[witness] % 2 == 1;
  const int orientation = sign_of(cell.path[witness] / 2) * (positive ? 1 : -1);

  const std::size_t at = fresh_.size();
  fresh_.resize(at + 2 * is.signs + cell.path.size() / 64 + 1, 0);
  Word* ray = &fresh_[at];
  std::vector<Word> wanted(cell.data.begin(), cell.data.begin() + static_cast<long>(is.signs));
  wanted[bit / 64] &= ~(Word{1} << (bit % 64));
  find_signs(*cell.points, wanted.data(), is.signs, orientation, ray, ray + is.signs);
  put(ray + is.signs, bit);
  std::copy(common_.begin(), common_.end(), ray + 2 * is.signs);
  put(ray + 2 * is.signs, cell.path.size());
}

// Eliminates independent members, the last one among them, from the unit vectors: what is left of
// these is the vector that is orthogonal to all members. A point q, of coordinates within 1, has
// the residual q.normal, and its error is at most the sum of the radii, what rounding its
// coordinates contributes (2^-50 relative, see residuals.cpp) and what the sum does, less than
// (rank + 1) 2^-53 relative; rank <= 20.
void CellCutter::eliminate_all(std::size_t common, bool independent) {
  const std::size_t units = members_.size();
  for (std::size_t c = 0; c < rank_; ++c) members_.push_back(points_.points + c);
  left_[0].gather(base_, members_);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < units && depth + 1 < rank_; ++i) {
    if (!independent && i < common && (depth + 2 == rank_ || depends(depth, i))) continue;
    rows_->put(depth, members_[i]);
    eliminate(left_[depth], i, left_[depth + 1], work_);
    ++depth;
  }
  if (depth + 1 != rank_) throw std::logic_error("an edge of a cell has no direction");
  const Residuals& last = left_.back();
  double radii = 0, size = 0;
  for (std::size_t c = 0; c < rank_; ++c) {
    normal_[c] = last.value(0)[units + c] * last.sign;
    radii += last.radius(0)[units + c];
    size += std::abs(normal_[c]);
  }
  error_ = (radii + size * 0x1p-48) * (1 + 0x1p-40) + kTiny;
}

bool CellCutter::depends(std::size_t depth, std::size_t member) {
  for (std::size_t c = 0; c < left_[depth].columns(); ++c)
    if (left_[depth].sign_of(c, member) != 0) return false;
  return depth > 0 && rows_->depends(depth, members_[member]);
}

// The residual of a point, rounded, and its exact sign, against the surface at hand.
double CellCutter::side(std::size_t point) const {
  double sum = 0;
  for (std::size_t c = 0; c < rank_; ++c) sum += normal_[c] * base_.value(c)[point];
  return sum;
}

int CellCutter::sign_of(std::size_t point) {
  const double sum = side(point);
  if (sum > error_) return 1;
  if (sum < -error_) return -1;
  return rows_->sign(point);
}

void CellCutter::find_signs(const CellPoints& points, const Word* wanted, std::size_t words,
                            int orientation, Word* positive, Word* on) {
  const std::size_t padded = 64 * words;
  for (std::size_t w = 0; w < words; ++w) {
    if (wanted[w] == 0) continue;
    double sum[64];
    for (std::size_t i = 0; i < 64; ++i) sum[i] = normal_[0] * points.values[64 * w + i];
    for (std::size_t c = 1; c < rank_; ++c) {
      const double* values = &points.values[c * padded + 64 * w];
      for (std::size_t i = 0; i < 64; ++i) sum[i] += normal_[c] * values[i];
    }
    Word sides[2] = {0, 0};
    for (std::size_t i = 0; i < 64; ++i) {
      sides[0] |= static_cast<Word>(sum[i] > error_) << i;
      sides[1] |= static_cast<Word>(sum[i] < -error_) << i;
    }
    for (Word rest = wanted[w] & ~sides[0] & ~sides[1]; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const int sign = rows_->sign(points.ids[64 * w + i]);
      (sign > 0 ? sides[0] : sign < 0 ? sides[1] : on[w]) |= Word{1} << i;
    }
    positive[w] = sides[orientation > 0 ? 0 : 1] & wanted[w];
  }
}

// The cell on one side of the cut.
void CellCutter::finish(const Cell& from, const Layout& was, std::size_t bit, bool positive,
                        CellSide& out) {
  Cell& cell = out.cell;
  cell.points = from.points;
  cell.path = from.path;
  cell.path.push_back(2 * from.points->ids[bit] + (positive ? 1 : 0));
  const Layout is(cell);
  std::vector<Word>& data = cell.data;
  data.assign(from.data.begin(), from.data.begin() + static_cast<long>(was.signs));
  const auto add = [&](const Word* ray, bool tight) {
    const std::size_t at = data.size();
    data.insert(data.end(), ray, ray + was.ray());
    data.resize(at + is.ray(), 0);
    if (tight) put(&data[at + 2 * is.signs], from.path.size());
  };
  for (const Word* ray : sides_[positive ? 0 : 1]) add(ray, false);
  for (const Word* ray : on_) add(ray, true);
  data.insert(data.end(), fresh_.begin(), fresh_.end());
  settle(from.data.data(), out);
}

// Finds out which of the open points still part the cell, and forgets the others if that saves
// words.
void CellCutter::settle(const Word* open, CellSide& out) {
  Cell& cell = out.cell;
  const Layout is(cell);
  out.left.clear();
  out.right.clear();
  std::vector<std::uint32_t> kept;
  std::vector<std::size_t> bits;
  for (std::size_t w = 0; w < is.signs; ++w) {
    Word above = 0, below = 0;
    for (std::size_t at = is.signs; at < cell.data.size(); at += is.ray()) {
      above |= cell.data[at + w];
      below |= ~(cell.data[at + w] | cell.data[at + is.signs + w]);
    }
    cell.data[w] = open[w] & above & below;
    for (Word rest = open[w]; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      const Word one = Word{1} << i;
      const std::uint32_t id = cell.points->ids[64 * w + i];
      if ((cell.data[w] & one) != 0) {
        kept.push_back(id);
        bits.push_back(64 * w + i);
      } else {
        ((above & one) != 0 ? out.left : out.right).push_back(id);
      }
    }
  }
  const std::size_t words = (kept.size() + 63) / 64;
  if (words == is.signs) return;
  if (words == 0) {
    cell = {};
    return;
  }
  std::vector<Word> data(words, 0);
  for (std::size_t i = 0; i < kept.size(); ++i) put(data.data(), i);
  for (std::size_t at = is.signs; at < cell.data.size(); at += is.ray()) {
    const std::size_t to = data.size();
    data.resize(to + 2 * words + is.tight, 0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (has(&cell.data[at], bits[i])) put(&data[to], i);
      if (has(&cell.data[at + is.signs], bits[i])) put(&data[to + words], i);
    }
    std::copy_n(&cell.data[at + 2 * is.signs], is.tight, &data[to + 2 * words]);
  }
  cell.points = gather(std::move(kept));
  cell.data = std::move(data);
}

std::unique_ptr<Arrangement> make_arrangement(const PointSet& points) {
  refuse_many_columns(points);
  return std::make_unique<CellCutter>(points);
}

}  // namespace KERNEL_NAMESPACE
