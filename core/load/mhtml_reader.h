#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// True if bytes begin like a page that a browser saved as one file (.mhtml, RFC 2557).
bool looks_like_mhtml(std::string_view front);

/// Decodes the first HTML page of an MHTML file, which is in quoted-printable, base64 or plain form. Throws if the file has
/// no page. If the file ends before the page does, read() returns all bytes before that and then throws a Failure with
/// is_cut.
class MhtmlReader : public ByteReader {
public:
    explicit MhtmlReader(ByteSource& file) : file_(file) {}

    std::size_t read(std::span<char> room) override;

private:
    enum class Encoding : std::uint8_t { none, quoted_printable, base64 };

    /// Reads the next line with its end, or a part of a very long one. Returns false at the end of the file.
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
    bool is_line_begin_ = true;  ///< True if line_ is the beginning of a line, false if it continues a long line
    bool was_line_end_ = true;
    std::string boundary_;  ///< Separator of the MIME parts, including the dashes before it
    Encoding encoding_ = Encoding::none;
    std::string held_back_;  ///< Incomplete escape at the end of quoted-printable text, whose rest follows in the next part
    std::uint32_t digits_ = 0;  ///< Base64 digits of an incomplete group
    int digit_count_ = 0;
    std::string decoded_;
    std::size_t given_ = 0;  ///< Number of bytes of decoded_ that read() has returned
    bool has_begun_ = false;
    bool at_end_ = false;
};

}  // namespace snapviewer
