// The store's native half for Python. Locks are only ever taken without the GIL, since a poll may hold
// them for as long as a file takes to read.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <unordered_map>

#include "crc32c.h"
#include "gil.h"
#include "logdir.h"
#include "message_reader.h"

namespace lossboard {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

template <typename Work>
auto without_gil(Work work) {
  GilRelease release;
  return work();
}

// File names are bytes; Python's own way to hold those that are no UTF-8.
nb::object from_file_name(const std::string& name) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

nb::object from_optional(const auto& value) { return value ? nb::cast(*value) : nb::none(); }

template <typename T>
auto column(nb::handle owner, const T* data) {
  const size_t size = nb::cast<const Points&>(owner).size;
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, owner);
}

nb::tuple from_summary(const RunSummary& summary) {
  return nb::make_tuple(from_optional(summary.start), from_optional(summary.last), summary.changed,
                        summary.bytes, summary.tags, summary.points, summary.blobs, summary.skipped_records,
                        summary.skipped_bytes);
}

nb::object from_points(std::optional<Points> points) {
  return points ? nb::cast(std::move(*points)) : nb::none();
}

// A run's series one by one: a million of them at once would be dear as objects of Python.
class Index {
 public:
  Index(std::vector<SeriesRow> rows, nb::callable make) : rows_(std::move(rows)), make_(std::move(make)) {}

  nb::object next() {
    if (next_ == rows_.size()) throw nb::stop_iteration();
    const SeriesRow& row = rows_[next_++];
    const auto step = [&](int64_t step) { return row.count ? nb::cast(step) : nb::none(); };
    return make_(plugin(row.plugin), row.tag, row.count, row.hidden, step(row.first_step),
                 step(row.last_step), row.changed);
  }

 private:
  // A string each, not one a row.
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

nb::list places(const Run& run) {
  nb::list list;
  for (const Place& place : without_gil([&] { return run.places(); }))
    list.append(nb::make_tuple(from_file_name(place.file), place.offset, place.bytes, place.why));
  return list;
}

nb::bytes read_reference(const Points& points, size_t i, uint64_t max_bytes) {
  if (points.scalars || i >= points.size) throw nb::index_error("No such reference.");
  const auto piece = std::ranges::upper_bound(points.pieces, i, {}, &Points::Piece::end);
  const std::string message =
      without_gil([&] { return read_message(piece->path, points.block->bits()[i], max_bytes); });
  return nb::bytes(message.data(), message.size());
}

nb::tuple poll(Logdir& logdir) {
  const PollResult result = without_gil([&] { return logdir.poll(); });
  nb::list added, grown, removed;
  for (const auto& run : result.added) added.append(run);
  for (const auto& [run, start] : result.grown)
    grown.append(nb::make_tuple(from_file_name(run->name), from_optional(start)));
  for (const auto& name : result.removed) removed.append(from_file_name(name));
  return nb::make_tuple(result.cursor, added, grown, removed);
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
      .def("summary", [](const Run& run) { return from_summary(without_gil([&] { return run.summary(); })); })
      .def_prop_ro("is_finished",
                   [](const Run& run) { return without_gil([&] { return run.is_finished(); }); })
      .def("places", &places)
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

void bind_logdir(nb::module_& m) {
  nb::class_<Logdir>(m, "Logdir")
      .def(
          "__init__",
          [](Logdir* self, nb::list roots) {
            std::vector<Root> all;
            for (nb::handle root : roots) {
              const auto path = nb::cast<nb::bytes>(root[0]);
              const auto name = nb::cast<nb::bytes>(root[1]);
              all.push_back({{path.c_str(), path.size()}, {name.c_str(), name.size()}});
            }
            new (self) Logdir(std::move(all));
          },
          "roots"_a)
      .def("poll", &poll)
      .def("progress",
           [](const Logdir& logdir) { return nb::make_tuple(logdir.bytes_done(), logdir.bytes_to_do()); })
      .def("total", [](const Logdir& logdir) {
        uint64_t runs = 0;
        const RunSummary total = without_gil([&] { return logdir.total(runs); });
        return nb::make_tuple(runs, total.tags, total.points, total.blobs, total.bytes, total.skipped_records,
                              total.skipped_bytes);
      });
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
  bind_points(m);
  bind_run(m);
  bind_logdir(m);
}

}  // namespace lossboard
