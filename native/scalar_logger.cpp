// ScalarLogger: the base of SummaryWriter, with the one method that programs call at every step. A
// hand-written type, because a call through Python or a general binding costs nearly as much as the write(2)
// itself.
//
// It handles a float or int with an int step or none. All other calls go to the method _add_scalar. It uses
// only the stable ABI, like everything here, so that one wheel serves all Pythons from 3.12 on.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "event_writer.h"

namespace nb = nanobind;

namespace lossboard {
namespace {

struct ScalarLogger {
  PyObject base;
  PyObject* owner;    // of `file`
  EventWriter* file;  // nullptr until __init__ has run, and after __init__(None)
};

enum Parameter { kTag, kValue, kStep, kWallTime, kNewStyle, kDoublePrecision, kParameters };
constexpr std::array<const char*, kParameters> kNames = {"tag",      "scalar_value", "global_step",
                                                         "walltime", "new_style",    "double_precision"};
std::array<PyObject*, kParameters> g_names;  // interned, like the keywords of a call
PyObject *g_fallback, *g_fault;

using Arguments = std::array<PyObject*, kParameters>;

// Returns false if a keyword is unknown or given twice: the fallback raises.
bool take_keywords(PyObject* const* values, PyObject* keywords, Arguments& arguments) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(keywords); ++i) {
    const auto found = std::find(g_names.begin(), g_names.end(), PyTuple_GetItem(keywords, i));
    if (found == g_names.end()) return false;
    PyObject*& argument = arguments[static_cast<size_t>(found - g_names.begin())];
    if (argument != nullptr) return false;
    argument = values[i];
  }
  return true;
}

bool is_left_out(PyObject* argument) { return argument == nullptr || argument == Py_None; }

std::optional<double> as_double(PyObject* value) {
  if (PyFloat_Check(value)) return PyFloat_AsDouble(value);
  if (!PyLong_CheckExact(value)) return std::nullopt;
  int overflow;
  const long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0 ? std::optional(static_cast<double>(whole)) : std::nullopt;
}

std::optional<int64_t> as_step(PyObject* step) {
  if (is_left_out(step)) return 0;
  if (!PyLong_CheckExact(step)) return std::nullopt;
  int overflow;
  const long long whole = PyLong_AsLongLongAndOverflow(step, &overflow);
  return overflow == 0 ? std::optional<int64_t>(whole) : std::nullopt;
}

std::optional<double> as_wall_time(PyObject* wall_time) {
  if (is_left_out(wall_time)) return wall_time_now();
  if (!PyFloat_Check(wall_time)) return std::nullopt;
  const double secs = PyFloat_AsDouble(wall_time);
  return std::isfinite(secs) ? std::optional(secs) : std::nullopt;
}

// Returns whether there ever was an I/O error, or nothing if these are not the usual arguments.
std::optional<bool> log_usual(EventWriter& file, const Arguments& arguments) {
  PyObject *tag = arguments[kTag], *new_style = arguments[kNewStyle];
  if (tag == nullptr || !PyUnicode_CheckExact(tag) || arguments[kValue] == nullptr) return std::nullopt;
  if (new_style != nullptr && new_style != Py_False) return std::nullopt;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(tag, &size);
  if (text == nullptr) {
    PyErr_Clear();  // a lone surrogate: the fallback raises
    return std::nullopt;
  }
  const auto value = as_double(arguments[kValue]);
  const auto step = as_step(arguments[kStep]);
  if (!value || !step) return std::nullopt;
  const auto wall_time = as_wall_time(arguments[kWallTime]);
  if (!wall_time) return std::nullopt;
  const Scalar scalar{{text, static_cast<size_t>(size)}, static_cast<float>(*value)};
  return file.plain_scalar(scalar, {*wall_time, *step});
}

PyObject* fall_back(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* keywords) {
  PyObject* method = PyObject_GetAttr(self, g_fallback);
  if (method == nullptr) return nullptr;
  PyObject* result = PyObject_Vectorcall(method, values, static_cast<size_t>(count), keywords);
  Py_DECREF(method);
  return result;
}

// Reports the I/O error. Without the memory to do so, the training goes on: the writer has counted what was
// lost.
PyObject* report_error(PyObject* self) {
  PyObject* result = PyObject_VectorcallMethod(g_fault, &self, 1, nullptr);
  if (result != nullptr || !PyErr_ExceptionMatches(PyExc_MemoryError)) return result;
  PyErr_Clear();
  Py_RETURN_NONE;
}

PyObject* add_scalar(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* keywords) {
  EventWriter* file = reinterpret_cast<ScalarLogger*>(self)->file;
  Arguments arguments{};
  bool usual = file != nullptr && count <= kParameters;
  if (usual) {
    std::copy_n(values, count, arguments.begin());
    usual = keywords == nullptr || take_keywords(values + count, keywords, arguments);
  }
  try {
    const auto fault = usual ? log_usual(*file, arguments) : std::nullopt;
    if (!fault) return fall_back(self, values, count, keywords);
    if (*fault) return report_error(self);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}

int init(PyObject* self, PyObject* arguments, PyObject*) {
  PyObject* owner;
  if (!PyArg_ParseTuple(arguments, "O", &owner)) return -1;
  auto* logger = reinterpret_cast<ScalarLogger*>(self);
  if (owner == Py_None) {  // every call goes to _add_scalar until __init__ gets a file again
    logger->file = nullptr;
    return 0;
  }
  if (!nb::isinstance<EventWriter>(owner)) {
    PyErr_SetString(PyExc_TypeError, "ScalarLogger needs an EventWriter.");
    return -1;
  }
  if (!nb::inst_ready(owner)) {
    PyErr_SetString(PyExc_TypeError, "ScalarLogger needs an EventWriter whose __init__ was called.");
    return -1;
  }
  PyObject* before = std::exchange(logger->owner, Py_NewRef(owner));
  logger->file = nb::inst_ptr<EventWriter>(owner);
  Py_XDECREF(before);
  return 0;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<ScalarLogger*>(self)->owner);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyMethodDef g_methods[] = {
    {"add_scalar", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(add_scalar)),
     METH_FASTCALL | METH_KEYWORDS,
     "add_scalar($self, tag, scalar_value, global_step=None, walltime=None, new_style=False,\n"
     "           double_precision=False, *, display_name='', summary_description='')\n"
     "--\n\n"
     "Logs one point of a series. `double_precision` has an effect only with `new_style`, as in torch."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot g_slots[] = {{Py_tp_doc, const_cast<char*>("Logs scalars; see lossboard.SummaryWriter.")},
                         {Py_tp_methods, g_methods},
                         {Py_tp_init, reinterpret_cast<void*>(init)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {0, nullptr}};

PyType_Spec g_spec = {"lossboard._core.ScalarLogger", sizeof(ScalarLogger), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, g_slots};

}  // namespace

void bind_scalar_logger(nb::module_& m) {
  for (size_t i = 0; i < kParameters; ++i) g_names[i] = PyUnicode_InternFromString(kNames[i]);
  g_fallback = PyUnicode_InternFromString("_add_scalar");
  g_fault = PyUnicode_InternFromString("_report_error");
  m.attr("ScalarLogger") = nb::steal(PyType_FromSpec(&g_spec));
}

}  // namespace lossboard
