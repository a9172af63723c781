// Fuzzer of the reader: reads a file in two pieces and at once. It must not crash, and both must give the
// same.
//
// The first byte of an input selects its form, the second where the file is cut. The rest is the file itself,
// or payloads (each with a byte of length) that are framed with valid CRCs, so that the fuzzer reaches the
// decoder.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "file_stat.h"
#include "message_reader.h"
#include "run.h"

namespace lossboard {
namespace {

void append(std::string& file, const void* data, size_t size) {
  file.append(static_cast<const char*>(data), size);
}

std::string framed(Bytes payloads) {
  std::string file;
  while (!payloads.empty()) {
    const uint64_t size = std::min<size_t>(payloads[0], payloads.size() - 1);
    const Bytes payload = payloads.subspan(1, size);
    const uint32_t header_crc = masked_crc32c(&size, sizeof size);
    const uint32_t crc = masked_crc32c(payload.data(), size);
    append(file, &size, sizeof size);
    append(file, &header_crc, sizeof header_crc);
    append(file, payload.data(), size);
    append(file, &crc, sizeof crc);
    payloads = payloads.subspan(1 + size);
  }
  return file;
}

// A file in memory, with a path in /proc.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("tfevents", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  void write(std::string_view bytes) {
    if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  FoundRun found() const {
    struct stat status;
    if (fstat(fd_, &status) != 0) std::abort();
    return {.files = {{std::to_string(fd_), stamp_of(status)}}};
  }

 private:
  int fd_;
};

void check(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void query_everything(const Run& run) {
  for (const SeriesRow& row : run.index()) {
    const std::string plugin = plugin_text(row.plugin);
    const auto points = run.points(plugin, row.tag);
    check(points && points->size == row.count, "the index and the points disagree");
    for (size_t i = 1; i < points->size; ++i)
      check(points->block->steps()[i - 1] < points->block->steps()[i], "steps do not increase");
    if (!points->scalars)
      for (size_t i = 0; i < points->size; ++i)
        read_message(points->pieces[0].path, points->block->bits()[i]);
    const auto attempts = run.attempts(plugin, row.tag);
    check(attempts->size == row.count + row.hidden, "the index and the attempts disagree");
    run.metadata(row.tag);
  }
  run.places();
}

void check_equal(const Run& grown, const Run& cold) {
  const auto a = grown.index(), b = cold.index();
  check(a.size() == b.size(), "the series differ");
  for (size_t i = 0; i < a.size(); ++i)
    check(a[i].plugin == b[i].plugin && a[i].tag == b[i].tag && a[i].count == b[i].count &&
              a[i].hidden == b[i].hidden && a[i].last_step == b[i].last_step,
          "a series that grew differs from a cold read");
  const Counts &x = grown.summary(), &y = cold.summary();
  check(x == y, "the counts of a run that grew differ from those of a cold read");
}

void read_in_pieces(const std::string& file, size_t cut) {
  Scratch scratch;
  scratch.arena.emplace();
  MemoryFile memory;
  Run grown("grown", "/proc/self/fd"), cold("cold", "/proc/self/fd");
  memory.write(std::string_view(file).substr(0, cut));
  grown.follow(memory.found(), 1, scratch);
  memory.write(std::string_view(file).substr(cut));
  grown.follow(memory.found(), 2, scratch);
  cold.follow(memory.found(), 1, scratch);
  query_everything(grown);
  check_equal(grown, cold);
}

}  // namespace
}  // namespace lossboard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const lossboard::Bytes rest(data + 2, size - 2);
  const std::string file = data[0] % 2 ? lossboard::framed(rest) : std::string(lossboard::text(rest));
  lossboard::read_in_pieces(file, file.size() * data[1] / 255);
  return 0;
}
