#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"

struct sqlite3;

namespace snapviewer {

/// For the schema browser, the documentation and the tests: what each table and column holds.
struct ColumnDoc {
    std::string name, type, text;
};
/// A table and its columns, in words.
struct TableDoc {
    std::string name, text;  ///< the name as SQL wants it
    std::vector<ColumnDoc> columns;
    bool is_of_file = false;  ///< a table of an attached file, or a view of some
    std::string schema = {};  ///< of a table of an attached file: with it, it has a name of its own, as in "file.orders"
    std::string file = {};    ///< the name of that file
    bool is_empty = false;    ///< of ours, without a row because nothing of an attached file is drawn; not worth offering
};

/// A database whose own tables answer beside ours.
struct AttachedFile {
    std::string schema;  ///< "file"
    std::shared_ptr<SqliteFile> file;
};

/// A table that is a question to the tables of an attached file.
struct SqlView {
    TableDoc doc;
    std::string select;  ///< one SELECT statement; names the file's tables as file.NAME
};

/// Makes the tables of an open file tables of a connection that was opened with SQLITE_OPEN_URI: under their own names where
/// no table that was there before has that name, and always as SCHEMA.NAME. Reads them in place.
Status attach_file(sqlite3* connection, const AttachedFile& attached);

/// Makes views of attached files. Those that SQLite refuses are an error.
Status create_views(sqlite3* connection, const std::vector<SqlView>& views);

/// What the file's tables and columns are called; with the schema in front where one of the tables `before` it has the same
/// name.
std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before);

}  // namespace snapviewer
