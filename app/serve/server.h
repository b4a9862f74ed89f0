#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/http_message.h"
#include "app/serve/page_files.h"
#include "app/serve/served_folder.h"
#include "app/system/late_libraries.h"
#include "core/base/addresses.h"
#include "core/system/streams.h"

namespace snapviewer::serve {

/// Host names that a request may use for this machine, besides those of the loopback address.
struct AllowedHosts {
    bool any = false;  ///< Accepts every host name, for use behind a proxy whose names are unknown
    std::vector<std::string> names = {};
};

/// Creates the answers to all requests of `serve`. Thread-safe.
class Site {
public:
    Site(ServedFolder served, std::string token, AllowedHosts hosts, PageFiles page, ServeCommands& commands);

    /// Returns whether a request with this head (see head_length()) is well-formed and contains the token. All other
    /// requests get only refusal().
    bool admits(std::string_view head) const;
    /// Returns the answer to a request that is not admitted, as bytes: "not found", after which the connection is closed.
    /// `begun` is the part of the request that has arrived; the answer to a HEAD request has no body.
    std::string refusal(std::string_view begun) const;
    HttpAnswer answer(const HttpQuestion& question, const ServeCommands::IsReaderGone& is_reader_gone) const;

private:
    HttpAnswer answer_to(const HttpQuestion& question, const RequestTarget& target,
                         const ServeCommands::IsReaderGone& is_reader_gone) const;
    HttpAnswer allowed_answer(const HttpQuestion& question, const RequestTarget& target,
                              const ServeCommands::IsReaderGone& is_reader_gone) const;
    HttpAnswer file_answer(const HttpQuestion& question, const RequestTarget& target, const ServedPlace& file,
                           const ServeCommands::IsReaderGone& is_reader_gone) const;
    bool is_allowed_host(const std::string& host) const;

    const ServedFolder served_;
    const std::string token_;
    const AllowedHosts hosts_;
    const PageFiles page_;
    const std::string root_name_;
    ServeCommands& commands_;
};

/// Answers requests until the program is asked to end (core/system/processes.h) or no admitted request has come for `idle`,
/// where 0 means no limit. Receives requests on the calling thread; each connection with an admitted request has a thread.
/// Returns true after the idle time, when all threads have ended; false after a request to end, within a second.
bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle);

}  // namespace snapviewer::serve
