// A vector whose new elements are not written: memory that is never used costs no time and no room.
//
// Where a node has numbers for every row and column, zeros alone take a tenth of a second in large
// tables, before the first look at the clock.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace exactree {

template <class T>
struct RawAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    std::construct_at(p, std::forward<Args>(args)...);
  }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// Makes room for so many elements; what was there is gone.
template <class T>
void make_room(RawVector<T>& vector, std::size_t size) {
  if (vector.size() >= size) return;
  vector.clear();
  vector.resize(size);
}

}  // namespace exactree
