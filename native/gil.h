// Releases Python's global lock (GIL) for a scope, safely while the interpreter ends.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace lossboard {

// For a thread that must not go on while the interpreter ends.
[[noreturn]] inline void wait_for_exit() {
  for (;;) pause();
}

// Like nanobind's gil_scoped_release, but for threads that may outlive the interpreter. Python up to 3.13
// calls pthread_exit in a daemon thread that requests the GIL during shutdown. The forced unwinding would
// leave a destructor and therefore call std::terminate. Such a thread waits here instead until the process
// has ended.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  // The exception object of a forced unwinding is null, which the sanitizer takes for a mistake.
  __attribute__((no_sanitize("undefined"))) ~GilRelease() {
#ifdef __GLIBCXX__
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      wait_for_exit();
    }
#else
    PyEval_RestoreThread(state_);
#endif
  }

 private:
  PyThreadState* state_;
};

// Returns what `work` returns.
template <typename Work>
auto without_gil(Work work) {
  GilRelease release;
  return work();
}

}  // namespace lossboard
