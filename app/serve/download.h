#pragma once

#include <string>
#include <string_view>

#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/addresses.h"

namespace snapviewer {

/// Returns whether an Accept-Encoding header names zstd with a weight (q) above 0 that is not below that of "identity".
bool takes_zstd(std::string_view accepted_encodings);

/// Returns the bytes of a file for display: all, the requested range, or compressed with Zstandard if the reader accepts it.
/// `tag` must change with the file: if the request's If-Range header names another tag, the reader gets the whole file.
HttpAnswer bytes_of(const std::string& path, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

/// Returns the bytes of a file as a download under the file's name: all, the requested range, or compressed with Zstandard
/// if the reader accepts it or asks for it. `tag` must change with the file: if the request's If-Range header names another
/// tag, the reader gets the whole file.
HttpAnswer download(const ServedPlace& file, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

}  // namespace snapviewer
