// Protobuf's wire format: a sequence of fields, each a key and a value.
// Groups (wire types 3 and 4) count as malformed: no message of an event file has them.
#pragma once
#include "bytes.h"

namespace lossboard {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Returns the end of the varint at `p`, or nullptr if it is cut or longer than ten bytes.
inline const uint8_t* read_varint(const uint8_t* p, const uint8_t* end, uint64_t& value) {
  if (p < end && *p < 0x80) {
    value = *p;
    return p + 1;
  }
  value = 0;
  for (int shift = 0; shift < 70 && p < end; shift += 7) {
    const uint8_t byte = *p++;
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return p;
  }
  return nullptr;
}

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t bits = 0;            // of a varint or a fixed
  Bytes bytes;                  // of a bytes field
  const uint8_t* at = nullptr;  // behind the key: where the length of a bytes field is

  bool is(uint32_t wanted, WireType wanted_type) const { return number == wanted && type == wanted_type; }
};

class Wire {
 public:
  explicit Wire(Bytes bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // Returns false at the end, and if the next field is malformed: then ok() is false.
  bool next(Field& field) {
    if (p_ == end_) return false;
    ok_ = read(field);
    return ok_;
  }
  bool ok() const { return ok_; }
  // The fields that follow.
  Bytes rest() const { return {p_, end_}; }

 private:
  bool read(Field& field) {
    uint64_t key;
    if (!(p_ = read_varint(p_, end_, key)) || key >> 32 || key >> 3 == 0) return false;
    field.number = static_cast<uint32_t>(key >> 3);
    field.type = static_cast<WireType>(key & 7);
    field.at = p_;
    switch (field.type) {
      case WireType::kVarint:
        return (p_ = read_varint(p_, end_, field.bits));
      case WireType::kFixed64:
        return fixed<uint64_t>(field);
      case WireType::kFixed32:
        return fixed<uint32_t>(field);
      case WireType::kBytes: {
        uint64_t size;
        if (!(p_ = read_varint(p_, end_, size)) || size > static_cast<size_t>(end_ - p_)) return false;
        field.bytes = {p_, static_cast<size_t>(size)};
        p_ += size;
        return true;
      }
    }
    return false;
  }

  template <typename T>
  bool fixed(Field& field) {
    if (static_cast<size_t>(end_ - p_) < sizeof(T)) return false;
    field.bits = load<T>(p_);
    p_ += sizeof(T);
    return true;
  }

  const uint8_t* p_;
  const uint8_t* end_;
  bool ok_ = true;
};

// Whether the message consists of fields, of whatever meaning.
inline bool well_formed(Bytes message) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
  }
  return wire.ok();
}

}  // namespace lossboard
