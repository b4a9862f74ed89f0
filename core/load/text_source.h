#pragma once

#include <string_view>

namespace snapviewer {

/// Where text comes from, piece by piece.
class TextSource {
public:
    virtual ~TextSource() = default;
    /// The next piece, valid until the next call; empty at the end, however often asked. Throws ReadFailure.
    virtual std::string_view next_piece() = 0;
};

}  // namespace snapviewer
