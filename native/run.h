// One run: the event files of a folder, read in the order of their names as one stream.
//
// Each file's points are stored separately (segment.h) and joined by queries, so that a file that grows late
// gives the same result as a cold read. A file's points depend on earlier files in two ways, its context:
// whether there was a START, and which plugin a tag has. If late growth changes the context of points that
// were read already, which is rare, the run is read again.
//
// If memory runs out, a run keeps what it has read: a record is stored completely, or is read again by the
// next poll.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "counts.h"
#include "event_file.h"
#include "find_runs.h"
#include "plugin_names.h"
#include "stable_vector.h"
#include "string_table.h"

namespace lossboard {

struct SeriesRow {
  uint32_t plugin;
  std::string tag;
  uint64_t count = 0;
  uint64_t hidden = 0;
  int64_t first_step = 0;  // if there are any
  int64_t last_step = 0;
  double last_value = 0;  // of scalars only
  uint64_t changed = 0;
};

// Visible points of a series: a shared block if one file has them all.
struct Points {
  Block* block = nullptr;  // owned; nullptr if there are none
  size_t size = 0;
  bool scalars = false;
  std::vector<uint8_t> hidden;  // for attempts only
  // The file that references point into: those before `end` that are not in an earlier piece.
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

// A file next to the event files. The core does not read it.
struct Asset {
  Listing file;
  uint64_t changed = 0;  // the cursor when it was found or last changed
};

struct RunSummary : Counts {
  std::optional<double> start;
  std::optional<double> last;
  std::optional<double> last_event;
  uint64_t changed = 0;
};

class Run {
 public:
  Run(std::string name, std::string path) : name(std::move(name)), path(std::move(path)) {}

  const std::string name;
  const std::string path;

  // ---- growing, by the poller -----------------------------------------------------------------
  // Replaces what could not be listed by what is known of it.
  void complete(FoundRun& found) const;
  // Whether there is anything new.
  bool differs(const FoundRun& found) const;
  // Returns how much larger the files are than those that were read.
  uint64_t bytes_behind(const std::vector<Listing>& listing) const;
  // Reads what is new. Marks what changes with `cursor`.
  void follow(const FoundRun& found, uint64_t cursor, Scratch& scratch);
  // The next poll takes the asset for changed, for example because a file that it names has changed.
  void invalidate_asset(std::string_view name);

  // ---- queries, from any thread ----------------------------------------------------------------
  RunSummary summary() const;
  bool is_finished() const;
  // Names of the event files, sorted.
  std::vector<std::string> files() const;
  std::vector<Place> places() const;
  // Files that are incomplete or not event files, which is not corruption.
  std::vector<Place> notes() const;
  std::vector<Asset> assets() const;
  // The cursor when an asset was last added, changed or removed; 0 if the run never had any.
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
    Segment* newest;       // a list through Segment::older, from the last file to the first
  };
  struct Tag {
    uint32_t first_series = StringTable::kMissing;
    uint32_t plugin = kNoPlugin;
    EventFile* metadata_file = nullptr;  // the first with metadata
    uint64_t metadata_offset = 0;
    EventFile* used_by = nullptr;  // the last, by order, that needed the plugin
  };

  bool adopt(const std::vector<Listing>& listing);
  void adopt_assets(const std::vector<Listing>& listing);
  void forget();
  void read_stale(Scratch& scratch);
  bool read(EventFile& file, Scratch& scratch);
  std::string path_of(const EventFile& file) const { return path + "/" + file.name; }

  class Ingest;  // in run_ingest.cpp
  // Returns false if it ended early, because of a limit in `scratch`.
  bool read_records(EventFile& file, int fd, Scratch& scratch);

  struct Visible {
    const Segment* segment;
    size_t count;
  };
  // Returns the segments of a series in file order, with the number of visible points of each.
  std::vector<Visible> visible(const Series& series) const;
  const Series* find(std::string_view plugin, std::string_view tag) const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<EventFile>> files_;
  std::vector<Asset> assets_;  // by name
  std::atomic<uint64_t> assets_changed_ = 0;
  StringTable tag_names_;
  StableVector<Tag> tags_;
  StableVector<Series> series_;
  uint64_t cursor_ = 0;
  uint64_t starts_changed_ = 0;
  uint64_t points_ = 0;
  uint64_t blobs_ = 0;
  bool context_changed_ = false;
  int listing_error_ = 0;  // errno if the folder could not be listed
};

}  // namespace lossboard
