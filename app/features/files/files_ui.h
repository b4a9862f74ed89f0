#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/state.h"
#include "app/features/requests.h"
#include "app/ui/tooltip.h"
#include "core/base/context.h"
#include "core/base/import_log.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Data for showing the progress of a file that is being loaded.
struct LoadInSight {
    std::string path;
    const Progress* progress = nullptr;  ///< progress of the file; null if no file is being loaded
    bool is_over_picture = false;        ///< true if another document is still visible behind the dialog
    PixelBox covered;
};

/// Draws the progress of loading while there is some: stage, percentage, totals read so far, and a button to cancel. The
/// dialog is small over an open document. It leaves the menu and the tabs uncovered.
void draw_progress_dialog(const LoadInSight& load, Requests& requests);

/// Draws the progress of building another view, such as "segments" or "pools". No-op if `progress` is null.
void draw_build_dialog(const std::string& name, const Progress* progress, Requests& requests);

/// Draws the dialog that reports a file that could not be opened, if there is one. It stays until the user closes it.
void draw_error_dialog(const std::optional<FailedFile>& failed, Requests& requests);

/// Number of entries in the import log that the user should see.
std::size_t notable_entries(const ImportLog& log);

/// Draws a banner above the timeline, such as "3 notes about this file". If the file is truncated, the banner is red and
/// says that first.
void draw_import_log_banner(const Snapshot& snapshot, Requests& requests);
void draw_import_log_window(const ImportLog& log, bool& is_open);

/// Draws the welcome screen, which is shown while no file is open. It explains how to open a file or the sample, if there is
/// one, and how to record a file.
void draw_welcome_view(const std::vector<std::string>& recent_files, bool has_sample, ImFont* title_font,
                       Requests& requests);

/// Draws the text that replaces the timeline for a file without allocations: the actions that are still possible.
void draw_nothing_to_draw(bool has_query_pane, Requests& requests);

}  // namespace snapviewer
