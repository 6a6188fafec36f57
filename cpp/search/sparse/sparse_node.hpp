// A set of rows with its columns, packed: what is equal, constant or too small is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/driver/control.hpp"
#include "search/sparse/count_lanes.hpp"
#include "search/sparse/row_set_table.hpp"
#include "search/sparse/weighted_rows.hpp"

namespace exactree::EXACTREE_ISA {

template <class Count>
struct SparseNode {
  static constexpr int kBits = 8 * static_cast<int>(sizeof(Count));
  static constexpr int kPerWord = 64 / kBits;

  int columns = 0, padded = 0, words = 0, chunks = 0;
  std::vector<int> id;        // the problem's column, ascending
  std::vector<char> flipped;  // whether side 1 is where the problem's column is 0
  std::vector<Word> bits;     // columns x words; the first row is never in side 1
  std::vector<Word> rows;     // which bits are rows
  std::vector<int> group_word, group_chunk;
  Lines<Count> table;        // chunks x padded: the same bits, a chunk of all columns together
  Lines<Count> count;        // classes x padded: weight of each class in side 1
  Lines<Count> size;         // its weight
  Lines<Count> one[2];       // fewest errors of a tree of one split on either side
  Lines<Count> cells[2];     // the same with the errors of a leaf capped: see PairCounts
  std::vector<Count> total;  // weight of each class
  Count weight = 0;
  Count errors = 0;  // of the leaf
  int label = 0;
  std::vector<Word> key;  // the rows, among all
  std::uint64_t hash = 0;
  std::vector<Bounds> side[2];  // of each column

  const Word* column(int j) const {
    return bits.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(words);
  }
  const Count* chunk(int c) const {
    return table.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(padded);
  }
  const Count* counts(int label_) const {
    return count.data() + static_cast<std::size_t>(label_) * static_cast<std::size_t>(padded);
  }
  Count side_size(int j, int s) const {
    const Count one_side = size[static_cast<std::size_t>(j)];
    return s == 1 ? one_side : static_cast<Count>(weight - one_side);
  }
  Count side_count(int j, int s, int label_) const {
    const Count one_side = counts(label_)[j];
    return s == 1 ? one_side
                  : static_cast<Count>(total[static_cast<std::size_t>(label_)] - one_side);
  }
  // Errors of a leaf on one side of column j.
  Count side_errors(int j, int s) const {
    Count most = 0;
    for (int c = 0; c < static_cast<int>(total.size()); ++c)
      most = std::max(most, side_count(j, s, c));
    return static_cast<Count>(side_size(j, s) - most);
  }
};

// Makes nodes out of their parents; keeps what it needs between calls.
template <class Count>
class NodeBuilder {
 public:
  NodeBuilder(const WeightedRows& rows, Switches switches) : rows_(rows), switches_(switches) {}

  // All rows, with columns of which no side weighs `too_small` or less.
  void make_root(SparseNode<Count>& node, std::int64_t too_small, Counters& counters) {
    SparseNode<Count> all;
    all.columns = rows_.columns();
    all.words = rows_.words;
    all.group_word = rows_.group_word;
    all.rows = rows_.all;
    for (int f = 0; f < rows_.columns(); ++f) {
      all.id.push_back(f);
      all.flipped.push_back(0);
      all.bits.insert(all.bits.end(), rows_.column(f), rows_.column(f) + rows_.words);
    }
    pack(all, rows_.all.data(), node, too_small, counters);
    node.key = rows_.all;
    node.hash = hash_words(node.key.data(), rows_.words);
  }

  // The rows of one side of column j, as a set among all.
  void child_key(const SparseNode<Count>& node, int j, int s, Word* key) const {
    const Word* column = rows_.column(node.id[static_cast<std::size_t>(j)]);
    const Word flip = (s == 1) != (node.flipped[static_cast<std::size_t>(j)] != 0) ? 0 : ~Word{0};
    for (std::size_t w = 0; w < node.key.size(); ++w) key[w] = node.key[w] & (column[w] ^ flip);
  }
  void make_child(const SparseNode<Count>& node, int j, int s, SparseNode<Count>& child,
                  std::int64_t too_small, Counters& counters) {
    const Word* column = node.column(j);
    keep_.resize(static_cast<std::size_t>(node.words));
    for (int w = 0; w < node.words; ++w) {
      const auto at = static_cast<std::size_t>(w);
      keep_[at] = s == 1 ? column[w] : column[w] ^ node.rows[at];
    }
    pack(node, keep_.data(), child, too_small, counters);
    child.key.resize(node.key.size());
    child_key(node, j, s, child.key.data());
    child.hash = hash_words(child.key.data(), rows_.words);
  }

  // The weight of a set of the node's rows that are of one class.
  std::int64_t weight_of(const SparseNode<Count>& node, const Word* set, int label) const {
    std::int64_t sum = 0;
    const auto last =
        static_cast<std::size_t>(rows_.group_of_class[static_cast<std::size_t>(label) + 1]);
    for (auto g = static_cast<std::size_t>(rows_.group_of_class[static_cast<std::size_t>(label)]);
         g < last; ++g) {
      sum *= 2;
      for (int w = node.group_word[g]; w < node.group_word[g + 1]; ++w)
        sum += exactree::EXACTREE_ISA::count(set[w]);
    }
    return sum;
  }
  // The weight that side 1 of two columns have in common.
  std::int64_t common_weight(const SparseNode<Count>& node, int a, int b) const {
    const Word *x = node.column(a), *y = node.column(b);
    std::int64_t all = 0;
    for (std::size_t c = 0; c < node.total.size(); ++c) {
      std::int64_t sum = 0;
      const auto last = static_cast<std::size_t>(rows_.group_of_class[c + 1]);
      for (auto g = static_cast<std::size_t>(rows_.group_of_class[c]); g < last; ++g) {
        sum *= 2;
        for (int w = node.group_word[g]; w < node.group_word[g + 1]; ++w)
          sum += exactree::EXACTREE_ISA::count(x[w] & y[w]);
      }
      all += sum;
    }
    return all;
  }

 private:
  void pack(const SparseNode<Count>& from, const Word* keep, SparseNode<Count>& node,
            std::int64_t too_small, Counters& counters) {
    set_rows(from, keep, node);
    node.id.clear();
    node.flipped.clear();
    node.bits.resize(static_cast<std::size_t>(from.columns + 1) *
                     static_cast<std::size_t>(node.words));
    room_for(node, from.columns);
    node.columns = 0;
    seen_.assign(std::bit_ceil(static_cast<std::size_t>(2 * from.columns + 1)), -1);
    for (int j = 0; j < from.columns; ++j) add_column(from, keep, j, node, too_small, counters);
    fill_table(node);
  }

  void set_rows(const SparseNode<Count>& from, const Word* keep, SparseNode<Count>& node) {
    const auto groups = static_cast<std::size_t>(rows_.groups());
    node.group_word.assign(1, 0);
    node.group_chunk.assign(1, 0);
    node.rows.clear();
    for (std::size_t g = 0; g < groups; ++g) {
      int members = 0;
      for (int w = from.group_word[g]; w < from.group_word[g + 1]; ++w)
        members += exactree::EXACTREE_ISA::count(keep[w]);
      node.group_chunk.push_back(node.group_chunk.back() + (members + node.kBits - 1) / node.kBits);
      for (; members > 0; members -= 64) node.rows.push_back(low_bits(std::min(members, 64)));
      node.group_word.push_back(static_cast<int>(node.rows.size()));
    }
    if (node.rows.empty()) node.rows.push_back(0);
    node.words = static_cast<int>(node.rows.size());
    node.chunks = node.group_chunk.back();
    node.total.resize(static_cast<std::size_t>(rows_.classes));
    node.weight = 0;
    for (int c = 0; c < rows_.classes; ++c) {
      const auto weight = static_cast<Count>(weight_of(node, node.rows.data(), c));
      node.total[static_cast<std::size_t>(c)] = weight;
      node.weight = static_cast<Count>(node.weight + weight);
    }
    const auto best = std::max_element(node.total.begin(), node.total.end());
    node.label = static_cast<int>(best - node.total.begin());
    node.errors = static_cast<Count>(node.weight - *best);
  }

  void room_for(SparseNode<Count>& node, int columns) {
    constexpr int kSize = CountLanes<Count>::kSize;
    node.padded = std::max(kSize, (columns + kSize - 1) / kSize * kSize);
    const auto padded = static_cast<std::size_t>(node.padded);
    node.count.resize(padded * static_cast<std::size_t>(rows_.classes));
    node.size.resize(padded);
    for (auto& one : node.one) one.resize(padded);
  }

  // Same column, small side. Columns that part the rows alike make the same trees: the first will
  // do, here and below, where they still do. A split with a side of weight at most a price is not
  // needed: without it, the subtree of the other side errs on at most that weight more, and a price
  // is saved. Fewer rows make no side larger, so that this holds below as well. (Extraction asks
  // for less than a price, since no optimal tree has such a split.)
  void add_column(const SparseNode<Count>& from, const Word* keep, int j, SparseNode<Count>& node,
                  std::int64_t too_small, Counters& counters) {
    const int k = node.columns;
    Word* bits =
        node.bits.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(node.words);
    for (std::size_t g = 0; g + 1 < node.group_word.size(); ++g) {
      const int begin = from.group_word[g];
      compact_bits(from.column(j) + begin, keep + begin, from.group_word[g + 1] - begin,
                   bits + node.group_word[g], node.group_word[g + 1] - node.group_word[g]);
    }
    const bool flip = node.group_word.back() > 0 && (bits[0] & 1) != 0;
    if (flip)
      for (int w = 0; w < node.words; ++w) bits[w] ^= node.rows[static_cast<std::size_t>(w)];
    std::int64_t size = 0;
    for (int c = 0; c < rows_.classes; ++c) {
      const std::int64_t weight = weight_of(node, bits, c);
      count_at(node, c, k) = static_cast<Count>(weight);
      size += weight;
    }
    if (size == 0 || size == node.weight) return;
    if (std::min(size, node.weight - size) <= too_small) {
      counters.count(Pruning::kSmallSide);
      return;
    }
    if (switches_.on(Pruning::kSameColumn) && is_known(node, bits)) {
      counters.count(Pruning::kSameColumn);
      return;
    }
    node.size[static_cast<std::size_t>(k)] = static_cast<Count>(size);
    node.id.push_back(from.id[static_cast<std::size_t>(j)]);
    node.flipped.push_back(
        static_cast<char>((from.flipped[static_cast<std::size_t>(j)] != 0) != flip));
    ++node.columns;
  }
  Count& count_at(SparseNode<Count>& node, int c, int j) {
    return node.count[static_cast<std::size_t>(c) * static_cast<std::size_t>(node.padded) +
                      static_cast<std::size_t>(j)];
  }
  bool is_known(const SparseNode<Count>& node, const Word* bits) {
    std::size_t at = hash_words(bits, node.words) & (seen_.size() - 1);
    for (; seen_[at] >= 0; at = (at + 1) & (seen_.size() - 1))
      if (std::equal(bits, bits + node.words, node.column(seen_[at]))) return true;
    seen_[at] = node.columns;
    return false;
  }

  void fill_table(SparseNode<Count>& node) {
    constexpr int kSize = CountLanes<Count>::kSize;
    const int before = node.padded;
    node.padded = std::max(kSize, (node.columns + kSize - 1) / kSize * kSize);
    for (int c = 0; c < rows_.classes; ++c) {
      Count* to =
          node.count.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(node.padded);
      const Count* in =
          node.count.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(before);
      std::copy(in, in + node.columns, to);
      std::fill(to + node.columns, to + node.padded, Count{0});
    }
    std::fill(node.size.begin() + node.columns, node.size.begin() + node.padded, Count{0});
    node.table.resize(static_cast<std::size_t>(std::max(node.chunks, 1)) *
                      static_cast<std::size_t>(node.padded));
    Count* to = node.table.data();
    for (std::size_t g = 0; g + 1 < node.group_word.size(); ++g)
      for (int c = 0; c < node.group_chunk[g + 1] - node.group_chunk[g]; ++c, to += node.padded) {
        const Word* word = node.bits.data() + node.group_word[g] + c / node.kPerWord;
        const int shift = c % node.kPerWord * node.kBits;
        for (int j = 0; j < node.columns; ++j, word += node.words)
          to[j] = static_cast<Count>(*word >> shift);
        std::fill(to + node.columns, to + node.padded, Count{0});
      }
  }

  const WeightedRows& rows_;
  Switches switches_;
  std::vector<Word> keep_;
  std::vector<int> seen_;  // a hash table of the columns kept so far
};

}  // namespace exactree::EXACTREE_ISA
