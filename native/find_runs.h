// Finds the runs below a folder: every folder that holds event files or assets.
#pragma once
#include <string>
#include <vector>

#include "event_file.h"

namespace lossboard {

struct FoundRun {
  std::string name;  // the folder relative to the root, "." for the root itself
  std::string path;
  std::vector<Listing> files;   // event files, sorted by name
  std::vector<Listing> assets;  // sorted by name, which is relative to the folder of the run
  // Folders of assets that could not be listed, relative to the folder of the run.
  std::vector<std::string> unlisted = {};
  int error = 0;  // errno if the run's folder could not be listed: then nothing else is known
};

// A folder that could not be listed although it may be there. Its runs are unknown, not gone.
struct UnlistedFolder {
  std::string path;
  int error;
};

struct FoundRuns {
  std::vector<FoundRun> runs;
  std::vector<UnlistedFolder> unlisted;
};

// An event file is a regular file whose name contains "tfevents". An asset is another regular file whose
// name ends with one of `asset_suffixes`. Assets in <run>/plugins/<plugin>/… belong to <run>, unless their
// own folder holds event files; all others belong to their folder. A folder without event files gives its
// assets to the run in its logs/tensorboard, if there is one. Links are followed. A folder that has several
// names, because of links, is listed once: by its own name, or by that of a link if it is elsewhere. Folders
// and files that are missing or forbidden are skipped. After any other error (too many open files, a disk
// that fails) they count as unlisted. If `root` is a file, the result is one run with this file, whatever
// its name is.
FoundRuns find_runs(const std::string& root, const std::vector<std::string>& asset_suffixes);

}  // namespace lossboard
