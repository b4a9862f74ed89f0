#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"

struct sqlite3;

namespace snapviewer {

/// Description of a column, for the schema browser, the documentation and the tests.
struct ColumnDoc {
    std::string name, type, text;
};
/// Description of a table and its columns.
struct TableDoc {
    std::string name, text;  ///< the name as written in SQL, with quotes if necessary
    std::vector<ColumnDoc> columns;
    bool is_of_file = false;  ///< true for a table of an attached file, or a view of such tables
    /// Schema of a table of an attached file. SCHEMA.NAME is unambiguous: "file.orders".
    std::string schema = {};
    std::string file = {};  ///< name of the attached file
    /// True for a table of snapviewer that has no rows because nothing of an attached file is drawn. Not worth showing.
    bool is_empty = false;
};

/// A database that is attached to a connection, so that its tables can be queried beside those of snapviewer.
struct AttachedFile {
    std::string schema;  ///< schema name in SQL, such as "file"
    std::shared_ptr<SqliteFile> file;
};

/// A view of the tables of an attached file.
struct SqlView {
    TableDoc doc;
    std::string select;  ///< one SELECT statement that refers to the file's tables as file.NAME
};

/// Attaches an open file to a connection, which must have been opened with SQLITE_OPEN_URI. Its tables can be queried as
/// SCHEMA.NAME, and as NAME unless the connection already has a table of that name. The tables are read in place.
Status attach_file(sqlite3* connection, const AttachedFile& attached);

/// Creates views of attached files. Returns an error if SQLite refuses one.
Status create_views(sqlite3* connection, const std::vector<SqlView>& views);

/// Describes the tables and columns of an attached file. A table name gets the schema as a prefix if one of the tables
/// `before` has the same name.
std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before);

}  // namespace snapviewer
