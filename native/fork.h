// Process-wide state across fork().
#pragma once
#include <mutex>

namespace lossboard {

// Number of forks between the first process and this one.
unsigned fork_count();

// Protects process-wide tables. fork() waits until it is free, so that a child never inherits it locked, or a
// table that is half changed.
std::mutex& process_mutex();

}  // namespace lossboard
