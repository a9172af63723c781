// Python module of the core. Each file contributes one bind_* function. lossboard/_core.pyi is the contract.
#include <nanobind/nanobind.h>

#include <exception>

#include "gil.h"

namespace lossboard {
void bind_density(nanobind::module_& m);
void bind_extremes(nanobind::module_& m);
void bind_group_mean(nanobind::module_& m);
void bind_histogram_bins(nanobind::module_& m);
void bind_downsample(nanobind::module_& m);
void bind_projection(nanobind::module_& m);
void bind_scalar_logger(nanobind::module_& m);
void bind_scalar_stats(nanobind::module_& m);
void bind_smooth(nanobind::module_& m);
void bind_writer(nanobind::module_& m);
void bind_store(nanobind::module_& m);
}  // namespace lossboard

namespace {

// Python up to 3.13 unwinds a daemon thread that runs Python code while the interpreter ends, also through
// functions of the core that called this code. nanobind would take that for a C++ exception and crash.
void stop_if_python_ends(const std::exception_ptr& error, void*) {
  if (!error) lossboard::wait_for_exit();
  std::rethrow_exception(error);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Lossboard's native core: frames, wire decoding, columns, sampling, the append-only writer.";
  // A program may leave a writer open until the interpreter ends. That is not worth a warning.
  nanobind::set_leak_warnings(false);
  lossboard::bind_density(m);
  lossboard::bind_extremes(m);
  lossboard::bind_group_mean(m);
  lossboard::bind_histogram_bins(m);
  lossboard::bind_downsample(m);
  lossboard::bind_projection(m);
  lossboard::bind_smooth(m);
  lossboard::bind_writer(m);
  lossboard::bind_scalar_logger(m);
  lossboard::bind_store(m);
  lossboard::bind_scalar_stats(m);
  nanobind::register_exception_translator(stop_if_python_ends);  // last, so that it is asked first
}
