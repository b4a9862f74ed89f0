#include "app/system/crash_report.h"

namespace snapviewer {

/// What goes wrong in a page the browser reports, in its console.
void report_crashes(const std::filesystem::path& /*folder*/) {}

}  // namespace snapviewer
