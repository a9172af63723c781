// Every run below one or several folders.
#pragma once
#include <atomic>
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
  std::string name;  // goes before the names of its runs; may be empty
};

struct ChangedRun {
  std::shared_ptr<Run> run;
  std::optional<double> start;
};

struct PollResult {
  uint64_t cursor = 0;
  std::vector<std::shared_ptr<Run>> added;
  std::vector<ChangedRun> changed;  // the added ones too
  std::vector<std::string> removed;
};

struct LogdirTotals : Counts {
  uint64_t runs = 0;
};

class Logdir {
 public:
  Logdir(std::vector<Root> roots, std::vector<std::string> asset_suffixes)
      : roots_(std::move(roots)), asset_suffixes_(std::move(asset_suffixes)) {}

  // Finds what came and went, and reads what is new, on all cores.
  PollResult poll();
  LogdirTotals totals() const;
  // How far the poll under way has come; may be asked at any time.
  uint64_t bytes_done() const { return bytes_done_; }
  uint64_t bytes_to_do() const { return bytes_to_do_; }

 private:
  struct Work {
    std::shared_ptr<Run> run;
    FoundRun found;
    uint64_t bytes;  // that are new
  };

  std::vector<Work> find_work(PollResult& result);
  void read(std::vector<Work>& work);

  const std::vector<Root> roots_;
  const std::vector<std::string> asset_suffixes_;
  mutable std::mutex mutex_;  // one poll at a time
  std::map<std::string, std::shared_ptr<Run>, std::less<>> runs_;
  uint64_t cursor_ = 0;
  uint64_t polls_ = 0;
  std::atomic<uint64_t> bytes_done_ = 0;
  std::atomic<uint64_t> bytes_to_do_ = 0;
};

}  // namespace lossboard
