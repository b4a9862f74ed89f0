#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// True if bytes begin like an HTML page: with '<', perhaps after white space or a byte order mark.
bool looks_like_html(std::string_view front);

/// Decodes the snapshot in an HTML page of torch.cuda._memory_viz (trace_plot, segment_plot, profile_plot). The snapshot is
/// the base64 string of the key "base64", on one line of any length. If the string breaks off, read() returns everything
/// before that place and then throws a Failure with is_cut. read() also throws if the page has no such string.
class HtmlReader : public ByteReader {
public:
    explicit HtmlReader(ByteSource& page) : page_(page) {}

    std::size_t read(std::span<char> room) override;

    /// Reads the rest of the page after the data. Returns the name of the view that the page opens ("Active Memory
    /// Timeline"), or "" if the page names none.
    std::string take_view_name();

private:
    bool next_piece();
    int next_char() { return at_ < piece_.size() || next_piece() ? static_cast<unsigned char>(piece_[at_++]) : -1; }
    void find_data();
    void skip_past(std::string_view mark);
    int next_digit();
    std::size_t decode_whole_groups(std::span<char> room);

    ByteSource& page_;
    std::string_view piece_;
    std::size_t at_ = 0;
    std::uint64_t piece_offset_ = 0;
    bool has_begun_ = false;
    bool at_end_ = false;
};

}  // namespace snapviewer
