#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/base/keyed_hash.h"
#include "core/base/plain_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// The pages that a journal beside a database holds. SQLite would apply them itself, but it also opens and deletes files
/// that a rollback journal names, and a stranger may have written the name.
struct JournalPages {
    std::uint32_t page_bytes = 0;
    std::uint32_t page_count = 0;  ///< of the database with these pages in place
    /// Page number, from 1 -> where its bytes lie in the journal.
    std::unordered_map<std::uint32_t, std::uint64_t, KeyedHash> places;
};

/// What a `-journal` holds: the pages that an unfinished change has to give back. Nullopt where SQLite would not use it. An
/// error where it names another file, as that of a change of several databases at once does: whether such a change was
/// finished cannot be known without looking for that file. `progress` may be null.
Result<std::optional<JournalPages>> read_rollback_journal(const PlainFile& journal, Progress* progress);

/// What a `-wal` holds: the newest version of each page up to the last finished change. Nullopt where it holds none.
Result<std::optional<JournalPages>> read_wal(const PlainFile& wal, Progress* progress);

}  // namespace snapviewer
