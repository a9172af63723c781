#include "fork.h"

#include <pthread.h>

#include <atomic>

namespace lossboard {
namespace {

struct ProcessState {
  std::mutex mutex;
  std::atomic<unsigned> forks = 0;

  ProcessState();
};

// Never destroyed: a thread may still use it while the process ends.
ProcessState& state() {
  static ProcessState& instance = *new ProcessState;
  return instance;
}

ProcessState::ProcessState() {
  pthread_atfork([] { state().mutex.lock(); }, [] { state().mutex.unlock(); },
                 [] {
                   state().forks.fetch_add(1);
                   state().mutex.unlock();
                 });
}

}  // namespace

unsigned fork_count() { return state().forks.load(std::memory_order_relaxed); }

std::mutex& process_mutex() { return state().mutex; }

}  // namespace lossboard
