#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace lossboard {

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }
  operator int() const { return fd_; }

 private:
  int fd_;
};

// A file, to be read.
inline Descriptor open_file(const std::string& path) {
  // Not to wait for a writer, should it have become a FIFO since it was listed.
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) throw std::system_error(errno, std::generic_category(), path);
  return fd;
}

}  // namespace lossboard
