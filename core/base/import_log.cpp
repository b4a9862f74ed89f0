#include "core/base/import_log.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Maximum size of a code or message. Both may contain keys from the file, which can be of any length.
constexpr std::size_t k_most_detail_bytes = 1000;

}  // namespace

void ImportLog::add(ImportCode code, std::string_view message, std::optional<std::uint64_t> offset, std::uint64_t count) {
    const ImportKind& kind = import_kind(code);
    add_named(kind.severity, std::string(kind.name), message, offset, count);
}

void ImportLog::add_about(ImportCode code, std::string_view subject, std::string_view message,
                          std::optional<std::uint64_t> offset, std::uint64_t count) {
    const ImportKind& kind = import_kind(code);
    add_named(kind.severity, std::string(kind.name).append(":").append(subject), message, offset, count);
}

void ImportLog::add(ImportEntry entry) {
    entry.code = shortened(entry.code, k_most_detail_bytes);
    entry.message = shortened(entry.message, k_most_detail_bytes);
    entries_.push_back(std::move(entry));
}

void ImportLog::add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                          std::uint64_t count) {
    name = shortened(name, k_most_detail_bytes);
    const auto known = std::ranges::find(entries_, name, &ImportEntry::code);
    if (known != entries_.end()) {
        known->count += count;
        return;
    }
    entries_.push_back({severity, std::move(name), shortened(message, k_most_detail_bytes), count, offset});
}

}  // namespace snapviewer
