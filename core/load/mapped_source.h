#pragma once

#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// Reads a mapped file in pieces, which are contiguous in memory and stay valid. Throws if the work is to stop, and gives
/// the pages of all but the newest piece back to the system. Reports progress, unless `tells_progress` is false because
/// another reader of the same load reports it.
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
