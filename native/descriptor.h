#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace lossboard {

// A file open for reading.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      // Not to wait for a writer, should it have become a FIFO since it was listed.
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~Descriptor() { close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return fd_; }

 private:
  int fd_;
};

}  // namespace lossboard
