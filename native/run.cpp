// Following the files of a run. run_ingest.cpp interprets their records, run_query.cpp answers queries.
#include "run.h"

#include <algorithm>

#include "descriptor.h"
#include "file_stat.h"

namespace lossboard {
namespace {

uint64_t size_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) throw std::system_error(errno, std::generic_category());
  return static_cast<uint64_t>(status.st_size);
}

}  // namespace

bool Run::differs(const FoundRun& found) const {
  const std::lock_guard lock(mutex_);
  if (context_changed_ || found.error != listing_error_) return true;
  if (found.error) return false;
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

void Run::complete(FoundRun& found) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(found.files, [&](Listing& listed) {
    if (!listed.error) return false;
    const auto known = std::ranges::find(files_, listed.name, [](const auto& file) { return file->name; });
    if (known == files_.end()) return true;
    listed.stamp = (*known)->stamp;
    return false;
  });
  std::vector<Listing> known_assets;
  for (const Asset& asset : assets_) {
    const std::string& name = asset.file.name;
    const auto listed = std::ranges::lower_bound(found.assets, name, {}, &Listing::name);
    const bool is_listed = listed != found.assets.end() && listed->name == name;
    const bool is_unlisted = std::ranges::any_of(
        found.unlisted, [&](const std::string& folder) { return name.starts_with(folder + "/"); });
    if (is_listed ? listed->error != 0 : is_unlisted) known_assets.push_back(asset.file);
  }
  std::erase_if(found.assets, [](const Listing& listed) { return listed.error != 0; });
  if (known_assets.empty()) return;
  found.assets.insert(found.assets.end(), known_assets.begin(), known_assets.end());
  std::ranges::sort(found.assets, {}, &Listing::name);
}

void Run::follow(const FoundRun& found, uint64_t cursor, Scratch& scratch) {
  const std::lock_guard lock(mutex_);
  cursor_ = cursor;
  listing_error_ = found.error;
  if (found.error) return;
  adopt_assets(found.assets);
  if (!adopt(found.files)) {
    files_.clear();
    forget();
    adopt(found.files);
  }
  read_stale(scratch);
}

// Returns false if a file has disappeared, shrunk or been replaced: then the run must be read again.
bool Run::adopt(const std::vector<Listing>& listing) {
  auto listed = listing.begin();
  for (const auto& file : files_) {
    while (listed != listing.end() && listed->name < file->name) ++listed;
    if (listed == listing.end() || listed->name != file->name) return false;
    if (!listed->stamp.same_file(file->stamp) || listed->stamp.size < file->stamp.size) return false;
  }
  // All memory first, so that a shortage changes nothing.
  std::vector<std::unique_ptr<EventFile>> files(listing.size());
  const auto is_known = [&](size_t known, const Listing& one) {
    return known < files_.size() && files_[known]->name == one.name;
  };
  for (size_t i = 0, known = 0; i < listing.size(); ++i) {
    if (is_known(known, listing[i]))
      ++known;
    else
      files[i] = std::make_unique<EventFile>(listing[i]);
  }
  for (size_t i = 0, known = 0; i < listing.size(); ++i) {
    if (!files[i]) files[i] = std::move(files_[known++]);
    EventFile& file = *files[i];
    file.stale |= file.stamp != listing[i].stamp || listing[i].error;
    file.may_be_rewritten |= file.tail.position() > 0 && listing[i].stamp.is_modified_since(file.stamp);
    file.stamp = listing[i].stamp;
    file.order = static_cast<uint32_t>(i);
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

// Drops everything that was read, so that all files are read again.
void Run::forget() {
  std::vector<std::unique_ptr<EventFile>> files;
  files.reserve(files_.size());
  for (const auto& file : files_) {
    files.push_back(std::make_unique<EventFile>(Listing{file->name, file->stamp}));
    files.back()->order = file->order;
  }
  files_ = std::move(files);
  tag_names_ = {};
  tags_ = {};
  series_ = {};
  points_ = blobs_ = 0;
  starts_changed_ = cursor_;
  context_changed_ = false;
}

void Run::read_stale(Scratch& scratch) {
  // The second time every file is read in order and to its end, so the context of each is known before it is
  // read.
  const uint64_t max_search_bytes = scratch.max_search_bytes;
  for (int attempt = 0; attempt < 2; ++attempt) {
    scratch.max_search_bytes = attempt == 0 ? max_search_bytes : UINT64_MAX;
    for (const auto& file : files_) {
      if (!file->stale || read(*file, scratch)) continue;
      context_changed_ = true;
      break;
    }
    if (!context_changed_) break;
    forget();
  }
  scratch.max_search_bytes = max_search_bytes;
}

// Returns false if what was read before is no longer what the file holds.
bool Run::read(EventFile& file, Scratch& scratch) {
  try {
    file.error = 0;
    // It is as it was listed a moment ago. If not, its next listing shows that.
    const Descriptor fd = open_file(path_of(file));
    Tail& tail = file.tail;
    if (!tail.is_same(fd) || tail.has_repaired_record(fd, file.stamp.size, scratch)) return false;
    if (file.may_be_rewritten) {
      if (size_of(fd) == file.stamp.size && !tail.is_unchanged(fd, scratch)) return scratch.should_stop();
      file.may_be_rewritten = false;
    }
    const bool is_first_time = tail.position() == 0;
    file.arena = is_first_time && scratch.arena ? &*scratch.arena : nullptr;
    file.stale = !read_records(file, fd, scratch);
  } catch (const std::system_error& error) {
    file.error = error.code().value();
    // A forbidden file stays so until its stamp changes. Any other error may be temporary.
    file.stale = file.error != EACCES && file.error != EPERM;
  } catch (const std::bad_alloc&) {
    // What was read so far is complete up to a record. The next poll continues there.
    file.error = ENOMEM;
  }
  return true;
}

}  // namespace lossboard
