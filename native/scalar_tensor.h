// Decoder of tensors with a single number.
#pragma once
#include <optional>

#include "bytes.h"

namespace lossboard {

// Returns the number in a TensorProto as float64, from any real dtype, from tensor_content or the dtype's
// *_val field. Returns nothing for strings, complex and quantized numbers, and unless there is exactly one
// element.
std::optional<double> scalar_value(Bytes tensor);

}  // namespace lossboard
