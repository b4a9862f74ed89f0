#pragma once

#include <string>

#include "app/serve/http_peer.h"
#include "core/base/request_target.h"
#include "core/base/result.h"

namespace snapviewer {

/// The program as a page (docs/web.md), whose files `serve` shows beside those that it is about. Any thread.
class PageFiles {
public:
    /// From a folder that scripts/web.sh made; empty: the one that was installed with this program, or none. An error says
    /// in a sentence without the path why a folder holds no page.
    static Result<PageFiles> open(const std::string& folder);

    bool is_there() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }
    /// With the headers by which a browser gives it threads.
    HttpAnswer answer(const HttpQuestion& question, const RequestTarget& target) const;

private:
    std::string folder_;  ///< empty where there is none
};

}  // namespace snapviewer
