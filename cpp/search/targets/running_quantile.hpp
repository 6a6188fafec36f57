// The cost of a leaf by quantile_loss.hpp, while rows are taken out of it one by one.
//
// The rows are a list linked in the order of their targets. With the pointer at the quantile m,
//
//   D = below * W(up to the pointer) - above * W(after it)
//   Z = above * Y(after it) - below * Y(up to it),   W sums of w, Y sums of w y,
//
// the rows cost m D + Z. Taking a row out changes D and Z by its own share, and the pointer moves
// while D < 0, or while D would not be below 0 without the row it points to: a step or two, unless
// weights are very unlike.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "search/bits.hpp"
#include "search/targets/quantile_loss.hpp"

namespace exactree::EXACTREE_ISA {

// Rows in the order of their targets, numbered from one: 0 and the last are ends of the list.
template <class Number>
struct SortedRows {
  Number above = 0, below = 0;
  std::vector<Number> y, w, wy;

  void resize(std::size_t rows) {
    y.resize(rows + 2);
    w.resize(rows + 2);
    wy.resize(rows + 2);
  }
  void set(std::size_t i, Number target, Number weight) {
    y[i] = target;
    w[i] = weight;
    wy[i] = weight * target;
  }
};

struct Links {
  std::int32_t before, after;
};

template <class Number>
class RunningQuantile {
 public:
  // Begins with the rows for which `inside` says yes.
  template <class Inside>
  void start(const SortedRows<Number>& rows, std::int32_t count, const Inside& inside) {
    rows_ = &rows;
    links_.resize(static_cast<std::size_t>(count) + 2);
    pointer_ = 0;
    d_ = z_ = 0;
    std::int32_t last = 0;
    for (std::int32_t i = 1; i <= count; ++i) {
      if (!inside(i)) continue;
      const auto at = static_cast<std::size_t>(i);
      links_[static_cast<std::size_t>(last)].after = i;
      links_[at].before = last;
      last = i;
      d_ -= rows.above * rows.w[at];
      z_ += rows.above * rows.wy[at];
    }
    links_[static_cast<std::size_t>(last)].after = count + 1;
    links_[static_cast<std::size_t>(count) + 1].before = last;
    settle();
  }
  void restart(const RunningQuantile& from) {
    rows_ = from.rows_;
    links_.resize(from.links_.size());
    std::memcpy(links_.data(), from.links_.data(), links_.size() * sizeof(Links));
    pointer_ = from.pointer_;
    d_ = from.d_;
    z_ = from.z_;
  }
  EXACTREE_INLINE void remove(std::int32_t i) {
    const auto at = static_cast<std::size_t>(i);
    const Links link = links_[at];
    links_[static_cast<std::size_t>(link.before)].after = link.after;
    links_[static_cast<std::size_t>(link.after)].before = link.before;
    const Number share = i <= pointer_ ? -rows_->below : rows_->above;
    d_ += share * rows_->w[at];
    z_ -= share * rows_->wy[at];
    pointer_ = i == pointer_ ? link.before : pointer_;
    settle();
  }
  Number cost() const { return rows_->y[static_cast<std::size_t>(pointer_)] * d_ + z_; }

 private:
  EXACTREE_INLINE void settle() {
    const Number both = rows_->above + rows_->below;
    while (d_ < 0) {
      pointer_ = links_[static_cast<std::size_t>(pointer_)].after;
      d_ += both * rows_->w[static_cast<std::size_t>(pointer_)];
      z_ -= both * rows_->wy[static_cast<std::size_t>(pointer_)];
    }
    while (pointer_ > 0) {
      const Number without = d_ - both * rows_->w[static_cast<std::size_t>(pointer_)];
      if (without < 0) break;
      d_ = without;
      z_ += both * rows_->wy[static_cast<std::size_t>(pointer_)];
      pointer_ = links_[static_cast<std::size_t>(pointer_)].before;
    }
  }

  const SortedRows<Number>* rows_ = nullptr;
  std::vector<Links> links_;
  std::int32_t pointer_ = 0;
  Number d_ = 0, z_ = 0;
};

}  // namespace exactree::EXACTREE_ISA
