#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// A question everyone has, ready to run.
struct ReadyQuery {
    const char* name;
    const char* text;  ///< what it answers, a sentence
    std::string sql;
    const char* edit;        ///< the part of `sql` to fill in before it is run, or null
    const char* needs = "";  ///< columns that the file must have, as "TABLE.column", separated by spaces
};

/// For any file.
std::span<const ReadyQuery> ready_queries();
/// For files with certain tables, and for two in one connection: what only these can tell. May be none.
std::vector<ReadyQuery> ready_queries_of(std::span<const TableDoc> schema);

}  // namespace snapviewer
