// Holes of sparse files: ranges without data, which read as zeros. If the file system does not know its
// holes, everything counts as data.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace lossboard {

// Returns where the first data at or after `from` begins, at most `end`.
inline uint64_t next_data(int fd, uint64_t from, uint64_t end) {
#ifdef SEEK_DATA
  const off_t found = lseek(fd, static_cast<off_t>(from), SEEK_DATA);
  if (found >= 0) return std::clamp(static_cast<uint64_t>(found), from, end);
  if (errno == ENXIO) return end;
#else
  (void)fd, (void)end;
#endif
  return from;
}

// Returns where the first hole at or after `from` begins, at most `end`.
inline uint64_t next_hole(int fd, uint64_t from, uint64_t end) {
#ifdef SEEK_HOLE
  const off_t found = lseek(fd, static_cast<off_t>(from), SEEK_HOLE);
  if (found >= 0) return std::clamp(static_cast<uint64_t>(found), from, end);
#else
  (void)fd, (void)from;
#endif
  return end;
}

// Returns how many bytes between `begin` and `end` are data.
inline uint64_t data_bytes(int fd, uint64_t begin, uint64_t end) {
  uint64_t bytes = 0;
  for (uint64_t at = next_data(fd, begin, end); at < end;) {
    const uint64_t hole = next_hole(fd, at, end);
    bytes += hole - at;
    at = next_data(fd, hole, end);
    if (at == hole) break;  // the file changes under us
  }
  return bytes;
}

}  // namespace lossboard
