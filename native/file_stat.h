#pragma once
#include <sys/stat.h>

#include "event_file.h"

namespace lossboard {

inline Stamp stamp_of(const struct stat& status) {
#if defined(__APPLE__)
  const timespec &changed = status.st_ctimespec, &modified = status.st_mtimespec;
#else
  const timespec &changed = status.st_ctim, &modified = status.st_mtim;
#endif
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(status.st_size), nanoseconds(changed), nanoseconds(modified)};
}

}  // namespace lossboard
