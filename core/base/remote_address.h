#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer {

/// The address of a file on another machine.
struct RemoteAddress {
    enum class Way : std::uint8_t { ssh, http };

    Way way = Way::ssh;
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
std::string path_beside(const RemoteAddress& address, std::string_view path);

}  // namespace snapviewer
