// Follows the bytes of one growing file. Whole records go to a sink, corrupt ones are skipped, and an
// incomplete one at the end is left for later.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>

#include "arena.h"
#include "file_holes.h"
#include "tfrecord.h"

namespace lossboard {

enum class DamageReason : uint8_t { kHeader, kTooLong, kPayload, kNoEvent, kSparse };

// Memory and limits of one thread that reads files. Reused for each file: fresh pages cost more than reading.
struct Scratch {
  static constexpr size_t kBytes = 256 << 10;
  std::unique_ptr<uint8_t[]> buffer = std::make_unique_for_overwrite<uint8_t[]>(kBytes);
  HeaderCheck header_fits;
  std::optional<Arena> arena = {};  // if there is much to read
  // How far one call searches a file for the record after a corrupt one.
  uint64_t max_search_bytes = UINT64_MAX;
  // Called between two slices of a file. True ends the call early.
  std::function<bool()> should_stop = [] { return false; };
};

// Returns less than `size` only at the end of the file.
inline size_t read_at(int fd, uint8_t* to, size_t size, uint64_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::system_error(errno, std::generic_category());
    done += static_cast<size_t>(got);
  }
  return done;
}

class Tail {
 public:
  // Everything before it has been read.
  uint64_t position() const { return position_; }
  // While the file is smaller, there is nothing to do: this is where the record at the end will be complete.
  uint64_t needed() const { return needed_; }
  // Where the corrupt bytes begin that no valid record has followed yet.
  std::optional<uint64_t> gap() const { return gap_; }
  DamageReason gap_why() const { return gap_why_; }
  // Whether the file still begins with the same bytes. If not, another file has the same name now.
  bool is_same(int fd) const {
    uint8_t now[kBeginBytes];
    return read_at(fd, now, begin_bytes_, 0) == begin_bytes_ && std::memcmp(now, begin_, begin_bytes_) == 0;
  }

  // Reads on up to `size`. Returns false if it ended early, because of a limit in `scratch`. The sink has
  //   bool record(Bytes payload, uint64_t offset)    false: this is not an Event
  //   void damage(uint64_t offset, uint64_t bytes, DamageReason why)
  // If one of them throws, the same record comes again in the next call.
  template <typename Sink>
  bool advance(int fd, uint64_t size, Scratch& scratch, Sink& sink);

 private:
  enum class Result { kDone, kCut, kStopped };

  void recheck_gap(int fd, Scratch& scratch);
  // Passes on the whole records in `bytes`, which begin at position_, and moves position_ behind them.
  // Returns the length of the record that is incomplete there, as far as it is known.
  template <typename Sink>
  uint64_t read_records(Bytes bytes, Scratch& scratch, Sink& sink);
  template <typename Sink>
  Result read_large(int fd, uint64_t frame, uint64_t size, Scratch& scratch, Sink& sink);
  void open_gap(uint64_t offset, DamageReason why) {
    gap_ = offset;
    gap_why_ = why;
  }

  static constexpr size_t kBeginBytes = 40;  // reaches behind the first event's wall time
  // A longer record must mostly consist of data. Otherwise a few bytes could claim gigabytes of memory.
  static constexpr uint64_t kMaxSparseBytes = 64 << 20;
  static constexpr uint64_t kMaxSparseness = 4;

  uint8_t begin_[kBeginBytes];
  size_t begin_bytes_ = 0;
  uint64_t position_ = 0;
  uint64_t needed_ = kHeaderBytes;
  std::optional<uint64_t> gap_;
  DamageReason gap_why_ = DamageReason::kHeader;
};

inline void Tail::recheck_gap(int fd, Scratch& scratch) {
  // A network file system may show a file's new length before its bytes: zeros that become a record.
  uint8_t header[kHeaderBytes];
  if (!gap_ || read_at(fd, header, sizeof header, *gap_) < sizeof header) return;
  if (load<uint64_t>(header) > kMaxPayloadBytes || !scratch.header_fits(header)) return;
  position_ = *gap_;
  gap_.reset();
}

template <typename Sink>
bool Tail::advance(int fd, uint64_t size, Scratch& scratch, Sink& sink) {
  recheck_gap(fd, scratch);
  uint8_t* buffer = scratch.buffer.get();
  size_t filled = 0;      // bytes in the buffer, from position_ on
  uint64_t searched = 0;  // bytes in which no record was found
  while (true) {
    if (searched >= scratch.max_search_bytes || scratch.should_stop()) return false;
    const uint64_t from = position_ + filled;
    if (searched > 0 && gap_ && is_zero({buffer, filled})) {
      const uint64_t data = next_data(fd, from, size);
      if (data > from + kHeaderBytes) {
        position_ = data - (kHeaderBytes - 1);  // a header may begin with the last zeros of a hole
        filled = 0;
        searched = 1;
        continue;
      }
    }
    const size_t wanted = std::min<uint64_t>(Scratch::kBytes - filled, size - from);
    const size_t got = read_at(fd, buffer + filled, wanted, from);
    filled += got;
    const uint64_t begin = position_;
    if (begin == 0) {
      begin_bytes_ = std::min(filled, kBeginBytes);
      std::memcpy(begin_, buffer, begin_bytes_);
    }
    const uint64_t unfinished = read_records({buffer, filled}, scratch, sink);
    const auto used = static_cast<size_t>(position_ - begin);
    filled -= used;
    searched = gap_ ? searched + used : 0;
    needed_ = position_ + unfinished;
    if (got < wanted || needed_ > size) return true;
    if (unfinished > Scratch::kBytes) {
      const Result result = read_large(fd, unfinished, size, scratch, sink);
      if (result != Result::kDone) return result == Result::kCut;
      position_ += unfinished;
      filled = 0;
    } else {
      std::memmove(buffer, buffer + used, filled);
    }
  }
}

template <typename Sink>
uint64_t Tail::read_records(Bytes bytes, Scratch& scratch, Sink& sink) {
  const uint64_t base = position_;
  size_t at = 0;
  uint64_t unfinished = kHeaderBytes;
  while (bytes.size() - at >= kHeaderBytes) {
    if (gap_) [[unlikely]] {
      at += find_header(bytes.subspan(at), scratch.header_fits);
      if (bytes.size() - at < kHeaderBytes) break;
      sink.damage(*gap_, base + at - *gap_, gap_why_);
      gap_.reset();
      position_ = base + at;
    }
    const uint8_t* header = bytes.data() + at;
    if (!scratch.header_fits(header)) [[unlikely]] {
      open_gap(base + at, DamageReason::kHeader);
      at += 1;
      continue;
    }
    const auto length = load<uint64_t>(header);
    if (length > kMaxPayloadBytes) [[unlikely]] {
      open_gap(base + at, DamageReason::kTooLong);
      at += kHeaderBytes;
      continue;
    }
    const uint64_t frame = length + kFrameBytes;
    if (bytes.size() - at < frame) {
      unfinished = frame;
      break;
    }
    const Bytes payload(header + kHeaderBytes, length);
    if (masked_crc32c(payload.data(), length) != load<uint32_t>(payload.data() + length)) [[unlikely]]
      sink.damage(base + at, frame, DamageReason::kPayload);
    else if (!sink.record(payload, base + at + kHeaderBytes)) [[unlikely]]
      sink.damage(base + at, frame, DamageReason::kNoEvent);
    at += frame;
    position_ = base + at;
  }
  position_ = base + at;
  return unfinished;
}

// Reads a record that is larger than the buffer. Allocates memory only after the CRC has shown that the
// record is valid. Returns kCut if the file has become shorter meanwhile.
template <typename Sink>
Tail::Result Tail::read_large(int fd, uint64_t frame, uint64_t size, Scratch& scratch, Sink& sink) {
  const uint64_t length = frame - kFrameBytes;
  const uint64_t begin = position_ + kHeaderBytes;
  if (length > kMaxSparseBytes &&
      data_bytes(fd, begin, std::min(begin + length, size)) < length / kMaxSparseness) {
    sink.damage(position_, frame, DamageReason::kSparse);
    return Result::kDone;
  }
  uint32_t crc = 0;
  for (uint64_t done = 0; done < length;) {
    if (scratch.should_stop()) return Result::kStopped;
    const size_t chunk = std::min<uint64_t>(Scratch::kBytes, length - done);
    if (read_at(fd, scratch.buffer.get(), chunk, begin + done) < chunk) return Result::kCut;
    crc = crc32c(scratch.buffer.get(), chunk, crc);
    done += chunk;
  }
  uint8_t footer[kFooterBytes];
  if (read_at(fd, footer, sizeof footer, begin + length) < sizeof footer) return Result::kCut;
  if (mask_crc(crc) != load<uint32_t>(footer)) {
    sink.damage(position_, frame, DamageReason::kPayload);
    return Result::kDone;
  }
  const auto payload = std::make_unique_for_overwrite<uint8_t[]>(length);
  if (read_at(fd, payload.get(), length, begin) < length) return Result::kCut;
  if (!sink.record({payload.get(), static_cast<size_t>(length)}, begin))
    sink.damage(position_, frame, DamageReason::kNoEvent);
  return Result::kDone;
}

}  // namespace lossboard
