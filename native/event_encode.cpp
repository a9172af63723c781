#include "event_encode.h"

#include <cstring>

namespace lossboard {
namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

size_t varint_size(uint64_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++size;
  }
  return size;
}

void put_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void put_key(std::string& out, int field, WireType type) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | type);
}

template <typename T>
void put_fixed(std::string& out, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

// A field number below 16 and its length: all the fields that are written here.
size_t nested_size(size_t size) { return 1 + varint_size(size) + size; }

size_t scalar_size(const Scalar& scalar) { return nested_size(scalar.tag.size()) + 1 + sizeof(float); }

void put_length(std::string& out, int field, size_t size) {
  put_key(out, field, kLength);
  put_varint(out, size);
}

}  // namespace

double wall_time_now() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void RecordBuilder::begin(double wall_time, int64_t step) {
  bytes_.assign(kFrameHeadBytes, '\0');
  put_key(bytes_, kEventWallTime, kFixed64);
  put_fixed(bytes_, wall_time);
  if (step == 0) return;
  put_key(bytes_, kEventStep, kVarint);
  put_varint(bytes_, static_cast<uint64_t>(step));
}

void RecordBuilder::add_bytes(int field, std::string_view bytes) {
  put_length(bytes_, field, bytes.size());
  bytes_.append(bytes);
}

void RecordBuilder::add_scalars(std::span<const Scalar> scalars) {
  size_t size = 0;
  for (const Scalar& scalar : scalars) size += nested_size(scalar_size(scalar));
  put_length(bytes_, kEventSummary, size);
  for (const Scalar& scalar : scalars) {
    put_length(bytes_, kSummaryValue, scalar_size(scalar));
    add_bytes(kValueTag, scalar.tag);
    put_key(bytes_, kValueSimple, kFixed32);
    put_fixed(bytes_, scalar.value);
  }
}

void RecordBuilder::add_summary(std::span<const std::string_view> values) {
  size_t size = 0;
  for (std::string_view value : values) size += nested_size(value.size());
  put_length(bytes_, kEventSummary, size);
  for (std::string_view value : values) add_bytes(kSummaryValue, value);
}

std::string_view RecordBuilder::finish() {
  const uint64_t size = bytes_.size() - kFrameHeadBytes;
  const uint32_t body_crc = masked_crc32c(bytes_.data() + kFrameHeadBytes, size);
  std::memcpy(bytes_.data(), &size, sizeof size);
  const uint32_t size_crc = masked_crc32c(bytes_.data(), sizeof size);
  std::memcpy(bytes_.data() + sizeof size, &size_crc, sizeof size_crc);
  put_fixed(bytes_, body_crc);
  return bytes_;
}

std::string version_record(double wall_time) {
  std::string source;
  const std::string_view name = "lossboard";
  put_length(source, kSourceWriter, name.size());
  source.append(name);
  RecordBuilder record;
  record.begin(wall_time, 0);
  record.add_bytes(kEventFileVersion, "brain.Event:2");
  record.add_bytes(kEventSource, source);
  return std::string(record.finish());
}

std::string stop_record(double wall_time) {
  constexpr uint64_t kStop = 2;
  std::string session_log;
  put_key(session_log, kSessionStatus, kVarint);
  put_varint(session_log, kStop);
  RecordBuilder record;
  record.begin(wall_time, 0);
  record.add_bytes(kEventSessionLog, session_log);
  return std::string(record.finish());
}

}  // namespace lossboard
