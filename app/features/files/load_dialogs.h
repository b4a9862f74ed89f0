#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/features/files/state.h"
#include "app/features/requests.h"
#include "app/ui/tooltip.h"
#include "core/base/import_log.h"
#include "core/base/progress.h"
#include "core/trace/snapshot.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// What is known of a file on its way.
struct LoadInSight {
    std::string path;
    const Progress* progress = nullptr;  ///< null while there is nothing to wait for
    bool is_over_picture = false;        ///< of what is still open
    PixelBox covered;
    GrowingPictureState& growing;
    TimelineCanvas* canvas = nullptr;  ///< with which `growing` can be drawn; null while it cannot
};

/// Stage, percentage, what was read so far and a way out, while there is progress: the totals at first, then a picture.
/// Small over a picture, until it has one of its own. It covers a part of the window: menu and tabs stay within reach.
void draw_progress_dialog(const LoadInSight& load, Requests& requests);

/// While a picture of "segments" or "pools" is being made, unless `progress` is null.
void draw_build_dialog(const std::string& name, const Progress* progress, Requests& requests);

/// Stays until the user has read it, while there is something to read.
void draw_error_dialog(const std::optional<FailedFile>& failed, Requests& requests);

/// How many entries of the import log deserve the user's eye.
std::size_t notable_entries(const ImportLog& log);

/// A slim line above the timeline: "3 notes about this file"; red where the file is cut off, and says so first.
void draw_import_log_banner(const Snapshot& snapshot, Requests& requests);
void draw_import_log_window(const ImportLog& log, bool& is_open);

}  // namespace snapviewer
