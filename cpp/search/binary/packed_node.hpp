// A node over columns of two values, compiled per instruction set.
//
// Rows are bits of packed words (pair_table.hpp). Of columns that split the rows of a node alike
// (equal or complementary there) only the one with the lowest index is kept: any tree can use it
// for the others.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "search/audit/claims.hpp"
#include "search/binary/binary_node.hpp"
#include "search/binary/pair_cache.hpp"
#include "search/binary/pair_table.hpp"
#include "search/bits.hpp"
#include "search/targets/two_sums.hpp"

namespace exactree::EXACTREE_ISA {

class PackedNode final : public BinaryNode {
 public:
  explicit PackedNode(std::shared_ptr<const BinaryTable> table) : table_(std::move(table)) {
    features_ = table_->features;
    unit_ = table_->largest;
    least_side_ = table_->least_side;
  }

  static std::unique_ptr<Node> root(const Problem& data, Workspace&) {
    auto node = std::make_unique<PackedNode>(std::make_shared<const BinaryTable>(data));
    node->set_ = node->table_->all;
    node->count_rows();
    node->open();
    EXACTREE_CLAIM(node->audited.set_root(data));
    return node;
  }
  std::unique_ptr<Node> make_empty() const override { return std::make_unique<PackedNode>(table_); }

  void make_child(int f, int, bool left, Node& into, Workspace&) override {
    auto& child = static_cast<PackedNode&>(into);
    child.parent_ = this;
    child.prepared_ = false;
    child.path_ = path_;
    child.path_.add(f, !left);
    child.set_.resize(set_.size());
    const Word* ones = table_->column(f);
    const Word other = left ? ~Word{0} : 0;
    for (std::size_t w = 0; w < set_.size(); ++w) child.set_[w] = set_[w] & (ones[w] ^ other);
    child.count_rows();
    EXACTREE_CLAIM(child.audited.set_child(audited, f, 1, left), claims::built(child));
  }

  void open() override {
    prepare();
    words_ = (rows_ + 63) / 64;
    ends_.assign(index(features_, words_), 0);
    for (std::size_t k = 0; k < distinct_.size(); ++k) {
      const int last = left_rows(static_cast<int>(k)) - 1;
      ends_[index(distinct_[k], words_) + static_cast<std::size_t>(last / 64)] |= Word{1}
                                                                                  << (last % 64);
    }
  }
  const std::vector<int>& distinct() const override { return distinct_; }
  int left_rows(int k) const override { return flipped(k) ? size(k) : rows_ - size(k); }
  void overlaps(int k, std::vector<int>& out) const override {
    out.resize(distinct_.size());
    for (std::size_t j = 0; j < distinct_.size(); ++j) {
      const int g = static_cast<int>(j);
      int both = 0;
      for (int w = 0; w < table_->words; ++w) both += count(bits(k)[w] & bits(g)[w]);
      // From set bits to left sides: each column has them on one side or the other.
      if (flipped(k) && flipped(g))
        out[j] = both;
      else if (flipped(k))
        out[j] = size(k) - both;
      else if (flipped(g))
        out[j] = size(g) - both;
      else
        out[j] = rows_ - size(k) - size(g) + both;
    }
  }
  int best_column(Criterion criterion, Cost* cost) override {
    prepare();
    int best = -1;
    double lowest = 0;
    for (int k = 0; k < static_cast<int>(distinct_.size()); ++k) {
      if (!least_side_.allows(size(k), rows_ - size(k))) continue;
      const double score = criterion == Criterion::kGini ? impurity(k) : double_of(errors(k));
      if (best >= 0 && score >= lowest) continue;
      best = k;
      lowest = score;
    }
    *cost = best < 0 || criterion == Criterion::kGini ? 0 : errors(best);
    return best;
  }
  Cost price() const override { return table_->weights.empty() ? table_->unit : 1; }
  Cost largest() const override { return table_->largest; }
  const std::vector<Word>& row_set() const override { return set_; }

  bool shallow(ShallowQuery<One>& query, Workspace& work) override;
  bool shallow(ShallowQuery<Curve<8>>& query, Workspace& work) override;

  // For the kernels: the distinct columns, each with the smaller side of its rows as set bits.
  void prepare() {
    if (prepared_) return;
    prepared_ = true;
    find_distinct();
  }
  const BinaryTable& table() const { return *table_; }
  const Word* bits(int k) const { return &bits_[index(k, table_->words)]; }
  bool flipped(int k) const { return flipped_[static_cast<std::size_t>(k)] != 0; }
  int size(int k) const { return size_[static_cast<std::size_t>(k)]; }
  const int* class_sizes(int k) const { return &class_size_[index(k, table_->classes)]; }
  const std::vector<int>& totals() const { return total_; }
  const LiteralPath& path() const { return path_; }
  // What some rows weigh, class by class; only where rows have weights.
  TwoSums weight_of(const Word* rows) const {
    TwoSums sums;
    for (int w = 0; w < table_->words; ++w)
      if (rows[w] != 0)
        sums += sums_of(&table_->weights[static_cast<std::size_t>(64 * w)], rows[w]);
    return sums;
  }

  int rank_at(int f, int p) const override { return p < left_of(f) ? 0 : 1; }
  int position_of(int f, int rank, int) const override {
    return rank <= 0 ? 0 : rank == 1 ? left_of(f) : rows_;
  }
  void list_rows(int f, int* classes, Cost* costs) const override {
    list_costs(f, costs);
    const Word* ones = table_->column(f);
    for (const Word side : {~Word{0}, Word{0}})
      for (int c = 0; c < table_->classes; ++c)
        for (int w = class_word(c); w < class_word(c + 1); ++w)
          for (int n = count(set_[static_cast<std::size_t>(w)] & (ones[w] ^ side)); n > 0; --n)
            *classes++ = c;
  }
  // Two levels are the business of the kernels.
  void part(int, int, Workspace&) const override {}
  void depth_one(int, int, SideQuery[2], bool, Workspace&) override {}
  void whole(SideQuery&, bool, Workspace&) override {}

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>((set_.capacity() + bits_.capacity() + ends_.capacity()) *
                                         sizeof(Word) +
                                     class_size_.capacity() * sizeof(int));
  }

 private:
  void list_costs(int f, Cost* costs) const {
    if (table_->weights.empty()) {
      std::fill(costs, costs + rows_, unit_);
      return;
    }
    for (const Word side : {~Word{0}, Word{0}})
      for (int w = 0; w < table_->words; ++w)
        for (Word v = set_[static_cast<std::size_t>(w)] & (table_->column(f)[w] ^ side); v != 0;
             v &= v - 1)
          *costs++ = std::abs(table_->weights[static_cast<std::size_t>(64 * w + first(v))]);
  }
  // What the sides of a distinct column cost as leaves, and what is left of their rows' weight
  // after the squares of their classes' shares.
  Cost errors(int k) const {
    if (!table_->weights.empty()) {
      const TwoSums in = weight_of(bits(k)), out = sums_ - in;
      return std::min(in.zeros, in.ones) + std::min(out.zeros, out.ones);
    }
    int most[2] = {0, 0};
    for (std::size_t c = 0; c < total_.size(); ++c) {
      most[0] = std::max(most[0], class_sizes(k)[c]);
      most[1] = std::max(most[1], total_[c] - class_sizes(k)[c]);
    }
    return unit_ * (rows_ - most[0] - most[1]);
  }
  double impurity(int k) const {
    double sum[2] = {0, 0}, squares[2] = {0, 0};
    const auto add = [&](int side, double weight) {
      sum[side] += weight;
      squares[side] += weight * weight;
    };
    if (!table_->weights.empty()) {
      const TwoSums in = weight_of(bits(k)), out = sums_ - in;
      for (const Cost weight : {in.zeros, in.ones}) add(0, double_of(weight));
      for (const Cost weight : {out.zeros, out.ones}) add(1, double_of(weight));
    } else {
      for (std::size_t c = 0; c < total_.size(); ++c) {
        add(0, class_sizes(k)[c]);
        add(1, total_[c] - class_sizes(k)[c]);
      }
    }
    return sum[0] + sum[1] - squares[0] / sum[0] - squares[1] / sum[1];
  }
  static double double_of(Cost cost) { return static_cast<double>(cost); }
  int class_word(int c) const { return table_->class_words[static_cast<std::size_t>(c)]; }
  int left_of(int f) const {
    const Word* ones = table_->column(f);
    int n = 0;
    for (int w = 0; w < table_->words; ++w)
      n += count(set_[static_cast<std::size_t>(w)] & ~ones[w]);
    return n;
  }

  void count_rows() {
    total_.assign(static_cast<std::size_t>(table_->classes), 0);
    rows_ = 0;
    for (int c = 0; c < table_->classes; ++c) {
      int n = 0;
      for (int w = class_word(c); w < class_word(c + 1); ++w)
        n += count(set_[static_cast<std::size_t>(w)]);
      total_[static_cast<std::size_t>(c)] = n;
      rows_ += n;
    }
    const auto top = std::max_element(total_.begin(), total_.end());
    leaf_ = unit_ * (rows_ - *top);
    label_ = static_cast<int>(top - total_.begin());
    if (!table_->weights.empty()) weigh();
  }
  void weigh() {
    sums_ = weight_of(set_.data());
    leaf_ = std::min(sums_.zeros, sums_.ones);
    label_ = sums_.ones > sums_.zeros ? 1 : 0;
  }

  // Columns that split nothing in a node above, or the same as another, do so here.
  void find_distinct() {
    std::vector<int> all;
    const PackedNode* above = parent_;
    while (above != nullptr && !above->prepared_) above = above->parent_;
    const std::vector<int>* from = above == nullptr ? &all : &above->distinct_;
    if (above == nullptr)
      for (int f = 0; f < features_; ++f) all.push_back(f);
    distinct_.clear();
    flipped_.clear();
    size_.clear();
    bits_.resize((from->size() + 1) * static_cast<std::size_t>(table_->words));
    class_size_.resize((from->size() + 1) * static_cast<std::size_t>(table_->classes));
    std::size_t places = 64;
    while (places < 2 * from->size() + 2) places *= 2;
    places_.assign(places, -1);
    set_hash_ = 0;
    for (int w = 0; w < table_->words; ++w)
      set_hash_ += set_[static_cast<std::size_t>(w)] * factor(w);
    for (const int f : *from) try_column(f);
  }
  void try_column(int f) {
    const int k = static_cast<int>(distinct_.size());
    Word* mine = &bits_[index(k, table_->words)];
    int* sizes = &class_size_[index(k, table_->classes)];
    const Word* ones = table_->column(f);
    const Word* set = set_.data();
    Word hash = 0;
    int n = 0;
    for (int c = 0; c < table_->classes; ++c) {
      int in = 0;
      for (int w = class_word(c); w < class_word(c + 1); ++w) {
        mine[w] = ones[w] & set[w];
        in += count(mine[w]);
        hash += mine[w] * factor(w);
      }
      sizes[c] = in;
      n += in;
    }
    if (n == 0 || n == rows_) return;
    // The smaller side; of two equal ones that without the first row.
    const bool flip = 2 * n > rows_ || (2 * n == rows_ && has_first_row(mine));
    if (flip) {
      for (int w = 0; w < table_->words; ++w) mine[w] ^= set[w];
      for (int c = 0; c < table_->classes; ++c)
        sizes[c] = total_[static_cast<std::size_t>(c)] - sizes[c];
      n = rows_ - n;
      hash = set_hash_ - hash;  // the bits of the one side and of the other add up to the set's
    }
    if (is_known(k, n, hash)) return;
    distinct_.push_back(f);
    flipped_.push_back(flip ? 1 : 0);
    size_.push_back(n);
  }
  bool has_first_row(const Word* mine) const {
    for (std::size_t w = 0; w < set_.size(); ++w)
      if (set_[w] != 0) return (mine[w] & set_[w] & (~set_[w] + 1)) != 0;
    return false;
  }
  // The hash of a set is the sum of its words times these.
  static Word factor(int w) {
    return 0x9E3779B97F4A7C15 + static_cast<Word>(w) * 0xC2B2AE3D27D4EB4E;
  }
  // Whether a column before k has the same bits; if not, k is entered into the hash table.
  bool is_known(int k, int n, Word hash) {
    const Word* mine = bits(k);
    std::size_t at = static_cast<std::size_t>(hash >> 32) & (places_.size() - 1);
    for (; places_[at] >= 0; at = (at + 1) & (places_.size() - 1))
      if (size(places_[at]) == n && std::equal(mine, mine + table_->words, bits(places_[at])))
        return true;
    places_[at] = k;
    return false;
  }

  std::shared_ptr<const BinaryTable> table_;
  const PackedNode* parent_ = nullptr;
  LiteralPath path_;
  bool prepared_ = false;
  std::vector<Word> set_;   // the rows, as rows of the root
  std::vector<int> total_;  // per class
  TwoSums sums_;            // the same in weight, if rows have weights
  std::vector<int> distinct_;
  std::vector<Word> bits_;
  std::vector<char> flipped_;  // the set bits are the left side
  std::vector<int> size_, class_size_;
  std::vector<int> places_;  // hash table of distinct columns
  Word set_hash_ = 0;
};

}  // namespace exactree::EXACTREE_ISA
