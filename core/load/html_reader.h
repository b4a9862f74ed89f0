#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// Whether bytes begin like a page.
bool looks_like_html(std::string_view front);

/// Unpacks the snapshot in a page of torch.cuda._memory_viz (trace_plot, segment_plot, profile_plot): the string after
/// "base64":, which is one line of any length. Where that ends early, everything before comes first and then a failure that
/// is_cut. A page without it is a failure.
class HtmlReader : public ByteReader {
public:
    explicit HtmlReader(ByteSource& page) : page_(page) {}

    std::size_t read(std::span<char> room) override;

    /// Reads the rest of the page, behind the data: the view that it asks for ("Active Memory Timeline"), or "".
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
