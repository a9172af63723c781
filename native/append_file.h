// Append-only event file: one write(2) for each record, so that written records survive the process.
//
// After open() nothing here throws because of an I/O error, or waits until it is over. Records that cannot be
// written (disk full, folder deleted, drive gone) are buffered in a bounded backlog, in order, and written
// later. Records that do not fit in, or find no memory, are counted as lost. A partly written record is cut
// off, because it would corrupt the file for readers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace lossboard {

// Whole records that could not be written yet, oldest first. Stored in blocks, so that a call never copies
// what is there already.
class Backlog {
 public:
  bool empty() const { return blocks_.empty(); }
  uint64_t records() const { return records_; }
  bool push(std::string_view record);              // returns false if it does not fit in, or memory is short
  void push_front(std::string records);            // may exceed the limit
  std::string_view front(size_t max_bytes) const;  // as many whole records as fit in, at least one
  void pop(std::string_view front);
  void clear();

 private:
  std::deque<std::string> blocks_;
  size_t head_ = 0;  // bytes of the first block that were popped
  size_t bytes_ = 0;
  uint64_t records_ = 0;
};

// Monotonic clock that costs a few nanoseconds. On Linux it is as precise as the kernel's tick.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;
  static time_point now();
};

class AppendFile {
 public:
  AppendFile(std::string folder, std::string suffix);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Throws std::system_error. Without it, the first append opens the file.
  void open();
  // Writes a whole framed record. Returns false while records are buffered.
  bool append(std::string_view record);
  // The same, or nothing if another thread uses the file.
  std::optional<bool> try_append(std::string_view record);
  // Counts a record that could not even be encoded, because memory is short.
  void lose_record();
  // Returns false if something could not reach the disk.
  bool flush();
  // If finished, writes a STOP. Records that are still buffered are lost.
  void close(bool finished);

  // Must be called before anything else, by one thread at a time. After a fork the file belongs to the
  // parent, and the child starts its own.
  void enter_process();

  std::string path();
  std::string fault();  // message of the latest I/O error, or empty
  uint64_t waiting();
  uint64_t faults() const { return faults_; }
  uint64_t lost() const { return lost_; }

 private:
  bool append_locked(std::string_view record);
  bool idle() const { return backlog_.empty() && fd_ >= 0; }
  void create();
  bool reopen();
  bool put(std::string_view records);
  bool put_lasting(std::string_view records, Clock::time_point now);
  void keep(std::string_view record);
  bool is_lasting(std::string_view records, Clock::time_point now);
  bool deleted() const;
  void abandon();
  bool sync();
  void drain(size_t max_bytes, Clock::time_point now);
  void catch_up();
  void failed(int error);
  void release();

  const std::string folder_;
  const std::string suffix_;
  std::mutex mutex_;
  unsigned forks_;
  int fd_ = -1;
  std::string path_;
  off_t begin_ = 0;    // end of the version record
  off_t end_ = 0;      // end of the last whole record
  bool torn_ = false;  // part of a record follows end_
  off_t synced_ = -1;  // end_ when the file was last synced
  bool folder_synced_ = false;
  std::string recent_;  // written since the file was last checked
  Clock::time_point seen_{};
  Backlog backlog_;
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_delay_{0};
  int error_ = 0;
  std::atomic<uint64_t> faults_ = 0;
  std::atomic<uint64_t> lost_ = 0;
};

}  // namespace lossboard
