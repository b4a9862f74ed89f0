#pragma once

#include <string>

#include "app/serve/answers.h"
#include "app/serve/commands.h"
#include "app/serve/http_peer.h"
#include "app/serve/served_folder.h"
#include "core/base/request_target.h"

namespace snapviewer {

/// What is in a folder: the newest first, or by ?sort=name and ?sort=size; with ?json for programs.
HttpAnswer folder_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target);

/// What `fleet` says of a folder's files, with ?json likewise.
HttpAnswer fleet_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                      const RequestTarget& target, ServeCommands& commands,
                      const ServeCommands::IsReaderGone& is_reader_gone);

}  // namespace snapviewer
