#pragma once

#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// The bytes of a file, in pieces that lie one after another in memory and stay. Tells `progress` how far it is, unless
/// another does, stops when that asks, and gives the pages of all but the newest piece back to the system.
class MappedSource : public ByteSource {
public:
    MappedSource(MappedFile& file, Progress& progress, bool tells_progress = true)
        : file_(file), progress_(progress), tells_progress_(tells_progress) {}

    std::string_view next_piece() override;
    bool keeps_pieces() const override { return true; }

private:
    MappedFile& file_;
    Progress& progress_;
    bool tells_progress_;
    std::size_t at_ = 0;
};

}  // namespace snapviewer
