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
        sides_(2 * static_cast<std::size_t>(node.features())),
        wide_((sides_ + kAtOnce - 1) / kAtOnce * kAtOnce) {}

  void find(int errors) {
    covers_.words = (node_.features() + 63) / 64;
    covers_.columns.assign(sides_ * static_cast<std::size_t>(covers_.words), 0);
    const int half = (errors - 1) / 2;
    for (int label = 0; label < 2; ++label) {
      const int rows = list_rows(label);
      list_sides(label, half + 1, covers_.few);
      list_sides(label, errors, covers_.many);
      const int few = rows - (errors - 1), many = rows - (errors - 2 - half);
      for (std::size_t i = 0; i < sides_; ++i) {
        const bool any_few = count_shared(covers_.few, i, few, few_shared_);
        const bool any_many = count_shared(covers_.many, i, many, many_shared_);
        for (std::size_t j = i + 1; j < sides_ && (any_few || any_many); ++j)
          if ((any_few && holds(covers_.few, i, j, few_shared_, few)) ||
              (any_many && holds(covers_.many, i, j, many_shared_, many))) {
            note(i, j);
            note(j, i);
          }
      }
    }
  }

 private:
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

  void list_sides(int label, int limit, Covers::Sides& sides) {
    sides.rows.resize(wide_ * words_);
    sides.sizes.resize(sides_);
    for (int f = 0; f < node_.features(); ++f)
      for (int s = 0; s < 2; ++s) {
        const auto at = static_cast<std::size_t>(2 * f + s);
        int n = 0;
        const Parting parting = ranks_.parting(0, f, last_with_few(f, s, 1 - label, limit));
        for (int w = 0; w < ranks_.words(); ++w) {
          const auto v = static_cast<std::size_t>(w);
          const Word mine = parting.side(s, w) & covers_.labelled[v];
          sides.rows[v * wide_ + at] = mine;
          n += count(mine);
        }
        sides.sizes[at] = n;
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

  // How many rows of the label a side has in common with those after it. False: none of them can
  // have so many together with it.
  bool count_shared(const Covers::Sides& sides, std::size_t i, int least,
                    std::vector<Word>& shared) const {
    const auto largest =
        std::max_element(sides.sizes.begin() + static_cast<std::ptrdiff_t>(i), sides.sizes.end());
    if (sides.sizes[i] + *largest < least) return false;
    shared.resize(wide_);
    for (std::size_t j = (i + 1) / kAtOnce * kAtOnce; j < sides_; j += kAtOnce) {
      const Word* rows = sides.rows.data();
#if EXACTREE_SIMD512
      __m512i n = _mm512_setzero_si512();
      for (std::size_t w = 0; w < words_; ++w, rows += wide_) {
        const __m512i mine = _mm512_set1_epi64(static_cast<long long>(rows[i]));
        n = _mm512_add_epi64(
            n, _mm512_popcnt_epi64(_mm512_and_si512(mine, _mm512_loadu_si512(rows + j))));
      }
      _mm512_storeu_si512(&shared[j], n);
#else
      shared[j] = 0;
      for (std::size_t w = 0; w < words_; ++w, rows += wide_)
        shared[j] += static_cast<Word>(count(rows[i] & rows[j]));
#endif
    }
    return true;
  }
  // Whether two sides have so many rows of the label together.
  static bool holds(const Covers::Sides& sides, std::size_t i, std::size_t j,
                    const std::vector<Word>& shared, int least) {
    return sides.sizes[i] + sides.sizes[j] - static_cast<int>(shared[j]) >= least;
  }
  void note(std::size_t i, std::size_t j) {
    const auto g = static_cast<std::size_t>(node_.leader(static_cast<int>(j / 2)));
    covers_.columns[i * static_cast<std::size_t>(covers_.words) + g / 64] |= Word{1} << (g % 64);
  }

  const Node& node_;
  RankTable& ranks_;
  Covers& covers_;
  std::size_t words_, sides_, wide_;
  std::vector<Word> few_shared_, many_shared_;  // of one side with each of those after it
};

}  // namespace exactree::EXACTREE_ISA
