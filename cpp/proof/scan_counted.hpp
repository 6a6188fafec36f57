// Best single splits where all rows weigh the same and a wrong answer is a wrong answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "proof/scanner.hpp"
#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA::proving {

using namespace proof;

// Rows that all weigh the same, as bits: a split answers a on its left and b on its right, a != b,
// and is right as often as there are rows of a on the left and of b on the right. With d = (rows of
// a) - (rows of b) so far this is d and all rows of b. So a split beats the best where d exceeds a
// number, and that takes so many more rows of a: jump to there, count, and jump again if some rows
// of b lay between. Words of 64 rows in which no pair can get there are passed by.
template <class Place, int Labels>
class CountedScanner final : public Scanner {
 public:
  CountedScanner(const Facts& facts, const Rows& rows)
      : facts_(facts),
        rows_(rows),
        features_(facts.problem.features),
        classes_(facts.problem.classes),
        words_((rows.n + 63) / 64),
        variants_(facts.problem.least > 1 ? 2 : 1),
        scale_(facts.problem.weights[0]),
        place_(cells(64), std::numeric_limits<Place>::max()),
        ends_(cells(1), 0),
        bits_(cells(classes()), 0),
        left_(static_cast<std::size_t>(words_)),
        floors_(2 * static_cast<std::size_t>(features_)),
        where_(static_cast<std::size_t>(facts.problem.rows)) {
    for (int g = 0; g < features_; ++g)
      for (int i = 0; i < rows.n; ++i) {
        const std::uint32_t place = rows.column(g)[i];
        const Word bit = Word{1} << (i % 64);
        const int label = facts.problem.labels[row_of(place)];
        bits_[of_class(g, label) + static_cast<std::size_t>(i / 64)] |= bit;
        if (is_end(place) && i + 1 < rows.n) ends_[word(g, i / 64)] |= bit;
      }
    for (int i = 0; i < rows.n; ++i) ++all_[facts.problem.labels[row_of(rows.column(0)[i])]];
  }

  void first_column(int f) override {
    for (int i = 0; i < rows_.n; ++i) where_[row_of(rows_.column(f)[i])] = static_cast<Place>(i);
    for (int g = 0; g < features_; ++g) {
      const std::uint32_t* order = rows_.column(g);
      Place* out = &place_[word(g, 0) * 64];
      for (int i = 0; i < rows_.n; ++i) out[i] = where_[row_of(order[i])];
    }
    first_ = f;
    std::fill(floors_.begin(), floors_.end(), Floor{});
  }

  void scan(int position, SideCosts out[2]) override {
    std::int32_t total[2][kMost];
    std::fill_n(total[0], classes(), 0);
    for (int b = 0; 64 * b < position; ++b) {
      const Word inside = low_bits(std::min(64, position - 64 * b));
      for (int c = 0; c < classes(); ++c)
        total[0][c] += count(bits_[of_class(first_, c) + static_cast<std::size_t>(b)] & inside);
    }
    for (int c = 0; c < classes(); ++c) total[1][c] = all_[c] - total[0][c];
    std::int32_t best[2][2];
    for (int s = 0; s < 2; ++s) best[s][0] = best[s][1] = to_beat(total[s]);
    // The columns that were best last time come first: others are passed by more easily.
    const int leads[2] = {lead_[0], lead_[1]};
    look_at(leads[0], position, total, best);
    if (leads[1] != leads[0]) look_at(leads[1], position, total, best);
    for (int g = 0; g < features_; ++g)
      if (g != leads[0] && g != leads[1]) look_at(g, position, total, best);
    for (int s = 0; s < 2; ++s) out[s] = costs(total[s], best[s]);
  }

  SideCosts scan_all(std::vector<Cost>& by_column, BestSplit& split) override {
    for (int b = 0; b < words_; ++b) left_[static_cast<std::size_t>(b)] = valid(b);
    const std::int32_t least = to_beat(all_);
    std::int32_t best[2] = {least, least};
    for (int g = 0; g < features_; ++g) {
      std::int32_t here[2] = {least, least};
      int position = 0;
      for (int v = 0; v < variants_; ++v)
        position = sweep(g, 0, v, rows_.n, all_, here[v]).position;
      const int v = variants_ - 1;
      by_column[static_cast<std::size_t>(g)] = here[v];
      if (here[v] > best[v]) split = {g, position};
      for (int u = 0; u < variants_; ++u) best[u] = std::max(best[u], here[u]);
    }
    return costs(all_, best);
  }

 private:
  static constexpr int kMost = Labels > 0 ? Labels : 256;
  static constexpr int kTogether = 8, kMany = Labels == 2 ? 24 : 4;  // words

  int classes() const { return Labels > 0 ? Labels : classes_; }
  std::size_t cells(int each) const {
    return static_cast<std::size_t>(features_) * static_cast<std::size_t>(words_) *
           static_cast<std::size_t>(each);
  }
  std::size_t word(int g, int b) const { return static_cast<std::size_t>(g * words_ + b); }
  Word valid(int b) const { return low_bits(std::min(64, rows_.n - 64 * b)); }
  std::size_t of_class(int g, int c) const {
    return static_cast<std::size_t>((g * classes() + c) * words_);
  }

  // How many rows every split of a column gets wrong on a side, at least, from an earlier scan. By
  // Mono, a side that has grown since makes no fewer errors, and one that has lost rows at most so
  // many fewer.
  struct Floor {
    int position = 0;
    std::int32_t errors = 0;
  };
  std::int32_t errors_at_least(int g, int s, int position) const {
    const Floor& floor = floors_[static_cast<std::size_t>(2 * g + s)];
    const int grown = s == 0 ? position - floor.position : floor.position - position;
    return floor.errors + std::min(grown, 0);
  }

  void look_at(int g, int position, const std::int32_t (*total)[kMost], std::int32_t (*best)[2]) {
    bool masked = false;
    for (int s = 0; s < 2; ++s) {
      const int rows = s == 0 ? position : rows_.n - position;
      if (rows - errors_at_least(g, s, position) <= best[s][variants_ - 1]) continue;
      for (int b = 0; !masked && b < words_; ++b)
        left_[static_cast<std::size_t>(b)] =
            below(&place_[word(g, b) * 64], static_cast<Place>(position));
      masked = true;
      const std::int32_t before = best[s][variants_ - 1];
      for (int v = 0; v < variants_; ++v) {
        const std::int32_t reach = sweep(g, s, v, rows, total[s], best[s][v]).reach;
        if (v == 0) floors_[static_cast<std::size_t>(2 * g + s)] = {position, rows - reach};
      }
      if (best[s][variants_ - 1] > before) lead_[s] = g;
    }
  }

  // A split has to be right more often than a leaf and its penalty.
  std::int32_t to_beat(const std::int32_t* total) const {
    const Cost leaf = *std::max_element(total, total + classes());
    const Cost most = std::numeric_limits<std::int32_t>::max() / 2;
    return static_cast<std::int32_t>(std::min(leaf + facts_.problem.penalty / scale_, most));
  }
  SideCosts costs(const std::int32_t* total, const std::int32_t* best) const {
    Cost rows = 0;
    for (int c = 0; c < classes(); ++c) rows += total[c];
    SideCosts out;
    out.leaf = (rows - *std::max_element(total, total + classes())) * scale_;
    for (int v = 0; v < 2; ++v) {
      const std::int32_t found = best[std::min(v, variants_ - 1)];
      const bool splits = found > to_beat(total);
      out.split[v] = splits ? (rows - found) * scale_ + facts_.problem.penalty : out.leaf;
    }
    return out;
  }

  // The best split that a sweep found, if any, and what no split of the column is right more often
  // than.
  struct Swept {
    int position = 0;
    std::int32_t reach = 0;
  };

  // Through the words of column g for one side, some at a time where no split of them can be best.
  Swept sweep(int g, int s, int v, int rows, const std::int32_t* total, std::int32_t& best) const {
    std::int32_t so_far[kMost], here[kMost];
    std::fill_n(so_far, classes(), 0);
    Swept out;
    if (words_ < kMany) {
      sweep_words(g, 0, words_, s, v, rows, total, so_far, best, out);
      return out;
    }
    const Word flip = s == 0 ? 0 : ~Word{0};
    const Word* const left = left_.data();
    for (int from = 0; from < words_; from += kTogether) {
      const int to = std::min(from + kTogether, words_);
      for (int c = 0; c < classes(); ++c) {
        const Word* const bits = &bits_[of_class(g, c)];
        std::int64_t found = 0;
        for (int b = from; b < to; ++b) found += count(bits[b] & (left[b] ^ flip));
        here[c] = static_cast<std::int32_t>(found);
      }
      const std::int32_t most = most_within(so_far, here, total);
      if (most > best) {
        sweep_words(g, from, to, s, v, rows, total, so_far, best, out);
        continue;
      }
      out.reach = std::max(out.reach, most);
      for (int c = 0; c < classes(); ++c) so_far[c] += here[c];
    }
    return out;
  }

  void sweep_words(int g, int from, int to, int s, int v, int rows, const std::int32_t* total,
                   std::int32_t* so_far, std::int32_t& best, Swept& out) const {
    std::int32_t here[kMost];
    Word inside[kMost];
    for (int b = from; b < to; ++b) {
      const Word left = left_[static_cast<std::size_t>(b)];
      const Word side = s == 0 ? left : valid(b) & ~left;
      for (int c = 0; c < classes(); ++c) {
        inside[c] = bits_[of_class(g, c) + static_cast<std::size_t>(b)] & side;
        here[c] = count(inside[c]);
      }
      const std::int32_t most = most_within(so_far, here, total);
      if (most > best) {
        Word ends = ends_[word(g, b)];
        if (v == 1)
          ends &= large_enough(side, std::accumulate(so_far, so_far + classes(), 0), rows);
        for (int a = 0; ends != 0 && a < classes(); ++a)
          for (int z = 0; z < classes(); ++z) {
            if (a == z || so_far[a] + here[a] + total[z] - so_far[z] <= best) continue;
            const int at = walk(inside[a], inside[z], ends, so_far[a] - so_far[z], total[z], best);
            if (at >= 0) out.position = 64 * b + at + 1;
          }
      }
      out.reach = std::max(out.reach, std::min(most, best));
      for (int c = 0; c < classes(); ++c) so_far[c] += here[c];
    }
  }

  // What is right at most, of all a != z, for splits within a word.
  std::int32_t most_within(const std::int32_t* so_far, const std::int32_t* here,
                           const std::int32_t* total) const {
    if (Labels == 2)
      return std::max(so_far[0] + here[0] + total[1] - so_far[1],
                      so_far[1] + here[1] + total[0] - so_far[0]);
    std::int32_t most = total[0] - so_far[0], second = -1;
    int which = 0;
    for (int z = 1; z < classes(); ++z) {
      const std::int32_t right = total[z] - so_far[z];
      if (right > most) {
        second = most;
        most = right;
        which = z;
      } else {
        second = std::max(second, right);
      }
    }
    std::int32_t out = 0;
    for (int a = 0; a < classes(); ++a)
      out = std::max(out, so_far[a] + here[a] + (a == which ? second : most));
    return out;
  }

  // The places of a word that leave enough rows on both sides.
  Word large_enough(Word inside, int before, int rows) const {
    const Cost least = facts_.problem.least;
    Word out = ~Word{0};
    if (before < least) {
      const Word member = kth_member(inside, static_cast<int>(std::min<Cost>(least - before, 65)));
      if (member == 0) return 0;
      out = ~(member - 1);
    }
    const Cost room = rows - least - before;  // so many more may still go left
    if (room < 0) return 0;
    const Word beyond = kth_member(inside, static_cast<int>(std::min<Cost>(room + 1, 65)));
    return beyond == 0 ? out : out & (beyond - 1);
  }

  // Looks for places within `ends` where d exceeds best - of_z, and raises the best; gives the
  // last.
  static int walk(Word a, Word z, Word ends, std::int32_t start, std::int32_t of_z,
                  std::int32_t& best) {
    std::int32_t d = start;
    int found = -1, at = 0;  // places below `at` have been passed
    while (at < 64) {
      const std::int32_t lacking = best - of_z + 1 - d;
      if (lacking > 0) {
        const Word next = lacking > 64 ? 0 : kth_member(a & ~low_bits(at), lacking);
        if (next == 0) return found;
        const int place = first(next);
        const Word passed = up_to(place);
        d = start + count(a & passed) - count(z & passed);
        at = place + 1;
        if (d <= best - of_z) continue;
        at = place;
      }
      const Word end = ends & ~low_bits(at);
      if (end == 0) return found;
      const int place = first(end);
      const Word passed = up_to(place);
      d = start + count(a & passed) - count(z & passed);
      at = place + 1;
      if (d > best - of_z) {
        best = d + of_z;
        found = place;
      }
    }
    return found;
  }

  const Facts& facts_;
  const Rows& rows_;
  int features_, classes_, words_, variants_;
  Cost scale_;
  std::vector<Place> place_;   // by column and place there: the place in the first column
  std::vector<Word> ends_;     // by column and word: where it can be split
  std::vector<Word> bits_;     // by column, label and word
  std::vector<Word> left_;     // of a column: the rows left of the threshold
  std::vector<Floor> floors_;  // by column and side
  std::vector<Place> where_;
  int lead_[2] = {0, 0};
  std::int32_t all_[kMost] = {};
  int first_ = 0;
};

}  // namespace exactree::EXACTREE_ISA::proving
