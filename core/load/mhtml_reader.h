#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// Whether bytes begin like a page that a browser saved in one file (.mhtml, RFC 2557).
bool looks_like_mhtml(std::string_view front);

/// Decodes the first HTML page of an MHTML file: quoted-printable, base64 or as it is. A file without a page is a failure.
/// Where it ends before the page does, everything before comes first and then a failure that is_cut.
class MhtmlReader : public ByteReader {
public:
    explicit MhtmlReader(ByteSource& file) : file_(file) {}

    std::size_t read(std::span<char> room) override;

private:
    enum class Encoding : std::uint8_t { none, quoted_printable, base64 };

    /// Takes the next line with its end, or a part of one that is very long. False at the end of the file.
    bool next_line();
    std::string headers_until_blank();
    void find_page();
    bool is_boundary() const;
    void decode_line();
    void decode_quoted_printable(std::string_view line);
    void decode_base64(std::string_view line);

    ByteSource& file_;
    std::string_view piece_;
    std::uint64_t read_bytes_ = 0;
    std::string line_;
    bool is_line_begin_ = true;  ///< line_ begins a line: it is not the rest of a long one
    bool was_line_end_ = true;
    std::string boundary_;  ///< with the dashes before it
    Encoding encoding_ = Encoding::none;
    std::string held_back_;     ///< of quoted-printable text: the beginning of a character whose rest is to come
    std::uint32_t digits_ = 0;  ///< of base64 text, whose group is not complete
    int digit_count_ = 0;
    std::string decoded_;
    std::size_t given_ = 0;  ///< of decoded_
    bool has_begun_ = false;
    bool at_end_ = false;
};

}  // namespace snapviewer
