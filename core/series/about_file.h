#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace snapviewer {

/// What a recorder wrote beside a snapshot; docs/record.md describes the file. Anybody may have written it: what is not
/// there, null or of another type than it should be is empty.
struct AboutFile {
    std::string why, host;
    std::optional<std::int64_t> time_us;  ///< since 1970
    std::optional<std::int64_t> rank, device, step, pid;
    std::optional<std::uint64_t> allocated_bytes, reserved_bytes;  ///< by PyTorch
    std::optional<std::uint64_t> device_total_bytes, device_used_bytes, other_processes_bytes;
    std::string failed;   ///< why there is no snapshot
    std::string ignored;  ///< what was of another type than it should be, a sentence
};

/// Fails where the file cannot be read, is larger than 1 MiB or is no JSON object.
Result<AboutFile> read_about_file(const std::string& path);

/// A text of ISO 8601 with date and time, "2026-11-26T17:16:36.250000Z"; without a zone it is UTC. Since 1970.
std::optional<std::int64_t> parse_time_us(std::string_view text);

}  // namespace snapviewer
