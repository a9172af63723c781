#include "find_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "descriptor.h"
#include "file_stat.h"

namespace lossboard {
namespace {

constexpr const char* kMark = "tfevents";
constexpr const char* kOwnFolders = ".lossboard";  // what the board itself keeps beside the logs
// Folders that all link to each other have more paths than there is time for.
constexpr int kMaxLinksOnPath = 4;

struct Folder {
  std::string name;  // relative to the root
  int links = 0;     // followed on the way here
};

std::string joined(const std::string& folder, const char* name) {
  return folder == "." ? name : folder + "/" + name;
}

// The folder of the run that an asset in `folder` belongs to.
std::string owner_of(const std::string& folder) {
  constexpr std::string_view kPlugins = "plugins/";
  for (size_t at = folder.rfind(kPlugins); at != std::string::npos; at = folder.rfind(kPlugins, at - 1)) {
    if (at == 0) return ".";
    if (folder[at - 1] == '/') return folder.substr(0, at - 1);
  }
  return folder;
}

class RunFinder {
 public:
  RunFinder(const std::string& root, const std::vector<std::string>& asset_suffixes)
      : path_(root), asset_suffixes_(asset_suffixes), root_(open_folder(AT_FDCWD, root)) {}

  std::vector<FoundRun> operator()() {
    folders_.push_back({.name = "."});
    while (root_ && !folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      look_into(folder);
    }
    if (!assets_.empty()) attach_assets();
    return std::move(found_);
  }

 private:
  // What cannot be opened is not there.
  static Descriptor open_folder(int base, const std::string& name) {
    return Descriptor(openat(base, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  }

  void look_into(const Folder& folder) {
    const Descriptor fd = open_folder(root_, folder.name);
    if (!fd || (folder.links > 0 && leads_back(fd, folder.name))) return;
    FoundRun run;
    each_entry(fd, [&](const char* name, uint8_t type) { look_at(name, type, fd, folder, run); });
    if (!run.assets.empty()) set_aside_assets(run, folder.name);
    if (run.files.empty()) return;
    std::ranges::sort(run.files, {}, &Listing::name);
    add_run(folder.name, std::move(run));
  }

  void add_run(const std::string& name, FoundRun run) {
    run.name = name;
    run.path = name == "." ? path_ : path_ + "/" + name;
    found_.push_back(std::move(run));
  }

  void set_aside_assets(FoundRun& run, const std::string& folder) {
    const std::string owner = run.files.empty() ? owner_of(folder) : folder;
    std::string prefix;
    if (owner != folder) prefix = (owner == "." ? folder : folder.substr(owner.size() + 1)) + "/";
    for (Listing& asset : run.assets) assets_[owner].push_back({prefix + asset.name, asset.stamp});
    run.assets.clear();
  }

  void attach_assets() {
    for (auto& [owner, assets] : assets_) std::ranges::sort(assets, {}, &Listing::name);
    for (FoundRun& run : found_)
      if (auto own = assets_.extract(run.name)) run.assets = std::move(own.mapped());
    for (auto& [owner, assets] : assets_) add_run(owner, {.assets = std::move(assets)});
  }

  bool is_asset(std::string_view name) const {
    return std::ranges::any_of(asset_suffixes_,
                               [name](const std::string& suffix) { return name.ends_with(suffix); });
  }

  // Straight from the kernel where that is possible: opendir asks three times more and allocates.
  template <typename Look>
  void each_entry(int fd, Look look) {
#if defined(__linux__)
    for (ssize_t got; (got = getdents64(fd, entries_.data(), entries_.size())) > 0;)
      for (ssize_t at = 0; at < got;) {
        const auto* entry = reinterpret_cast<const dirent64*>(entries_.data() + at);
        look(entry->d_name, entry->d_type);
        at += entry->d_reclen;
      }
#else
    DIR* entries = fdopendir(dup(fd));
    if (!entries) return;
    while (const dirent* entry = readdir(entries)) look(entry->d_name, entry->d_type);
    closedir(entries);
#endif
  }

  void look_at(const char* name, uint8_t type, int fd, const Folder& folder, FoundRun& run) {
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) return;
    if (std::strncmp(name, kOwnFolders, std::strlen(kOwnFolders)) == 0) return;
    bool is_folder = type == DT_DIR;
    const bool is_event_file = std::strstr(name, kMark);
    const bool is_wanted = is_event_file || (!is_folder && is_asset(name));
    const bool vague = type == DT_UNKNOWN || type == DT_LNK;
    struct stat status;
    if (vague || (is_wanted && !is_folder)) {
      if (fstatat(fd, name, &status, 0) != 0) return;
      is_folder = S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const int links = folder.links + (type != DT_DIR);
      if (links <= kMaxLinksOnPath) folders_.push_back({joined(folder.name, name), links});
    } else if (is_wanted && S_ISREG(status.st_mode)) {
      (is_event_file ? run.files : run.assets).push_back({name, stamp_of(status)});
    }
  }

  // Whether the folder is one of those above it, which only a link can bring about.
  bool leads_back(int fd, const std::string& name) const {
    struct stat here, above;
    if (fstat(fd, &here) != 0) return true;
    for (size_t end = name.size(); end != 0;) {
      end = name.rfind('/', end - 1);
      if (end == std::string::npos) end = 0;
      const std::string parent = end == 0 ? "." : name.substr(0, end);
      if (fstatat(root_, parent.c_str(), &above, 0) != 0) return true;
      if (stamp_of(above).same_file(stamp_of(here))) return true;
    }
    return false;
  }

  const std::string& path_;
  const std::vector<std::string>& asset_suffixes_;
  const Descriptor root_;
  std::vector<Folder> folders_;
  std::vector<FoundRun> found_;
  std::map<std::string, std::vector<Listing>> assets_;  // by the folder of their run
  alignas(8) std::array<char, 32 << 10> entries_;
};

}  // namespace

std::vector<FoundRun> find_runs(const std::string& root, const std::vector<std::string>& asset_suffixes) {
  return RunFinder(root, asset_suffixes)();
}

}  // namespace lossboard
