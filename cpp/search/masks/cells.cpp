// The part of the tree of masks that is made by cutting cells, and the masks that are kept.
#include <algorithm>
#include <bit>

#include "search/masks/mask_tree.hpp"
#include "search/node.hpp"

namespace exactree {

namespace {

// Cells that so many points part at most are looked at mask by mask. All their patterns must fit
// a word: 6 at most.
constexpr std::size_t kTwigPoints = 3;
constexpr std::int64_t kRayEffort = 4;  // what a new ray of a cell is to Workspace::tick

bool stop(void* work) {
  return static_cast<Workspace*>(work)->tick(kRayEffort);
}

// Adds the ways in which the open points of a cell can be parted: bit p of `found` for pattern p,
// in which the k-th point is positive if bit k of p is set. `pattern` has those decided before.
// False if it was stopped.
bool find_patterns(Arrangement& arrangement, const Cell& cell,
                   const std::vector<std::uint32_t>& open, int pattern, const Poll& poll,
                   Word& found) {
  if (arrangement.open_points(cell) == 0) {
    found |= Word{1} << pattern;
    return true;
  }
  CellSide sides[2];
  if (!arrangement.cut(cell, sides, poll)) return false;
  for (const CellSide& side : sides) {
    int decided = pattern;
    for (const std::uint32_t point : side.left)
      decided |= 1 << (std::lower_bound(open.begin(), open.end(), point) - open.begin());
    if (!find_patterns(arrangement, side.cell, open, decided, poll, found)) return false;
  }
  return true;
}

}  // namespace

void MaskTree::plant_cells(int i, int source) {
  const MaskCells& cells = cells_[static_cast<std::size_t>(source)];
  auto& rows_at = rows_at_[static_cast<std::size_t>(source)];
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(rows_); ++r) {
    if (cells.points[r] >= rows_at.size()) rows_at.resize(cells.points[r] + 1);
    rows_at[cells.points[r]].push_back(r);
  }
  CellSide all;
  cells.arrangement->start(all);
  Branch& b = own(i);
  b.source = source;
  Word* some = sets(i) + words_;
  for (int r = 0; r < rows_; ++r) some[r / 64] |= Word{1} << (r % 64);
  decide(i, all);
  b.cell = std::make_unique<Cell>(std::move(all.cell));
}

// Writes down what became decided in a branch.
void MaskTree::decide(int i, const CellSide& side) {
  const auto& rows_at = rows_at_[static_cast<std::size_t>(branch(i).source)];
  Word* all = sets(i);
  Word* some = all + words_;
  for (const std::uint32_t point : side.left)
    for (const std::uint32_t row : rows_at[point]) all[row / 64] |= Word{1} << (row % 64);
  for (const std::uint32_t point : side.right)
    for (const std::uint32_t row : rows_at[point]) some[row / 64] &= ~(Word{1} << (row % 64));
}

int MaskTree::grow_cell(int i, Workspace& work) {
  Branch& b = own(i);
  const Poll poll{stop, &work};
  if (stop(&work)) return Branch::kClosed;
  Arrangement& arrangement = *cells_[static_cast<std::size_t>(b.source)].arrangement;
  auto freed = static_cast<std::int64_t>(b.cell->bytes());
  int child = Branch::kTwig;
  if (arrangement.open_points(*b.cell) <= kTwigPoints) {
    std::vector<std::uint32_t> open;
    arrangement.list_open(*b.cell, open);
    Word found = 0;
    if (!find_patterns(arrangement, *b.cell, open, 0, poll, found)) return Branch::kClosed;
    b.patterns = found;
  } else {
    if (static_cast<std::size_t>(branches_) + 2 > kChunk * chunks_.size()) {
      if (work.control != nullptr) work.control->stop(Status::kMemoryLimit);
      return Branch::kClosed;
    }
    CellSide sides[2];
    if (!arrangement.cut(*b.cell, sides, poll)) return Branch::kClosed;
    child = new_branches(2, work);
    for (int s = 0; s < 2; ++s) {
      Branch& to = own(child + s);
      to.source = b.source;
      std::copy_n(all(i), 2 * width(), sets(child + s));
      decide(child + s, sides[s]);
      to.cell = std::make_unique<Cell>(std::move(sides[s].cell));
      freed -= static_cast<std::int64_t>(to.cell->bytes());
    }
  }
  b.cell.reset();
  if (work.control != nullptr) work.control->use_memory(-freed);
  link(i).store(child, std::memory_order_release);
  return child;
}

std::uint32_t MaskTree::twig_size(int i) const {
  const Branch& b = branch(i);
  if (b.source == Branch::kListed) return b.end - b.begin;
  return static_cast<std::uint32_t>(std::popcount(b.patterns));
}

const MaskTree::Word* MaskTree::twig_mask(int i, std::uint32_t which, Word* room) const {
  const Branch& b = branch(i);
  if (b.source == Branch::kListed) return mask(b.begin + which);
  Word rest = b.patterns;
  for (; which > 0; --which) rest &= rest - 1;
  const int pattern = std::countr_zero(rest);
  const std::uint32_t* points = cells_[static_cast<std::size_t>(b.source)].points;
  std::uint32_t open[kTwigPoints];
  int count = 0;  // points that were met, which is in increasing order
  for (int w = 0; w < words_; ++w) {
    room[w] = all(i)[w];
    for (Word v = some(i)[w] & ~all(i)[w]; v != 0; v &= v - 1) {
      const std::uint32_t point = points[64 * w + std::countr_zero(v)];
      const int k = static_cast<int>(std::find(open, open + count, point) - open);
      if (k == count) open[count++] = point;
      if ((pattern >> k & 1) != 0) room[w] |= v & (~v + 1);
    }
  }
  return room;
}

MaskPlace MaskTree::first_of(int i, Workspace& work) {
  for (;;) {
    if (branch(i).source == Branch::kListed) return {i, MaskPlace::kAny};
    const int child = open(i, work);
    if (child == Branch::kClosed) return {};
    if (child == Branch::kTwig) return {i, 0};
    i = child;
  }
}

int MaskTree::random(std::mt19937_64& dice, Workspace& work) {
  if (cells_.empty()) return static_cast<int>(dice() % size());
  for (int i = kRoot;;) {
    const int child = open(i, work);
    if (child == Branch::kClosed) return -1;
    if (child == Branch::kTwig)
      return static_cast<int>(id({i, static_cast<std::uint32_t>(dice() % twig_size(i))}));
    i = child + static_cast<int>(dice() % 2);
  }
}

std::uint32_t MaskTree::id(MaskPlace place) {
  int i = place.branch;
  while (branch(i).source == Branch::kSeveral) i = link(i).load();
  const Branch& b = branch(i);
  const bool any = place.which == MaskPlace::kAny;
  if (b.source == Branch::kListed) return any ? b.first : ids_[b.begin + place.which];
  if (any) return keep(b.source, all(i));
  std::vector<Word> room(width());
  return keep(b.source, twig_mask(i, place.which, room.data()));
}

std::uint32_t MaskTree::keep(int source, const Word* mask) {
  const std::lock_guard lock(keeping_);
  kept_.push_back({source, std::vector<Word>(mask, mask + words_)});
  return static_cast<std::uint32_t>(size() + kept_.size() - 1);
}

const MaskTree::Word* MaskTree::given(std::uint32_t id) const {
  if (id < given_count_) return given_ + id * width();
  if (id < size()) return &threshold_masks_[(id - given_count_) * width()];
  const std::lock_guard lock(keeping_);
  return kept_[id - size()].mask.data();
}

int MaskTree::source(std::uint32_t id) const {
  const std::lock_guard lock(keeping_);
  return kept_[id - size()].source;
}

}  // namespace exactree
