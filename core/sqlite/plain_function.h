#pragma once

#include <map>
#include <span>
#include <string>

#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {

/// One of SQLite's own functions, on a connection of its own: a function that takes the place of another cannot call that.
/// One thread at a time. A microsecond a call.
class PlainFunction {
public:
    explicit PlainFunction(std::string name) : name_(std::move(name)) {}

    /// Gives `context` what SQLite answers, an error and whether a text is JSON included, under the limit for the length of
    /// values that the connection of `context` has. For values that are JSON themselves `takes_json` says whether the
    /// function wants to know.
    void answer(sqlite3_context* context, std::span<sqlite3_value*> values, bool takes_json = false);

private:
    sqlite3_stmt* prepared(const std::string& sql);
    std::string call_of(std::span<sqlite3_value*> values, bool takes_json) const;

    std::string name_;
    SqliteConnection connection_;
    std::map<std::string, SqliteStatement> statements_;  ///< by what they say
};

}  // namespace snapviewer
