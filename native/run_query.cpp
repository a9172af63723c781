// Queries of a run.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "message_reader.h"
#include "run.h"

namespace lossboard {
namespace {

void include_time(std::optional<double>& newest, double time) {
  if (std::isfinite(time)) newest = std::max(newest.value_or(time), time);
}

const char* to_string(DamageReason why) {
  switch (why) {
    case DamageReason::kHeader:
      return "the length's CRC is wrong; continued at the next valid record";
    case DamageReason::kTooLong:
      return "claims more than 2147483647 bytes, the maximum of a record";
    case DamageReason::kPayload:
      return "cut off, or the data's CRC is wrong; continued at the next valid record";
    case DamageReason::kNoEvent:
      return "the CRCs are right, but this is not an Event";
    case DamageReason::kSparse:
      return "more than three quarters of the record are a hole in the file";
  }
  return "";
}

// Copies the first `count` points of each segment into one block.
Block* joined(const auto& visible, size_t size) {
  Block* block = Block::make(std::max<size_t>(size, 1));
  size_t at = 0;
  for (const auto& [segment, count] : visible) {
    Block* from = segment->column().block();
    if (count == 0) continue;
    std::memcpy(block->steps() + at, from->steps(), count * sizeof(int64_t));
    std::memcpy(block->wall_times() + at, from->wall_times(), count * sizeof(double));
    std::memcpy(block->bits() + at, from->bits(), count * sizeof(uint64_t));
    at += count;
  }
  return block;
}

}  // namespace

std::vector<Run::Visible> Run::visible(const Series& series) const {
  std::vector<Visible> visible;
  std::optional<int64_t> limit;
  const bool ignores_starts = series.plugin == kGraphs;
  static const Starts& none = *new Starts;  // never destroyed: a thread may still read while the process ends
  const auto hide_from = [&](std::optional<int64_t> step) {
    if (step) limit = std::min(limit.value_or(*step), *step);
  };
  size_t behind = files_.size();  // the STARTs of files from here on are in `limit`
  for (const Segment* segment = series.newest; segment; segment = segment->older) {
    while (!ignores_starts && behind > segment->file.order + 1)
      hide_from(files_[--behind]->starts.min_since(0));
    const Starts& starts = ignores_starts ? none : segment->file.starts;
    visible.push_back({segment, segment->visible(starts, limit)});
    hide_from(segment->min_step());
  }
  std::ranges::reverse(visible);
  return visible;
}

const Run::Series* Run::find(std::string_view plugin, std::string_view tag) const {
  const uint32_t number = tag_names_.find(bytes_of(tag));
  if (number == StringTable::kMissing) return nullptr;
  const uint32_t wanted = find_plugin(bytes_of(plugin));
  for (uint32_t at = tags_[number].first_series; at != StringTable::kMissing; at = series_[at].next_of_tag)
    if (series_[at].plugin == wanted) return &series_[at];
  return nullptr;
}

RunSummary Run::summary() const {
  const std::lock_guard lock(mutex_);
  RunSummary summary;
  summary.changed = cursor_;
  summary.tags = series_.size();
  summary.points = points_;
  summary.blobs = blobs_;
  for (const auto& file : files_) {
    summary.bytes += file->stamp.size;
    if (!summary.start) summary.start = file->first_wall_time;
    include_time(summary.last, file->last_point_time);
    include_time(summary.last_event, file->last_wall_time);
    summary.skipped_records += file->damage.records;
    summary.skipped_bytes += file->damage.bytes;
    if (const auto gap = file->tail.gap(); gap && !file->has_no_records()) {
      summary.skipped_records += 1;
      summary.skipped_bytes += file->stamp.size - *gap;
    }
  }
  return summary;
}

// A file without a STOP may belong to another process that still runs, unless its last event is older than
// the first one of the newest file with a STOP: then it is an attempt that crashed.
bool Run::is_finished() const {
  const std::lock_guard lock(mutex_);
  std::optional<double> began;
  for (const auto& file : files_)
    if (file->is_finished()) began = std::max(began, file->first_wall_time);
  return began && std::ranges::all_of(files_, [&](const auto& file) {
           return file->is_finished() || file->last_wall_time < *began;
         });
}

std::vector<std::string> Run::files() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& file : files_) names.push_back(file->name);
  return names;
}

std::vector<Place> Run::places() const {
  const std::lock_guard lock(mutex_);
  std::vector<Place> places;
  if (listing_error_)
    places.push_back({".", 0, 0, "cannot be listed: " + std::generic_category().message(listing_error_)});
  for (const auto& file : files_) {
    for (const Damage& damage : file->damage.places)
      places.push_back({file->name, damage.offset, damage.bytes, to_string(damage.why)});
    if (const auto gap = file->tail.gap(); gap && !file->has_no_records())
      places.push_back({file->name, *gap, file->stamp.size - *gap, to_string(file->tail.gap_why())});
    if (file->error)
      places.push_back({file->name, file->tail.position(), 0,
                        "cannot be read: " + std::generic_category().message(file->error)});
    if (places.size() > DamageLog::kMaxPlaces) places.resize(DamageLog::kMaxPlaces);
  }
  return places;
}

std::vector<Place> Run::notes() const {
  const std::lock_guard lock(mutex_);
  std::vector<Place> notes;
  for (const auto& file : files_) {
    const uint64_t size = file->stamp.size, end = file->tail.end();
    if (file->has_no_records())
      notes.push_back({file->name, 0, size, "not an event file"});
    else if (!file->tail.gap() && !file->error && end < size)
      notes.push_back({file->name, end, size - end, "the file ends inside a record"});
  }
  return notes;
}

std::vector<Asset> Run::assets() const {
  const std::lock_guard lock(mutex_);
  return assets_;
}

std::vector<SeriesRow> Run::index() const {
  const std::lock_guard lock(mutex_);
  std::vector<SeriesRow> rows;
  rows.reserve(series_.size());
  for (size_t i = 0; i < series_.size(); ++i) {
    const Series& series = series_[i];
    SeriesRow row{.plugin = series.plugin, .tag = std::string(text(tag_names_[series.tag]))};
    row.changed = starts_changed_;
    for (const auto& [segment, count] : visible(series)) {
      row.changed = std::max(row.changed, segment->changed);
      row.hidden += segment->points() - count;
      if (count == 0) continue;
      const Column& points = segment->column();
      if (row.count == 0) row.first_step = points[0].step;
      row.last_step = points[count - 1].step;
      row.last_value = std::bit_cast<double>(points[count - 1].bits);
      row.count += count;
    }
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows, [](const SeriesRow& a, const SeriesRow& b) {
    return a.tag != b.tag ? a.tag < b.tag : plugin_text(a.plugin) < plugin_text(b.plugin);
  });
  return rows;
}

bool Run::has(std::string_view plugin, std::string_view tag) const {
  const std::lock_guard lock(mutex_);
  return find(plugin, tag);
}

std::optional<Points> Run::points(std::string_view plugin, std::string_view tag) const {
  const std::lock_guard lock(mutex_);
  const Series* series = find(plugin, tag);
  if (!series) return std::nullopt;
  auto segments = visible(*series);
  std::erase_if(segments, [](const Visible& one) { return one.count == 0; });
  Points points;
  points.scalars = series->plugin == kScalars;
  for (const auto& [segment, count] : segments) {
    points.size += count;
    if (!points.scalars) points.pieces.push_back({points.size, path_of(segment->file)});
  }
  if (segments.size() == 1) {
    points.block = segments[0].segment->column().block();
    points.block->retain();
  } else if (points.size) {
    points.block = joined(segments, points.size);
  }
  return points;
}

std::optional<Points> Run::attempts(std::string_view plugin, std::string_view tag) const {
  const std::lock_guard lock(mutex_);
  const Series* series = find(plugin, tag);
  if (!series) return std::nullopt;
  Points points;
  points.scalars = series->plugin == kScalars;
  std::vector<Point> all;
  for (const auto& [segment, count] : visible(*series)) {
    segment->attempts(count, all, points.hidden);
    if (!points.scalars) points.pieces.push_back({all.size(), path_of(segment->file)});
  }
  points.size = all.size();
  points.block = Block::make(std::max<size_t>(all.size(), 1));
  for (size_t i = 0; i < all.size(); ++i) {
    points.block->steps()[i] = all[i].step;
    points.block->wall_times()[i] = all[i].wall_time;
    points.block->bits()[i] = all[i].bits;
  }
  return points;
}

std::string Run::metadata(std::string_view tag) const {
  std::string path;
  uint64_t offset;
  {
    const std::lock_guard lock(mutex_);
    const uint32_t number = tag_names_.find(bytes_of(tag));
    if (number == StringTable::kMissing || !tags_[number].metadata_file) return "";
    path = path_of(*tags_[number].metadata_file);
    offset = tags_[number].metadata_offset;
  }
  return read_message(path, offset);
}

}  // namespace lossboard
