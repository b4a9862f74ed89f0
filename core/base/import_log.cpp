#include "core/base/import_log.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// A file's keys are in there, and are as long as it likes.
constexpr std::size_t k_most_bytes = 1000;

}  // namespace

void ImportLog::add(FindingCode code, std::string_view message, std::optional<std::uint64_t> offset, std::uint64_t count) {
    const FindingKind& kind = finding_kind(code);
    add_named(kind.severity, std::string(kind.name), message, offset, count);
}

void ImportLog::add_about(FindingCode code, std::string_view subject, std::string_view message,
                          std::optional<std::uint64_t> offset, std::uint64_t count) {
    const FindingKind& kind = finding_kind(code);
    add_named(kind.severity, std::string(kind.name).append(":").append(subject), message, offset, count);
}

void ImportLog::add(ImportFinding finding) {
    finding.code = shortened(finding.code, k_most_bytes);
    finding.message = shortened(finding.message, k_most_bytes);
    findings_.push_back(std::move(finding));
}

void ImportLog::add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                          std::uint64_t count) {
    name = shortened(name, k_most_bytes);
    const auto known = std::ranges::find(findings_, name, &ImportFinding::code);
    if (known != findings_.end()) {
        known->count += count;
        return;
    }
    findings_.push_back({severity, std::move(name), shortened(message, k_most_bytes), count, offset});
}

}  // namespace snapviewer
