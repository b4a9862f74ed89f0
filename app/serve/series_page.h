#pragma once

#include <string>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// Whether what a folder holds looks like what a recorder writes: samples, or its folder for them. Looks no further.
bool looks_like_series(const std::vector<ServedPlace>& places);

/// What `series` says of a folder: the newest full snapshot, ranks that no longer write, what grows, all ranks; with ?json
/// for programs, and with ?refresh=SECONDS as it becomes.
HttpAnswer series_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target, ServeCommands& commands,
                       const ServeCommands::IsReaderGone& is_reader_gone);

}  // namespace snapviewer
