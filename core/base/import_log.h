#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/import_codes.h"

namespace snapviewer {

/// One kind of oddity and how often it came. Texts are cut in the middle where a file's own names make them very long.
struct ImportEntry {
    Severity severity = Severity::info;
    std::string code;                           ///< stable, for scripts: "alloc_on_open_address", "unknown_event_key:colour"
    std::string message;                        ///< for people
    std::uint64_t count = 1;                    ///< how often it happened
    std::optional<std::uint64_t> first_offset;  ///< byte in the file (or event number, as the message says) of the first
};

/// What was odd about a file but did not stop it from opening: a banner in the window, a line on stderr, a table in SQL.
class ImportLog {
public:
    /// Entries with the same code are counted, not repeated; the first offset and message stay.
    void add(ImportCode code, std::string_view message, std::optional<std::uint64_t> offset = std::nullopt,
             std::uint64_t count = 1);
    /// The same about one of several: entries about another key, table or device are entries of their own.
    void add_about(ImportCode code, std::string_view subject, std::string_view message,
                   std::optional<std::uint64_t> offset = std::nullopt, std::uint64_t count = 1);
    /// One that was noted elsewhere, as it is.
    void add(ImportEntry entry);
    const std::vector<ImportEntry>& entries() const { return entries_; }

private:
    void add_named(Severity severity, std::string name, std::string_view message, std::optional<std::uint64_t> offset,
                   std::uint64_t count);

    std::vector<ImportEntry> entries_;
};

}  // namespace snapviewer
