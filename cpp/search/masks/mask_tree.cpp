#include "search/masks/mask_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "search/node.hpp"

namespace exactree {

namespace {
constexpr std::uint32_t kTwigMasks = 8;       // fewer are looked at one by one
constexpr std::uint32_t kSample = 64;         // masks that tell how a row divides a branch
constexpr std::uint32_t kAtATime = 1 << 16;   // masks between two looks at the clock
constexpr std::int64_t kEffort = 64;          // what that is to Workspace::tick
constexpr std::size_t kMostChunks = 1 << 16;  // where nobody knows how many masks there are
}  // namespace

MaskTree::MaskTree(const Word* masks, std::size_t count, int rows, const std::int32_t* ranks,
                   int columns, std::vector<MaskCells> cells)
    : rows_(rows),
      words_((rows + 63) / 64),
      given_(masks),
      given_count_(count),
      ranks_(ranks),
      columns_(columns),
      cells_(std::move(cells)),
      rows_at_(cells_.size()) {}

bool MaskTree::start(Workspace& work) {
  if (started_) return true;
  thresholds_.clear();
  threshold_masks_.clear();
  for (int f = 0; f < columns_; ++f)
    if (!list_thresholds(f, work)) return false;
  if (!copy_masks(work)) return false;
  if (!empty()) {
    chunks_.resize(cells_.empty() ? 2 * size() / kChunk + 2 : kMostChunks);
    new_branches(1, work);
    if (!plant(kRoot, size() > 0 ? Branch::kListed : 0, work)) return false;
  }
  return started_ = true;
}

// Makes branch i the root of this source; of this and all further ones, if there are any.
bool MaskTree::plant(int i, int source, Workspace& work) {
  if (source + 1 == static_cast<int>(cells_.size())) return plant_one(i, source, work);
  const int child = new_branches(2, work);
  if (!plant_one(child, source, work) || !plant(child + 1, source + 1, work)) return false;
  for (int w = 0; w < words_; ++w) {
    sets(i)[w] = all(child)[w] & all(child + 1)[w];
    sets(i)[words_ + w] = some(child)[w] | some(child + 1)[w];
  }
  own(i).source = Branch::kSeveral;
  link(i).store(child);
  return true;
}

bool MaskTree::plant_one(int i, int source, Workspace& work) {
  if (source == Branch::kListed) {
    own(i).end = static_cast<std::uint32_t>(size());
    return sum_up(i, work);
  }
  plant_cells(i, source);
  return true;
}

bool MaskTree::list_thresholds(int f, Workspace& work) {
  const std::int32_t* column =
      ranks_ + static_cast<std::size_t>(f) * static_cast<std::size_t>(rows_);
  std::vector<std::int32_t> values(column, column + rows_);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (std::size_t k = 1; k < values.size(); ++k) {
    thresholds_.push_back({f, values[k]});
    const std::size_t at = threshold_masks_.size();
    threshold_masks_.resize(at + width(), 0);
    for (int i = 0; i < rows_; ++i)
      if (column[i] < values[k])
        threshold_masks_[at + static_cast<std::size_t>(i / 64)] |= Word{1} << (i % 64);
    if (work.tick(1 + rows_ / 256)) return false;
  }
  return true;
}

// Memory is counted before it is used: a limit should stop the search, not the machine.
bool MaskTree::copy_masks(Workspace& work) {
  const std::size_t count = given_count_ + thresholds_.size();
  if (work.control != nullptr)
    work.control->use_memory(static_cast<std::int64_t>(
        (count * width() + threshold_masks_.size()) * sizeof(Word) + count * sizeof(ids_[0])));
  if (work.tick(kEffort)) return false;
  masks_.reserve(count * width());
  masks_.clear();
  for (std::size_t i = 0; i < given_count_; i += kAtATime) {
    const std::size_t end = std::min(given_count_, i + kAtATime);
    masks_.insert(masks_.end(), given_ + i * width(), given_ + end * width());
    if (work.tick(kEffort)) return false;
  }
  masks_.insert(masks_.end(), threshold_masks_.begin(), threshold_masks_.end());
  ids_.resize(count);
  for (std::size_t i = 0; i < count; ++i) ids_[i] = static_cast<std::uint32_t>(i);
  return true;
}

int MaskTree::feature(std::uint32_t id) const {
  const MaskThreshold* at = threshold(id);
  return at == nullptr ? static_cast<int>(id) : static_cast<int>(given_count_) + at->column;
}

int MaskTree::new_branches(int count, Workspace& work) {
  const int first = branches_;
  branches_ += count;
  for (int i = first; i < branches_; ++i) {
    auto& chunk = chunks_[static_cast<std::size_t>(i) / kChunk];
    if (chunk) continue;
    chunk = std::make_unique<Chunk>();
    chunk->links = std::make_unique<std::atomic<int>[]>(kChunk);
    std::fill_n(chunk->links.get(), kChunk, Branch::kClosed);
    chunk->branches = std::make_unique<Branch[]>(kChunk);
    chunk->sets.resize(2 * kChunk * width());
    if (work.control != nullptr)
      work.control->use_memory(static_cast<std::int64_t>(
          kChunk * (sizeof(Branch) + sizeof(int) + 2 * width() * sizeof(Word))));
  }
  return first;
}

// False if it was stopped.
bool MaskTree::sum_up(int i, Workspace& work) {
  Branch& b = own(i);
  Word* all = sets(i);
  Word* some = all + words_;
  std::copy_n(mask(b.begin), words_, all);
  std::copy_n(mask(b.begin), words_, some);
  b.first = ids_[b.begin];
  for (std::uint32_t m = b.begin + 1; m < b.end; ++m) {
    const Word* words = mask(m);
    for (int w = 0; w < words_; ++w) all[w] &= words[w], some[w] |= words[w];
    b.first = std::min(b.first, ids_[m]);
    if (m % kAtATime == 0 && work.tick(kEffort)) return false;
  }
  return true;
}

int MaskTree::grow(int i, Workspace& work) {
  const std::lock_guard lock(growing_);
  const Branch& b = branch(i);
  if (const int child = link(i).load(std::memory_order_relaxed); child != Branch::kClosed)
    return child;
  return b.source == Branch::kListed ? grow_listed(i, work) : grow_cell(i, work);
}

// A branch whose growth was stopped keeps all its masks, in some order: it can be tried again.
int MaskTree::grow_listed(int i, Workspace& work) {
  Branch& b = own(i);
  const int row = b.end - b.begin <= kTwigMasks ? -1 : balanced_row(i);
  int child = Branch::kTwig;
  if (row >= 0) {
    std::uint32_t middle = 0;
    if (!part(b.begin, b.end, row, work, middle)) return Branch::kClosed;
    child = new_branches(2, work);
    own(child).begin = b.begin;
    own(child).end = own(child + 1).begin = middle;
    own(child + 1).end = b.end;
    if (!sum_up(child, work) || !sum_up(child + 1, work)) return Branch::kClosed;
  } else if (std::equal(all(i), some(i), some(i))) {
    b.end = b.begin + 1;  // all masks are the same
  }
  link(i).store(child, std::memory_order_release);
  return child;
}

// The row that divides a sample of the branch most evenly, among those that do divide it; -1 if all
// masks are the same.
int MaskTree::balanced_row(int i) const {
  const Branch& b = branch(i);
  const std::uint32_t count = b.end - b.begin, sample = std::min(count, kSample);
  int best = -1, best_off = 0;
  std::vector<int> left(64);
  for (int w = 0; w < words_; ++w) {
    const Word open = some(i)[w] & ~all(i)[w];
    if (open == 0) continue;
    std::fill(left.begin(), left.end(), 0);
    for (std::uint32_t k = 0; k < sample; ++k) {
      const auto place = static_cast<std::uint32_t>(std::uint64_t{k} * count / sample);
      for (Word v = mask(b.begin + place)[w] & open; v != 0; v &= v - 1)
        ++left[static_cast<std::size_t>(std::countr_zero(v))];
    }
    for (Word v = open; v != 0; v &= v - 1) {
      const int bit = std::countr_zero(v);
      const int off = std::abs(2 * left[static_cast<std::size_t>(bit)] - static_cast<int>(sample));
      if (best >= 0 && off >= best_off) continue;
      best = w * 64 + bit;
      best_off = off;
    }
  }
  return best;
}

// Brings the masks that send the row left to the front; `middle` is where the others start. False
// if it was stopped.
bool MaskTree::part(std::uint32_t begin, std::uint32_t end, int row, Workspace& work,
                    std::uint32_t& middle) {
  const std::size_t word = static_cast<std::size_t>(row / 64);
  const Word bit = Word{1} << (row % 64);
  const auto goes_left = [&](std::uint32_t m) { return (mask(m)[word] & bit) != 0; };
  for (std::uint32_t swaps = 1;; ++swaps) {
    while (begin < end && goes_left(begin)) ++begin;
    while (begin < end && !goes_left(end - 1)) --end;
    middle = begin;
    if (begin >= end) return true;
    --end;
    std::swap_ranges(&masks_[begin * width()], &masks_[begin * width()] + words_,
                     &masks_[end * width()]);
    std::swap(ids_[begin], ids_[end]);
    ++begin;
    if (swaps % kAtATime == 0 && work.tick(kEffort)) return false;
  }
}

}  // namespace exactree
