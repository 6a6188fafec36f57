// The root of a search: threads ask the frontier for pieces, and better trees are written down.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "search/driver/extract.hpp"
#include "search/driver/frontier.hpp"
#include "search/driver/incumbents.hpp"
#include "search/driver/make_root.hpp"
#include "search/driver/search.hpp"
#include "search/driver/worker.hpp"

namespace exactree {

template <class V>
class RootSearch {
 public:
  RootSearch(const Problem& data, const SearchRequest& request, MakeRoot make_root,
             Control& control, SearchProgress& progress, SearchResult& result);

  void run();

 protected:
  void read_root();
  void search();
  // Once nothing is open, or the search was stopped.
  void conclude();

  // The search, by any number of threads.
  void run_threads(int threads);
  void guarded(bool calling, std::exception_ptr& failure);
  void work_elsewhere();
  bool set_up(Worker<V>& worker, std::unique_ptr<Node>& root);
  void wait(bool calling, std::unique_lock<std::mutex>& lock);
  void work(Worker<V>& worker, Node& root, bool calling);
  void write_trees(Node& root, Extractor<V>& extractor, std::unique_lock<std::mutex>& lock);
  void note_bound();
  // Steps beside the proof, or before it: these come in the same order always, so a tree that costs
  // what is known beforehand ends the search as that of a first plan does, unless it may come from
  // a start of the user's, on which no tree depends.
  void improve(std::unique_lock<std::mutex>& lock, int place);

  // After it: the trees that do not depend on timing; see extract.hpp.
  void canonical_trees();

  static constexpr double kBoundEvery = 0.05;  // seconds

  const Problem& data_;
  const SearchRequest& request_;
  MakeRoot make_root_;
  Control& control_;
  SearchResult& result_;
  Budget budget_;
  Worker<V> worker_;
  std::unique_ptr<Node> root_;
  Incumbents<V> incumbents_;
  std::unique_ptr<Frontier<V>> frontier_;
  double next_bound_ = kBoundEvery;

  std::mutex mutex_;  // of the frontier and the incumbents
  std::condition_variable wake_;
  int set_up_ = 0;  // how many other threads have got what they need, or not
};

}  // namespace exactree
