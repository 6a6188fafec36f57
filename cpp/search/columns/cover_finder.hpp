// Finds the pairs of covers.hpp; compiled per instruction set.
#pragma once

#include <cstdint>
#include <vector>

#include "search/bits.hpp"
#include "search/columns/covers.hpp"
#include "search/columns/rank_table.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

template <class Rank>
class CoverFinder {
 public:
  CoverFinder(const Node& node, RankTable<Rank>& ranks, Covers& covers)
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
      list_sides(label, half + 1, covers_.few);
      list_sides(label, errors, covers_.many);
      for (std::size_t i = 0; i < sides_; ++i)
        for (std::size_t j = i + 1; j < sides_; ++j)
          if (holds(covers_.few, i, j, rows - (errors - 1)) ||
              holds(covers_.many, i, j, rows - (errors - 2 - half))) {
            note(i, j);
            note(j, i);
          }
    }
  }

 private:
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
    sides.rows.resize(sides_ * words_);
    sides.sizes.resize(sides_);
    for (int f = 0; f < node_.features(); ++f)
      for (int s = 0; s < 2; ++s) {
        const auto at = static_cast<std::size_t>(2 * f + s);
        Word* to = &sides.rows[at * words_];
        int n = 0;
        ranks_.with_parting(0, f, last_with_few(f, s, 1 - label, limit), [&](const auto& parting) {
          for (int w = 0; w < ranks_.words(); ++w) {
            to[w] = parting.side(s, w) & covers_.labelled[static_cast<std::size_t>(w)];
            n += count(to[w]);
          }
        });
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

  // Whether two sides have so many rows of the label together.
  bool holds(const Covers::Sides& sides, std::size_t i, std::size_t j, int least) const {
    if (sides.sizes[i] + sides.sizes[j] < least) return false;
    const Word* a = &sides.rows[i * words_];
    const Word* b = &sides.rows[j * words_];
    int n = 0;
    for (std::size_t w = 0; w < words_; ++w) n += count(a[w] | b[w]);
    return n >= least;
  }
  void note(std::size_t i, std::size_t j) {
    const auto g = static_cast<std::size_t>(node_.leader(static_cast<int>(j / 2)));
    covers_.columns[i * static_cast<std::size_t>(covers_.words) + g / 64] |= Word{1} << (g % 64);
  }

  const Node& node_;
  RankTable<Rank>& ranks_;
  Covers& covers_;
  std::size_t words_, sides_;
};

}  // namespace exactree::EXACTREE_ISA
