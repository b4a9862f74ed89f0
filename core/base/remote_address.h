#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapviewer {

/// A file on another machine.
struct RemoteAddress {
    enum class Way : std::uint8_t { ssh, http };

    Way way = Way::ssh;
    std::string host = {};  ///< of ssh, with the user where one is named: "me@node7"; never begins with a dash
    std::string port = {};  ///< of ssh, digits; empty for what the user's configuration says
    std::string path = {};  ///< of ssh, as it is there; one that does not begin with a slash is below the user's home
    std::string link = {};  ///< of http, all of it
};

/// What a path names where it is none of this machine: "node7:/runs/a.pickle" and "me@node7:runs/a.pickle" as scp has them,
/// unless there is a file with such a name here; "ssh://me@node7:2222/runs/a.pickle"; "http://..." and "https://...". A host
/// of one letter needs ssh://, because it would be a drive elsewhere. Looks for the file at most; any thread.
std::optional<RemoteAddress> remote_address(std::string_view path);
inline bool is_remote(std::string_view path) { return remote_address(path).has_value(); }
/// Whether it ends with a slash, and so names a folder there: a fleet, which is summarised there.
bool is_remote_folder(std::string_view path);
/// The spelling of another path on the same machine: "node7:/runs/b.pickle".
std::string path_beside(const RemoteAddress& address, std::string_view path);

}  // namespace snapviewer
