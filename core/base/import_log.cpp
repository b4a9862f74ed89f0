#include "core/base/import_log.h"

#include <algorithm>

namespace snapviewer {

const char* severity_text(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::notice: return "notice";
        case Severity::data_loss: return "data_loss";
        case Severity::error: return "error";
    }
    return "";
}

void ImportLog::add(Severity severity, std::string_view code, std::string_view message, std::optional<std::uint64_t> offset,
                    std::uint64_t count) {
    const auto known =
        std::find_if(findings_.begin(), findings_.end(), [&](const ImportFinding& f) { return f.code == code; });
    if (known != findings_.end()) {
        known->count += count;
        return;
    }
    findings_.push_back({severity, std::string(code), std::string(message), count, offset});
}

}  // namespace snapviewer
