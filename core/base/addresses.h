#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// The path that represents standard input ("-" on the command line) wherever a file is read. It is never opened itself. The
/// bytes can be read once, see core/load/bytes/sources.h.
inline constexpr const char* k_standard_input = "/dev/stdin";
inline bool is_standard_input(std::string_view path) { return path == k_standard_input; }

/// The text for a path in messages: "runs/a.pickle", "standard input".
std::string display_path(const std::string& path);
/// The text for a path in titles, its last part: "a.pickle", "standard input".
std::string display_name(const std::string& path);

/// The address of a file on another machine.
struct RemoteAddress {
    enum class Transport : std::uint8_t { ssh, http };

    Transport transport = Transport::ssh;
    /// Host for ssh, with the user if given: "me@node7". Never begins with a dash, so that ssh cannot take it for an option.
    std::string host = {};
    /// Port for ssh, in digits. Empty for the port in the user's ssh configuration.
    std::string port = {};
    /// Path on the remote machine for ssh. Relative to the user's home directory unless it begins with a slash.
    std::string path = {};
    /// The complete URL for http.
    std::string link = {};
};

/// Parses a path that names a file on another machine; nullopt for a local path. Accepts the scp forms
/// "node7:/runs/a.pickle" and "me@node7:runs/a.pickle", unless a local file has that name;
/// "ssh://me@node7:2222/runs/a.pickle"; "http://..." and "https://...". A host of one letter needs ssh://, because it would
/// be a drive letter on Windows. Does no more than check whether a local file exists. Thread-safe.
std::optional<RemoteAddress> remote_address(std::string_view path);
inline bool is_remote(std::string_view path) { return remote_address(path).has_value(); }
/// True if `path` is an ssh address that ends with a slash. It names a remote folder of snapshots (a fleet), which is
/// summarised on the remote machine.
bool is_remote_folder(std::string_view path);
/// The address of another path on the same machine, in the shortest form: "node7:/runs/b.pickle".
std::string path_on_same_machine(const RemoteAddress& address, std::string_view path);

/// The decoded target (path and parameters) of an HTTP request to `snapviewer serve`.
struct RequestTarget {
    /// Names of folders and a file below the served folder, outermost first. A name is never empty, hidden, "." or "..", and
    /// contains no separator and no NUL.
    std::vector<std::string> names;
    bool ends_with_slash = false;
    /// True if the path starts with ".page": the names are of the files that the program itself consists of in a browser. No
    /// served file has that name, because hidden files are not served.
    bool is_page_path = false;
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
