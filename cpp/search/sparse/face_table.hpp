// What is proved of smaller sets of rows.
//
// The thresholds above a node bound its rows in some columns from below or from above: its faces.
// Leaves can be cut off in another order, and then the same faces are met again with thresholds of
// their own. So bounds are kept by the faces. Of sets with the same faces, the one whose thresholds
// are no wider in any of them lies within the other, and what it costs at least, so does the other
// (Subset, split_search.hpp).
//   What is kept of a set are the outermost ranks of its rows, which may lie within its thresholds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/driver/control.hpp"
#include "search/node.hpp"
#include "search/sparse/box_table.hpp"
#include "search/value.hpp"

namespace exactree {

// A column and whether its ranks are bounded from below (0) or from above (1), as 2 f + side. A
// narrower bound is a larger number: the lowest rank, or the highest one with a minus sign.
struct Face {
  int place = 0;
  std::int32_t bound = 0;
};

// In the order of their places, each of them once.
class Faces {
 public:
  // With more of them the same ones are hardly met again.
  static constexpr std::size_t kMost = 6;

  // Those of a child that has the rows of one side of position p in column f.
  void take_child(const Faces& of, const Node& node, int f, int p, int side) {
    faces_ = of.faces_;
    set(of_side(node, f, p, side));
  }
  static Face of_side(const Node& node, int f, int p, int side) {
    if (side == 1) return {2 * f, node.rank_at(f, p)};
    return {2 * f + 1, -node.rank_at(f, p - 1)};
  }
  void set(const Face& face) {
    const auto at =
        std::lower_bound(faces_.begin(), faces_.end(), face,
                         [](const Face& a, const Face& b) { return a.place < b.place; });
    if (at != faces_.end() && at->place == face.place)
      at->bound = face.bound;
    else
      faces_.insert(at, face);
  }
  // To the outermost ranks of the rows.
  void shrink(const Node& node) {
    for (Face& face : faces_) {
      const int f = face.place / 2;
      face.bound = face.place % 2 == 0 ? node.rank_at(f, 0) : -node.rank_at(f, node.rows() - 1);
    }
  }
  bool kept() const { return !faces_.empty() && faces_.size() <= kMost; }
  std::size_t size() const { return faces_.size(); }
  const Face& operator[](std::size_t i) const { return faces_[i]; }
  std::size_t index(int place) const {
    std::size_t i = 0;
    while (faces_[i].place != place) ++i;
    return i;
  }

 private:
  std::vector<Face> faces_;
};

class FaceTable {
 public:
  // From this bound of a face on, a set costs so much at least.
  struct Step {
    std::int32_t bound;
    Cost low;
  };

  // At most about so many bytes, after which all is forgotten and begun anew.
  FaceTable(std::int64_t bytes, Control& control) : most_bytes_(bytes), control_(control) {}

  void add(const Faces& faces, const Trees& trees, Cost low) {
    if (accounted_ > most_bytes_) {
      sets_.clear();
      account(-accounted_);
    }
    const auto [place, is_new] = sets_.try_emplace(set_key(faces, trees));
    Sets& sets = place->second;
    const std::int64_t before = is_new ? -kSetsBytes : sets.bytes();
    const std::size_t width = faces.size();
    std::size_t at = sets.lows.size();
    if (at < kMostSets) {
      sets.lows.push_back(low);
      sets.bounds.resize(sets.bounds.size() + width);
    } else {
      at = sets.next++ % kMostSets;
      sets.lows[at] = low;
    }
    for (std::size_t i = 0; i < width; ++i) sets.bounds[at * width + i] = faces[i].bound;
    if (sets.bytes() != before) account(sets.bytes() - before);
  }

  // What sets cost at least that are as wide as `faces` but in one of them, where their bound is at
  // most that of a step: the steps with the narrowest bound first, each with a larger cost.
  void find(const Faces& faces, const Trees& trees, int place, std::vector<Step>& steps) {
    steps.clear();
    const auto found = sets_.find(set_key(faces, trees));
    if (found == sets_.end()) return;
    const Sets& sets = found->second;
    const std::size_t width = faces.size(), own = faces.index(place);
    for (std::size_t k = 0; k < sets.lows.size(); ++k) {
      const std::int32_t* bounds = &sets.bounds[k * width];
      bool within = true;
      for (std::size_t i = 0; i < width && within; ++i) within = bounds[i] >= faces[i].bound;
      if (within) insert({bounds[own], sets.lows[k]}, steps);
    }
  }

 private:
  // Sets of the same faces; after so many the oldest one is forgotten.
  static constexpr std::size_t kMostSets = 4096;
  struct Sets {
    std::vector<std::int32_t> bounds;
    std::vector<Cost> lows;
    std::size_t next = 0;

    std::int64_t bytes() const {
      return static_cast<std::int64_t>(bounds.capacity() * sizeof(std::int32_t) +
                                       lows.capacity() * sizeof(Cost));
    }
  };
  static constexpr std::int64_t kSetsBytes = 256;  // about what faces take besides
  using Key = std::vector<std::int32_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const { return hash_of(key); }
  };

  // There are few steps: those of narrower bounds that cost as much are no use.
  static void insert(const Step& step, std::vector<Step>& steps) {
    auto at = steps.begin();
    while (at != steps.end() && at->bound >= step.bound && at->low < step.low) ++at;
    if (at != steps.begin() && (at - 1)->bound == step.bound) --at;
    if (at != steps.end() && at->bound >= step.bound && at->low >= step.low) return;
    auto after = at;
    while (after != steps.end() && after->low <= step.low) ++after;
    if (after == at)
      steps.insert(at, step);
    else
      *at = step, steps.erase(at + 1, after);
  }

  const Key& set_key(const Faces& faces, const Trees& trees) {
    key_.assign({trees.splits, trees.bar, trees.levels});
    for (std::size_t i = 0; i < faces.size(); ++i) key_.push_back(faces[i].place);
    return key_;
  }
  void account(std::int64_t more) {
    accounted_ += more;
    control_.use_memory(more);
  }

  std::int64_t most_bytes_, accounted_ = 0;
  Control& control_;
  Key key_;
  std::unordered_map<Key, Sets, Hash> sets_;
};

}  // namespace exactree
