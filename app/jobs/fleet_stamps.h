#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/jobs/file_stamps.h"

namespace snapviewer {

/// What was seen of the files of a fleet, by path.
using FleetStamps = std::map<std::string, FileStamps>;
/// Of the files that the paths given for a fleet lead to now. One look at each folder and file.
FleetStamps read_fleet_stamps(const std::vector<std::string>& paths);

/// Compares what is on the disk now with what was read.
class FleetChangeDetector {
public:
    using Seen = FleetStamps;
    explicit FleetChangeDetector(FleetStamps read) : read_(std::move(read)), last_(read_) {}

    /// A file that is still being written is no news yet: only what two looks saw alike is.
    void look(FleetStamps now);
    bool has_news() const { return has_news_; }

private:
    FleetStamps read_;
    FleetStamps last_;
    bool has_news_ = false;
};

}  // namespace snapviewer
