#pragma once

#include <string>

#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// The bytes of a file: as they are, a part of them, or packed with Zstandard where the reader takes that or asks for it.
/// `tag` is another one when the file has changed, of which nobody wants the rest then.
HttpAnswer download(const ServedPlace& file, const HttpQuestion& question, const std::string& tag,
                    const RequestTarget& target);

}  // namespace snapviewer
