#pragma once
#include "bytes.h"

namespace lossboard {

bool is_utf8(Bytes bytes);

}  // namespace lossboard
