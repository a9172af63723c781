// The door between the C++ core and Python. Each file contributes one bind_* function;
// lossboard/_core.pyi is the contract that they fulfil together.
#include <nanobind/nanobind.h>

NB_MODULE(_core, m) {
  m.doc() = "Lossboard's native core: frames, wire decoding, columns, sampling, the append-only writer.";
}
