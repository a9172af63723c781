#include "message_reader.h"

#include <sys/stat.h>

#include <stdexcept>

#include "descriptor.h"
#include "tail.h"
#include "wire.h"

namespace lossboard {

std::string read_message(const std::string& path, uint64_t offset, uint64_t max_bytes) {
  const Descriptor fd = open_file(path);
  struct stat status;
  if (fstat(fd, &status) != 0) throw std::system_error(errno, std::generic_category(), path);
  uint8_t length_bytes[10];
  const size_t got = read_at(fd, length_bytes, sizeof length_bytes, offset);
  uint64_t length;
  const uint8_t* behind = read_varint(length_bytes, length_bytes + got, length);
  const auto size = static_cast<uint64_t>(status.st_size);
  const uint64_t begin = behind ? offset + static_cast<uint64_t>(behind - length_bytes) : size;
  if (!behind || length > size - begin)
    throw std::domain_error("No message at byte " + std::to_string(offset) + " of " + path +
                            ": the file has changed since it was read. Poll again.");
  if (length > max_bytes) throw std::overflow_error(std::to_string(length));
  std::string message(length, '\0');
  if (read_at(fd, reinterpret_cast<uint8_t*>(message.data()), length, begin) < length)
    throw std::domain_error("A message of " + path + " was cut while it was read. Poll again.");
  return message;
}

}  // namespace lossboard
