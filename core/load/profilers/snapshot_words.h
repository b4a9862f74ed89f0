#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// What the rows of a database say by word or by raw number, as a Snapshot counts it. For databases that hold what a
/// snapshot holds. Throws Failure where there are more of a kind than a Snapshot can count.
class SnapshotWords {
public:
    explicit SnapshotWords(Snapshot& snapshot);

    /// An action that is not known is kept under its own name, and noted.
    Action action(std::string_view name);
    std::uint16_t stream(std::uint64_t raw);
    /// Of the trace of a device, which may be new; the reference is good until the next call.
    DeviceTrace& device(std::int64_t number);

private:
    Snapshot& snapshot_;
    std::optional<std::uint64_t> last_stream_;
    std::uint16_t last_stream_index_ = 0;
};

}  // namespace snapviewer
