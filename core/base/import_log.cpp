#include "core/base/import_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {
namespace {

using enum Severity;

constexpr ImportKind k_kinds[] = {
#define IMPORT_KIND(code, severity, what_is_wrong, what_happens) {#code, severity, what_is_wrong, what_happens},
#include "core/base/import_kinds.inc"
#undef IMPORT_KIND
};

/// Maximum size of a code or message. Both may contain keys from the file, which can be of any length.
constexpr std::size_t k_max_detail_bytes = 1000;

}  // namespace

const char* severity_words(Severity severity) { return severity == data_loss ? "data loss" : severity_text(severity); }

const char* severity_text(Severity severity) {
    switch (severity) {
        case info: return "info";
        case notice: return "notice";
        case data_loss: return "data_loss";
    }
    return "";
}

std::span<const ImportKind> import_kinds() { return k_kinds; }
const ImportKind& import_kind(ImportCode code) { return k_kinds[static_cast<std::size_t>(code)]; }

std::string import_codes_markdown() {
    std::string table = "| what is wrong | what happens | severity | code |\n| --- | --- | --- | --- |\n";
    for (const ImportKind& kind : k_kinds) {
        table += fmt::format("| {} | {} | {} | `{}` |\n", kind.what_is_wrong, kind.what_happens,
                             severity_text(kind.severity), kind.name);
    }
    return table;
}

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
    entry.code = shortened(entry.code, k_max_detail_bytes);
    entry.message = shortened(entry.message, k_max_detail_bytes);
    entries_.push_back(std::move(entry));
}

void ImportLog::add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                          std::uint64_t count) {
    name = shortened(name, k_max_detail_bytes);
    const auto known = std::ranges::find(entries_, name, &ImportEntry::code);
    if (known != entries_.end()) {
        known->count += count;
        return;
    }
    entries_.push_back({severity, std::move(name), shortened(message, k_max_detail_bytes), count, offset});
}

}  // namespace snapviewer
