// Reads messages that the store left in their files.
#pragma once
#include <cstdint>
#include <string>

namespace lossboard {

// Returns the message whose length is at `offset`. Throws std::system_error if the file cannot be read,
// std::domain_error if there is no whole message, because the file has changed since it was indexed, and
// std::overflow_error, without reading it, if the message is longer than `max_bytes`.
std::string read_message(const std::string& path, uint64_t offset, uint64_t max_bytes = UINT64_MAX);

}  // namespace lossboard
