#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "app/serve/page_files.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// By which names a reader may call this machine, besides those of the loopback address.
struct AllowedHosts {
    bool any = false;  ///< behind a proxy, whose names we do not know
    std::vector<std::string> names = {};
};

/// Answers all requests of `serve`. Any thread.
class Site {
public:
    Site(ServedFolder served, std::string token, AllowedHosts hosts, PageFiles page, ServeCommands& commands);

    /// Whether a request whose bytes begin with this head, see head_length(), is well-formed and knows the token. All others
    /// get refusal() and no more.
    bool admits(std::string_view head) const;
    /// The answer to requests that are not admitted, as bytes: "not found", before the connection is closed. Of `begun`,
    /// which came of the request, it only depends on whether a body may follow.
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

}  // namespace snapviewer
