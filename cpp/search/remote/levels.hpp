// The levels of a session: the frontier of all rows, and those of divided pieces.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "search/driver/root.hpp"
#include "search/remote/helper.hpp"
#include "search/remote/session.hpp"

namespace exactree {

// A frontier of the session: that of all rows, or one side of a piece of another.
template <class V>
struct Level {
  Level* parent = nullptr;       // none: all rows
  std::unique_ptr<Piece> piece;  // of the parent; this is one side of it
  OpenSide<V> side;
  Path path;
  std::unique_ptr<Node> own_node;
  Node* node = nullptr;
  SearchRequest request;
  SearchProgress progress;
  SearchResult result;
  std::unique_ptr<Incumbents<V>> own_incumbents;
  Incumbents<V>* incumbents = nullptr;
  std::unique_ptr<Frontier<V>> own_frontier;
  Frontier<V>* frontier = nullptr;
  V found;  // what trees of this side cost, by budget
};

struct ByPath {
  bool operator()(const Path& a, const Path& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](const Step& x, const Step& y) {
                                          return std::tuple(x.feature, x.position, x.left) <
                                                 std::tuple(y.feature, y.position, y.left);
                                        });
  }
};

// What an earlier run left of one frontier.
struct Earlier {
  struct Begun {
    Claim part;  // the latest; without costs if there is none
    bool divided = false;
    bool is(int feature, int position) const {
      return part.question.feature == feature && part.question.position == position;
    }
  };
  std::vector<Claim> claims;  // complete ones
  std::vector<Begun> begun;   // pieces that were not completed

  Begun& begun_at(int feature, int position);
};

template <class V>
class Helper;

template <class V>
class Session final : public AnySession, private RootSearch<V> {
 public:
  Session(const Posing& posing, MakeRoot make_root, Control& control, SearchProgress& progress,
          std::unique_ptr<SearchResult> result, bool keep);

  bool open(PlanFacts& plan) override;
  void restore(const Claim& claim) override;
  Asked ask(Question& question, int& number, const Asking& how) override;
  std::unique_ptr<AnyHelper> helper(Control& control) override;
  void tell(int number, const Reply& reply) override;
  bool divide(int number, const Reply& reply) override;
  std::vector<Claim> take_claims() override;
  TreeWanted next_unwritten() override;
  void written(int budget, Cost cost, const Tree& tree) override;
  std::vector<FoundTree> trees() const override;
  void poll() override;
  void stop(Status why) override { control_.stop(why); }
  bool stopped() const override { return control_.stopped(); }
  std::int64_t evaluations() const override { return worker_.work().counters.evaluations; }
  SearchResult finish() override;

 private:
  friend class Helper<V>;
  using RootSearch<V>::budget_;
  using RootSearch<V>::control_;
  using RootSearch<V>::data_;
  using RootSearch<V>::frontier_;
  using RootSearch<V>::incumbents_;
  using RootSearch<V>::make_root_;
  using RootSearch<V>::request_;
  using RootSearch<V>::result_;
  using RootSearch<V>::root_;
  using RootSearch<V>::worker_;

  struct AskedPiece {
    Level<V>* level;
    std::unique_ptr<Piece> piece;
  };

  Level<V>& root() { return levels_.front(); }
  void take_trees(const PlanFacts& plan);
  void note_trees(PlanFacts& plan) const;
  // The next piece that is open.
  Asked next(AskedPiece& at);
  // One that is probably open later, if there is none.
  bool next_ahead(AskedPiece& at);
  AskedPiece& asked(int number);
  void claim_part(Level<V>& level, const Piece& piece, Reply reply);
  void claim_sides();
  // Goes on with a piece that an earlier run began. kBusy: it was divided, and its sides are open.
  Asked begin_again(Level<V>& level, AskedPiece& found);
  void restore_here(Level<V>& level);
  void go_down(Level<V>& level, std::unique_ptr<Piece> piece);
  bool has_room(const Level<V>& level) const;
  void open_level(Level<V>& parent, std::unique_ptr<Piece> piece, const OpenSide<V>& side);
  void limit(Level<V>& level);
  void note_found(Level<V>& level);
  void close_level(typename std::list<Level<V>>::iterator at);
  void close_piece(Level<V>& level, Piece& piece, const Reply* reply);
  void claim_other(const Level<V>& level, const Piece& piece, const SolvedThreshold& other);

  std::unique_ptr<SearchResult> own_result_;
  std::list<Level<V>> levels_;  // the first is that of all rows, the last the latest
  std::map<int, AskedPiece> asked_;
  int next_number_ = 0;
  int helping_ = 0;  // pieces that helpers are at
  bool keep_;
  std::vector<Claim> claims_;
  std::map<Path, Earlier, ByPath> earlier_;
};

}  // namespace exactree
