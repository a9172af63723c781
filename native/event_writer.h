// Writer of Python values as records of an append-only file. Every call holds the GIL while it reads Python
// objects, and while it writes a small record: releasing the GIL for a write of a microsecond could cost this
// thread a switch interval (5 ms).
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "append_file.h"
#include "event_encode.h"

namespace lossboard {

class EventWriter {
 public:
  EventWriter(std::string folder, std::string suffix, nanobind::callable as_scalar,
              nanobind::callable as_step)
      : file_(std::move(folder), std::move(suffix)),
        as_scalar_(std::move(as_scalar)),
        as_step_(std::move(as_step)) {}

  void open();
  // Those that log return whether there ever was an I/O error.
  bool scalar(nanobind::handle tag, nanobind::handle value, nanobind::handle step,
              nanobind::handle wall_time);
  bool plain_scalar(const Scalar& scalar, Head head);  // its tag is memory of a Python string
  bool scalars(const nanobind::dict& values, nanobind::handle step, nanobind::handle wall_time);
  bool summary(const nanobind::list& values, nanobind::handle step, nanobind::handle wall_time);
  bool event(int field, nanobind::handle message, nanobind::handle step, nanobind::handle wall_time);
  bool flush();
  void close(bool finished);

  AppendFile& file() {
    file_.enter_process();
    return file_;
  }

 private:
  float value_of(nanobind::handle value) const;
  int64_t step_of(nanobind::handle step) const;
  Head head_of(nanobind::handle step, nanobind::handle wall_time) const;
  template <typename AddContent>
  bool write(Head head, AddContent add_content);
  bool append();
  void report_lost();

  AppendFile file_;
  nanobind::callable as_scalar_;
  nanobind::callable as_step_;
  RecordBuilder record_;
  int64_t step_ = 0;
  uint64_t reported_lost_ = 0;
};

}  // namespace lossboard
