#include "append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include "event_encode.h"
#include "fork.h"
#include "raw_write.h"

namespace lossboard {
namespace {

using std::chrono::milliseconds;

constexpr size_t kBacklogBytes = size_t{64} << 20;
// One write of buffered records: small, so that a nearly full disk accepts some.
constexpr size_t kChunkBytes = size_t{64} << 10;
constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kDrainBytes = size_t{1} << 20;  // in one append, to stay far below 5 ms
constexpr size_t kRecentBytes = size_t{16} << 10;
constexpr milliseconds kCheckInterval{1};
constexpr milliseconds kMaxRetryDelay{250};

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

struct FileNumber {
  long long secs;
  unsigned counter;
};

FileNumber next_file_number() {
  static long long last_secs = 0;
  static unsigned counter = 0;
  const std::lock_guard lock(process_mutex());
  last_secs = std::max<long long>(last_secs, std::time(nullptr));
  return {last_secs, counter++};
}

// Readers read a run's files in name order, so the names of one process must increase: seconds that never go
// back, then a counter of fixed width. The random part distinguishes processes with equal host and pid
// (containers).
std::string next_name(const std::string& suffix) {
  const auto [secs, counter] = next_file_number();
  std::random_device random;
  const unsigned long long noise = (static_cast<unsigned long long>(random()) << 32) | random();
  char tail[96];
  std::snprintf(tail, sizeof tail, ".%d.%06u%016llx", static_cast<int>(::getpid()), counter, noise);
  char head[64];
  std::snprintf(head, sizeof head, "events.out.tfevents.%010lld.", secs);
  return head + host_name() + tail + suffix;
}

// fsync of macOS leaves data in the drive's cache, and not every file system there has F_FULLFSYNC.
int sync_data(int fd) {
#if defined(__APPLE__)
  return ::fcntl(fd, F_FULLFSYNC) == 0 ? 0 : ::fsync(fd);
#else
  return ::fdatasync(fd);
#endif
}

size_t record_size(const char* record) {
  uint64_t length;
  std::memcpy(&length, record, sizeof length);
  return static_cast<size_t>(length) + kFrameBytes;
}

uint64_t count_records(std::string_view records) {
  uint64_t count = 0;
  for (size_t at = 0; at < records.size(); at += record_size(records.data() + at)) ++count;
  return count;
}

}  // namespace

Clock::time_point Clock::now() {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t kClock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec now;
  ::clock_gettime(kClock, &now);
  return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

bool Backlog::push(std::string_view record) {
  if (bytes_ + record.size() > kBacklogBytes) return false;
  try {
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < record.size()) {
      std::string block;
      block.reserve(std::max(kBlockBytes, record.size()));
      blocks_.push_back(std::move(block));
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  blocks_.back().append(record);
  bytes_ += record.size();
  ++records_;
  return true;
}

void Backlog::push_front(std::string records) {
  if (records.empty()) return;
  const size_t size = records.size();
  const uint64_t count = count_records(records);
  blocks_.push_front(std::move(records));
  if (head_ > 0) blocks_[1].erase(0, std::exchange(head_, 0));
  bytes_ += size;
  records_ += count;
}

std::string_view Backlog::front(size_t max_bytes) const {
  const std::string_view available = std::string_view(blocks_.front()).substr(head_);
  size_t size = record_size(available.data());
  while (size < available.size()) {
    const size_t next = size + record_size(available.data() + size);
    if (next > max_bytes) break;
    size = next;
  }
  return available.substr(0, size);
}

void Backlog::pop(std::string_view front) {
  records_ -= count_records(front);
  bytes_ -= front.size();
  head_ += front.size();
  if (head_ < blocks_.front().size()) return;
  blocks_.pop_front();
  head_ = 0;
}

void Backlog::clear() {
  blocks_.clear();
  head_ = bytes_ = 0;
  records_ = 0;
}

AppendFile::AppendFile(std::string folder, std::string suffix)
    : folder_(std::move(folder)), suffix_(std::move(suffix)), forks_(fork_count()) {}

AppendFile::~AppendFile() { release(); }

void AppendFile::open() {
  std::lock_guard lock(mutex_);
  create();
}

void AppendFile::create() {
  std::filesystem::create_directories(folder_);
  // All memory first, so that a shortage leaves no half-made file.
  std::string path = folder_ + "/" + next_name(suffix_);
  const std::string version = version_record(wall_time_now());
  recent_.clear();
  recent_.reserve(kRecentBytes);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), path);
  fd_ = fd;
  path_ = std::move(path);
  begin_ = end_ = 0;
  torn_ = false;
  synced_ = -1;
  folder_synced_ = false;
  if (!put(version)) {
    ::unlink(path_.c_str());
    release();
    throw std::system_error(error_, std::generic_category(), path_);
  }
  begin_ = end_;
}

bool AppendFile::reopen() {
  try {
    create();
    return true;
  } catch (const std::system_error& error) {
    failed(error.code().value());
  } catch (const std::bad_alloc&) {
    failed(ENOMEM);
  }
  return false;
}

bool AppendFile::append(std::string_view record) {
  std::lock_guard lock(mutex_);
  return append_locked(record);
}

std::optional<bool> AppendFile::try_append(std::string_view record) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return std::nullopt;
  return append_locked(record);
}

bool AppendFile::append_locked(std::string_view record) {
  const auto now = Clock::now();
  // Opened first: a record that is larger than the backlog can only be written directly.
  if (fd_ < 0 && backlog_.empty() && now >= retry_at_) reopen();
  if (!idle() || !put_lasting(record, now)) keep(record);
  if (!backlog_.empty()) drain(kDrainBytes, now);
  return idle();
}

void AppendFile::keep(std::string_view record) {
  if (!backlog_.push(record)) ++lost_;
}

void AppendFile::lose_record() {
  std::lock_guard lock(mutex_);
  failed(ENOMEM);
  ++lost_;
}

bool AppendFile::flush() {
  std::lock_guard lock(mutex_);
  catch_up();
  if (!backlog_.empty()) return false;
  return fd_ < 0 || sync();
}

void AppendFile::close(bool finished) {
  std::lock_guard lock(mutex_);
  catch_up();
  if (finished && idle()) put(stop_record(wall_time_now()));
  lost_ += backlog_.records();
  backlog_.clear();
  recent_.clear();
  release();
}

// Checks the file and retries now, without waiting for the next interval.
void AppendFile::catch_up() {
  const auto now = Clock::now();
  seen_ = {};
  retry_at_ = now;
  if (fd_ >= 0 && !is_lasting({}, now)) abandon();
  drain(std::numeric_limits<size_t>::max(), now);
}

void AppendFile::enter_process() {
  const unsigned forks = fork_count();
  if (forks == forks_) return;
  new (&mutex_) std::mutex;  // a thread of the parent may have held it
  release();
  backlog_.clear();  // the parent writes its records
  recent_.clear();
  lost_ = 0;
  forks_ = forks;
}

std::string AppendFile::path() {
  std::lock_guard lock(mutex_);
  return path_;
}

std::string AppendFile::fault() {
  std::lock_guard lock(mutex_);
  return error_ == 0 ? "" : std::generic_category().message(error_);
}

uint64_t AppendFile::waiting() {
  std::lock_guard lock(mutex_);
  return backlog_.records();
}

// Writes all or nothing.
bool AppendFile::put(std::string_view records) {
  if (torn_ && ::ftruncate(fd_, end_) != 0) {
    failed(errno);
    return false;
  }
  torn_ = false;
  size_t done = 0;
  while (done < records.size()) {
    const ssize_t n = raw_write(fd_, records.data() + done, records.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n == 0 ? EIO : errno;
      torn_ = done > 0 && ::ftruncate(fd_, end_) != 0;
      if (error == EFBIG && end_ > begin_ && !torn_) {
        release();  // this file may not grow any more, but the next one has room
        return false;
      }
      failed(error);
      if (error == ESTALE) abandon();
      return false;
    }
    done += static_cast<size_t>(n);
  }
  end_ += static_cast<off_t>(done);
  return true;
}

// The same, for records that must not be lost if the file is deleted. Then the caller still has them.
bool AppendFile::put_lasting(std::string_view records, Clock::time_point now) {
  if (!put(records)) return false;
  if (is_lasting(records, now)) return true;
  abandon();
  retry_at_ = now;
  return false;
}

// A write into a deleted file succeeds, and is lost. Checking each time would cost as much as the write
// itself. So the file is checked at intervals, and records written since are written again if it is gone.
bool AppendFile::is_lasting(std::string_view records, Clock::time_point now) {
  if (now - seen_ < kCheckInterval && recent_.size() + records.size() <= kRecentBytes) {
    recent_.append(records);
    return true;
  }
  seen_ = now;
  if (deleted()) return false;
  recent_.clear();
  return true;
}

// The file is deleted, or a network drive does not know it any more. The next file gets the recent records.
void AppendFile::abandon() {
  const uint64_t recent = count_records(recent_);
  try {
    backlog_.push_front(std::exchange(recent_, {}));
  } catch (const std::bad_alloc&) {
    lost_ += recent;
  }
  release();
}

bool AppendFile::deleted() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) return errno == ESTALE;
  return status.st_nlink == 0;
}

void AppendFile::drain(size_t max_bytes, Clock::time_point now) {
  if (now < retry_at_) return;
  for (size_t done = 0; !backlog_.empty() && done < max_bytes;) {
    if (fd_ < 0 && !reopen()) return;
    // After EFBIG one by one: a record that is too large even for a new file must not take others with it.
    const std::string_view chunk = backlog_.front(error_ == EFBIG ? 0 : kChunkBytes);
    if (put_lasting(chunk, now)) {
      done += chunk.size();
      backlog_.pop(chunk);
      retry_delay_ = milliseconds{0};
    } else if (fd_ >= 0 && error_ == EFBIG && end_ == begin_ && count_records(chunk) == 1) {
      ++lost_;
      backlog_.pop(chunk);
    } else if (fd_ >= 0 || now < retry_at_) {
      return;
    }
  }
}

// The first time it also syncs the folder, or a power failure could lose the file's name. A file that has not
// grown is skipped: fdatasync may take a millisecond even then, and a writer may have many files.
bool AppendFile::sync() {
  if (synced_ != end_ && sync_data(fd_) != 0) {
    failed(errno);
    return false;
  }
  synced_ = end_;
  if (folder_synced_) return true;
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  folder_synced_ = ::fsync(folder) == 0;
  ::close(folder);
  return folder_synced_;
}

void AppendFile::failed(int error) {
  error_ = error;
  ++faults_;
  retry_delay_ = std::min(kMaxRetryDelay, retry_delay_ * 2 + milliseconds{1});
  retry_at_ = Clock::now() + retry_delay_;
}

void AppendFile::release() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace lossboard
