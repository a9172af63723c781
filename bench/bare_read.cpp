// Lower bound of loading a logdir: reads the event files below a folder and checks every CRC, but stores
// nothing. Prints the CPU seconds that this takes, and the number of records.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tfrecord.h"

using namespace lossboard;

namespace {

constexpr size_t kBufferBytes = 256 << 10;

double cpu_secs() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto secs = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; };
  return secs(usage.ru_utime) + secs(usage.ru_stime);
}

// Returns how many records the bytes begin with, and moves `used` behind them.
size_t check_records(const uint8_t* bytes, size_t size, size_t& used, HeaderCheck& header_fits) {
  size_t records = 0;
  for (used = 0; size - used >= kFrameBytes && header_fits(bytes + used); ++records) {
    const auto length = load<uint64_t>(bytes + used);
    if (size - used < length + kFrameBytes) break;
    const uint8_t* payload = bytes + used + kHeaderBytes;
    if (masked_crc32c(payload, length) != load<uint32_t>(payload + length)) break;
    used += length + kFrameBytes;
  }
  return records;
}

// Records must be smaller than the buffer, as those of the benchmarks are.
size_t check_file(const char* path, std::vector<uint8_t>& buffer, HeaderCheck& header_fits) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t records = 0, filled = 0, used = 0;
  for (ssize_t got; (got = read(fd, buffer.data() + filled, kBufferBytes - filled)) > 0;) {
    filled += static_cast<size_t>(got);
    records += check_records(buffer.data(), filled, used, header_fits);
    filled -= used;
    std::memmove(buffer.data(), buffer.data() + used, filled);
  }
  close(fd);
  if (filled > 0) std::fprintf(stderr, "%s: a corrupt or too large record\n", path);
  return records;
}

}  // namespace

int main(int, char** arguments) {
  std::vector<uint8_t> buffer(kBufferBytes);
  HeaderCheck header_fits;
  size_t records = 0;
  const double begin = cpu_secs();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[1]))
    if (entry.path().filename().string().find("tfevents") != std::string::npos)
      records += check_file(entry.path().c_str(), buffer, header_fits);
  std::printf("%f %zu\n", cpu_secs() - begin, records);
}
