#pragma once

#include <span>
#include <string_view>

namespace snapviewer {

/// A question everyone has, ready to run.
struct ReadyQuery {
    const char* name;
    const char* text;  ///< what it answers, a sentence
    const char* sql;
    const char* edit;  ///< the part of `sql` to fill in before it is run, or null
};

/// For any file.
std::span<const ReadyQuery> ready_queries();
/// For files of one kind (Snapshot::kind) alone, about tables that only they have; may be none.
std::span<const ReadyQuery> ready_queries_of(std::string_view kind);

}  // namespace snapviewer
