#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/requests.h"
#include "core/query/database.h"

namespace snapviewer::query {

/// A predefined query for a common question.
struct ReadyQuery {
    const char* name;
    const char* text;  ///< the question that the query answers, as a sentence
    std::string sql;
    const char* needs = "";      ///< columns that the file must have, as "TABLE.column", separated by spaces
    const char* edit = nullptr;  ///< part of `sql` that the user should edit before running it, or null
};

/// Queries that work for any file.
std::span<const ReadyQuery> ready_queries();
/// Queries that need certain tables, or the joint database of two files. Returns those that `schema` supports; may be
/// empty.
std::vector<ReadyQuery> ready_queries_of(std::span<const sqlite::TableDoc> schema);

/// A query that the user can choose from a list.
struct QueryCard {
    enum class Source : std::uint8_t { saved, history, ready };
    Source source = Source::ready;
    std::string name;  ///< name of a ready query, or the comment that the SQL starts with; empty if there is neither
    std::string text;  ///< the question that the query answers; empty if unknown
    std::string sql;
    /// end of the leading comment in `sql`, as a byte offset; it only repeats the name
    std::size_t named_end = 0;
    /// byte range of `sql` that the user should edit before running it; empty if equal
    std::size_t edit_begin = 0, edit_end = 0;
    bool operator==(const QueryCard&) const = default;
};

/// The ready queries that this schema supports: those that need certain tables first.
std::vector<QueryCard> ready_cards(std::span<const sqlite::TableDoc> schema);

/// The request that puts a query into the pane, and runs it if `runs`. If the query has a part that the user should edit,
/// the request only selects that part.
PutQuery put_card(const QueryCard& card, bool runs);

/// Returns the saved queries, the history (newest first) and the ready queries that this schema supports, without
/// duplicates. A query is included if its name, text or SQL contains every word of `wanted`, ignoring case.
std::vector<QueryCard> query_cards(std::span<const std::string> saved, std::span<const std::string> history,
                                   std::span<const sqlite::TableDoc> schema, std::string_view wanted);

/// Returns the name of a query for its tab: the name of the ready query with the same SQL, else its leading comment, else
/// its first words.
std::string query_name(std::string_view sql);

/// Name of a source: "saved", "history", "ready".
const char* card_source_word(QueryCard::Source source);

}  // namespace snapviewer::query
