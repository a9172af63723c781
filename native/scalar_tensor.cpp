#include "scalar_tensor.h"

#include <bit>
#include <cmath>

#include "wire.h"

namespace lossboard {
namespace {

enum Dtype : uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

double from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

double from_half(uint16_t bits) {
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  if (exponent == 0x1F) return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

template <typename T>
std::optional<double> only(Bytes content) {
  if (content.size() != sizeof(T)) return std::nullopt;
  return static_cast<double>(load<T>(content.data()));
}

std::optional<double> from_content(uint64_t dtype, Bytes content) {
  switch (dtype) {
    case kFloat:
      return only<float>(content);
    case kDouble:
      return only<double>(content);
    case kInt32:
      return only<int32_t>(content);
    case kUint8:
      return only<uint8_t>(content);
    case kInt16:
      return only<int16_t>(content);
    case kInt8:
      return only<int8_t>(content);
    case kInt64:
      return only<int64_t>(content);
    case kUint16:
      return only<uint16_t>(content);
    case kUint32:
      return only<uint32_t>(content);
    case kUint64:
      return only<uint64_t>(content);
    case kBool:
      return content.size() == 1 ? std::optional<double>(content[0] != 0) : std::nullopt;
    case kHalf:
      return content.size() == 2 ? std::optional(from_half(load<uint16_t>(content.data()))) : std::nullopt;
    case kBfloat16:
      return content.size() == 2 ? std::optional(from_bfloat16(load<uint16_t>(content.data())))
                                 : std::nullopt;
  }
  return std::nullopt;
}

// Returns the *_val field of a dtype, or 0 if it is not a real number.
uint32_t value_field(uint64_t dtype) {
  switch (dtype) {
    case kFloat:
      return 5;
    case kDouble:
      return 6;
    case kInt32:
    case kUint8:
    case kInt16:
    case kInt8:
    case kUint16:
      return 7;
    case kInt64:
      return 10;
    case kBool:
      return 11;
    case kHalf:
    case kBfloat16:
      return 13;
    case kUint32:
      return 16;
    case kUint64:
      return 17;
  }
  return 0;
}

double from_bits(uint64_t dtype, uint64_t bits) {
  switch (dtype) {
    case kFloat:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case kDouble:
      return std::bit_cast<double>(bits);
    case kUint32:
    case kUint64:
      return static_cast<double>(bits);
    case kBool:
      return bits != 0;
    case kHalf:
      return from_half(static_cast<uint16_t>(bits));
    case kBfloat16:
      return from_bfloat16(static_cast<uint16_t>(bits));
  }
  return static_cast<double>(static_cast<int64_t>(bits));
}

struct Numbers {
  uint64_t count = 0;
  uint64_t bits = 0;  // of the last
};

// Adds one occurrence of a *_val field: packed (bytes) or a single number.
bool collect(const Field& field, uint64_t dtype, Numbers& numbers) {
  if (field.type != WireType::kBytes) {
    ++numbers.count;
    numbers.bits = field.bits;
    return true;
  }
  const uint8_t* p = field.bytes.data();
  const uint8_t* end = p + field.bytes.size();
  const size_t width = dtype == kFloat ? 4 : dtype == kDouble ? 8 : 0;
  while (p < end) {
    if (width != 0) {
      if (static_cast<size_t>(end - p) < width) return false;
      numbers.bits = width == 4 ? load<uint32_t>(p) : load<uint64_t>(p);
      p += width;
    } else if (!(p = read_varint(p, end, numbers.bits))) {
      return false;
    }
    ++numbers.count;
  }
  return true;
}

bool has_one_element(Bytes shape) {
  Wire wire(shape);
  Field dim;
  while (wire.next(dim)) {
    if (dim.is(3, WireType::kVarint) && dim.bits) return false;  // unknown_rank
    if (!dim.is(2, WireType::kBytes)) continue;
    uint64_t size = 0;
    Wire inner(dim.bytes);
    Field field;
    while (inner.next(field))
      if (field.is(1, WireType::kVarint)) size = field.bits;
    if (!inner.ok() || size != 1) return false;
  }
  return wire.ok();
}

}  // namespace

std::optional<double> scalar_value(Bytes tensor) {
  uint64_t dtype = 0;
  Bytes content;
  Wire head(tensor);
  Field field;
  while (head.next(field)) {
    if (field.is(1, WireType::kVarint)) dtype = field.bits;
    if (field.is(2, WireType::kBytes) && !has_one_element(field.bytes)) return std::nullopt;
    if (field.is(4, WireType::kBytes)) content = field.bytes;
  }
  const uint32_t wanted = value_field(dtype);
  if (!head.ok() || wanted == 0) return std::nullopt;
  if (!content.empty()) return from_content(dtype, content);
  Numbers numbers;
  Wire values(tensor);
  while (values.next(field))
    if (field.number == wanted && !collect(field, dtype, numbers)) return std::nullopt;
  if (numbers.count > 1) return std::nullopt;
  return from_bits(dtype, numbers.bits);  // a tensor without values is all zeros
}

}  // namespace lossboard
