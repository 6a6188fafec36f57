// Finds the pairs of covers.hpp; compiled per instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/covers.hpp"
#include "search/columns/rank_table.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

class CoverFinder {
 public:
  CoverFinder(const Node& node, RankTable& ranks, Covers& covers)
      : node_(node),
        ranks_(ranks),
        covers_(covers),
        words_(static_cast<std::size_t>(ranks.words())),
        sides_(2 * static_cast<std::size_t>(node.features())) {}

  void find(int errors) {
    covers_.words = (node_.features() + 63) / 64;
    covers_.columns.assign(sides_ * static_cast<std::size_t>(covers_.words), 0);
    const int half = (errors - 1) / 2;
    for (int label = 0; label < 2; ++label) {
      const int rows = list_rows(label);
      find(label, half + 1, rows - (errors - 1), covers_.few);
      find(label, errors, rows - (errors - 2 - half), covers_.many);
    }
  }

 private:
  // The largest side of a column with few rows of the other label, and how many of its own it has.
  struct Side {
    int place, position, size;
  };
  // Sides that are looked at together.
  static constexpr std::size_t kAtOnce = EXACTREE_SIMD512 ? 8 : 1;

  Word present(int w) const { return w + 1 == ranks_.words() ? ranks_.last_word() : ~Word{0}; }
  // The rows of a class in a word of a column's order.
  Word members(const Word* ones, int c, int w) const {
    return (c == 1 ? ones[w] : ~ones[w]) & present(w);
  }
  int list_rows(int label) {
    const Word* ones = node_.class_mask(0, 1);
    covers_.labelled.resize(words_);
    int rows = 0;
    for (int w = 0; w < ranks_.words(); ++w) {
      const Word word = members(ones, label, w);
      covers_.labelled[static_cast<std::size_t>(w)] = word;
      rows += count(word);
    }
    return rows;
  }

  // Notes pairs of largest sides with fewer than `limit` other rows that have together so many rows
  // of a label at least. Sides that are too small for any pair need no rows.
  void find(int label, int limit, int least, Covers::Sides& sides) {
    list_sides(label, limit);
    int largest = 0;
    for (const Side& side : listed_) largest = std::max(largest, side.size);
    std::erase_if(listed_, [&](const Side& side) { return side.size + largest < least; });
    std::sort(listed_.begin(), listed_.end(), [](const Side& a, const Side& b) {
      return a.size != b.size ? a.size > b.size : a.place < b.place;
    });
    list_rows_of_sides(sides);
    for (std::size_t i = 0, end = listed_.size(); i + 1 < end; ++i) {
      while (end > i + 1 && listed_[i].size + listed_[end - 1].size < least) --end;
      count_shared(sides, i, end);
      for (std::size_t j = i + 1; j < end; ++j) {
        const int both = listed_[i].size + listed_[j].size - static_cast<int>(shared_[j]);
        if (both < least) continue;
        note(listed_[i].place, listed_[j].place);
        note(listed_[j].place, listed_[i].place);
      }
    }
  }

  void list_sides(int label, int limit) {
    listed_.clear();
    for (int f = 0; f < node_.features(); ++f)
      for (int s = 0; s < 2; ++s) {
        const int p = last_with_few(f, s, 1 - label, limit);
        const int from = s == 0 ? 0 : p, before = s == 0 ? p : node_.rows();
        listed_.push_back({2 * f + s, p, count_members(f, label, from, before)});
      }
  }
  // The rows of a class between two positions of a column.
  int count_members(int f, int c, int from, int before) const {
    const Word* ones = node_.class_mask(f, 1);
    int n = 0;
    for (int w = from / 64; 64 * w < before; ++w) {
      Word word = members(ones, c, w) & low_bits(before - 64 * w);
      if (w == from / 64) word &= ~low_bits(from % 64);
      n += count(word);
    }
    return n;
  }
  void list_rows_of_sides(Covers::Sides& sides) {
    wide_ = (listed_.size() + kAtOnce - 1) / kAtOnce * kAtOnce;
    sides.rows.resize(wide_ * words_);
    for (std::size_t at = 0; at < listed_.size(); ++at) {
      const auto [place, p, size] = listed_[at];
      const Parting parting = ranks_.parting(0, place / 2, p);
      for (int w = 0; w < ranks_.words(); ++w) {
        const auto v = static_cast<std::size_t>(w);
        sides.rows[v * wide_ + at] = parting.side(place % 2, w) & covers_.labelled[v];
      }
    }
  }
  // The position of the largest side with fewer than so many rows of a class.
  int last_with_few(int f, int s, int c, int limit) const {
    const Word* ones = node_.class_mask(f, 1);
    const int words = ranks_.words();
    for (int i = 0; i < words; ++i) {
      const int w = s == 0 ? i : words - 1 - i;
      const Word word = members(ones, c, w);
      const int n = count(word);
      if (n < limit) {
        limit -= n;
        continue;
      }
      const int row = w * 64 + first(kth_member(word, s == 0 ? limit : n - limit + 1));
      return s == 0 ? node_.prev(f, row) : node_.next(f, row + 1);
    }
    return s == 0 ? node_.prev(f, node_.rows() - 1) : node_.next(f, 1);
  }

  // How many rows of the label a side has in common with those after it.
  void count_shared(const Covers::Sides& sides, std::size_t i, std::size_t end) {
    shared_.resize(wide_);
    for (std::size_t j = (i + 1) / kAtOnce * kAtOnce; j < end; j += kAtOnce) {
      const Word* rows = sides.rows.data();
#if EXACTREE_SIMD512
      __m512i n = _mm512_setzero_si512();
      for (std::size_t w = 0; w < words_; ++w, rows += wide_) {
        const __m512i mine = _mm512_set1_epi64(static_cast<long long>(rows[i]));
        n = _mm512_add_epi64(
            n, _mm512_popcnt_epi64(_mm512_and_si512(mine, _mm512_loadu_si512(rows + j))));
      }
      _mm512_storeu_si512(&shared_[j], n);
#else
      shared_[j] = 0;
      for (std::size_t w = 0; w < words_; ++w, rows += wide_)
        shared_[j] += static_cast<Word>(count(rows[i] & rows[j]));
#endif
    }
  }
  void note(int place, int other) {
    const auto g = static_cast<std::size_t>(node_.leader(other / 2));
    const std::size_t at =
        static_cast<std::size_t>(place) * static_cast<std::size_t>(covers_.words);
    covers_.columns[at + g / 64] |= Word{1} << (g % 64);
  }

  const Node& node_;
  RankTable& ranks_;
  Covers& covers_;
  std::size_t words_, sides_, wide_ = 0;
  std::vector<Side> listed_;
  std::vector<Word> shared_;  // of one side with each of those after it
};

}  // namespace exactree::EXACTREE_ISA
