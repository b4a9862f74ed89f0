#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// What goes between the program and the module that knows HTTP.
namespace snapviewer {

struct HttpQuestion {
    std::string method;
    std::string target;  ///< "/path?query", as it was sent
    std::string version;
    std::string host = {};
    std::string accepted_encodings = {};
    std::string known_tag = {};      ///< If-None-Match
    std::string range_only_of = {};  ///< If-Range
    bool has_body = false;
    /// First and last byte of the one range that was asked for, -1 for what was left out.
    std::optional<std::pair<std::int64_t, std::int64_t>> range = {};
};

/// Has a body, or bytes that are made while they are sent.
struct HttpAnswer {
    int status = 200;
    std::string type = "text/html; charset=utf-8";
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::shared_ptr<const std::string> shared_body = {};  ///< sent in place of `body`, without a copy
    std::shared_ptr<const void> room = {};                ///< memory that is given back once everything was sent
    /// Gives the next bytes, none at the end; nullopt where there are no more to be had before that.
    std::function<std::optional<std::string>()> next_piece = {};
    std::optional<std::uint64_t> size_bytes = {};  ///< of all pieces together, where that is known
};

/// The other side of a connection, and who answers it.
class HttpPeer {
public:
    virtual ~HttpPeer() = default;
    /// Gives the next bytes of the head of the request; below 0 if there are no more. `send` as of core/system/connection.h.
    virtual std::ptrdiff_t receive(std::span<char> room) = 0;
    virtual std::ptrdiff_t send(std::span<const char> bytes) = 0;
    virtual HttpAnswer answer(const HttpQuestion& question) = 0;
};

}  // namespace snapviewer
