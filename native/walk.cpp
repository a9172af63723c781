#include "walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "stamp.h"

namespace lossboard {
namespace {

constexpr const char* kMark = "tfevents";
constexpr const char* kOwnFolders = ".lossboard";  // what the board itself keeps beside the logs
// Folders that all link to each other have more paths than there is time for.
constexpr int kMaxLinksOnPath = 4;

struct Folder {
  std::string name;
  std::string path;
  int links = 0;  // followed on the way here
  // Folders above this one, itself included.
  struct Trail {
    uint64_t device;
    uint64_t inode;
    std::shared_ptr<const Trail> above;
  };
  std::shared_ptr<const Trail> above;

  bool is_in(const Stamp& folder) const {
    for (const Trail* trail = above.get(); trail; trail = trail->above.get())
      if (trail->device == folder.device && trail->inode == folder.inode) return true;
    return false;
  }
};

class Walk {
 public:
  std::vector<FoundRun> operator()(const std::string& root) {
    folders_.push_back({.name = ".", .path = root, .above = nullptr});
    while (!folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      look_into(folder);
    }
    return std::move(found_);
  }

 private:
  void look_into(const Folder& folder) {
    const int fd = open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    struct stat status;
    DIR* entries = fstat(fd, &status) == 0 ? fdopendir(fd) : nullptr;
    if (!entries) {
      close(fd);
      return;
    }
    const Stamp stamp = stamp_of(status);
    if (folder.links == 0 || !folder.is_in(stamp)) {
      const auto trail =
          std::make_shared<Folder::Trail>(Folder::Trail{stamp.device, stamp.inode, folder.above});
      FoundRun run{.name = folder.name, .path = folder.path, .files = {}};
      while (const dirent* entry = readdir(entries)) look_at(*entry, fd, folder, trail, run);
      if (!run.files.empty()) {
        std::ranges::sort(run.files, {}, &Listing::name);
        found_.push_back(std::move(run));
      }
    }
    closedir(entries);
  }

  void look_at(const dirent& entry, int fd, const Folder& folder,
               const std::shared_ptr<const Folder::Trail>& trail, FoundRun& run) {
    const char* name = entry.d_name;
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) return;
    if (std::strncmp(name, kOwnFolders, std::strlen(kOwnFolders)) == 0) return;
    const bool marked = std::strstr(name, kMark);
    const bool vague = entry.d_type == DT_UNKNOWN || entry.d_type == DT_LNK;
    bool is_folder = entry.d_type == DT_DIR;
    struct stat status;
    if (vague || (marked && !is_folder)) {
      if (fstatat(fd, name, &status, 0) != 0) return;
      is_folder = S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const int links = folder.links + (entry.d_type != DT_DIR);
      if (links > kMaxLinksOnPath) return;
      folders_.push_back({.name = folder.name == "." ? name : folder.name + "/" + name,
                          .path = folder.path + "/" + name,
                          .links = links,
                          .above = trail});
    } else if (marked && S_ISREG(status.st_mode)) {
      run.files.push_back({name, stamp_of(status)});
    }
  }

  std::vector<Folder> folders_;
  std::vector<FoundRun> found_;
};

}  // namespace

std::vector<FoundRun> walk(const std::string& root) { return Walk()(root); }

}  // namespace lossboard
