// The rows that a worker is at: all rows, and those along the path to its latest piece.
#pragma once

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
  Step step;  // from the station before
  std::unique_ptr<Node> node;
  Frame<V> frame{};
  std::vector<std::unique_ptr<Chain<V>>> chains;
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
    std::size_t same = 0;
    while (same < path.size() && same + 1 < list_.size() && list_[same + 1].step == path[same])
      ++same;
    while (list_.size() > same + 1) {
      worker_.control().use_memory(-list_.back().node->bytes() - list_.back().frame.bytes);
      list_.pop_back();
    }
    for (; same < path.size(); ++same) step(path[same]);
    return list_.back();
  }

 private:
  void step(const Step& step) {
    Node& before = *list_.back().node;
    check_split(before, step.feature, step.position);
    Station<V> next;
    next.step = step;
    next.node = before.make_empty();
    before.make_child(step.feature, step.position, step.left, *next.node, worker_.work());
    if (next.node->kind() == SplitKind::kBinary) static_cast<BinaryNode&>(*next.node).open();
    worker_.control().use_memory(next.node->bytes());
    arrive(next, list_.back().frame.budget.child());
    list_.push_back(std::move(next));
  }

  void arrive(Station<V>& station, Budget budget) {
    station.frame.node = station.node.get();
    station.frame.budget = budget;
    station.chains.resize(features_);
  }

  std::size_t features_;
  Worker<V>& worker_;
  std::vector<Station<V>> list_;  // the first has all rows
};

}  // namespace exactree
