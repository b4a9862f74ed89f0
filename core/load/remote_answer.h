#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What other machines write around the files that they send. Anybody may have written it, so whatever it is has a meaning,
/// or none; nothing here fails or takes memory for what it only announces.
namespace snapviewer {

/// What is said of a file right before it comes.
struct SentFile {
    std::string packing;           ///< "zstd", "gzip", "plain", or anything else
    std::uint64_t size_bytes = 0;  ///< unpacked; 0 where nobody can say
};
SentFile parse_sent_file(std::string_view line);

/// A file in a folder of another machine.
struct RemoteEntry {
    std::string name;  ///< below the folder, parts between slashes
    std::uint64_t size_bytes = 0;
    std::int64_t modified_s = 0;  ///< by that machine's clock
    bool operator==(const RemoteEntry&) const = default;
};
/// Lines of "SIZE SECONDS ./NAME". Others are left out, and what would lead out of the folder or is too long for a path.
std::vector<RemoteEntry> parse_listing(std::string_view text);

/// The header of an answer of http.
struct HttpAnswer {
    std::size_t header_bytes = 0;  ///< with the empty line at its end
    bool is_followed = false;      ///< by another answer, as curl writes all of them
    std::uint64_t body_bytes = 0;  ///< 0 where it does not say
};
/// Of the answer that a text begins with; none where its header is not all there.
std::optional<HttpAnswer> parse_http_answer(std::string_view text);

/// Cuts what comes at lines that begin with a mark, which nobody can know before: "\nMARK what is said\n". It may come in
/// any pieces.
class MarkedText {
public:
    explicit MarkedText(const std::string& mark) : begin_of_line_("\n" + mark + " ") {}

    void add(std::string_view piece);
    /// What lies before the next such line, as far as that is certain; empty where the line is next, or where more has to
    /// come. Valid until the next call of anything.
    std::string_view take_content();
    /// What the next line says behind the mark; none while content is before it or its end has not come.
    std::optional<std::string> take_line();
    /// All that came and was not taken.
    std::string_view rest() const { return std::string_view(text_).substr(taken_); }

private:
    std::string begin_of_line_;
    std::string text_;
    std::size_t taken_ = 0;  ///< of `text_`
};

}  // namespace snapviewer
