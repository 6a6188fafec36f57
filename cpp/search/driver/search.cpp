#include "search/driver/search.hpp"

#include <algorithm>

#include "search/driver/posing.hpp"
#include "search/driver/root.hpp"

namespace exactree {

SearchResult search(const Problem& data, const SearchRequest& request, MakeRoot make_root,
                    Control& control, SearchProgress& progress) {
  SearchResult result;
  const Posing posing(data, request);
  control.room = std::min(control.room, posing.room(control.memory_limit));
  posing.with_value([&]<class V>() {
    RootSearch<V>(posing.data(), posing.request(), make_root, control, progress, result).run();
  });
  result.counters.pruned[static_cast<std::size_t>(Pruning::kConflict)] += posing.conflicts();
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree
