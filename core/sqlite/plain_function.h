#pragma once

#include <map>
#include <span>
#include <string>

#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {

/// Calls a built-in function of SQLite on a private connection, for functions that replace the built-in one of the same name
/// and therefore cannot call it on their own connection. One thread at a time. A call takes about a microsecond.
class PlainFunction {
public:
    explicit PlainFunction(std::string name) : name_(std::move(name)) {}

    /// Calls the function and sets its result in `context`: a value, including whether a text is JSON, or an error. Values
    /// are limited in length as on the connection of `context`. If `takes_json` is true, values that are JSON are passed to
    /// the function as JSON.
    void answer(sqlite3_context* context, std::span<sqlite3_value*> values, bool takes_json = false);

private:
    sqlite3_stmt* prepared(const std::string& sql);
    std::string call_of(std::span<sqlite3_value*> values, bool takes_json) const;

    std::string name_;
    SqliteConnection connection_;
    std::map<std::string, SqliteStatement> statements_;  ///< prepared statements by their SQL
};

}  // namespace snapviewer
