#include "event_writer.h"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

#include "gil.h"

namespace nb = nanobind;

namespace lossboard {
namespace {

constexpr size_t kReleaseGilBytes = size_t{64} << 10;
constexpr std::string_view kLostTag = "lossboard/lost_records";

// Raises a TypeError that says what was given.
[[noreturn]] void reject(const std::string& wanted, nb::handle value) {
  const auto type = nb::cast<std::string>(value.type().attr("__name__"));
  throw nb::type_error((wanted + ", got " + type + ".").c_str());
}

std::string_view as_text(nb::handle text) {
  if (!PyUnicode_Check(text.ptr())) reject("A tag must be a str", text);
  Py_ssize_t size;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (utf8 == nullptr) throw nb::python_error();
  return {utf8, static_cast<size_t>(size)};
}

std::string_view as_bytes(nb::handle bytes) {
  char* data;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

double wall_time_of(nb::handle wall_time) {
  if (wall_time.is_none()) return wall_time_now();
  const double secs = PyFloat_AsDouble(wall_time.ptr());
  if (secs == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    reject("A wall time must be a number, seconds since 1970", wall_time);
  }
  if (!std::isfinite(secs)) throw nb::value_error("A wall time must be finite: seconds since 1970.");
  return secs;
}

template <typename Result>
Result read(EventWriter& writer, Result (AppendFile::*get)()) {
  AppendFile& file = writer.file();
  return without_gil([&] { return (file.*get)(); });
}

}  // namespace

void EventWriter::open() {
  try {
    file_.enter_process();
    without_gil([&] { file_.open(); });
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
}

bool EventWriter::scalar(nb::handle tag, nb::handle value, nb::handle step, nb::handle wall_time) {
  const Scalar point{as_text(tag), value_of(value)};
  return plain_scalar(point, head_of(step, wall_time));
}

bool EventWriter::plain_scalar(const Scalar& scalar, Head head) {
  return write(head, [&] { record_.add_scalars({&scalar, 1}); });
}

bool EventWriter::scalars(const nb::dict& values, nb::handle step, nb::handle wall_time) {
  // Converting a value may run Python code that changes the dict. The copy keeps its tags alive.
  const nb::dict copy = nb::steal<nb::dict>(PyDict_Copy(values.ptr()));
  if (!copy.is_valid()) throw nb::python_error();
  std::vector<Scalar> scalars;
  scalars.reserve(nb::len(copy));
  for (auto [tag, value] : copy) scalars.push_back(Scalar{as_text(tag), value_of(value)});
  return write(head_of(step, wall_time), [&] { record_.add_scalars(scalars); });
}

bool EventWriter::summary(const nb::list& values, nb::handle step, nb::handle wall_time) {
  const Head head = head_of(step, wall_time);
  std::vector<std::string_view> views;
  for (nb::handle value : values) views.push_back(as_bytes(value));
  return write(head, [&] { record_.add_summary(views); });
}

bool EventWriter::event(int field, nb::handle message, nb::handle step, nb::handle wall_time) {
  constexpr int kMaxField = 15;  // whose key is one byte
  if (field < 1 || field > kMaxField) throw nb::value_error("The field of an Event must be from 1 to 15.");
  const Head head = head_of(step, wall_time);
  const std::string_view bytes = as_bytes(message);
  return write(head, [&] { record_.add_bytes(field, bytes); });
}

bool EventWriter::flush() {
  file_.enter_process();
  return without_gil([&] { return file_.flush(); });
}

void EventWriter::close(bool finished) {
  file_.enter_process();
  without_gil([&] { file_.close(finished); });
}

float EventWriter::value_of(nb::handle value) const {
  if (PyFloat_CheckExact(value.ptr())) return static_cast<float>(PyFloat_AsDouble(value.ptr()));
  return static_cast<float>(nb::cast<double>(as_scalar_(value)));
}

Head EventWriter::head_of(nb::handle step, nb::handle wall_time) const {
  return {wall_time_of(wall_time), step_of(step)};
}

int64_t EventWriter::step_of(nb::handle step) const {
  if (step.is_none()) return 0;
  nb::object number = PyLong_CheckExact(step.ptr()) ? nb::borrow(step) : as_step_(step);
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) throw nb::value_error("A step must fit in 64 bits.");
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

// `add_content` must not run Python code, because another thread would begin another record. A shortage of
// memory must not end the training: the record counts as lost.
template <typename AddContent>
bool EventWriter::write(Head head, AddContent add_content) {
  file_.enter_process();
  try {
    step_ = head.step;
    record_.begin(head);
    add_content();
    if (append() && file_.lost() > reported_lost_) report_lost();
  } catch (const std::bad_alloc&) {
    without_gil([&] { file_.lose_record(); });
  }
  return file_.faults() != 0;
}

// Never waits with the GIL: another thread may hold the file during a flush to a slow disk.
bool EventWriter::append() {
  const std::string_view record = record_.finish();
  if (record.size() < kReleaseGilBytes)
    if (const auto is_written = file_.try_append(record)) return *is_written;
  const std::string own = record_.take();
  GilRelease release;
  return file_.append(own);
}

// Once writing works again, logs how many records are missing.
void EventWriter::report_lost() {
  reported_lost_ = file_.lost();
  const Scalar scalar{kLostTag, static_cast<float>(reported_lost_)};
  record_.begin({wall_time_now(), step_});
  record_.add_scalars({&scalar, 1});
  append();
}

void bind_writer(nb::module_& m) {
  using nb::arg;
  nb::class_<EventWriter>(m, "EventWriter")
      .def(nb::init<std::string, std::string, nb::callable, nb::callable>(), arg("folder"), arg("suffix"),
           arg("as_scalar"), arg("as_step"))
      .def("open", &EventWriter::open)
      .def("scalar", &EventWriter::scalar, arg("tag").none(), arg("value").none(), arg("step").none(),
           arg("wall_time").none())
      .def("scalars", &EventWriter::scalars, arg("values"), arg("step").none(), arg("wall_time").none())
      .def("summary", &EventWriter::summary, arg("values"), arg("step").none(), arg("wall_time").none())
      .def("event", &EventWriter::event, arg("field"), arg("message"), arg("step").none(),
           arg("wall_time").none())
      .def("flush", &EventWriter::flush)
      .def("close", &EventWriter::close, nb::arg("finished"))
      .def_prop_ro("path", [](EventWriter& writer) { return read(writer, &AppendFile::path); })
      .def_prop_ro("fault", [](EventWriter& writer) { return read(writer, &AppendFile::fault); })
      .def_prop_ro("lost", [](EventWriter& writer) { return writer.file().lost(); })
      .def_prop_ro("waiting", [](EventWriter& writer) { return read(writer, &AppendFile::waiting); });
}

}  // namespace lossboard
