#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/load/bytes/sources.h"

namespace snapviewer::test {

/// Returns a text in pieces of a given size; each piece is overwritten when the next one is requested.
class Pieces : public bytes::ByteSource {
public:
    Pieces(std::string_view text, std::size_t piece_size) : text_(text), piece_size_(piece_size) {}

    std::string_view next_piece() override {
        const std::string_view next = text_.substr(0, piece_size_);
        text_.remove_prefix(next.size());
        std::ranges::fill(piece_, '\0');
        piece_ = std::string(next);
        return piece_;
    }

private:
    std::string_view text_;
    std::size_t piece_size_;
    std::string piece_;
};

}  // namespace snapviewer::test
