#include "core/base/import_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/text.h"

namespace snapviewer {

const char* severity_words(Severity severity) {
    return severity == Severity::data_loss ? "data loss" : severity_text(severity);
}

const char* severity_text(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::notice: return "notice";
        case Severity::data_loss: return "data_loss";
    }
    return "";
}

std::string import_codes_markdown() {
    std::string table = "| what is wrong | what happens | severity | code |\n| --- | --- | --- | --- |\n";
    for (const ImportKind& kind : k_import_kinds) {
        table += fmt::format("| {} | {} | {} | `{}` |\n", kind.what_is_wrong, kind.what_happens,
                             severity_text(kind.severity), kind.name);
    }
    return table;
}

namespace {

/// Maximum size of a code or message. Both may contain keys from the file, which can be of any length.
constexpr std::size_t k_max_detail_bytes = 1000;

/// Replaces each {} of a message by a value.
std::string filled(std::string_view message, std::initializer_list<ImportValue> values) {
    std::string text;
    for (const ImportValue& value : values) {
        const std::size_t place = message.find("{}");
        assert(place != message.npos);
        text.append(message.substr(0, place)).append(value.text);
        message.remove_prefix(place + 2);
    }
    assert(message.find("{}") == message.npos);
    return text.append(message);
}

}  // namespace

void ImportLog::add(ImportCode code, const ImportPlace& place, std::initializer_list<ImportValue> values) {
    std::string name(code.kind->name);
    if (place.subject) name.append(":").append(*place.subject);
    name = shortened(name, k_max_detail_bytes);
    const auto known = std::ranges::find(entries_, name, &ImportEntry::code);
    if (known != entries_.end()) {
        known->count += place.count;
    } else {
        add({code.kind->severity, std::move(name), filled(code.kind->message, values), place.count, place.offset});
    }
}

void ImportLog::add(ImportEntry entry) {
    entry.code = shortened(entry.code, k_max_detail_bytes);
    entry.message = shortened(entry.message, k_max_detail_bytes);
    entries_.push_back(std::move(entry));
}

}  // namespace snapviewer
