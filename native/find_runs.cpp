#include "find_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "descriptor.h"
#include "file_stat.h"

namespace lossboard {
namespace {

constexpr const char* kMark = "tfevents";
constexpr const char* kOwnFolders = ".lossboard";  // what Lossboard itself stores in a logdir
// Folders that all link to each other have more paths than can be visited.
constexpr int kMaxLinksOnPath = 4;

struct Folder {
  std::string name;  // relative to the root
  int links = 0;     // followed on the way here
};

std::string joined(const std::string& folder, const char* name) {
  return folder == "." ? name : folder + "/" + name;
}

// Returns the folder of the run that an asset in `folder` belongs to.
std::string owner_of(const std::string& folder) {
  constexpr std::string_view kPlugins = "plugins/";
  for (size_t at = folder.rfind(kPlugins); at != std::string::npos; at = folder.rfind(kPlugins, at - 1)) {
    if (at == 0) return ".";
    if (folder[at - 1] == '/') return folder.substr(0, at - 1);
  }
  return folder;
}

// Returns the name of `folder` relative to its owner.
std::string below_owner(const std::string& owner, const std::string& folder) {
  return owner == "." ? folder : folder.substr(owner.size() + 1);
}

// Whether the error says that there is nothing to list, now or ever.
bool means_absent(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

class RunFinder {
 public:
  RunFinder(const std::string& root, const std::vector<std::string>& asset_suffixes)
      : path_(root), asset_suffixes_(asset_suffixes), root_(open_folder(AT_FDCWD, root)) {
    if (!root_) note_error(".", errno);
  }

  FoundRuns operator()() {
    folders_.push_back({.name = "."});
    while (root_ && !folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      list_folder(folder);
    }
    if (!assets_.empty()) attach_assets();
    if (!errors_.empty()) attach_errors();
    return std::move(found_);
  }

 private:
  struct Error {
    std::string folder;
    int error;
  };

  static Descriptor open_folder(int base, const std::string& name) {
    return Descriptor(openat(base, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  }

  void note_error(const std::string& folder, int error) {
    if (!means_absent(error)) errors_.push_back({folder, error});
  }

  void list_folder(const Folder& folder) {
    const Descriptor fd = open_folder(root_, folder.name);
    if (!fd) return note_error(folder.name, errno);
    if (folder.links > 0 && is_cycle(fd, folder.name)) return;
    FoundRun run;
    const int error =
        each_entry(fd, [&](const char* name, uint8_t type) { add_entry(name, type, fd, folder, run); });
    if (error) return note_error(folder.name, error);
    if (!run.assets.empty()) set_aside_assets(run, folder.name);
    if (run.files.empty()) return;
    std::ranges::sort(run.files, {}, &Listing::name);
    add_run(folder.name, std::move(run));
  }

  std::string path_of(const std::string& name) const { return name == "." ? path_ : path_ + "/" + name; }

  void add_run(const std::string& name, FoundRun run) {
    run.name = name;
    run.path = path_of(name);
    found_.runs.push_back(std::move(run));
  }

  void set_aside_assets(FoundRun& run, const std::string& folder) {
    const std::string owner = run.files.empty() ? owner_of(folder) : folder;
    const std::string prefix = owner == folder ? "" : below_owner(owner, folder) + "/";
    for (const Listing& asset : run.assets)
      assets_[owner].push_back({prefix + asset.name, asset.stamp, asset.error});
    run.assets.clear();
  }

  void attach_assets() {
    for (auto& [owner, assets] : assets_) std::ranges::sort(assets, {}, &Listing::name);
    for (FoundRun& run : found_.runs)
      if (auto own = assets_.extract(run.name)) run.assets = std::move(own.mapped());
    for (auto& [owner, assets] : assets_) add_run(owner, {.assets = std::move(assets)});
  }

  // A folder of assets that was not listed concerns the run that owns it; any other one its own run and those
  // below.
  void attach_errors() {
    for (const auto& [folder, error] : errors_) {
      const std::string owner = owner_of(folder);
      const auto run = std::ranges::find(found_.runs, owner, &FoundRun::name);
      if (owner != folder && run != found_.runs.end()) run->unlisted.push_back(below_owner(owner, folder));
      found_.unlisted.push_back(
          {path_of(owner != folder && run == found_.runs.end() ? owner : folder), error});
    }
  }

  bool is_asset(std::string_view name) const {
    return std::ranges::any_of(asset_suffixes_,
                               [name](const std::string& suffix) { return name.ends_with(suffix); });
  }

  // Returns 0, or the errno of what kept it from listing the rest. On Linux it asks the kernel directly:
  // opendir makes three more system calls and allocates.
  template <typename Add>
  int each_entry(int fd, Add add) {
#if defined(__linux__)
    ssize_t got;
    while ((got = getdents64(fd, entries_.data(), entries_.size())) > 0)
      for (ssize_t at = 0; at < got;) {
        const auto* entry = reinterpret_cast<const dirent64*>(entries_.data() + at);
        add(entry->d_name, entry->d_type);
        at += entry->d_reclen;
      }
    return got < 0 ? errno : 0;
#else
    Descriptor copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!copy) return errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy), closedir);
    if (!entries) return errno;
    copy.release();
    for (errno = 0; const dirent* entry = readdir(entries.get()); errno = 0)
      add(entry->d_name, entry->d_type);
    return errno;
#endif
  }

  void add_entry(const char* name, uint8_t type, int fd, const Folder& folder, FoundRun& run) {
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) return;
    if (std::strncmp(name, kOwnFolders, std::strlen(kOwnFolders)) == 0) return;
    bool is_folder = type == DT_DIR;
    const bool is_event_file = std::strstr(name, kMark);
    const bool is_wanted = is_event_file || (!is_folder && is_asset(name));
    const bool is_unclear = type == DT_UNKNOWN || type == DT_LNK;
    std::vector<Listing>& listings = is_event_file ? run.files : run.assets;
    struct stat status;
    if (is_unclear || (is_wanted && !is_folder)) {
      if (fstatat(fd, name, &status, 0) != 0) {
        const int error = errno;
        if (is_unclear) note_error(joined(folder.name, name), error);
        if (is_wanted && !means_absent(error)) listings.push_back({name, {}, error});
        return;
      }
      is_folder = S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const int links = folder.links + (type != DT_DIR);
      if (links <= kMaxLinksOnPath) folders_.push_back({joined(folder.name, name), links});
    } else if (is_wanted && S_ISREG(status.st_mode)) {
      listings.push_back({name, stamp_of(status)});
    }
  }

  // Whether the folder contains itself, which only a link can cause. If that is unknown, it is not visited.
  bool is_cycle(int fd, const std::string& name) {
    struct stat here, above;
    if (fstat(fd, &here) != 0) return note_error(name, errno), true;
    for (size_t end = name.size(); end != 0;) {
      end = name.rfind('/', end - 1);
      if (end == std::string::npos) end = 0;
      const std::string parent = end == 0 ? "." : name.substr(0, end);
      if (fstatat(root_, parent.c_str(), &above, 0) != 0) return note_error(name, errno), true;
      if (stamp_of(above).same_file(stamp_of(here))) return true;
    }
    return false;
  }

  const std::string& path_;
  const std::vector<std::string>& asset_suffixes_;
  const Descriptor root_;
  std::vector<Folder> folders_;
  FoundRuns found_;
  std::map<std::string, std::vector<Listing>> assets_;  // by the folder of their run
  std::vector<Error> errors_;
  alignas(8) std::array<char, 32 << 10> entries_;
};

// A run of one file, or none if `path` is not a regular file.
std::vector<FoundRun> run_of_file(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  return {{.name = ".", .path = folder, .files = {{path.substr(slash + 1), stamp_of(status)}}, .assets = {}}};
}

}  // namespace

FoundRuns find_runs(const std::string& root, const std::vector<std::string>& asset_suffixes) {
  if (auto runs = run_of_file(root); !runs.empty()) return {.runs = std::move(runs), .unlisted = {}};
  return RunFinder(root, asset_suffixes)();
}

}  // namespace lossboard
