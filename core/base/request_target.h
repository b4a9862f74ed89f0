#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// The decoded target (path and parameters) of an HTTP request to `snapviewer serve`.
struct RequestTarget {
    /// Names of folders and a file below the served folder, outermost first. A name is never empty, hidden, "." or "..", and
    /// contains no separator and no NUL.
    std::vector<std::string> names;
    bool ends_with_slash = false;
    /// True if the path starts with ".page": the names are of the files that the program itself consists of in a browser. No
    /// served file has that name, because hidden files are not served.
    bool is_of_page = false;
    std::map<std::string, std::string> parameters;

    bool has(const std::string& name) const { return parameters.contains(name); }
    /// The value of a parameter; empty if it is absent.
    std::string parameter(const std::string& name) const;
};

/// Parses "/TOKEN/runs/a%20b.pickle/?device=0". nullopt if the token differs from `token`, or if no served file can have
/// such a name. Compares the token in constant time, so that the response time does not reveal how much of it was right.
std::optional<RequestTarget> parse_request_target(std::string_view target, std::string_view token);

/// Parses "device=0&view=1%3A2". The first of several parameters with the same name wins. nullopt if an escape is malformed,
/// a value contains NUL, or there are more than a hundred parameters.
std::optional<std::map<std::string, std::string>> parse_query(std::string_view query);

/// Percent-encodes a text for use as one name in a URL.
std::string escaped_for_link(std::string_view text);

/// Builds a query string: "?device=0&view=1%3A2"; empty if there are no parameters.
std::string query_of(const std::map<std::string, std::string>& parameters);

/// True if a Host header names this machine by its loopback address: "127.0.0.1:8899", "localhost", "[::1]:80".
bool is_loopback_host(std::string_view host);

}  // namespace snapviewer
