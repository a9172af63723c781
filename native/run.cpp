// How a run's files are followed. What their records mean is in run_ingest.cpp, what is seen of them in
// run_query.cpp.
#include "run.h"

#include <algorithm>

#include "descriptor.h"

namespace lossboard {

bool Run::differs(const FoundRun& found) const {
  const bool same_files =
      std::ranges::equal(files_, found.files, [](const auto& file, const Listing& listed) {
        return !file->stale && file->name == listed.name && file->stamp == listed.stamp;
      });
  return !same_files || !std::ranges::equal(assets_, found.assets, {}, &Asset::file);
}

uint64_t Run::bytes_behind(const std::vector<Listing>& listing) const {
  uint64_t now = 0, before = 0;
  for (const Listing& one : listing) now += one.stamp.size;
  for (const auto& file : files_) before += file->stamp.size;
  return now - std::min(now, before);
}

void Run::follow(const FoundRun& found, uint64_t cursor, Scratch& scratch) {
  const std::lock_guard lock(mutex_);
  cursor_ = cursor;
  adopt_assets(found.assets);
  if (!adopt(found.files)) {
    forget();
    files_.clear();
    adopt(found.files);
  }
  read_stale(scratch);
}

// False if a file has gone, shrunk or been replaced: then nothing that was read can be relied on.
bool Run::adopt(const std::vector<Listing>& listing) {
  auto listed = listing.begin();
  for (const auto& file : files_) {
    while (listed != listing.end() && listed->name < file->name) ++listed;
    if (listed == listing.end() || listed->name != file->name) return false;
    if (!listed->stamp.same_file(file->stamp) || listed->stamp.size < file->stamp.size) return false;
  }
  std::vector<std::unique_ptr<EventFile>> files;
  auto known = files_.begin();
  for (const Listing& one : listing) {
    if (known != files_.end() && (*known)->name == one.name) {
      (*known)->stale |= (*known)->stamp != one.stamp;
      (*known)->stamp = one.stamp;
      files.push_back(std::move(*known++));
    } else {
      files.push_back(std::make_unique<EventFile>(one));
    }
    files.back()->order = static_cast<uint32_t>(files.size() - 1);
  }
  files_ = std::move(files);
  return true;
}

void Run::adopt_assets(const std::vector<Listing>& listing) {
  if (std::ranges::equal(assets_, listing, {}, &Asset::file)) return;
  std::vector<Asset> assets;
  auto known = assets_.begin();
  for (const Listing& listed : listing) {
    while (known != assets_.end() && known->file.name < listed.name) ++known;
    const bool is_same = known != assets_.end() && known->file == listed;
    assets.push_back({listed, is_same ? known->changed : cursor_});
  }
  assets_ = std::move(assets);
  assets_changed_ = cursor_;
}

void Run::invalidate_asset(std::string_view name) {
  const std::lock_guard lock(mutex_);
  for (Asset& asset : assets_)
    if (asset.file.name == name) asset.file.stamp.changed_ns = 0;  // of no listed file
}

// Back to files of which nothing has been read.
void Run::forget() {
  for (auto& file : files_) {
    const Listing listing{file->name, file->stamp};
    const uint32_t order = file->order;
    file = std::make_unique<EventFile>(listing);
    file->order = order;
  }
  tag_names_ = {};
  tags_.clear();
  series_.clear();
  points_ = blobs_ = 0;
  starts_changed_ = cursor_;
  context_changed_ = false;
}

void Run::read_stale(Scratch& scratch) {
  // The second time every file is read in order, so its context is settled before it.
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const auto& file : files_) {
      if (!file->stale || read(*file, scratch)) continue;
      context_changed_ = true;
      break;
    }
    if (!context_changed_) return;
    forget();
  }
}

// False if it is no longer the file that has been read.
bool Run::read(EventFile& file, Scratch& scratch) {
  struct Sink {
    Run& run;
    EventFile& file;
    Event event = {};
    bool record(Bytes payload, uint64_t offset) { return run.take(file, payload, offset, event); }
    void damage(uint64_t offset, uint64_t bytes, DamageReason why) { file.damage.add({offset, bytes, why}); }
  };
  try {
    file.error = 0;
    file.stale = false;
    if (file.stamp.size < file.tail.needed()) return true;
    // It is as it was listed a moment ago; if not, its next listing tells.
    const Descriptor fd = open_file(path_of(file));
    if (!file.tail.is_same(fd)) return false;
    const bool first_time = file.tail.position() == 0;
    file.arena = first_time && scratch.arena ? &*scratch.arena : nullptr;
    Sink sink{*this, file};
    file.tail.advance(fd, file.stamp.size, scratch, sink);
  } catch (const std::system_error& error) {
    file.error = error.code().value();
    // What is forbidden stays so until the file's stamp changes; anything else may pass.
    file.stale = file.error != EACCES && file.error != EPERM;
  }
  return true;
}

}  // namespace lossboard
