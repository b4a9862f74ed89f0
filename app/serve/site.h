#pragma once

#include <functional>
#include <string>
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

    /// The answer, and whether the reader knew the token.
    struct Reply {
        HttpAnswer answer;
        bool is_allowed = false;
    };
    Reply answer(const HttpQuestion& question, const ServeCommands::IsReaderGone& is_reader_gone) const;

private:
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
