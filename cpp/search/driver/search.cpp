#include "search/driver/search.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/binary/conflicts.hpp"
#include "search/driver/root.hpp"

namespace exactree {

namespace {

constexpr std::int64_t kInputs = 7, kRoom = 64 << 20;

template <class V>
void run(const Problem& data, const SearchRequest& request, MakeRoot make_root, Control& control,
         SearchProgress& progress, SearchResult& result) {
  RootSearch<V>(data, request, make_root, control, progress, result).run();
}

// What a search may take for what only makes it faster: some times the rows as the user has them,
// and something besides, in which all of the ranks of a small table fit. Below a limit, what it
// cannot do without comes first.
std::int64_t room_of(const Problem& data, std::int64_t memory_limit) {
  const std::int64_t input = std::int64_t{8} * data.rows * data.features;
  const std::int64_t room = kInputs * input + kRoom;
  return memory_limit > 0 ? std::min(room, memory_limit / 4 * 3) : room;
}

// The search itself, once there is nothing left to be simplified.
void search_rows(const Problem& data, SearchRequest request, MakeRoot make_root, Control& control,
                 SearchProgress& progress, SearchResult& result) {
  const int depth = std::min(request.max_depth, std::max(data.rows - 1, 0));
  // More splits than rows to part, or than the depth has room for, are no limit.
  const int room = std::min(depth < 30 ? (1 << depth) - 1 : data.rows, std::max(data.rows - 1, 0));
  const bool by_depth = request.max_splits < 0 || (request.max_splits >= room && !request.sizes);
  request.max_depth = depth;
  if (by_depth)
    run<One>(data, request, make_root, control, progress, result);
  else if (request.max_splits < 8)
    run<Curve<8>>(data, request, make_root, control, progress, result);
  else if (request.max_splits < 32)
    run<Curve<32>>(data, request, make_root, control, progress, result);
  else
    throw std::invalid_argument("max_splits = " + std::to_string(request.max_splits) +
                                " limits the tree, and is more than 31");
}

}  // namespace

SearchResult search(const Problem& data, const SearchRequest& request, MakeRoot make_root,
                    Control& control, SearchProgress& progress) {
  SearchResult result;
  control.room = std::min(control.room, room_of(data, control.memory_limit));
  if (data.masks == nullptr && !data.squared() && data.features > 0 && data.max_rank <= 1 &&
      request.switches.on(Pruning::kConflict)) {
    const WithoutConflicts rest(data);
    if (rest.pairs() > 0 && rest.data().rows > 0) {
      SearchRequest own = request;
      own.offset = rest.offset();
      own.lower_bound = std::max<Cost>(0, request.lower_bound - rest.offset());
      search_rows(rest.data(), own, make_root, control, progress, result);
      result.counters.pruned[static_cast<std::size_t>(Pruning::kConflict)] += rest.pairs();
    }
  }
  if (result.answers.empty()) search_rows(data, request, make_root, control, progress, result);
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree
