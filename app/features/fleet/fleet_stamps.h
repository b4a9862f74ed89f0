#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/features/files/file_stamps.h"

namespace snapviewer {

/// What was seen of the files of a fleet, by path.
using FleetStamps = std::map<std::string, FileStamps>;
/// Of the files that the paths given for a fleet lead to now. One look at each folder and file.
FleetStamps read_fleet_stamps(const std::vector<std::string>& paths);

/// More memory than this is to be there before a file that lacked it is tried again: what it is likely to need, and a
/// quarter more than there was when it was tried.
std::uint64_t awaited_memory_bytes(std::uint64_t need_bytes, std::uint64_t available_bytes);

/// Makes news of the files for which there is memory enough by now: they look as if they were not what was read. `awaited`
/// are bytes by path.
void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes);

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
