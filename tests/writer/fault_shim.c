// Preloaded into a process that logs: makes chosen writes into event files fail, with or without a part written.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long first, last, count, part;
static int code;

// Writes number `at` … `at + times - 1` from now fail with `error`; the first of them writes `bytes` before.
void arm(long at, long times, int error, long bytes) {
  count = 0;
  first = at;
  last = at + times - 1;
  code = error;
  part = bytes;
}

static int is_event_file(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = '\0';
  return strstr(path, "tfevents") != NULL;
}

ssize_t write(int fd, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (!first || !is_event_file(fd)) return real(fd, data, size);
  ++count;
  if (count < first || count > last) return real(fd, data, size);
  if (part > 0) {
    long bytes = part;
    part = 0;
    --count;  // the rest of this write is the one that fails
    return real(fd, data, (size_t)bytes < size ? (size_t)bytes : size);
  }
  errno = code;
  return -1;
}
