#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parsers for the text that other machines send around files. The text is untrusted: the parsers ignore malformed parts,
/// never fail, and never allocate memory for sizes that are merely announced.
namespace snapviewer {

/// The announcement that a machine sends before a file.
struct SentFile {
    std::string packing;           ///< How the file is packed: "zstd", "gzip", "plain", or unknown text
    std::uint64_t size_bytes = 0;  ///< Unpacked size in bytes; 0 if unknown
};
SentFile parse_sent_file(std::string_view line);

/// A file in a folder of another machine.
struct RemoteEntry {
    std::string name;  ///< Path relative to the folder, with slashes between its parts
    std::uint64_t size_bytes = 0;
    std::int64_t modified_s = 0;  ///< Modification time by the remote machine's clock, in seconds since 1970
    bool operator==(const RemoteEntry&) const = default;
};
/// Parses lines of the form "SIZE SECONDS ./NAME". Leaves out other lines, names that lead out of the folder and names that
/// are too long for a path.
std::vector<RemoteEntry> parse_listing(std::string_view text);

/// The header of an HTTP response.
struct HttpAnswer {
    std::size_t header_bytes = 0;  ///< Size of the header, including the empty line at its end
    bool is_followed = false;      ///< True if another response follows; curl writes the headers of all of them
    std::uint64_t body_bytes = 0;  ///< Size of the body in bytes; 0 if the header does not state it
};
/// Parses the header of the HTTP response at the beginning of `text`. Returns nullopt if the header is incomplete.
std::optional<HttpAnswer> parse_http_answer(std::string_view text);

/// Splits received text into content and message lines of the form "\nMARK message\n". The mark is random, so that content
/// cannot imitate it. The text may arrive in pieces of any size.
class MarkedText {
public:
    explicit MarkedText(const std::string& mark) : begin_of_line_("\n" + mark + " ") {}

    void add(std::string_view piece);
    /// Returns and consumes the content before the next message line. Holds back bytes that may be the beginning of that
    /// line. Returns "" if the message line comes next or more text is needed. Valid until the next call of any member
    /// function.
    std::string_view take_content();
    /// Returns and consumes the next message, without its mark. Returns nullopt if content precedes the message or its end
    /// has not arrived.
    std::optional<std::string> take_line();
    /// Returns all text that was received and not consumed.
    std::string_view rest() const { return std::string_view(text_).substr(taken_); }

private:
    std::string begin_of_line_;
    std::string text_;
    std::size_t taken_ = 0;  ///< Number of bytes of text_ that were consumed
};

}  // namespace snapviewer
