#include "logdir.h"

#include <algorithm>
#include <exception>
#include <thread>

namespace lossboard {
namespace {

constexpr unsigned kMaxThreads = 16;         // each has one file open
constexpr uint64_t kWorthAnArena = 2 << 20;  // bytes to read, a thread

std::string joined_name(const Root& root, const std::string& name) {
  if (root.name.empty()) return name;
  return name == "." ? root.name : root.name + "/" + name;
}

}  // namespace

PollResult Logdir::poll() {
  const std::lock_guard lock(mutex_);
  PollResult result;
  std::vector<Work> work = find_work(result);
  if (!work.empty() || !result.removed.empty()) ++cursor_;
  read(work);
  for (const Work& one : work) result.changed.push_back({one.run, one.run->summary().start});
  result.cursor = cursor_;
  return result;
}

std::vector<Logdir::Work> Logdir::find_work(PollResult& result) {
  ++polls_;
  std::vector<Work> work;
  for (const Root& root : roots_) {
    for (FoundRun& found : find_runs(root.path, asset_suffixes_)) {
      std::string name = joined_name(root, found.name);
      auto known = runs_.find(name);
      if (known != runs_.end() && known->second->path != found.path) continue;  // another root's
      if (known == runs_.end()) {
        auto run = std::make_shared<Run>(name, found.path);
        known = runs_.emplace(std::move(name), run).first;
        result.added.push_back(std::move(run));
      }
      known->second->seen = polls_;
      if (!known->second->differs(found)) continue;
      const uint64_t bytes = known->second->bytes_behind(found.files);
      work.push_back({known->second, std::move(found), bytes});
    }
  }
  std::erase_if(runs_, [&](const auto& entry) {
    if (entry.second->seen == polls_) return false;
    result.removed.push_back(entry.first);
    return true;
  });
  return work;
}

void Logdir::read(std::vector<Work>& work) {
  bytes_done_ = bytes_to_do_ = 0;
  for (const Work& one : work) bytes_to_do_ += one.bytes;
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const size_t threads =
      std::min<size_t>({work.size(), std::max(1u, std::thread::hardware_concurrency()), kMaxThreads});
  const auto worker = [&] {
    try {
      Scratch scratch;
      if (bytes_to_do_ >= threads * kWorthAnArena) scratch.arena.emplace();
      for (size_t i; (i = next++) < work.size();) {
        work[i].run->follow(work[i].found, cursor_, scratch);
        bytes_done_ += work[i].bytes;
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back(worker);
  if (!work.empty()) worker();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

LogdirTotals Logdir::totals() const {
  const std::lock_guard lock(mutex_);
  LogdirTotals totals;
  totals.runs = runs_.size();
  for (const auto& [name, run] : runs_) totals += run->summary();
  return totals;
}

}  // namespace lossboard
