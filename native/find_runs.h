// Finds the runs below a folder: every folder that holds event files.
#pragma once
#include <string>
#include <vector>

#include "event_file.h"

namespace lossboard {

struct FoundRun {
  std::string name;  // the folder relative to the root, "." for the root itself
  std::string path;
  std::vector<Listing> files;  // sorted by name
};

// An event file is a regular file whose name contains "tfevents". Links are followed, except into a
// folder that one is already in. What cannot be opened is not there.
std::vector<FoundRun> find_runs(const std::string& root);

}  // namespace lossboard
