// Preloaded into a test's process: makes chosen calls of the core fail.
//
//   arm(call, at, times, error)   the calls number at … at + times - 1 from now fail with `error`
//   arm("fdatasync", 1, 1, -fd)   a negative error: the call waits until it can read a byte from `fd`
//   arm("", 0, 0, 0)              nothing fails any more
//   calls()                       number of such calls while they were armed
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

char g_call[32];
std::atomic<bool> g_armed;
std::atomic<long> g_count, g_first, g_last;
std::atomic<int> g_error;
std::atomic<uintptr_t> g_core_begin, g_core_end;

int find_core(dl_phdr_info* info, size_t, void*) {
  if (!strstr(info->dlpi_name, "/_core.")) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    g_core_begin = info->dlpi_addr + header.p_vaddr;
    g_core_end = g_core_begin + header.p_memsz;
  }
  return 1;
}

bool fails(const char* call) {
  if (!g_armed || strcmp(call, g_call) != 0) return false;
  const long number = ++g_count;
  if (number < g_first || number > g_last) return false;
  if (g_error >= 0) {
    errno = g_error;
    return true;
  }
  char byte;
  while (read(-g_error, &byte, 1) < 0 && errno == EINTR) {
  }
  return false;
}

bool is_core(void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  return address >= g_core_begin && address < g_core_end;
}

// The binding library allocates with the GIL, and aborts if it cannot. The core works without.
bool is_core_work() {
  if (!g_armed) return false;
  static auto* holds_gil = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return !holds_gil();
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The C library's names for the functions that are replaced here.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_realloc(void* memory, size_t size);

void arm(const char* call, long at, long times, int error) {
  g_armed = false;
  if (!*call) return;
  if (!g_core_begin) dl_iterate_phdr(find_core, nullptr);
  strncpy(g_call, call, sizeof g_call - 1);
  g_count = 0;
  g_first = at;
  g_last = at + times - 1;
  g_error = error;
  g_armed = true;
}

long calls() { return g_count; }

#ifndef SANITIZED
// Blocks of points come from malloc.
void* malloc(size_t size) {
  if (g_armed && is_core(__builtin_return_address(0)) && fails("malloc")) return nullptr;
  return __libc_malloc(size);
}

void* realloc(void* memory, size_t size) {
  if (g_armed && is_core(__builtin_return_address(0)) && fails("malloc")) return nullptr;
  return __libc_realloc(memory, size);
}
#endif

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  if (fails("pthread_create")) return errno;
  static auto* real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return real(thread, attributes, run, argument);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (g_armed && is_core(__builtin_return_address(0)) && fails("openat")) return -1;
  static auto* real = next<int(int, const char*, int, ...)>("openat");
  return real(folder, path, flags, mode);
}

ssize_t getdents64(int fd, void* buffer, size_t size) noexcept {
  if (fails("getdents64")) return -1;
  static auto* real = next<ssize_t(int, void*, size_t)>("getdents64");
  return real(fd, buffer, size);
}

int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  if (g_armed && is_core(__builtin_return_address(0)) && fails("fstatat")) return -1;
  static auto* real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return real(folder, path, status, flags);
}

ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  if (fails("pread")) return -1;
  static auto* real = next<ssize_t(int, void*, size_t, off_t)>("pread");
  return real(fd, buffer, size, offset);
}

int fdatasync(int fd) {
  if (fails("fdatasync")) return -1;
  static auto* real = next<int(int)>("fdatasync");
  return real(fd);
}
}

void* operator new(size_t size) {
  if (is_core_work() && fails("new")) throw std::bad_alloc();
  static auto* real = next<void*(size_t)>("_Znwm");
  return real(size);
}

void* operator new[](size_t size) {
  if (is_core_work() && fails("new")) throw std::bad_alloc();
  static auto* real = next<void*(size_t)>("_Znam");
  return real(size);
}
