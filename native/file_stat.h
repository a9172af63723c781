#pragma once
#include <sys/stat.h>

#include "event_file.h"

namespace lossboard {

inline Stamp stamp_of(const struct stat& status) {
#if defined(__APPLE__)
  const timespec& changed = status.st_ctimespec;
#else
  const timespec& changed = status.st_ctim;
#endif
  return {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(status.st_size),
          static_cast<int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec};
}

}  // namespace lossboard
