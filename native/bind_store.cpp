// Python bindings of the store. Locks are taken without the GIL, because a poll may hold them for as long as
// it takes to read a file.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "crc32c.h"
#include "gil.h"
#include "logdir.h"
#include "message_reader.h"

namespace lossboard {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// File names are bytes. Python represents those that are not UTF-8 with surrogate escapes.
nb::object from_file_name(const std::string& name) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

nb::list to_names(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(from_file_name(name));
  return list;
}

template <typename T>
auto column(nb::handle owner, const T* data) {
  const size_t size = nb::cast<const Points&>(owner).size;
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, owner);
}

nb::object from_points(std::optional<Points> points) {
  return points ? nb::cast(std::move(*points)) : nb::none();
}

// Iterator over a run's series: a million Python objects at once would take too much memory.
class Index {
 public:
  Index(std::vector<SeriesRow> rows, nb::callable make) : rows_(std::move(rows)), make_(std::move(make)) {}

  nb::object next() {
    if (next_ == rows_.size()) throw nb::stop_iteration();
    const SeriesRow& row = rows_[next_++];
    const auto step = [&](int64_t step) { return row.count ? nb::cast(step) : nb::none(); };
    const bool has_value = row.count && row.plugin == kScalars;
    return make_(plugin(row.plugin), row.tag, row.count, row.hidden, step(row.first_step),
                 step(row.last_step), has_value ? nb::cast(row.last_value) : nb::none(), row.changed);
  }

 private:
  // Shares one string between all rows of a plugin.
  const nb::str& plugin(uint32_t number) {
    const auto [known, fresh] = plugins_.try_emplace(number);
    if (fresh) known->second = nb::cast<nb::str>(nb::cast(plugin_text(number)));
    return known->second;
  }

  std::vector<SeriesRow> rows_;
  nb::callable make_;
  std::unordered_map<uint32_t, nb::str> plugins_;
  size_t next_ = 0;
};

std::string to_bytes(nb::bytes bytes) { return {bytes.c_str(), bytes.size()}; }

template <typename T>
nb::list to_list(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) list.append(nb::cast(value));
  return list;
}

struct PythonPollResult {
  uint64_t cursor;
  nb::list added, changed, removed;
};

nb::bytes read_reference(const Points& points, size_t i, uint64_t max_bytes) {
  if (points.scalars || i >= points.size) throw nb::index_error("No such reference.");
  const auto piece = std::ranges::upper_bound(points.pieces, i, {}, &Points::Piece::end);
  const std::string message =
      without_gil([&] { return read_message(piece->path, points.block->bits()[i], max_bytes); });
  return nb::bytes(message.data(), message.size());
}

// Structs whose fields Python reads directly.
void bind_records(nb::module_& m) {
  nb::class_<Counts>(m, "Counts")
      .def_ro("tags", &Counts::tags)
      .def_ro("points", &Counts::points)
      .def_ro("blobs", &Counts::blobs)
      .def_ro("bytes", &Counts::bytes)
      .def_ro("skipped_records", &Counts::skipped_records)
      .def_ro("skipped_bytes", &Counts::skipped_bytes);
  nb::class_<RunSummary, Counts>(m, "RunSummary")
      .def_ro("start", &RunSummary::start)
      .def_ro("last", &RunSummary::last)
      .def_ro("last_event", &RunSummary::last_event)
      .def_ro("changed_at", &RunSummary::changed);
  nb::class_<LogdirTotals, Counts>(m, "LogdirTotals").def_ro("runs", &LogdirTotals::runs);
  nb::class_<Place>(m, "Place")
      .def_prop_ro("file", [](const Place& place) { return from_file_name(place.file); })
      .def_ro("offset", &Place::offset)
      .def_ro("bytes", &Place::bytes)
      .def_ro("why", &Place::why);
  nb::class_<Asset>(m, "Asset")
      .def_prop_ro("name", [](const Asset& asset) { return from_file_name(asset.file.name); })
      .def_prop_ro("bytes", [](const Asset& asset) { return asset.file.stamp.size; })
      .def_prop_ro("modified_ns", [](const Asset& asset) { return asset.file.stamp.modified_ns; })
      .def_ro("changed_at", &Asset::changed);
}

void bind_poll_result(nb::module_& m) {
  nb::class_<ChangedRun>(m, "ChangedRun")
      .def_prop_ro("name", [](const ChangedRun& changed) { return from_file_name(changed.run->name); })
      .def_ro("start", &ChangedRun::start);
  nb::class_<PythonPollResult>(m, "PollResult")
      .def_ro("cursor", &PythonPollResult::cursor)
      .def_ro("added", &PythonPollResult::added)
      .def_ro("changed", &PythonPollResult::changed)
      .def_ro("removed", &PythonPollResult::removed);
}

void bind_points(nb::module_& m) {
  nb::class_<Points>(m, "Points")
      .def("__len__", [](const Points& points) { return points.size; })
      .def_prop_ro("steps",
                   [](nb::handle_t<Points> self) {
                     Block* block = nb::cast<const Points&>(self).block;
                     return column<int64_t>(self, block ? block->steps() : nullptr);
                   })
      .def_prop_ro("wall_times",
                   [](nb::handle_t<Points> self) {
                     Block* block = nb::cast<const Points&>(self).block;
                     return column<double>(self, block ? block->wall_times() : nullptr);
                   })
      .def_prop_ro("values",
                   [](nb::handle_t<Points> self) {
                     Block* block = nb::cast<const Points&>(self).block;
                     return column<double>(self, block ? reinterpret_cast<double*>(block->bits()) : nullptr);
                   })
      .def_prop_ro("hidden",
                   [](nb::handle_t<Points> self) {
                     const auto& hidden = nb::cast<const Points&>(self).hidden;
                     return column<bool>(self, reinterpret_cast<const bool*>(hidden.data()));
                   })
      .def("read", &read_reference, "index"_a, "max_bytes"_a = UINT64_MAX);
}

void bind_run(nb::module_& m) {
  nb::class_<Index>(m, "Index")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &Index::next);
  nb::class_<Run>(m, "Run")
      .def_prop_ro("name", [](const Run& run) { return from_file_name(run.name); })
      .def_prop_ro("path", [](const Run& run) { return from_file_name(run.path); })
      .def("summary", &Run::summary, nb::call_guard<GilRelease>())
      .def_prop_ro("is_finished",
                   [](const Run& run) { return without_gil([&] { return run.is_finished(); }); })
      .def("files", [](const Run& run) { return to_names(without_gil([&] { return run.files(); })); })
      .def("places", [](const Run& run) { return to_list(without_gil([&] { return run.places(); })); })
      .def("notes", [](const Run& run) { return to_list(without_gil([&] { return run.notes(); })); })
      .def_prop_ro("assets_changed_at", &Run::assets_changed)
      .def("assets", [](const Run& run) { return to_list(without_gil([&] { return run.assets(); })); })
      .def(
          "invalidate_asset",
          [](Run& run, nb::bytes name) {
            const std::string file(name.c_str(), name.size());
            without_gil([&] { run.invalidate_asset(file); });
          },
          "name"_a)
      .def(
          "index",
          [](const Run& run, nb::callable make) {
            return Index(without_gil([&] { return run.index(); }), std::move(make));
          },
          "make"_a)
      .def("has", &Run::has, "plugin"_a, "tag"_a, nb::call_guard<GilRelease>())
      .def(
          "points",
          [](const Run& run, std::string_view plugin, std::string_view tag) {
            return from_points(without_gil([&] { return run.points(plugin, tag); }));
          },
          "plugin"_a, "tag"_a)
      .def(
          "attempts",
          [](const Run& run, std::string_view plugin, std::string_view tag) {
            return from_points(without_gil([&] { return run.attempts(plugin, tag); }));
          },
          "plugin"_a, "tag"_a)
      .def(
          "metadata",
          [](const Run& run, std::string_view tag) {
            const std::string bytes = without_gil([&] { return run.metadata(tag); });
            return nb::bytes(bytes.data(), bytes.size());
          },
          "tag"_a);
}

// Whether a signal handler raised, e.g. after Ctrl-C. Python runs handlers in the main thread only.
class SignalCheck {
 public:
  SignalCheck() {
    const auto threading = nb::module_::import_("threading");
    is_main_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
  }

  // Call without the GIL.
  bool operator()() {
    // Other threads may hold the GIL for long, so it is requested rarely.
    const auto now = std::chrono::steady_clock::now();
    if (!is_main_ || now < next_) return false;
    next_ = now + std::chrono::milliseconds(100);
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  bool is_main_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

PollResult poll_interruptibly(Logdir& logdir) {
  SignalCheck has_signal;
  try {
    return without_gil([&] { return logdir.poll(std::ref(has_signal)); });
  } catch (const Interrupted&) {
    throw nb::python_error();
  }
}

PythonPollResult poll(Logdir& logdir) {
  const PollResult result = poll_interruptibly(logdir);
  return {result.cursor, to_list(result.added), to_list(result.changed), to_names(result.removed)};
}

void bind_logdir(nb::module_& m) {
  nb::class_<Root>(m, "Root").def(
      "__init__",
      [](Root* self, nb::bytes path, nb::bytes name) { new (self) Root{to_bytes(path), to_bytes(name)}; },
      "path"_a, "name"_a);
  nb::class_<Logdir>(m, "Logdir")
      .def(
          "__init__",
          [](Logdir* self, nb::list roots, nb::list asset_suffixes) {
            std::vector<Root> all;
            for (nb::handle root : roots) all.push_back(nb::cast<Root>(root));
            std::vector<std::string> suffixes;
            for (nb::handle suffix : asset_suffixes)
              suffixes.push_back(to_bytes(nb::cast<nb::bytes>(suffix)));
            new (self) Logdir(std::move(all), std::move(suffixes));
          },
          "roots"_a, "asset_suffixes"_a)
      .def("poll", &poll)
      .def("acknowledge", &Logdir::acknowledge)
      .def("progress",
           [](const Logdir& logdir) { return nb::make_tuple(logdir.bytes_done(), logdir.bytes_to_do()); })
      .def("totals", &Logdir::totals, nb::call_guard<GilRelease>());
}

}  // namespace

void bind_store(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const std::system_error& error) {
      errno = error.code().value();
      PyErr_SetFromErrno(PyExc_OSError);
    }
  });
  m.def("crc32c", [](nb::bytes data) { return crc32c(data.c_str(), data.size()); }, "data"_a);
  m.def(
      "crc32c_portable", [](nb::bytes data) { return crc32c_portable(data.c_str(), data.size()); }, "data"_a);
  m.def(
      "find_header",
      [](nb::bytes data) {
        HeaderCheck check;
        return find_header(bytes_of({data.c_str(), data.size()}), check);
      },
      "data"_a);
  bind_records(m);
  bind_poll_result(m);
  bind_points(m);
  bind_run(m);
  bind_logdir(m);
}

}  // namespace lossboard
