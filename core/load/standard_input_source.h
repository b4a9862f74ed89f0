#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// The bytes of standard input as they arrive. Blocks until more arrive, but throws within 100 ms if the work is to stop.
/// Every piece counts as part of the file for the budget of the load.
class StandardInputSource : public ByteSource {
public:
    /// Claims standard input, which can be read only once. Fails if it was claimed before, or if it is a terminal, where a
    /// person would have to type a snapshot.
    static Status take();

    /// Precondition: take() succeeded.
    explicit StandardInputSource();

    std::string_view next_piece() override;
    /// Total size in bytes if standard input is a file, else 0.
    std::uint64_t expected_bytes() const { return expected_bytes_; }

private:
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::vector<char> room_;
};

}  // namespace snapviewer
