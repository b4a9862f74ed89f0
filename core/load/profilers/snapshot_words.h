#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Converts the names and raw numbers in the rows of a database to the ids of a Snapshot. For databases with the contents of
/// a snapshot. Throws Failure if there are more distinct values than a Snapshot can count.
class SnapshotWords {
public:
    explicit SnapshotWords(Snapshot& snapshot);

    /// Keeps an unknown action under its own name, and logs it.
    Action action(std::string_view name);
    std::uint16_t stream(std::uint64_t raw);
    /// The trace of a device; creates it if it does not exist. The reference is valid until the next call.
    DeviceTrace& device(std::int64_t number);

private:
    Snapshot& snapshot_;
    std::optional<std::uint64_t> last_stream_;
    std::uint16_t last_stream_index_ = 0;
};

}  // namespace snapviewer
