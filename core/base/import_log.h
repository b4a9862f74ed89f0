#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Severity of an entry of the import log, from "good to know" to "part of the file is not shown".
enum class Severity : std::uint8_t { info, notice, data_loss };

const char* severity_text(Severity severity);   ///< name in JSON and SQL: "info", "notice", "data_loss"
const char* severity_words(Severity severity);  ///< name for users: "info", "notice", "data loss"

/// Anomalies of a file that do not prevent it from opening. import_kinds() has a row for each.
enum class ImportCode : std::uint8_t {
#define IMPORT_KIND(code, ...) code,
#include "core/base/import_kinds.inc"
#undef IMPORT_KIND
};

/// Description of an ImportCode, for the log, the documentation and the tests.
struct ImportKind {
    std::string_view name;  ///< stable name for scripts: "alloc_on_open_address"
    Severity severity;
    std::string_view what_is_wrong;  ///< the anomaly: "an allocation at an address that is still in use"
    std::string_view what_happens;   ///< how it is handled: "both are shown, the older one up to the end"
};

/// One row for each ImportCode, in the order of the enumeration. docs/formats.md lists them.
std::span<const ImportKind> import_kinds();
const ImportKind& import_kind(ImportCode code);

/// Returns import_kinds() as a Markdown table.
std::string import_codes_markdown();

/// One kind of anomaly and its number of occurrences. Code and message are shortened in the middle if names from the file
/// make them very long.
struct ImportEntry {
    Severity severity = Severity::info;
    std::string code;         ///< stable, for scripts: "bad_device", "unknown_event_key:colour"
    std::string message;      ///< message for users
    std::uint64_t count = 1;  ///< number of occurrences
    /// Byte offset in the file of the first occurrence, or an event number if the message says so.
    std::optional<std::uint64_t> first_offset;
};

/// The anomalies of a file that did not prevent it from opening. Shown as a banner in the window, as lines on stderr and as
/// a table in SQL.
class ImportLog {
public:
    /// Adds an anomaly. Entries with the same code are merged: their counts are added, and the first offset and message are
    /// kept.
    void add(ImportCode code, std::string_view message, std::optional<std::uint64_t> offset = std::nullopt,
             std::uint64_t count = 1);
    /// Adds an anomaly that concerns one key, table or device. Each `subject` gets an entry of its own, with the code
    /// "CODE:subject".
    void add_about(ImportCode code, std::string_view subject, std::string_view message,
                   std::optional<std::uint64_t> offset = std::nullopt, std::uint64_t count = 1);
    /// Appends a complete entry, for example one from another log, without merging it.
    void add(ImportEntry entry);
    const std::vector<ImportEntry>& entries() const { return entries_; }

private:
    void add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                   std::uint64_t count);

    std::vector<ImportEntry> entries_;
};

}  // namespace snapviewer
