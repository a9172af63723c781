// One run: the event files of a folder, read in the order of their names as one stream.
//
// Each file's points are kept apart (segment.h) and joined when asked for, so that a file that grows
// late gives what a cold read would give. A file's points depend on the files before it in two ways,
// its context: whether a START has been seen, and which plugin a tag has. If late growth changes the
// context of what has been read, which is rare, the run is read again.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "counts.h"
#include "event_decode.h"
#include "event_file.h"
#include "find_runs.h"
#include "plugin_names.h"
#include "string_table.h"

namespace lossboard {

struct SeriesRow {
  uint32_t plugin;
  std::string tag;
  uint64_t count = 0;
  uint64_t hidden = 0;
  int64_t first_step = 0;  // if there are any
  int64_t last_step = 0;
  uint64_t changed = 0;
};

// Points of a series as they are seen: a shared block where one file has them all.
struct Points {
  Block* block = nullptr;  // owned; nullptr if there are none
  size_t size = 0;
  bool scalars = false;
  std::vector<uint8_t> hidden;  // of attempts only
  // Which file a reference points into: those before `end` that no earlier piece has.
  struct Piece {
    size_t end;
    std::string path;
  };
  std::vector<Piece> pieces;

  Points() = default;
  Points(Points&& other) noexcept
      : block(std::exchange(other.block, nullptr)),
        size(other.size),
        scalars(other.scalars),
        hidden(std::move(other.hidden)),
        pieces(std::move(other.pieces)) {}
  ~Points() {
    if (block) block->release();
  }
};

struct Place {
  std::string file;
  uint64_t offset;
  uint64_t bytes;
  std::string why;
};

// A file next to the event files, which is not read here.
struct Asset {
  Listing file;
  uint64_t changed = 0;  // the cursor when it came or last changed
};

struct RunSummary : Counts {
  std::optional<double> start;
  std::optional<double> last;
  uint64_t changed = 0;
};

class Run {
 public:
  Run(std::string name, std::string path) : name(std::move(name)), path(std::move(path)) {}

  const std::string name;
  const std::string path;
  uint64_t seen = 0;  // the poll that last found it; the poller's own

  // ---- growing, by the poller -----------------------------------------------------------------
  // Whether these files, sorted by name, are not what has been read.
  bool differs(const FoundRun& found) const;
  // How much larger they are than what has been read.
  uint64_t bytes_behind(const std::vector<Listing>& listing) const;
  // Takes over the files as they are now and reads what is new; points that come are marked `cursor`.
  void follow(const FoundRun& found, uint64_t cursor, Scratch& scratch);
  // The next poll takes the asset for changed, for example because a file that it names has changed.
  void invalidate_asset(std::string_view name);

  // ---- reading, by anybody --------------------------------------------------------------------
  RunSummary summary() const;
  bool is_finished() const;
  std::vector<Place> places() const;
  std::vector<Asset> assets() const;
  // The cursor when an asset last came, changed or went; 0 if the run never had any.
  uint64_t assets_changed() const { return assets_changed_; }
  std::vector<SeriesRow> index() const;
  bool has(std::string_view plugin, std::string_view tag) const;
  std::optional<Points> points(std::string_view plugin, std::string_view tag) const;
  std::optional<Points> attempts(std::string_view plugin, std::string_view tag) const;
  std::string metadata(std::string_view tag) const;

 private:
  struct Series {
    uint32_t tag;
    uint32_t plugin;
    uint32_t next_of_tag;  // another series of the same tag
    Segment* newest;       // then by Segment::older, file by file towards the first
  };
  struct Tag {
    uint32_t first_series = StringTable::kMissing;
    uint32_t plugin = kNoPlugin;
    EventFile* metadata_file = nullptr;  // the first with metadata
    uint64_t metadata_offset = 0;
    EventFile* asked_by = nullptr;  // the last, by order, that needed the plugin
  };

  bool adopt(const std::vector<Listing>& listing);
  void adopt_assets(const std::vector<Listing>& listing);
  void forget();
  void read_stale(Scratch& scratch);
  bool read(EventFile& file, Scratch& scratch);
  std::string path_of(const EventFile& file) const { return path + "/" + file.name; }

  // `event` is a place to parse into.
  bool take(EventFile& file, Bytes payload, uint64_t offset, Event& event);
  bool take_plain_scalar(EventFile& file, Bytes payload);
  bool take_any(EventFile& file, Bytes payload, uint64_t offset, Event& event);
  void take_value(EventFile& file, const Event& event, const Value& value, const uint8_t* payload,
                  uint64_t offset);
  void take_start(EventFile& file, int64_t step);
  uint32_t plugin_of(uint32_t tag, EventFile& file, const Value& value, uint64_t metadata_offset);
  void push(EventFile& file, Segment& segment, const Point& point);
  Segment& scalar_segment(EventFile& file, Bytes tag);
  Segment& segment(EventFile& file, uint32_t tag, uint32_t plugin);
  uint32_t series_of(uint32_t tag, uint32_t plugin);
  uint32_t intern(Bytes tag);
  void saw(EventFile& file, double wall_time);

  struct Visible {
    const Segment* segment;
    size_t count;
  };
  // The segments of a series in file order, with how much of each is seen.
  std::vector<Visible> visible(const Series& series) const;
  const Series* find(std::string_view plugin, std::string_view tag) const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<EventFile>> files_;
  std::vector<Asset> assets_;  // by name
  std::atomic<uint64_t> assets_changed_ = 0;
  StringTable tag_names_;
  std::vector<Tag> tags_;
  std::vector<Series> series_;
  uint64_t cursor_ = 0;
  uint64_t starts_changed_ = 0;
  uint64_t points_ = 0;
  uint64_t blobs_ = 0;
  bool context_changed_ = false;
};

}  // namespace lossboard
