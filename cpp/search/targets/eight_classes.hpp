// Three to eight classes in vector registers.
//
// Eight columns are scanned together, a register of counts for each class. Only where the bound of
// a word is not enough, the classes of one column are brought together: as 65535 - count in eight
// 16-bit lanes, since SSE4.1 has a horizontal minimum of just that shape.
//
// Twins (twins.hpp). What is passed of the high column is what is passed of the low one less the
// missing members, class by class: `gone` counts those passed so far. Each has a bound of its own
// for a word, and a word is looked into if either is low enough.
#pragma once

#include "search/columns/column_group.hpp"
#include "search/targets/unit_targets.hpp"

#if EXACTREE_SIMD
namespace exactree::EXACTREE_ISA {

class EightClasses : public ManyClasses {
 public:
  using Twinned = void;
  static constexpr int kMostRows = 65000;
  using Counts = Lanes<std::int32_t>;

  void finish(Cost unit, Cost& leaf, int& label) {
    UnitTargets::finish(unit, leaf, label);
    const std::size_t size = at(groups_of(leaders_), 0);
    words_of_.assign(size, 0);
    counts_of_.assign(size, 0);
    for (int f = 0; f < leaders_; ++f)
      for (int c = 0; c < classes_; ++c) {
        const Word* from = mask(f, c);
        const std::size_t first = at(f / kGroup, 0) + static_cast<std::size_t>(c * kGroup);
        Word* to = &words_of_[first + static_cast<std::size_t>(slot(f % kGroup))];
        std::uint8_t* n = &counts_of_[first + static_cast<std::size_t>(f % kGroup)];
        for (int w = 0; w < words_; ++w, to += lanes(), n += lanes()) {
          *to = from[w];
          *n = static_cast<std::uint8_t>(count(from[w]));
        }
      }
  }

  static bool in_groups(int /*rows*/) { return true; }
  static bool worth_a_group(unsigned /*lanes*/) { return true; }
  struct Passes : ManyClasses::Passes {
    using ManyClasses::Passes::Passes;
    int missing = 0;  // of plain scans, which know no twins
  };

  // Looks for the best split of the sides of a split among eight columns. `ends` are those of the
  // first column; those of the others follow.
  void scan_group(int group, const GroupRows& parting, const Word* ends, const int* missing,
                  bool limited, GroupScan side[2], Workspace& work) const {
    if (*std::max_element(missing, missing + kGroup) > 0)
      choose<3, true>(group, parting, {ends, missing}, limited, side, work);
    else
      choose<3, false>(group, parting, {ends, missing}, limited, side, work);
  }
  std::int64_t bytes() const {
    return UnitTargets::bytes() +
           static_cast<std::int64_t>(words_of_.capacity() * sizeof(Word) + counts_of_.capacity());
  }

 private:
  static constexpr int kChunk = 16;  // words whose masks are made at once

  std::size_t lanes() const { return static_cast<std::size_t>(classes_ * kGroup); }
  std::size_t at(int group, int w) const {
    return (static_cast<std::size_t>(group) * static_cast<std::size_t>(words_) +
            static_cast<std::size_t>(w)) *
           lanes();
  }

  // What the splits in a word cost at least: of eight columns, and of those that follow them.
  struct Bounds {
    Counts low, high;
  };

  // One side under way. A split in a word has at most these many right: of one class on its left,
  // all that came before and those of the word, and of another class on its right, all that did not
  // come before. (With the same class on both sides the split is a leaf, which is known already.)
  template <int Classes, bool Twin>
  struct Pass {
    Counts passed[Classes], all[Classes], rows, floor;
    Counts gone[Twin ? Classes : 1];
    std::int64_t hits = 0;

    Pass(const GroupScan& scan, const std::vector<Cost>& classes) {
      int sum = 0;
      for (int c = 0; c < Classes; ++c) {
        const auto i = static_cast<std::size_t>(c);
        const int n = i < classes.size() ? static_cast<int>(classes[i]) : 0;
        passed[c] = Counts::zero();
        if (Twin) gone[c] = Counts::zero();
        all[c] = Counts::splat(n);
        sum += n;
      }
      rows = Counts::splat(sum);
      floor = Counts::splat(std::max(sum, scan.best));
    }
    // Takes a word, with so many missing members (null: none); the bounds of its splits, and those
    // of the twins'.
    EXACTREE_INLINE Bounds step(const Counts n[Classes], const Counts* lost) {
      Counts ahead[Classes], behind[Classes];
      for (int c = 0; c < Classes; ++c) {
        ahead[c] = all[c] - passed[c];
        behind[c] = passed[c] = passed[c] + n[c];
      }
      const Counts low = rows - most_right(ahead, behind);
      if (Twin) {
        for (int c = 0; c < Classes; ++c) {
          ahead[c] = ahead[c] + gone[c];
          if (lost != nullptr) gone[c] = gone[c] + lost[c];
          behind[c] = behind[c] - gone[c];
        }
        return {low, rows - most_right(ahead, behind)};
      }
      return {low, low};
    }
    EXACTREE_INLINE static Counts most_right(const Counts* ahead, const Counts* behind) {
      Counts first = Counts::zero(), second = first, right = first;
      for (int c = 0; c < Classes; ++c) {
        second = max(second, min(first, ahead[c]));
        first = max(first, ahead[c]);
      }
      for (int c = 0; c < Classes; ++c)  // the largest class on the right but this one
        right = max(right, behind[c] + equal(ahead[c], first).choose(second, first));
      return right;
    }
    void end(GroupScan& scan, int words, Counters& counters) const {
      std::int32_t least[kGroup];
      floor.store(least);
      for (int j = 0; j < kGroup; ++j)
        scan.floor[j] = scan.best <= scan.low ? scan.best : std::max(scan.best, least[j]);
      counters.pruned[static_cast<std::size_t>(Pruning::kJump)] +=
          static_cast<std::int64_t>(words) * std::popcount(scan.live) - hits;
    }
  };

  // Of the first column of a group: where groups of equal values end, and how many rows are missing
  // (twins.hpp); those of the others follow.
  struct Columns {
    const Word* ends;
    const int* missing;
  };

  // The number of classes is known when this is compiled: their counts stay in registers.
  template <int Classes, bool Twin>
  void choose(int group, const GroupRows& parting, const Columns& columns, bool limited,
              GroupScan side[2], Workspace& work) const {
    if constexpr (Classes < 8)
      if (Classes != classes_)
        return choose<Classes + 1, Twin>(group, parting, columns, limited, side, work);
    run<Classes, Twin>(group, parting, columns, limited, side, work);
  }
  template <int Classes, bool Twin>
  [[gnu::noinline]] void run(int group, const GroupRows& parting, const Columns& columns,
                             bool limited, GroupScan side[2], Workspace& work) const {
    Pass<Classes, Twin> pass[2] = {{side[0], work.class_cost[0]}, {side[1], work.class_cost[1]}};
    alignas(64) Word masks[kChunk * kGroup] = {}, lost_of[kGroup];
    const int most = Twin ? *std::max_element(columns.missing, columns.missing + kGroup) : 0;
    int w = 0;
    for (; w < words_ && (side[0].open() || side[1].open()); ++w) {
      if (w % kChunk == 0)
        parting.fill(side[0].live | side[1].live, w, std::min(kChunk, words_ - w), masks);
      const Word* left = masks + w % kChunk * kGroup;
      const Word* classes = &words_of_[at(group, w)];
      Counts n[Classes], lost[Classes];
      for (int c = 0; c < Classes; ++c) n[c] = counts_of_both(left, classes + c * kGroup);
      const bool some_lost = Twin && w * 64 < most;
      for (int s = 0; s < 2; ++s) {
        if (!side[s].open()) continue;
        if (s == 1)  // what is not on the left
          for (int c = 0; c < Classes; ++c)
            n[c] = Counts::load_narrow(&counts_of_[at(group, w)] + c * kGroup) - n[c];
        if (some_lost) {
          for (int j = 0; j < kGroup; ++j)
            lost_of[slot(j)] = low_bits(std::clamp(columns.missing[j] - w * 64, 0, 64)) &
                               (s == 0 ? left[slot(j)] : ~left[slot(j)]);
          for (int c = 0; c < Classes; ++c) lost[c] = counts_of_both(lost_of, classes + c * kGroup);
        }
        const Bounds bounds = pass[s].step(n, some_lost ? lost : nullptr);
        const Counts least = Twin ? min(bounds.low, bounds.high) : bounds.low;
        pass[s].floor = min(pass[s].floor, least);
        if (const unsigned hit = least.below(side[s].best) & side[s].live; hit != 0) [[unlikely]]
          look<Classes, Twin>(
              hit, pass[s], n, bounds,
              {left, classes, columns.ends + w, columns.missing, parting.rows(w), w, s}, limited,
              side[s]);
      }
    }
    for (int s = 0; s < 2; ++s)
      if (side[s].live != 0) pass[s].end(side[s], w, work.counters);
  }

  // A word of all columns of a group.
  struct GroupWord {
    const Word* left;
    const Word* classes;
    const Word* ends;
    const int* missing;
    Word rows;
    int number, side;
  };

  // Looks into the word of each lane that might hold something better.
  template <int Classes, bool Twin>
  [[gnu::noinline]] void look(unsigned hit, Pass<Classes, Twin>& pass, const Counts n[Classes],
                              const Bounds& bounds, const GroupWord& word, bool limited,
                              GroupScan& scan) const {
    std::int32_t low[kGroup], high[kGroup], passed[Classes][kGroup], step[Classes][kGroup],
        all[Classes][kGroup], gone[Twin ? Classes : 1][kGroup];
    bounds.low.store(low);
    if (Twin) bounds.high.store(high);
    for (int c = 0; c < Classes; ++c) {
      pass.passed[c].store(passed[c]);
      pass.all[c].store(all[c]);
      n[c].store(step[c]);
      if (Twin) pass.gone[c].store(gone[c]);
    }
    for (; hit != 0 && scan.best > scan.low; hit &= hit - 1) {
      const int j = std::countr_zero(hit);
      ++pass.hits;
      const Word here = word.left[slot(j)], member = word.side == 0 ? here : ~here & word.rows;
      std::int32_t came[Classes], in_all[Classes];
      for (int c = 0; c < Classes; ++c) {
        came[c] = passed[c][j] - step[c][j];
        in_all[c] = all[c][j];
      }
      if (low[j] < scan.best)
        search<Classes>(j, member, ~Word{0}, came, in_all, word, limited, scan);
      if (!Twin || word.missing[j] == 0 || high[j] >= scan.best) continue;
      if (word.number * 64 + 64 <= word.missing[j]) continue;
      // The high column begins after the missing rows, in this word or before.
      const int lost = std::max(word.missing[j] - word.number * 64, 0);
      for (int c = 0; c < Classes; ++c) came[c] = lost > 0 ? 0 : came[c] - gone[c][j];
      const Word known = ~low_bits(lost);
      search<Classes>(j, member & known, known, came, in_all, word, limited, scan);
    }
  }
  // The splits of a lane's word after some of its rows; `came` members came before, class by class.
  template <int Classes>
  void search(int j, Word member, Word after, const std::int32_t* came, const std::int32_t* all,
              const GroupWord& word, bool limited, GroupScan& scan) const {
    std::uint16_t left[8], right[8];
    std::fill(left, left + 8, std::uint16_t{65535});
    std::copy(left, left + 8, right);
    Word classes[8] = {};
    int before = 0, rows = 0;
    for (int c = 0; c < Classes; ++c) {
      left[lane(c)] = static_cast<std::uint16_t>(65535 - came[c]);
      right[lane(c)] = static_cast<std::uint16_t>(65535 - (all[c] - came[c]));
      classes[c] = word.classes[c * kGroup + slot(j)];
      before += came[c];
      rows += all[c];
    }
    Word ends = word.ends[j * words_] & after;
    if (limited) ends = admissible(ends, member, before, scan.first_rows, scan.last_rows);
    scan.best =
        within<(Classes > 4)>(member, classes, ends, load(left), load(right), rows, scan.best);
  }

  static __m128i load(const std::uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  // Where the sums below leave the count of class c.
  static std::size_t lane(int c) {
#if EXACTREE_SIMD512
    return static_cast<std::size_t>(c);
#else
    constexpr std::size_t lanes[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    // Sums come as 64-bit lanes (0 1 | 2 3); the upper 128 bits are moved up by 32 bits, the
    // second four classes by 16.
    return lanes[c];
#endif
  }
  // How many of the rows are of each class. Wide: more than four classes.
  template <bool Wide>
  EXACTREE_INLINE static __m128i class_counts(Word rows, const Word* classes) {
#if EXACTREE_SIMD512
    const __m512i r = _mm512_set1_epi64(static_cast<long long>(rows));
    const __m512i n = _mm512_popcnt_epi64(_mm512_and_si512(r, _mm512_loadu_si512(classes)));
    return _mm512_maskz_cvtepi64_epi16(0xFF, n);
#else
    const __m256i r = _mm256_set1_epi64x(static_cast<long long>(rows));
    const auto* p = reinterpret_cast<const __m256i*>(classes);
    __m256i n = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p)));
    if (Wide) {
      const __m256i upper = popcounts(_mm256_and_si256(r, _mm256_loadu_si256(p + 1)));
      n = _mm256_or_si256(n, _mm256_slli_epi64(upper, 16));
    }
    return _mm_or_si128(_mm256_castsi256_si128(n),
                        _mm_slli_epi64(_mm256_extracti128_si256(n, 1), 32));
#endif
  }
  EXACTREE_INLINE static unsigned lowest(__m128i v) {  // value in the low, lane in the high half
    return static_cast<unsigned>(_mm_cvtsi128_si32(_mm_minpos_epu16(v)));
  }
  // The most rows that are right with different labels on the two sides (with equal ones the split
  // is a leaf, which is known already).
  EXACTREE_INLINE static int most_right(__m128i left, __m128i right) {
    const unsigned a = lowest(left), b = lowest(right);
    const int la = static_cast<int>(a & 0xFFFF), lb = static_cast<int>(b & 0xFFFF);
    if ((a ^ b) >> 16 != 0) return 2 * 65535 - (la + lb);
    const __m128i lane_index = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i out = _mm_cmpeq_epi16(lane_index, _mm_set1_epi16(static_cast<short>(a >> 16)));
    const int a2 = static_cast<int>(lowest(_mm_or_si128(left, out)) & 0xFFFF);
    const int b2 = static_cast<int>(lowest(_mm_or_si128(right, out)) & 0xFFFF);
    return 2 * 65535 - std::min(la + b2, a2 + lb);
  }

  template <bool Wide>
  [[gnu::noinline]] static int within(Word member, const Word* classes, Word ends, __m128i left,
                                      __m128i right, int all, int best) {
    int err = all - most_right(left, right);
    for (;;) {
      const int need = err - best + 1;
      int from = 0;
      if (need > 0) {
        const Word at = kth_member(member, need);
        if (at == 0) return best;
        from = first(at);
      }
      const Word rest = ends & (~Word{0} << from);
      if (rest == 0) return best;
      const Word done = up_to(first(rest));
      const __m128i n = class_counts<Wide>(member & done, classes);
      left = _mm_sub_epi16(left, n);
      right = _mm_add_epi16(right, n);
      err = all - most_right(left, right);
      best = std::min(best, err);
      member &= ~done;
      ends &= ~done;
      if (best <= 0 || member == 0) return best;
    }
  }

  std::vector<Word> words_of_;           // per group, word and class: the words of eight columns
  std::vector<std::uint8_t> counts_of_;  // and how many rows of the class they have
};

}  // namespace exactree::EXACTREE_ISA
#endif
