// write(2) without what the C library adds to it.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace lossboard {

ssize_t raw_write(int fd, const void* data, size_t size);

}  // namespace lossboard
