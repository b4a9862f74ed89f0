#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/load/bytes/sources.h"

namespace snapviewer::bytes {

/// True if bytes begin like an HTML page: with '<', perhaps after white space or a byte order mark.
bool looks_like_html(std::string_view front);

/// Decodes the snapshot in an HTML page of torch.cuda._memory_viz (trace_plot, segment_plot, profile_plot). The snapshot is
/// the base64 string of the key "base64", on one line of any length. If the string breaks off, read() returns everything
/// before that place and then throws a Failure with is_cut. read() also throws if the page has no such string.
class HtmlReader : public ByteReader {
public:
    explicit HtmlReader(ByteSource& page) : page_(page) {}

    std::size_t read(std::span<char> buffer) override;

    /// Reads the rest of the page after the data. Returns the name of the view that the page opens ("Active Memory
    /// Timeline"), or "" if the page names none.
    std::string take_view_name();

private:
    bool next_piece();
    int next_char() { return at_ < piece_.size() || next_piece() ? static_cast<unsigned char>(piece_[at_++]) : -1; }
    void find_data();
    void skip_past(std::string_view mark);
    int next_digit();
    std::size_t decode_whole_groups(std::span<char> buffer);

    ByteSource& page_;
    std::string_view piece_;
    std::size_t at_ = 0;
    std::uint64_t piece_offset_ = 0;
    bool has_begun_ = false;
    bool at_end_ = false;
};

/// True if bytes begin like a page that a browser saved as one file (.mhtml, RFC 2557).
bool looks_like_mhtml(std::string_view front);

/// Decodes the first HTML page of an MHTML file, which is in quoted-printable, base64 or plain form. Throws if the file has
/// no page. If the file ends before the page does, read() returns all bytes before that and then throws a Failure with
/// is_cut.
class MhtmlReader : public ByteReader {
public:
    explicit MhtmlReader(ByteSource& file) : file_(file) {}

    std::size_t read(std::span<char> buffer) override;

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
    std::size_t returned_bytes_ = 0;  ///< Number of bytes of decoded_ that read() has returned
    bool has_begun_ = false;
    bool at_end_ = false;
};

/// True if bytes begin like UTF-16 text: with a byte order mark, as Windows PowerShell writes it, or like JSON or an HTML
/// page.
bool looks_like_utf16(std::string_view front);

/// Converts UTF-16 text to UTF-8 and drops its byte order mark. Surrogates without a partner become U+FFFD. Throws a Failure
/// with is_cut if the text ends within a character.
class Utf16Reader : public ByteReader {
public:
    explicit Utf16Reader(ByteSource& text) : text_(text) {}

    std::size_t read(std::span<char> buffer) override;

private:
    /// Returns the next 16-bit unit, or nullopt at the end.
    std::optional<std::uint16_t> next_unit();
    std::optional<std::uint8_t> next_byte();
    void begin();

    ByteSource& text_;
    std::string_view piece_;
    std::uint64_t read_bytes_ = 0;
    bool has_begun_ = false;
    bool is_big_endian_ = false;
    std::optional<std::uint16_t> pending_;  ///< Unit that was read ahead, or nullopt
};

}  // namespace snapviewer::bytes
