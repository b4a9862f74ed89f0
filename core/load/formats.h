#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/input.h"
#include "core/load/load.h"

namespace snapviewer {

/// A kind of file that snapviewer reads. All formats are rows of one table in formats.cpp. A new format needs a reader and a
/// row there. The row is enough for load_file() to recognise it, for the file dialog to offer it, and for README.md to list
/// it.
struct Format {
    std::string_view name;  ///< Description of the format in README.md
    std::string_view kept;  ///< Contents that snapviewer shows, also for README.md
    /// Usual file name extensions, separated by spaces. Only the file dialog uses them, because formats are recognised by
    /// their bytes.
    std::string_view endings;
    /// Returns true if `input` has this format. Throws Failure if `input` has this format but cannot be opened, such as a
    /// damaged zip.
    bool (*looks_like)(const Input& input);
    /// Reads `input` into `loaded`, which must be empty. Throws Failure.
    void (*read)(const Input& input, LoadedFile& loaded);
};

/// Returns all formats in the order in which they are tried.
std::span<const Format> formats();

/// Reads `input` with the first format that recognises it. Throws Failure, also if no format does.
void read_input(const Input& input, LoadedFile& loaded);

/// Returns the table of formats that README.md contains, as Markdown.
std::string formats_markdown();

}  // namespace snapviewer
