#include "core/base/import_log.h"

#include <algorithm>
#include <utility>

namespace snapviewer {

void ImportLog::add(FindingCode code, std::string_view message, std::optional<std::uint64_t> offset, std::uint64_t count) {
    const FindingKind& kind = finding_kind(code);
    add_named(kind.severity, std::string(kind.name), message, offset, count);
}

void ImportLog::add_about(FindingCode code, std::string_view subject, std::string_view message,
                          std::optional<std::uint64_t> offset, std::uint64_t count) {
    const FindingKind& kind = finding_kind(code);
    add_named(kind.severity, std::string(kind.name).append(":").append(subject), message, offset, count);
}

void ImportLog::add(ImportFinding finding) { findings_.push_back(std::move(finding)); }

void ImportLog::add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                          std::uint64_t count) {
    const auto known = std::ranges::find(findings_, name, &ImportFinding::code);
    if (known != findings_.end()) {
        known->count += count;
        return;
    }
    findings_.push_back({severity, std::move(name), std::string(message), count, offset});
}

}  // namespace snapviewer
