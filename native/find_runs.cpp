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
#include <optional>
#include <set>
#include <utility>

#include "descriptor.h"
#include "file_stat.h"

namespace lossboard {
namespace {

constexpr const char* kMark = "tfevents";
constexpr const char* kOwnFolders = ".lossboard";  // what Lossboard itself stores in a logdir

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

// Training tools write their own files to a folder and the event files below it, in `logs/tensorboard`.
constexpr std::string_view kToolLogs = "logs/tensorboard";
constexpr const char* kAboveToolLogs = "../../";

// Returns the folder of the training tool whose event files are in `folder`, or "" if it is not of a tool.
std::string tool_folder_of(const std::string& folder) {
  if (folder == kToolLogs) return ".";
  if (!folder.ends_with("/" + std::string(kToolLogs))) return "";
  return folder.substr(0, folder.size() - kToolLogs.size() - 1);
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
    if (root_) list_tree(".");
    // A folder that is linked keeps its own name, or gets that of its first link. So links come last, and
    // sorted: the order of entries may change.
    if (!links_.empty()) note_listed_folders();
    while (!links_.empty()) {
      std::vector<std::string> links = std::move(links_);
      links_.clear();
      std::ranges::sort(links);
      for (std::string& link : links) list_tree(std::move(link));
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

  void list_tree(std::string top) {
    folders_.push_back(std::move(top));
    while (!folders_.empty()) {
      std::string folder = std::move(folders_.back());
      folders_.pop_back();
      list_folder(folder);
      if (!listed_) names_.push_back(std::move(folder));
    }
  }

  void list_folder(const std::string& folder) {
    const Descriptor fd = open_folder(root_, folder);
    if (!fd) return note_error(folder, errno);
    if (listed_ && is_listed(fd, folder)) return;
    FoundRun run;
    const int error =
        each_entry(fd, [&](const char* name, uint8_t type) { add_entry(name, type, fd, folder, run); });
    if (error) return note_error(folder, error);
    if (!run.assets.empty()) set_aside_assets(run, folder);
    if (run.files.empty()) return;
    std::ranges::sort(run.files, {}, &Listing::name);
    add_run(folder, std::move(run));
  }

  // Without links no folder can be listed twice, and most logdirs have none.
  void note_listed_folders() {
    listed_.emplace();
    struct stat status;
    for (const std::string& name : names_)
      if (fstatat(root_, name.c_str(), &status, 0) == 0) listed_->emplace(status.st_dev, status.st_ino);
  }

  // Whether the folder was listed before, by another name. From now on it counts as listed.
  bool is_listed(int fd, const std::string& name) {
    struct stat status;
    if (fstat(fd, &status) != 0) return note_error(name, errno), true;
    return !listed_->emplace(status.st_dev, status.st_ino).second;
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
    for (FoundRun& run : found_.runs)
      if (auto above = assets_.extract(tool_folder_of(run.name))) adopt_tool_assets(run, above.mapped());
    for (auto& [owner, assets] : assets_) {
      FoundRun run;
      run.assets = std::move(assets);
      add_run(owner, std::move(run));
    }
  }

  static void adopt_tool_assets(FoundRun& run, const std::vector<Listing>& assets) {
    for (const Listing& asset : assets)
      run.assets.push_back({kAboveToolLogs + asset.name, asset.stamp, asset.error});
    std::ranges::sort(run.assets, {}, &Listing::name);
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

  void add_entry(const char* name, uint8_t type, int fd, const std::string& folder, FoundRun& run) {
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
        if (is_unclear) note_error(joined(folder, name), error);
        if (is_wanted && !means_absent(error)) listings.push_back({name, {}, error});
        return;
      }
      is_folder = S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      (is_link(fd, name, type) ? links_ : folders_).push_back(joined(folder, name));
    } else if (is_wanted && S_ISREG(status.st_mode)) {
      listings.push_back({name, stamp_of(status)});
    }
  }

  static bool is_link(int fd, const char* name, uint8_t type) {
    struct stat status;
    return type == DT_LNK || (type == DT_UNKNOWN && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                              S_ISLNK(status.st_mode));
  }

  const std::string& path_;
  const std::vector<std::string>& asset_suffixes_;
  const Descriptor root_;
  std::vector<std::string> folders_;  // to list, relative to the root
  std::vector<std::string> links_;    // to folders, to list after all others
  std::vector<std::string> names_;    // of folders that were listed before any link
  std::optional<std::set<std::pair<dev_t, ino_t>>> listed_;
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
