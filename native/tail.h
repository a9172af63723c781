// Follows the bytes of one growing file: whole records go to a sink, damage is stepped over, and what
// is cut at the end is waited for.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

#include "arena.h"
#include "tfrecord.h"

namespace lossboard {

enum class DamageReason : uint8_t { kHeader, kTooLong, kPayload, kNoEvent };

// What one thread needs to read files, used again for each: fresh pages cost more than the reading.
struct Scratch {
  static constexpr size_t kBytes = 256 << 10;
  std::unique_ptr<uint8_t[]> buffer = std::make_unique_for_overwrite<uint8_t[]>(kBytes);
  HeaderCheck header_fits;
  std::optional<Arena> arena = {};  // where there is much to read
};

// Less than `size` only at the end of the file.
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
  // Everything before it has been looked at.
  uint64_t position() const { return position_; }
  // Below this size of the file there is nothing to do: a record has begun that ends there.
  uint64_t needed() const { return needed_; }
  // Where damage begins that nothing readable has followed yet.
  std::optional<uint64_t> gap() const { return gap_; }
  DamageReason gap_why() const { return gap_why_; }
  // Whether the file still begins as it did: if not, it is another one under the same name.
  bool is_same(int fd) const {
    uint8_t now[kBeginBytes];
    return read_at(fd, now, begin_bytes_, 0) == begin_bytes_ && std::memcmp(now, begin_, begin_bytes_) == 0;
  }

  // Reads on up to `size`. The sink has
  //   bool record(Bytes payload, uint64_t offset)    false: this is no Event
  //   void damage(uint64_t offset, uint64_t bytes, DamageReason why)
  template <typename Sink>
  void advance(int fd, uint64_t size, Scratch& scratch, Sink& sink);

 private:
  void look_at_gap_again(int fd, Scratch& scratch);
  // Takes the whole records in `bytes`, which begin at `base` in the file; how many bytes that were.
  // `unfinished` is the length of the record that did not fit in, if its header is there.
  template <typename Sink>
  size_t take_records(Bytes bytes, uint64_t base, Scratch& scratch, Sink& sink, uint64_t& unfinished);
  template <typename Sink>
  bool take_large(int fd, uint64_t offset, uint64_t frame, Scratch& scratch, Sink& sink);
  void open_gap(uint64_t offset, DamageReason why) {
    gap_ = offset;
    gap_why_ = why;
  }

  static constexpr size_t kBeginBytes = 40;  // reaches behind the first event's wall time
  uint8_t begin_[kBeginBytes];
  size_t begin_bytes_ = 0;
  uint64_t position_ = 0;
  uint64_t needed_ = kHeaderBytes;
  std::optional<uint64_t> gap_;
  DamageReason gap_why_ = DamageReason::kHeader;
};

inline void Tail::look_at_gap_again(int fd, Scratch& scratch) {
  // A network file system may show a file's new length before its bytes: zeros that become a record.
  uint8_t header[kHeaderBytes];
  if (!gap_ || read_at(fd, header, sizeof header, *gap_) < sizeof header) return;
  if (load<uint64_t>(header) > kMaxPayloadBytes || !scratch.header_fits(header)) return;
  position_ = *gap_;
  gap_.reset();
}

template <typename Sink>
void Tail::advance(int fd, uint64_t size, Scratch& scratch, Sink& sink) {
  look_at_gap_again(fd, scratch);
  uint8_t* buffer = scratch.buffer.get();
  size_t filled = 0;
  while (true) {
    const uint64_t from = position_ + filled;
    const size_t wanted = std::min<uint64_t>(Scratch::kBytes - filled, size - from);
    const size_t got = read_at(fd, buffer + filled, wanted, from);
    filled += got;
    if (position_ == 0) {
      begin_bytes_ = std::min(filled, kBeginBytes);
      std::memcpy(begin_, buffer, begin_bytes_);
    }
    uint64_t unfinished = kHeaderBytes;
    const size_t used = take_records({buffer, filled}, position_, scratch, sink, unfinished);
    position_ += used;
    filled -= used;
    needed_ = position_ + unfinished;
    if (got < wanted || needed_ > size) return;
    if (unfinished > Scratch::kBytes) {
      if (!take_large(fd, position_, unfinished, scratch, sink)) return;
      position_ += unfinished;
      filled = 0;
    } else {
      std::memmove(buffer, buffer + used, filled);
    }
  }
}

template <typename Sink>
size_t Tail::take_records(Bytes bytes, uint64_t base, Scratch& scratch, Sink& sink, uint64_t& unfinished) {
  size_t at = 0;
  while (bytes.size() - at >= kHeaderBytes) {
    if (gap_) [[unlikely]] {
      at += find_header(bytes.subspan(at), scratch.header_fits);
      if (bytes.size() - at < kHeaderBytes) break;
      sink.damage(*gap_, base + at - *gap_, gap_why_);
      gap_.reset();
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
  }
  return at;
}

// A record that is larger than the buffer. Memory is asked for only after the CRC has shown that the
// bytes are there and are meant. False if the file has become shorter meanwhile.
template <typename Sink>
bool Tail::take_large(int fd, uint64_t offset, uint64_t frame, Scratch& scratch, Sink& sink) {
  const uint64_t length = frame - kFrameBytes;
  const uint64_t begin = offset + kHeaderBytes;
  uint32_t crc = 0;
  for (uint64_t done = 0; done < length;) {
    const size_t chunk = std::min<uint64_t>(Scratch::kBytes, length - done);
    if (read_at(fd, scratch.buffer.get(), chunk, begin + done) < chunk) return false;
    crc = crc32c(scratch.buffer.get(), chunk, crc);
    done += chunk;
  }
  uint8_t footer[kFooterBytes];
  if (read_at(fd, footer, sizeof footer, begin + length) < sizeof footer) return false;
  if (mask_crc(crc) != load<uint32_t>(footer)) {
    sink.damage(offset, frame, DamageReason::kPayload);
    return true;
  }
  const auto payload = std::make_unique_for_overwrite<uint8_t[]>(length);
  if (read_at(fd, payload.get(), length, begin) < length) return false;
  if (!sink.record({payload.get(), static_cast<size_t>(length)}, begin))
    sink.damage(offset, frame, DamageReason::kNoEvent);
  return true;
}

}  // namespace lossboard
