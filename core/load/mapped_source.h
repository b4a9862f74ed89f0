#pragma once

#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// The bytes of a file, in pieces that lie one after another in memory and stay. Reports how much is read, unless
/// something else does, stops if the work is to stop, and gives the pages of all but the newest piece back to the system.
class MappedSource : public ByteSource {
public:
    explicit MappedSource(MappedFile& file, bool tells_progress = true) : file_(file), tells_progress_(tells_progress) {}

    std::string_view next_piece() override;
    bool keeps_pieces() const override { return true; }

private:
    MappedFile& file_;
    bool tells_progress_;
    std::size_t at_ = 0;
};

}  // namespace snapviewer
