// Work spread over several threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lossboard {

inline size_t core_count() { return std::max(1u, std::thread::hardware_concurrency()); }

// Calls work(i) for each i below `count`, on up to `threads` threads, one of which is the caller's. Each
// thread gets its own `work` from make_work(). `wait` is called now and then while the caller waits for the
// others.
//
// If the system has no more threads to give, fewer do the work. If some calls throw, the others are made all
// the same. Then the first exception is thrown.
template <typename MakeWork, typename Wait>
void parallel_for(size_t count, size_t threads, MakeWork make_work, Wait wait) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::condition_variable finished;
  size_t running = 0;
  std::exception_ptr failure;
  const auto attempt = [&](auto call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const auto run = [&] {
    attempt([&] {
      auto work = make_work();
      for (size_t i; (i = next.fetch_add(1)) < count;) attempt([&] { work(i); });
    });
  };
  const auto change_running = [&](int by) {
    const std::lock_guard lock(mutex);
    running += static_cast<size_t>(by);
    finished.notify_one();
  };
  const auto run_in_thread = [&] {
    run();
    change_running(-1);
  };
  // Reserved first: an exception must not destroy a thread that has not been joined.
  std::vector<std::thread> others;
  others.reserve(threads);
  while (others.size() + 1 < std::min(threads, count)) {
    change_running(1);
    try {
      others.emplace_back(run_in_thread);
    } catch (const std::exception&) {  // no thread (std::system_error), or no memory for one
      change_running(-1);
      break;
    }
  }
  run();
  if (!others.empty()) {
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      wait();
      lock.lock();
    }
  }
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lossboard
