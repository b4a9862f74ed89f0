#pragma once

#include <string>
#include <string_view>

#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// Whether an Accept-Encoding header names zstd with a weight (q) above 0 that is not below that of "identity".
bool takes_zstd(std::string_view accepted_encodings);

/// The bytes of a file, to be shown: as they are, a part of them, or packed with Zstandard where the reader takes that.
/// `tag` as below.
HttpAnswer bytes_of(const std::string& path, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

/// The same, to be saved under the file's name: as they are, a part of them, or packed with Zstandard where the reader takes
/// that or asks for it. `tag` is another one when the file has changed, of which nobody wants the rest then.
HttpAnswer download(const ServedPlace& file, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

}  // namespace snapviewer
