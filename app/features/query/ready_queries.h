#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// A predefined query for a common question.
struct ReadyQuery {
    const char* name;
    const char* text;  ///< the question that the query answers, as a sentence
    std::string sql;
    const char* edit;        ///< part of `sql` that the user should edit before running it, or null
    const char* needs = "";  ///< columns that the file must have, as "TABLE.column", separated by spaces
};

/// Queries that work for any file.
std::span<const ReadyQuery> ready_queries();
/// Queries that need certain tables, or the joint database of two files. Returns those that `schema` supports; may be
/// empty.
std::vector<ReadyQuery> ready_queries_of(std::span<const TableDoc> schema);

}  // namespace snapviewer
