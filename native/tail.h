// Follows the bytes of one growing file. Valid records go to a sink, corrupt ones are skipped, and an
// incomplete one at the end is left for later.
//
// A corrupt record's length proves nothing: a record that was cut off claims bytes of those that follow it.
// So the next record is searched right behind the header of a corrupt or incomplete one. What a poll finds is
// what a first read of the same bytes finds, so bytes that arrive late can make the file be read again.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

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
  // Everything before it has been read or searched.
  uint64_t position() const { return position_; }
  // Where the last record ends that was read, or the corrupt bytes behind it.
  uint64_t end() const { return gap_ ? gap_->begin : position_; }
  // Where the corrupt bytes begin that no valid record has followed yet. A record that is still incomplete is
  // not corrupt.
  std::optional<uint64_t> gap() const {
    return gap_ && !gap_->is_incomplete ? std::optional(gap_->begin) : std::nullopt;
  }
  DamageReason gap_why() const { return gap_->why; }
  // Whether the file still has the first and the last bytes that were read. If not, another file has the same
  // name now, or it was truncated and has grown since.
  bool is_same(int fd) const;
  // Whether the file still has all records that were read. What followed them will be read again.
  bool is_unchanged(int fd, Scratch& scratch);
  // Whether a record is valid now that was not when it was skipped. A network file system may show a file's
  // new length, or later bytes, before the bytes of a record.
  bool has_repaired_record(int fd, uint64_t size, Scratch& scratch);

  // Reads on up to `size`. Returns false if it ended early, because of a limit in `scratch`. The sink has
  //   bool record(Bytes payload, uint64_t offset)    false: this is not an Event
  //   void damage(uint64_t offset, uint64_t bytes, DamageReason why)
  // If one of them throws, the same record comes again in the next call.
  template <typename Sink>
  bool advance(int fd, uint64_t size, Scratch& scratch, Sink& sink);

 private:
  // Bytes in which the next record is searched.
  struct Gap {
    uint64_t begin;
    uint64_t frame;  // that the header there claims, or 0 if it is not valid
    DamageReason why;
    bool is_incomplete;     // the frame ends behind the end of the file
    uint64_t checked_size;  // the file's, when the frame was last found corrupt
  };
  // The beginning of a gap that a record has followed.
  struct Skipped {
    uint64_t begin;
    bool is_incomplete;
    int checks_left;
  };
  enum class Payload { kValid, kCorrupt, kSparse, kCut, kStopped };

  uint64_t frame_at(int fd, uint64_t offset, Scratch& scratch) const;
  Payload check_payload(int fd, uint64_t offset, uint64_t frame, uint64_t size, Scratch& scratch) const;
  void recheck_gap(int fd, uint64_t size, Scratch& scratch);
  void search_again();
  void open_gap(const Gap& gap, uint64_t search_from);
  void note_record(uint64_t end, uint32_t crc);
  // Passes on the whole records in `bytes`, which begin at position_, and moves position_ behind them.
  // Returns how many bytes are needed there to continue.
  template <typename Sink>
  uint64_t read_records(Bytes bytes, uint64_t size, Scratch& scratch, Sink& sink);
  template <typename Sink>
  Payload read_large(int fd, uint64_t frame, uint64_t size, Scratch& scratch, Sink& sink);
  template <typename Sink>
  void skip_corrupt(uint64_t offset, uint64_t frame, uint64_t size, DamageReason why, Sink& sink);
  template <typename Sink>
  void close_gap(uint64_t end, Sink& sink);

  static constexpr size_t kBeginBytes = 40;  // reaches behind the first event's wall time
  // A longer record must mostly consist of data. Otherwise a few bytes could claim gigabytes of memory.
  static constexpr uint64_t kMaxSparseBytes = 64 << 20;
  static constexpr uint64_t kMaxSparseness = 4;
  // Corrupt records that contain each other would be checked again and again. Beyond this number of bytes,
  // plus a multiple of those that were read, a corrupt record is skipped as a whole.
  static constexpr uint64_t kMaxCorruptBytes = 256 << 20;
  static constexpr uint64_t kMaxCorruptFactor = 4;
  // Skipped records to check again as the file grows, how often, and up to which size.
  static constexpr size_t kMaxSkipped = 8;
  static constexpr int kChecks = 16;
  static constexpr uint64_t kMaxCheckedBytes = 1 << 20;

  uint8_t begin_[kBeginBytes];
  uint8_t begin_bytes_ = 0;
  uint32_t last_crc_ = 0;     // the footer of the last record
  uint64_t records_end_ = 0;  // behind its footer
  uint64_t records_hash_ = 0;
  uint64_t position_ = 0;
  uint64_t corrupt_bytes_ = 0;
  std::optional<Gap> gap_;
  std::vector<Skipped> skipped_;
};

inline void Tail::open_gap(const Gap& gap, uint64_t search_from) {
  gap_ = gap;
  position_ = search_from;
}

inline void Tail::note_record(uint64_t end, uint32_t crc) {
  constexpr uint64_t kOddFactor = 0x9E37'79B9'7F4A'7C15;
  position_ = records_end_ = end;
  last_crc_ = crc;
  records_hash_ = (records_hash_ ^ crc) * kOddFactor;
}

template <typename Sink>
bool Tail::advance(int fd, uint64_t size, Scratch& scratch, Sink& sink) {
  recheck_gap(fd, size, scratch);
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
      begin_bytes_ = static_cast<uint8_t>(std::min(filled, kBeginBytes));
      std::memcpy(begin_, buffer, begin_bytes_);
    }
    const uint64_t needed = read_records({buffer, filled}, size, scratch, sink);
    const auto used = static_cast<size_t>(position_ - begin);
    filled -= used;
    searched = gap_ ? searched + used : 0;
    if (got < wanted || position_ + needed > size) return true;
    if (needed > Scratch::kBytes) {
      const Payload result = read_large(fd, needed, size, scratch, sink);
      if (result == Payload::kCut || result == Payload::kStopped) return result == Payload::kCut;
      filled = 0;
    } else {
      std::memmove(buffer, buffer + used, filled);
    }
  }
}

template <typename Sink>
uint64_t Tail::read_records(Bytes bytes, uint64_t size, Scratch& scratch, Sink& sink) {
  const uint64_t base = position_;
  size_t at = 0;
  while (bytes.size() - at >= kHeaderBytes) {
    if (gap_) [[unlikely]] {
      at += find_header(bytes.subspan(at), scratch.header_fits);
      if (bytes.size() - at < kHeaderBytes) break;
      close_gap(base + at, sink);
    }
    const uint64_t offset = base + at;
    const uint8_t* header = bytes.data() + at;
    if (!scratch.header_fits(header)) [[unlikely]] {
      open_gap({offset, 0, DamageReason::kHeader, false, size}, offset + 1);
      at += 1;
      continue;
    }
    const auto length = load<uint64_t>(header);
    if (length > kMaxPayloadBytes) [[unlikely]] {
      open_gap({offset, 0, DamageReason::kTooLong, false, size}, offset + kHeaderBytes);
      at += kHeaderBytes;
      continue;
    }
    const uint64_t frame = length + kFrameBytes;
    if (bytes.size() - at < frame) {
      if (offset + frame <= size) return frame;
      open_gap({offset, frame, DamageReason::kPayload, true, size}, offset + kHeaderBytes);
      at += kHeaderBytes;
      continue;
    }
    const Bytes payload(header + kHeaderBytes, length);
    const auto crc = load<uint32_t>(payload.data() + length);
    if (masked_crc32c(payload.data(), length) != crc) [[unlikely]] {
      skip_corrupt(offset, frame, size, DamageReason::kPayload, sink);
      at = static_cast<size_t>(position_ - base);
      continue;
    }
    if (!sink.record(payload, offset + kHeaderBytes)) [[unlikely]]
      sink.damage(offset, frame, DamageReason::kNoEvent);
    at += frame;
    note_record(base + at, crc);
  }
  position_ = base + at;
  return kHeaderBytes;
}

// Reads a record that is larger than the buffer. Allocates memory only after the CRC has shown that the
// record is valid.
template <typename Sink>
Tail::Payload Tail::read_large(int fd, uint64_t frame, uint64_t size, Scratch& scratch, Sink& sink) {
  const Payload result = check_payload(fd, position_, frame, size, scratch);
  if (result == Payload::kCorrupt) skip_corrupt(position_, frame, size, DamageReason::kPayload, sink);
  if (result == Payload::kSparse) skip_corrupt(position_, frame, size, DamageReason::kSparse, sink);
  if (result != Payload::kValid) return result;
  const uint64_t bytes = frame - kHeaderBytes;
  const auto payload = std::make_unique_for_overwrite<uint8_t[]>(bytes);
  if (read_at(fd, payload.get(), bytes, position_ + kHeaderBytes) < bytes) return Payload::kCut;
  const uint64_t length = bytes - kFooterBytes;
  if (!sink.record({payload.get(), static_cast<size_t>(length)}, position_ + kHeaderBytes))
    sink.damage(position_, frame, DamageReason::kNoEvent);
  note_record(position_ + frame, load<uint32_t>(payload.get() + length));
  return result;
}

template <typename Sink>
void Tail::skip_corrupt(uint64_t offset, uint64_t frame, uint64_t size, DamageReason why, Sink& sink) {
  if (corrupt_bytes_ > kMaxCorruptBytes + kMaxCorruptFactor * offset) {
    sink.damage(offset, frame, why);
    position_ = offset + frame;
    return;
  }
  corrupt_bytes_ += frame;
  open_gap({offset, frame, why, false, size}, offset + kHeaderBytes);
}

template <typename Sink>
void Tail::close_gap(uint64_t end, Sink& sink) {
  skipped_.reserve(kMaxSkipped);  // first, as it may throw
  sink.damage(gap_->begin, end - gap_->begin, gap_->why);
  if (skipped_.size() == kMaxSkipped) {
    // A record that was incomplete is checked once it is complete, however late. Others become valid soon.
    const auto other = std::ranges::find_if(skipped_, [](const Skipped& one) { return !one.is_incomplete; });
    if (other != skipped_.end()) skipped_.erase(other);
  }
  if (skipped_.size() < kMaxSkipped) skipped_.push_back({gap_->begin, gap_->is_incomplete, kChecks});
  gap_.reset();
  position_ = end;
}

}  // namespace lossboard
