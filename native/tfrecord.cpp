#include "tfrecord.h"

namespace lossboard {

size_t find_header(Bytes bytes, HeaderCheck& check) {
  size_t at = 0;
  for (; at + kHeaderBytes <= bytes.size(); ++at)
    if (load<uint64_t>(&bytes[at]) <= kMaxPayloadBytes && check(&bytes[at])) break;
  return at;
}

}  // namespace lossboard
