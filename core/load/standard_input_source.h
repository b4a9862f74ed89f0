#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/byte_source.h"

namespace snapviewer {

/// The bytes of standard input as they come, from whatever writes there. Waits for more, but stops within 100 ms when
/// `progress` asks. Each piece counts as part of the file for the budget.
class StandardInputSource : public ByteSource {
public:
    /// An error where standard input is a terminal, on which nobody types a snapshot, or was read before: its bytes are
    /// gone.
    static Status take();

    /// After take().
    explicit StandardInputSource();

    std::string_view next_piece() override;
    /// All of it, where it comes from a file; 0 where nobody can say.
    std::uint64_t expected_bytes() const { return expected_bytes_; }

private:
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::vector<char> room_;
};

}  // namespace snapviewer
