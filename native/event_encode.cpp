#include "event_encode.h"

#include <algorithm>
#include <cstring>

#include "wire.h"

namespace lossboard {
namespace {

constexpr size_t kMaxVarintBytes = 10;
constexpr size_t kMaxLengthBytes = 1 + kMaxVarintBytes;  // a key and a length

size_t varint_size(uint64_t value) {
  size_t size = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++size;
  }
  return size;
}

char* put_varint(char* out, uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

// For field numbers below 16, whose key is one byte.
char* put_key(char* out, int field, WireType type) {
  *out = static_cast<char>(field << 3 | static_cast<int>(type));
  return out + 1;
}

template <typename T>
char* put_fixed(char* out, T value) {
  std::memcpy(out, &value, sizeof(T));
  return out + sizeof(T);
}

char* put_length(char* out, int field, size_t size) {
  return put_varint(put_key(out, field, WireType::kBytes), size);
}

char* put_bytes(char* out, int field, std::string_view bytes) {
  out = put_length(out, field, bytes.size());
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

size_t nested_size(size_t size) { return 1 + varint_size(size) + size; }

size_t scalar_size(const Scalar& scalar) { return nested_size(scalar.tag.size()) + 1 + sizeof(float); }

std::string lone_record(double wall_time, std::span<const std::pair<int, std::string_view>> fields) {
  RecordBuilder record;
  record.begin({wall_time, 0});
  for (const auto& [field, bytes] : fields) record.add_bytes(field, bytes);
  return std::string(record.finish());
}

}  // namespace

double wall_time_now() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline char* RecordBuilder::reserve(size_t bytes) {
  if (bytes_.size() - size_ < bytes) [[unlikely]]
    bytes_.resize(std::max(size_ + bytes, 2 * bytes_.size()));
  return bytes_.data() + size_;
}

void RecordBuilder::begin(Head head) {
  size_ = 0;
  char* out = reserve(kHeaderBytes + 1 + sizeof(double) + 1 + kMaxVarintBytes) + kHeaderBytes;
  out = put_fixed(put_key(out, kEventWallTime, WireType::kFixed64), head.wall_time);
  if (head.step != 0)
    out = put_varint(put_key(out, kEventStep, WireType::kVarint), static_cast<uint64_t>(head.step));
  set_end(out);
}

void RecordBuilder::add_bytes(int field, std::string_view bytes) {
  set_end(put_bytes(reserve(kMaxLengthBytes + bytes.size()), field, bytes));
}

void RecordBuilder::add_scalars(std::span<const Scalar> scalars) {
  size_t size = 0;
  for (const Scalar& scalar : scalars) size += nested_size(scalar_size(scalar));
  char* out = put_length(reserve(kMaxLengthBytes + size), kEventSummary, size);
  for (const Scalar& scalar : scalars) {
    out = put_length(out, kSummaryValue, scalar_size(scalar));
    out = put_bytes(out, kValueTag, scalar.tag);
    out = put_fixed(put_key(out, kValueSimple, WireType::kFixed32), scalar.value);
  }
  set_end(out);
}

void RecordBuilder::add_summary(std::span<const std::string_view> values) {
  size_t size = 0;
  for (std::string_view value : values) size += nested_size(value.size());
  char* out = put_length(reserve(kMaxLengthBytes + size), kEventSummary, size);
  for (std::string_view value : values) out = put_bytes(out, kSummaryValue, value);
  set_end(out);
}

std::string_view RecordBuilder::finish() {
  const uint64_t size = size_ - kHeaderBytes;
  set_end(put_fixed(reserve(sizeof(uint32_t)), masked_crc32c(bytes_.data() + kHeaderBytes, size)));
  char* out = put_fixed(bytes_.data(), size);
  put_fixed(out, masked_crc32c(bytes_.data(), sizeof size));
  return {bytes_.data(), size_};
}

std::string RecordBuilder::take() {
  bytes_.resize(size_);
  return std::move(bytes_);
}

std::string version_record(double wall_time) {
  const std::string_view name = "lossboard";
  char source[16];
  const char* end = put_bytes(source, kSourceWriter, name);
  const std::pair<int, std::string_view> fields[] = {{kEventFileVersion, "brain.Event:2"},
                                                     {kEventSource, {source, end}}};
  return lone_record(wall_time, fields);
}

std::string stop_record(double wall_time) {
  constexpr uint64_t kStop = 2;
  char session_log[4];
  const char* end = put_varint(put_key(session_log, kSessionStatus, WireType::kVarint), kStop);
  const std::pair<int, std::string_view> fields[] = {{kEventSessionLog, {session_log, end}}};
  return lone_record(wall_time, fields);
}

}  // namespace lossboard
