// Columns of two values as packed words, compiled per instruction set: what all nodes share.
//
// Rows have places, class after class, each class from a new word on; so counts per class are plain
// popcounts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "search/bits.hpp"
#include "search/problem.hpp"

namespace exactree::EXACTREE_ISA {

// 64 words of 64 bits, transposed: halves of halves change places.
inline void transpose(Word block[64]) {
  Word low = 0x00000000FFFFFFFF;
  for (int j = 32; j != 0; j >>= 1, low ^= low << j)
    for (int from = 0; from < 64; from += 2 * j)
      for (int k = from; k < from + j; ++k) {
        const Word t = ((block[k] >> j) ^ block[k + j]) & low;
        block[k] ^= t << j;
        block[k + j] ^= t;
      }
}

struct BinaryTable {
  int features = 0, classes = 0, words = 0, row_words = 0;
  Cost unit = 1, penalty = 0;
  LeastSide least_side;
  std::vector<int> class_words;  // where the words of each class start; one more at the end
  std::vector<Word> all;         // all rows
  std::vector<Word> ones;        // per feature: the rows of rank 1
  std::vector<Word> across;      // per row: the features of rank 1
  std::vector<Cost> weights;     // per row, signed as in two_weighted.hpp; empty: all cost `unit`
  Cost largest = 1;              // what a row costs at most

  explicit BinaryTable(const Problem& data)
      : features(data.features),
        classes(std::max(data.classes, 1)),
        row_words((data.features + 63) / 64),
        unit(data.unit),
        penalty(data.penalty),
        least_side(data.least_side),
        largest(data.unit) {
    place_rows(data);
    if (data.weights != nullptr) place_weights(data);
    place_features(data);
    turn();
  }
  const Word* column(int f) const { return &ones[at(f) * at(words)]; }
  const Word* row(int place) const { return &across[at(place) * at(row_words)]; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void place_rows(const Problem& data) {
    source_words_ = (data.rows + 63) / 64;
    members_.assign(at(classes) * at(source_words_), 0);
    std::vector<int> size(at(classes), 0);
    for (int i = 0; i < data.rows; ++i) {
      ++size[at(data.labels[i])];
      members_[at(data.labels[i]) * at(source_words_) + at(i / 64)] |= Word{1} << (i % 64);
    }
    for (const int n : size) {
      class_words.push_back(words);
      words += (n + 63) / 64;
      for (int left = n; left > 0; left -= 64) all.push_back(low_bits(left));
    }
    class_words.push_back(words);
  }

  void place_weights(const Problem& data) {
    weights.assign(at(words) * 64, 0);
    int next[2] = {64 * class_words[0], 64 * class_words[1]};
    largest = 0;
    for (int i = 0; i < data.rows; ++i) {
      const int c = data.labels[i];
      weights[at(next[c]++)] = c == 1 ? data.weights[i] : -data.weights[i];
      largest = std::max(largest, data.weights[i]);
    }
  }

  void place_features(const Problem& data) {
    std::vector<Word> source(at(source_words_));
    ones.resize(at(features) * at(words));
    for (int f = 0; f < features; ++f) {
      const std::int32_t* ranks = data.ranks + at(f) * at(data.rows);
      for (int w = 0; w < source_words_; ++w)
        source[at(w)] = ones_of(ranks + 64 * w, data.rows - 64 * w);
      for (int c = 0; c < classes; ++c) {
        const int from = class_words[at(c)], to = class_words[at(c + 1)];
        compact_bits(source.data(), &members_[at(c) * at(source_words_)], source_words_,
                     ones.data() + at(f) * at(words) + at(from), to - from);
      }
    }
    members_ = {};
  }
  static Word ones_of(const std::int32_t* ranks, int n) {
    if (n >= 64) return ~below(ranks, 1);
    Word w = 0;
    for (int i = 0; i < n; ++i) w |= static_cast<Word>(ranks[i] != 0) << i;
    return w;
  }

  void turn() {
    across.resize(at(words) * 64 * at(row_words));
    Word block[64];
    for (int w = 0; w < words; ++w)
      for (int r = 0; r < row_words; ++r) {
        for (int k = 0; k < 64; ++k) block[k] = 64 * r + k < features ? column(64 * r + k)[w] : 0;
        transpose(block);
        for (int k = 0; k < 64; ++k) across[at(64 * w + k) * at(row_words) + at(r)] = block[k];
      }
  }

  int source_words_ = 0;
  std::vector<Word> members_;  // per class, in the order of the data
};

}  // namespace exactree::EXACTREE_ISA
