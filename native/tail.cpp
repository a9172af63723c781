#include "tail.h"

namespace lossboard {
namespace {

// Accepts every record.
struct NoSink {
  bool record(Bytes, uint64_t) { return true; }
  void damage(uint64_t, uint64_t, DamageReason) {}
};

}  // namespace

bool Tail::is_same(int fd) const {
  uint8_t begin[kBeginBytes], footer[kFooterBytes];
  if (read_at(fd, begin, begin_bytes_, 0) < begin_bytes_ || std::memcmp(begin, begin_, begin_bytes_) != 0)
    return false;
  if (records_end_ == 0) return true;
  return read_at(fd, footer, kFooterBytes, records_end_ - kFooterBytes) == kFooterBytes &&
         load<uint32_t>(footer) == last_crc_;
}

bool Tail::is_unchanged(int fd, Scratch& scratch) {
  Tail now;
  NoSink sink;
  if (!now.advance(fd, records_end_, scratch, sink)) return false;
  if (now.records_end_ != records_end_ || now.records_hash_ != records_hash_) return false;
  if (gap_) search_again();
  return true;
}

bool Tail::has_repaired_record(int fd, uint64_t size, Scratch& scratch) {
  for (Skipped& one : skipped_) {
    const uint64_t frame = frame_at(fd, one.begin, scratch);
    const bool is_complete = frame != 0 && one.begin + frame <= size;
    if (one.is_incomplete && frame != 0 && !is_complete) continue;
    const bool is_checked = is_complete && (one.is_incomplete || frame <= kMaxCheckedBytes);
    if (is_checked && check_payload(fd, one.begin, frame, size, scratch) == Payload::kValid) return true;
    one.is_incomplete = false;
    --one.checks_left;
  }
  std::erase_if(skipped_, [](const Skipped& one) { return one.checks_left == 0; });
  return false;
}

// Returns the length of the frame at `offset`, or 0 if there is no valid header.
uint64_t Tail::frame_at(int fd, uint64_t offset, Scratch& scratch) const {
  uint8_t header[kHeaderBytes];
  if (read_at(fd, header, sizeof header, offset) < sizeof header || !scratch.header_fits(header)) return 0;
  const auto length = load<uint64_t>(header);
  return length > kMaxPayloadBytes ? 0 : length + kFrameBytes;
}

Tail::Payload Tail::check_payload(int fd, uint64_t offset, uint64_t frame, uint64_t size,
                                  Scratch& scratch) const {
  const uint64_t length = frame - kFrameBytes;
  const uint64_t begin = offset + kHeaderBytes;
  if (length > kMaxSparseBytes &&
      data_bytes(fd, begin, std::min(begin + length, size)) < length / kMaxSparseness)
    return Payload::kSparse;
  uint32_t crc = 0;
  for (uint64_t done = 0; done < length;) {
    if (scratch.should_stop()) return Payload::kStopped;
    const size_t chunk = std::min<uint64_t>(Scratch::kBytes, length - done);
    if (read_at(fd, scratch.buffer.get(), chunk, begin + done) < chunk) return Payload::kCut;
    crc = crc32c(scratch.buffer.get(), chunk, crc);
    done += chunk;
  }
  uint8_t footer[kFooterBytes];
  if (read_at(fd, footer, sizeof footer, begin + length) < sizeof footer) return Payload::kCut;
  return mask_crc(crc) == load<uint32_t>(footer) ? Payload::kValid : Payload::kCorrupt;
}

void Tail::search_again() {
  position_ = gap_->begin;
  gap_.reset();
}

// The record at the gap may have become complete, or its bytes may have arrived late.
void Tail::recheck_gap(int fd, uint64_t size, Scratch& scratch) {
  if (!gap_) return;
  if (frame_at(fd, gap_->begin, scratch) != gap_->frame) return search_again();
  const bool is_complete = gap_->frame != 0 && gap_->begin + gap_->frame <= size;
  if (!is_complete || size == gap_->checked_size) return;
  const Payload result = check_payload(fd, gap_->begin, gap_->frame, size, scratch);
  if (result == Payload::kValid) return search_again();
  if (result == Payload::kStopped) return;
  gap_->is_incomplete = false;
  gap_->checked_size = size;
}

}  // namespace lossboard
