#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/load/profilers/ascend/blocks.h"
#include "core/load/profilers/ascend/records.h"

namespace snapviewer::ascend {

/// Shows the blocks that were read so far to who waits for a large profile, see Observer. For the thread that reads.
class BlocksSoFar {
public:
    /// The file must outlive this.
    explicit BlocksSoFar(SqliteFile& file) : file_(file), builder_(snapshot_, texts_) {}

    /// Where somebody wants to look: the device that has most blocks, each from a row of its own, with what was allocated
    /// before the profile left out. `wanted` are the names that were met. Takes a sixth of a second for a million blocks.
    void show_if_asked(const std::map<std::int32_t, DeviceRows>& devices, const Texts& wanted);

private:
    void read_names(const Texts& wanted);
    DeviceTrace trace_of(std::int32_t device, std::vector<BlockRow> blocks);

    SqliteFile& file_;
    Snapshot snapshot_;  ///< apart from the one that is read, whose texts come in the order of the file
    Texts texts_;
    DeviceBuilder builder_;
    bool has_names_ = false;
};

}  // namespace snapviewer::ascend
