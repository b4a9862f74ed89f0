#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/file_stamps.h"
#include "app/ui/folder_changes.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// What was seen of the files of a fleet, by path.
using FleetStamps = std::map<std::string, FileStamps>;
/// Of one file, as the disk has it or the machine said that listed it.
FileStamps stamps_of(const FleetFile& file);
/// Of the files that the paths given for a fleet lead to now. One look at each folder and file; none where another machine
/// does not answer, and nobody can say.
std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths);

/// More memory than this is to be there before a file that lacked it is tried again: what it is likely to need, and a
/// quarter more than there was when it was tried.
std::uint64_t awaited_memory_bytes(std::uint64_t need_bytes, std::uint64_t available_bytes);

/// Makes news of the files for which there is memory enough by now: they look as if they were not what was read. `awaited`
/// are bytes by path.
void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes);

/// What on the disk is another than what was read.
using FleetChangeDetector = FolderChanges<FileStamps>;

}  // namespace snapviewer
