// write(2) without the overhead of the C library.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace lossboard {

ssize_t raw_write(int fd, const void* data, size_t size);

}  // namespace lossboard
