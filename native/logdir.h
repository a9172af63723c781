// All runs below one or several folders.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "find_runs.h"
#include "run.h"

namespace lossboard {

struct Root {
  std::string path;
  std::string name;  // prefix of the names of its runs; may be empty
};

struct ChangedRun {
  std::shared_ptr<Run> run;
  std::optional<double> start;
};

struct PollResult {
  uint64_t cursor = 0;
  std::vector<std::shared_ptr<Run>> added = {};
  std::vector<ChangedRun> changed = {};  // including the added ones
  std::vector<std::string> removed;
};

struct LogdirTotals : Counts {
  uint64_t runs = 0;
};

// Thrown by a poll that its caller has stopped.
struct Interrupted : std::exception {};

class Logdir {
 public:
  Logdir(std::vector<Root> roots, std::vector<std::string> asset_suffixes)
      : roots_(std::move(roots)), asset_suffixes_(std::move(asset_suffixes)) {}

  // Finds runs that were added or removed and reads what is new, on all cores. Returns everything that
  // changed since the last acknowledge(), so that a poll that throws loses nothing. `should_stop` is called
  // in this thread now and then. The first poll reads everything. Later ones search at most kMaxSearchBytes
  // of a file for the record after a corrupt one, so that it cannot delay the points of other files.
  PollResult poll(const std::function<bool()>& should_stop);
  // The caller has got the result of the last poll. One thread at a time may poll and acknowledge.
  void acknowledge() noexcept;
  LogdirTotals totals() const;
  // Progress of the current poll; can be called at any time.
  uint64_t bytes_done() const { return bytes_done_; }
  uint64_t bytes_to_do() const { return bytes_to_do_; }

 private:
  static constexpr uint64_t kMaxSearchBytes = 64 << 20;

  struct KnownRun {
    std::shared_ptr<Run> run;
    uint64_t seen = 0;         // number of the listing that last found it
    bool is_reported = false;  // acknowledged: the caller knows it
    bool has_news = false;     // since the last acknowledge()
  };
  struct Work {
    KnownRun* run;
    FoundRun found;
    uint64_t bytes;  // that are new
  };

  std::vector<Work> find_work();
  KnownRun* find_or_add(const std::string& name, const std::string& path);
  void keep_unlisted_runs(const std::vector<UnlistedFolder>& folders, std::vector<Work>& work);
  void remove_unseen_runs();
  void read(std::vector<Work>& work, const std::function<bool()>& should_stop);
  PollResult report() const;

  const std::vector<Root> roots_;
  const std::vector<std::string> asset_suffixes_;
  mutable std::mutex mutex_;  // one poll at a time
  std::map<std::string, KnownRun, std::less<>> runs_;
  std::vector<std::string> removed_;  // not acknowledged yet
  uint64_t cursor_ = 0;
  uint64_t listings_ = 0;
  uint64_t polls_ = 0;  // that were completed
  std::atomic<uint64_t> bytes_done_ = 0;
  std::atomic<uint64_t> bytes_to_do_ = 0;
};

}  // namespace lossboard
