#pragma once

#include <string>

#include "app/serve/http_peer.h"
#include "core/base/addresses.h"
#include "core/base/result.h"

namespace snapviewer {

/// The files of the web program (docs/web.md), which `serve` offers besides the snapshots. Thread-safe.
class PageFiles {
public:
    /// Opens a folder that scripts/web.sh created. If `folder` is empty, opens the page installed with this program, if any.
    /// The error is a sentence without the path that says why a folder holds no page.
    static Result<PageFiles> open(const std::string& folder);

    bool is_there() const { return !folder_.empty(); }
    const std::string& folder() const { return folder_; }
    /// Returns a file with the headers that let a browser give threads to the page.
    HttpAnswer answer(const HttpQuestion& question, const RequestTarget& target) const;

private:
    std::string folder_;  ///< Empty if no page is installed
};

}  // namespace snapviewer
