#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The interface between the program and the module that uses cpp-httplib.
namespace snapviewer::serve {

struct HttpQuestion {
    std::string method;
    std::string target;  ///< The target "/path?query" as it was sent
    std::string version;
    std::string host = {};
    std::string accepted_encodings = {};
    std::string known_tag = {};      ///< Value of the header If-None-Match
    std::string range_only_of = {};  ///< Value of the header If-Range
    bool has_body = false;
    /// First and last byte of the requested range, if the request has exactly one; -1 for an omitted number.
    std::optional<std::pair<std::int64_t, std::int64_t>> range = {};
};

/// An answer, with a body or with bytes that are produced while they are sent.
struct HttpAnswer {
    int status = 200;
    std::string type = "text/html; charset=utf-8";
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::shared_ptr<const std::string> shared_body = {};  ///< If set, sent instead of `body`, without a copy
    std::shared_ptr<const void> room = {};                ///< Memory that is released once everything has been sent
    /// Returns the next bytes, empty at the end; nullopt if an error prevents producing the rest.
    std::function<std::optional<std::string>()> next_piece = {};
    std::optional<std::uint64_t> size_bytes = {};  ///< Total size of all pieces, if known
};

/// A connection: receives requests, sends answers and creates the answer to a request.
class HttpPeer {
public:
    virtual ~HttpPeer() = default;
    /// Copies the next bytes of the request's head into `room` and returns their number; negative if none are left. send()
    /// behaves as send() in core/system/streams.h.
    virtual std::ptrdiff_t receive(std::span<char> room) = 0;
    virtual std::ptrdiff_t send(std::span<const char> bytes) = 0;
    virtual HttpAnswer answer(const HttpQuestion& question) = 0;
};

// Validation of a request's head before a library parses it, so that no two parsers can interpret it differently.

inline constexpr std::size_t k_max_head_bytes = 32 << 10;

/// Returns the length of the head at the beginning of `bytes`, including the empty line that ends it; 0 if it is incomplete.
/// The caller has already searched the first `seen` bytes for the end. O(bytes after those).
std::size_t head_length(std::string_view bytes, std::size_t seen);

/// Returns the target of a head that conforms to RFC 9112 and uses only methods, versions and lengths that this server
/// supports; otherwise nullopt.
std::optional<std::string_view> target_of_head(std::string_view head);

}  // namespace snapviewer::serve
