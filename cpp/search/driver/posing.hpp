// A search before it starts: the problem as it is searched, and what kind of optimum is sought.
#pragma once

#include <algorithm>
#include <optional>

#include "search/binary/conflicts.hpp"
#include "search/driver/search.hpp"

namespace exactree {

class Posing {
 public:
  // The arrays of the problem must outlive it.
  Posing(const Problem& data, const SearchRequest& request);
  Posing(const Posing&) = delete;
  Posing& operator=(const Posing&) = delete;

  const Problem& data() const { return rest_ ? rest_->data() : data_; }
  const SearchRequest& request() const { return request_; }
  std::int64_t conflicts() const { return rest_ ? rest_->pairs() : 0; }
  // What a search may take for what only makes it faster.
  std::int64_t room(std::int64_t memory_limit) const;

  // Calls act.operator()<V>() for the kind of optimum that is sought.
  template <class Act>
  auto with_value(Act act) const {
    if (by_depth_) return act.template operator()<One>();
    if (request_.max_splits < 8) return act.template operator()<Curve<8>>();
    return act.template operator()<Curve<32>>();
  }

 private:
  Problem data_;
  SearchRequest request_;
  std::optional<WithoutConflicts> rest_;
  bool by_depth_ = false;
};

}  // namespace exactree
