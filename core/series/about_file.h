#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace snapviewer {

/// The facts that a recorder wrote beside a snapshot; docs/record.md describes the file format. The file is untrusted: a
/// field that is missing, null or of the wrong type is left empty.
struct AboutFile {
    std::string why, host;
    std::optional<std::int64_t> time_us;  ///< time of the snapshot in microseconds since 1970, UTC
    std::optional<std::int64_t> rank, device, step, pid;
    std::optional<std::uint64_t> allocated_bytes, reserved_bytes;  ///< memory as counted by PyTorch's allocator
    std::optional<std::uint64_t> device_total_bytes, device_used_bytes, other_processes_bytes;
    std::string failed;   ///< Reason why the snapshot could not be written; empty if it was.
    std::string ignored;  ///< A sentence about the first field of the wrong type; empty if all fields are valid.
};

/// Fails if the file cannot be read, is larger than 1 MiB or is not a JSON object.
Result<AboutFile> read_about_file(const std::string& path);

/// Parses an ISO 8601 date and time, such as "2026-11-26T17:16:36.250000Z", to microseconds since 1970. A text without a
/// time zone is UTC. nullopt if the text is invalid.
std::optional<std::int64_t> parse_time_us(std::string_view text);

}  // namespace snapviewer
