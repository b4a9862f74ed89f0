#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/state/requests.h"
#include "app/window/tooltip.h"
#include "core/base/import_log.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// A file that could not be opened, and why.
struct FailedFile {
    std::string path;
    Error error;
};

/// Stage, percentage, the totals found so far and a way out, while `progress` is not null. Small over a picture. It covers
/// a part of the window: menu and tabs stay within reach.
void draw_progress_dialog(const std::string& path, const Progress* progress, bool is_small, const PixelBox& covered,
                          Requests& requests);

/// While a picture of "segments" or "pools" is being made, unless `progress` is null.
void draw_build_dialog(const std::string& name, const Progress* progress, Requests& requests);

/// Stays until the user has read it, while there is something to read.
void draw_error_dialog(const std::optional<FailedFile>& failed, Requests& requests);

/// How many entries of the import log deserve the user's eye.
std::size_t notable_entries(const ImportLog& log);

/// A slim line above the timeline: "3 notes about this file".
void draw_import_log_banner(const ImportLog& log, Requests& requests);
void draw_import_log_window(const ImportLog& log, bool& is_open);

}  // namespace snapviewer
