// The rows that a worker is at: all rows, and those along the path to its latest piece.
#pragma once

#include <list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/binary/binary_node.hpp"
#include "search/columns/column_source.hpp"
#include "search/driver/make_root.hpp"
#include "search/driver/worker.hpp"
#include "search/remote/question.hpp"

namespace exactree {

// The rows at the end of a path, and what was solved of their splits.
template <class V>
struct Station {
  Path path;
  std::int64_t used = 0;  // when it was last
  std::unique_ptr<Node> node;
  Frame<V> frame{};
  std::vector<std::unique_ptr<Chain<V>>> chains;
  std::vector<std::vector<bool>> sides_told;  // by column
};

inline void check_split(const Node& node, int feature, int position) {
  if (feature < 0 || feature >= node.features() || position <= 0 || position >= node.rows() ||
      node.next(feature, position) != position)
    throw std::invalid_argument("there is no such split");
}

template <class V>
class Stations {
 public:
  // Reads the rows. Throws Stopped if a limit is reached meanwhile.
  Stations(const Problem& data, MakeRoot make_root, Budget budget, Worker<V>& worker)
      : features_(static_cast<std::size_t>(data.features)), worker_(worker) {
    Station<V>& all = list_.emplace_back();
    all.node = make_root(data, worker.work());
    worker.control().use_memory(all.node->bytes());
    worker.start(*all.node);
    arrive(all, budget);
    all.frame.is_root = true;
  }

  Station<V>& all() { return list_.front(); }

  // Throws std::invalid_argument if there is no such path.
  Station<V>& go_to(const Path& path) {
    if (static_cast<int>(path.size()) >= all().frame.budget.depth)
      throw std::invalid_argument("the path is longer than the depth");
    ++now_;
    Station<V>* at = &all();
    Path so_far;
    for (const Step& step : path) {
      so_far.push_back(step);
      at = &next(*at, so_far);
      at->used = now_;
    }
    return *at;
  }

 private:
  // Those before a station are used whenever it is, so that the ones that were not for the longest
  // time have nothing behind them but such.
  static constexpr std::size_t kKept = 12;

  Station<V>& next(Station<V>& before, const Path& path) {
    for (Station<V>& one : list_)
      if (one.path == path) return one;
    make_room();
    const Step& step = path.back();
    check_split(*before.node, step.feature, step.position);
    Station<V> next;
    next.path = path;
    next.node = before.node->make_empty();
    before.node->make_child(step.feature, step.position, step.left, *next.node, worker_.work());
    if (next.node->kind() == SplitKind::kBinary) static_cast<BinaryNode&>(*next.node).open();
    worker_.control().use_memory(next.node->bytes());
    arrive(next, before.frame.budget.child());
    return list_.emplace_back(std::move(next));
  }

  // One way is always kept: the present one. More only where there is memory for them.
  void make_room() {
    const std::size_t kept = worker_.control().has_room(0) ? kKept : 1;
    while (list_.size() > kept) {
      auto oldest = list_.end();
      for (auto one = std::next(list_.begin()); one != list_.end(); ++one)
        if (one->used != now_ &&
            (oldest == list_.end() || one->used < oldest->used ||
             (one->used == oldest->used && one->path.size() > oldest->path.size())))
          oldest = one;
      if (oldest == list_.end()) return;
      worker_.control().use_memory(-oldest->node->bytes() - oldest->frame.bytes);
      list_.erase(oldest);
    }
  }

  void arrive(Station<V>& station, Budget budget) {
    station.frame.node = station.node.get();
    station.frame.budget = budget;
    station.chains.resize(features_);
    station.sides_told.resize(features_);
  }

  std::size_t features_;
  Worker<V>& worker_;
  std::int64_t now_ = 0;
  std::list<Station<V>> list_;  // the first has all rows
};

}  // namespace exactree
