// The one number in a TensorProto, where it holds one.
#pragma once
#include <optional>

#include "bytes.h"

namespace lossboard {

// As float64, from any real dtype, out of tensor_content or the dtype's own *_val field. Nothing for
// strings, complex and quantised numbers, and for any other count of elements than one.
std::optional<double> scalar_value(Bytes tensor);

}  // namespace lossboard
