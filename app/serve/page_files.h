#pragma once

#include <string>
#include <string_view>

#include "app/serve/http_message.h"
#include "app/serve/served_folder.h"
#include "core/base/addresses.h"
#include "core/base/result.h"

namespace snapviewer::serve {

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

/// Returns the bytes of a file for display: all, the requested range, or compressed with Zstandard if the reader accepts it.
/// `tag` must change with the file: if the request's If-Range header names another tag, the reader gets the whole file.
HttpAnswer bytes_of(const std::string& path, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

/// Returns the bytes of a file as a download under the file's name: all, the requested range, or compressed with Zstandard
/// if the reader accepts it or asks for it. `tag` must change with the file: if the request's If-Range header names another
/// tag, the reader gets the whole file.
HttpAnswer download(const ServedPlace& file, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

}  // namespace snapviewer::serve
