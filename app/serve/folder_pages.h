#pragma once

#include <string>
#include <vector>

#include "app/serve/answers.h"
#include "app/serve/http_message.h"
#include "app/serve/served_folder.h"
#include "core/base/addresses.h"

namespace snapviewer::serve {

/// Returns the result of `series` for a folder: the newest full snapshot, ranks that have stopped writing, growth, and all
/// ranks. ?json returns JSON; with ?refresh=SECONDS the page reloads itself.
HttpAnswer series_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target, ServeCommands& commands,
                       const ServeCommands::IsReaderGone& is_reader_gone);

/// Returns the page of a folder: its contents, newest first, or sorted by ?sort=name and ?sort=size; as JSON with ?json.
HttpAnswer folder_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                       const RequestTarget& target);

/// Returns the result of `fleet` for the files of a folder; as JSON with ?json.
HttpAnswer fleet_page(const ServedFolder& served, const std::string& root_name, const ServedPlace& folder,
                      const RequestTarget& target, ServeCommands& commands,
                      const ServeCommands::IsReaderGone& is_reader_gone);

}  // namespace snapviewer::serve
