#include "app/system/crash_report.h"

namespace snapviewer {

/// No-op: the browser reports crashes in its console.
void report_crashes(const std::filesystem::path& /*folder*/) {}

}  // namespace snapviewer
