#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/load/profilers/ascend/blocks.h"
#include "core/load/profilers/ascend/records.h"

namespace snapviewer::ascend {

/// Passes the blocks read so far to the Observer, if one watches the loading of a large profile. Used only on the reading
/// thread.
class BlocksSoFar {
public:
    /// `file` must outlive this object.
    explicit BlocksSoFar(SqliteFile& file) : file_(file), builder_(snapshot_, texts_) {}

    /// If the observer asks for partial results, passes it the device with the most blocks, without the memory allocated
    /// before the profile. `wanted` contains the names that occurred so far. Takes a sixth of a second for a million blocks.
    void show_if_asked(const std::map<std::int32_t, DeviceRows>& devices, const Texts& wanted);

private:
    void read_names(const Texts& wanted);
    DeviceTrace trace_of(std::int32_t device, std::vector<BlockRow> blocks);

    SqliteFile& file_;
    /// A separate snapshot, because the texts of the final snapshot must be interned in the order of the file.
    Snapshot snapshot_;
    Texts texts_;
    DeviceBuilder builder_;
    bool has_names_ = false;
};

}  // namespace snapviewer::ascend
