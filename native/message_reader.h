// Messages that stay in their file until somebody wants them.
#pragma once
#include <cstdint>
#include <string>

namespace lossboard {

// The message whose length stands at `offset`. Throws std::system_error if the file cannot be read, and
// std::domain_error if there is no whole message, because the file has changed since it was indexed. Of one
// that is longer than `most` nothing is read: std::overflow_error.
std::string read_message(const std::string& path, uint64_t offset, uint64_t most = UINT64_MAX);

}  // namespace lossboard
