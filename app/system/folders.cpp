#include "app/system/folders.h"

#include <system_error>

#include "core/system/processes.h"

namespace snapviewer {

std::filesystem::path installed_file(std::string_view name) {
    const std::filesystem::path program = program_path();
    // In a browser the program is not a file; app/web/page.js stores the installed files under /installed.
    const std::filesystem::path folder = program.empty() ? "/installed/bin" : program.parent_path();
    for (const std::filesystem::path& place : {folder.parent_path() / "share" / "snapviewer" / name, folder / name}) {
        std::error_code ignored;
        if (std::filesystem::exists(place, ignored)) return place;
    }
    return {};
}

}  // namespace snapviewer
