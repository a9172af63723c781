#include "find_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

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

class RunFinder {
 public:
  explicit RunFinder(const std::string& root) : path_(root), root_(open_folder(AT_FDCWD, root)) {}

  std::vector<FoundRun> operator()() {
    folders_.push_back({.name = "."});
    while (root_ && !folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      look_into(folder);
    }
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
    if (run.files.empty()) return;
    run.name = folder.name;
    run.path = folder.name == "." ? path_ : path_ + "/" + folder.name;
    std::ranges::sort(run.files, {}, &Listing::name);
    found_.push_back(std::move(run));
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
    const bool marked = std::strstr(name, kMark);
    const bool vague = type == DT_UNKNOWN || type == DT_LNK;
    bool is_folder = type == DT_DIR;
    struct stat status;
    if (vague || (marked && !is_folder)) {
      if (fstatat(fd, name, &status, 0) != 0) return;
      is_folder = S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const int links = folder.links + (type != DT_DIR);
      if (links <= kMaxLinksOnPath) folders_.push_back({joined(folder.name, name), links});
    } else if (marked && S_ISREG(status.st_mode)) {
      run.files.push_back({name, stamp_of(status)});
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
  const Descriptor root_;
  std::vector<Folder> folders_;
  std::vector<FoundRun> found_;
  alignas(8) std::array<char, 32 << 10> entries_;
};

}  // namespace

std::vector<FoundRun> find_runs(const std::string& root) { return RunFinder(root)(); }

}  // namespace lossboard
