#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/remote/fetch.h"

/// Parsers for the text that other machines send around files. The text is untrusted: the parsers ignore malformed parts,
/// never fail, and never allocate memory for sizes that are merely announced.
namespace snapviewer::remote {

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

/// Maximum number of bytes that a machine may send before a file begins.
inline constexpr std::size_t k_max_bytes_before_file = 1 << 18;

/// Abstract source of the bytes of a transfer, packed or not.
class RemoteWire : public bytes::ByteSource {
public:
    /// Makes next_piece() throw soon, also if another thread is waiting in it. Thread-safe.
    virtual void cancel() = 0;
    /// Reason why the transfer broke off; empty if it did not.
    const std::string& error() const { return error_; }
    /// True if no more bytes will arrive.
    bool is_at_end() const { return is_at_end_; }

protected:
    std::string error_;
    bool is_at_end_ = false;
};

/// The standard output of a program. Ends the program in the destructor, and if the work is to stop.
class ProgramWire : public RemoteWire {
public:
    explicit ProgramWire(const RemoteFetch& fetch);
    ~ProgramWire() override;

    std::string_view next_piece() override;
    /// Like next_piece(), but returns nullopt if no data arrived within k_stop_poll_interval. The caller must then check for
    /// a stop.
    std::optional<std::string_view> poll_piece();
    /// Makes the next call return `piece`, before anything else. Does not copy it.
    void put_back(std::string_view piece) { front_ = piece; }
    void cancel() override { is_cancelled_ = true; }

private:
    void stop_if_asked();
    /// Records messages of the program (standard error) that are in buffer_. Throws if the program has written too many.
    void add_messages(std::size_t size_bytes);
    /// Records messages that are ready. Returns false if there are none.
    bool read_messages();
    void finish();

    std::shared_ptr<ChildProgram> program_;
    std::string name_;
    std::vector<char> buffer_;
    std::string_view front_;
    std::string messages_;  ///< The newest messages of the program
    std::size_t message_bytes_ = 0;
    std::atomic<bool> is_cancelled_ = false;
};

/// The bytes of a file on another machine as they arrive, unpacked if they were packed for the transfer. If the connection
/// breaks off, throws a Failure with is_cut, and all earlier bytes are good. Reacts to a stop within 50 ms, and reports
/// progress.
class RemoteSource : public bytes::ByteSource {
public:
    /// Blocks until the remote machine begins to send. Throws Failure with the message of ssh, curl or the remote machine.
    RemoteSource(RemoteFetch fetch);
    ~RemoteSource() override;

    std::string_view next_piece() override;
    std::uint64_t expected_bytes() const { return expected_bytes_; }  ///< Size of the unpacked file in bytes; 0 if unknown

private:
    void begin(const RemoteFetch& fetch);
    SentFile read_greeting(ProgramWire& wire, const std::string& greeting);
    SentFile read_http_header(ProgramWire& wire);
    [[noreturn]] void fail_unreachable() const;

    /// Bytes received before the file began, and the first bytes of the file, which wire_ refers to.
    std::string before_file_;
    std::unique_ptr<RemoteWire> wire_;
    std::unique_ptr<bytes::ByteReader> reader_;  ///< Unpacker; null if the bytes arrive unpacked
    std::unique_ptr<bytes::ReadAhead> unpacked_;
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t max_bytes_ = ~0ULL;  ///< Maximum number of bytes to read
    /// Folder over whose connection the file comes; null if the file has its own connection.
    std::shared_ptr<RemoteFolder> folder_ = nullptr;
};

}  // namespace snapviewer::remote
