#include "logdir.h"

#include <algorithm>

#include "parallel_for.h"

namespace lossboard {
namespace {

constexpr size_t kMaxThreads = 16;            // each has one file open
constexpr uint64_t kMinArenaBytes = 2 << 20;  // to read, for each thread

std::string joined_name(const Root& root, const std::string& name) {
  if (root.name.empty()) return name;
  return name == "." ? root.name : root.name + "/" + name;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

PollResult Logdir::poll(const std::function<bool()>& should_stop) {
  const std::lock_guard lock(mutex_);
  std::vector<Work> work = find_work();
  if (!work.empty() || !removed_.empty()) ++cursor_;
  read(work, should_stop);
  ++polls_;
  return report();
}

std::vector<Logdir::Work> Logdir::find_work() {
  std::vector<FoundRuns> found;
  for (const Root& root : roots_) found.push_back(find_runs(root.path, asset_suffixes_));
  ++listings_;
  std::vector<Work> work;
  for (size_t i = 0; i < roots_.size(); ++i) {
    for (FoundRun& one : found[i].runs) {
      KnownRun* known = find_or_add(joined_name(roots_[i], one.name), one.path);
      if (!known) continue;
      known->run->complete(one);
      if (!known->run->differs(one)) continue;
      const uint64_t bytes = known->run->bytes_behind(one.files);
      work.push_back({known, std::move(one), bytes});
    }
  }
  for (const FoundRuns& one : found) keep_unlisted_runs(one.unlisted, work);
  remove_unseen_runs();
  return work;
}

// Returns nullptr if another root has a run of that name.
Logdir::KnownRun* Logdir::find_or_add(const std::string& name, const std::string& path) {
  auto known = runs_.find(name);
  if (known == runs_.end()) {
    known = runs_.emplace(name, KnownRun{std::make_shared<Run>(name, path)}).first;
    std::erase(removed_, name);  // the caller gets the new run in place of the one that it knows
  } else if (known->second.run->path != path) {
    return nullptr;
  }
  known->second.seen = listings_;
  return &known->second;
}

void Logdir::keep_unlisted_runs(const std::vector<UnlistedFolder>& folders, std::vector<Work>& work) {
  for (const auto& [folder, error] : folders) {
    for (auto& [name, known] : runs_) {
      if (known.seen == listings_ || !is_below(known.run->path, folder)) continue;
      known.seen = listings_;
      FoundRun found;
      found.error = error;
      if (known.run->differs(found)) work.push_back({&known, std::move(found), 0});
    }
  }
}

void Logdir::remove_unseen_runs() {
  for (auto known = runs_.begin(); known != runs_.end();) {
    if (known->second.seen == listings_) {
      ++known;
      continue;
    }
    if (known->second.is_reported) removed_.push_back(known->first);
    known = runs_.erase(known);
  }
}

void Logdir::read(std::vector<Work>& work, const std::function<bool()>& should_stop) {
  bytes_done_ = bytes_to_do_ = 0;
  for (Work& one : work) {
    one.run->has_news = true;
    bytes_to_do_ += one.bytes;
  }
  const size_t threads = std::min({work.size(), core_count(), kMaxThreads});
  const uint64_t max_search_bytes = polls_ == 0 ? UINT64_MAX : kMaxSearchBytes;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_stopped = false;
  const auto ask_caller = [&] {
    if (should_stop()) is_stopped = true;
  };
  const auto make_work = [&] {
    auto scratch = std::make_unique<Scratch>();
    scratch->max_search_bytes = max_search_bytes;
    scratch->should_stop = [&] {
      if (std::this_thread::get_id() == caller) ask_caller();
      return is_stopped.load(std::memory_order_relaxed);
    };
    if (bytes_to_do_ >= threads * kMinArenaBytes) scratch->arena.emplace();
    return [&, scratch = std::move(scratch)](size_t i) {
      if (is_stopped) return;
      work[i].run->run->follow(work[i].found, cursor_, *scratch);
      bytes_done_ += work[i].bytes;
    };
  };
  if (!work.empty()) parallel_for(work.size(), threads, make_work, ask_caller);
  if (is_stopped) throw Interrupted();
}

PollResult Logdir::report() const {
  PollResult result{.cursor = cursor_, .removed = removed_};
  for (const auto& [name, known] : runs_) {
    if (!known.is_reported) result.added.push_back(known.run);
    if (known.has_news) result.changed.push_back({known.run, known.run->summary().start});
  }
  return result;
}

void Logdir::acknowledge() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [name, known] : runs_) {
    known.is_reported = true;
    known.has_news = false;
  }
  removed_.clear();
}

LogdirTotals Logdir::totals() const {
  const std::lock_guard lock(mutex_);
  LogdirTotals totals;
  totals.runs = runs_.size();
  for (const auto& [name, known] : runs_) totals += known.run->summary();
  return totals;
}

}  // namespace lossboard
