// An event file that only grows: one write(2) for each record, so that what was written outlives the process.
//
// After open() nothing here throws or waits for a fault of the world to pass. What cannot be written (disk
// full, folder deleted, drive gone) is kept in a bounded backlog, in order, and written when the fault is
// over; what does not fit is counted. A failed write is cut off again, since a torn record in the middle
// would hide all that follows.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace lossboard {

// Whole records that wait for a fault to pass, oldest first.
class Backlog {
 public:
  bool empty() const { return head_ == bytes_.size(); }
  uint64_t records() const { return records_; }
  bool push(std::string_view record);  // false if it does not fit
  void push_front(std::string_view records);
  std::string_view front(size_t max_bytes) const;  // as many whole records as fit, at least one
  void pop(std::string_view front);
  void clear();

 private:
  std::string bytes_;
  size_t head_ = 0;
  uint64_t records_ = 0;
};

// Steady, as of the last tick of the kernel's timer, which costs a few nanoseconds.
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

  void open();                           // throws std::system_error; left out, the first append opens
  bool append(std::string_view record);  // a whole framed record; false while some wait
  bool flush();                          // false if something could not reach the disk
  void close(bool finished);             // if finished, with a STOP; what still waits then is lost

  // To be called, alone, before anything else: in a forked child the file is the parent's, so the child
  // begins its own.
  void enter_process();

  std::string path();
  std::string fault();  // the newest fault in words, empty if there was none
  uint64_t waiting();
  uint64_t faults() const { return faults_; }
  uint64_t lost() const { return lost_; }

 private:
  bool idle() const { return backlog_.empty() && fd_ >= 0; }
  void create();
  bool reopen();
  bool put(std::string_view records);
  void written(std::string_view records, Clock::time_point now);
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
  off_t end_ = 0;      // where the last whole record ends
  bool torn_ = false;  // part of a record lies behind end_
  off_t synced_ = -1;  // end_ when the file last reached the disk
  bool folder_synced_ = false;
  std::string recent_;  // written since the file was last seen in its folder
  Clock::time_point seen_{};
  Backlog backlog_;
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_delay_{0};
  int error_ = 0;
  std::atomic<uint64_t> faults_ = 0;
  std::atomic<uint64_t> lost_ = 0;
};

}  // namespace lossboard
