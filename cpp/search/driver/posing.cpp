#include "search/driver/posing.hpp"

#include <stdexcept>
#include <string>

namespace exactree {

namespace {

constexpr std::int64_t kInputs = 7, kRoom = 64 << 20;

}  // namespace

Posing::Posing(const Problem& data, const SearchRequest& request) : data_(data), request_(request) {
  if (data.masks == nullptr && !data.numbers() && !data.priced() && data.features > 0 &&
      data.max_rank <= 1 && request.switches.on(Pruning::kConflict)) {
    rest_.emplace(data_);
    if (rest_->pairs() == 0 || rest_->data().rows == 0) rest_.reset();
  }
  if (rest_) {
    request_.offset = rest_->offset();
    request_.lower_bound = std::max<Cost>(0, request.lower_bound - rest_->offset());
    if (request_.upper_bound < kInfinite) request_.upper_bound -= rest_->offset();
  }
  const int rows = this->data().rows;
  const int depth = std::min(request.max_depth, std::max(rows - 1, 0));
  // More splits than rows to part, or than the depth has room for, are no limit.
  const int room = std::min(depth < 30 ? (1 << depth) - 1 : rows, std::max(rows - 1, 0));
  by_depth_ = request.max_splits < 0 || (request.max_splits >= room && !request.sizes);
  request_.max_depth = depth;
  if (!by_depth_ && request.max_splits >= 32)
    throw std::invalid_argument("max_splits = " + std::to_string(request.max_splits) +
                                " limits the tree, and is more than 31");
}

// Some times the rows as the user has them, and something besides, in which all of the ranks of a
// small table fit. Below a limit, what the search cannot do without comes first.
std::int64_t Posing::room(std::int64_t memory_limit) const {
  const std::int64_t input = std::int64_t{8} * data_.rows * data_.features;
  const std::int64_t room = kInputs * input + kRoom;
  return memory_limit > 0 ? std::min(room, memory_limit / 4 * 3) : room;
}

}  // namespace exactree
