#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/file_stamps.h"
#include "app/ui/folder_changes.h"
#include "core/fleet/file_summary.h"

namespace snapviewer {

/// The stamps of a fleet's files, by path.
using FleetStamps = std::map<std::string, FileStamps>;
/// The stamps of one file: from the disk, or from the listing of a remote machine.
FileStamps stamps_of(const FleetFile& file);
/// The current stamps of all files under the paths of a fleet. One access per folder and file. nullopt if a remote machine
/// does not answer.
std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths);

/// Free memory required before a file that ran out of memory is read again: its estimated need, or a quarter more than was
/// available at the first attempt, whichever is larger.
std::uint64_t awaited_memory_bytes(std::uint64_t need_bytes, std::uint64_t available_bytes);

/// Marks files as changed if there is now enough memory to read them, by removing their stamps. `awaited` is the required
/// free memory in bytes, by path.
void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes);

/// Detects files on the disk that differ from those that were read.
using FleetChangeDetector = FolderChanges<FileStamps>;

}  // namespace snapviewer
