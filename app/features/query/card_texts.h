#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// A query to choose.
struct QueryCard {
    enum class Source : std::uint8_t { saved, history, ready };
    Source source = Source::ready;
    std::string name;  ///< empty where nobody gave it one
    std::string text;  ///< what it answers; empty where nobody said
    std::string sql;
    std::size_t named_end = 0;                 ///< byte of `sql` up to which it says nothing but the name
    std::size_t edit_begin = 0, edit_end = 0;  ///< bytes of `sql` to fill in before it is run; none where equal
    bool operator==(const QueryCard&) const = default;
};

/// The saved ones, those of the history (newest first) and the ready ones that this schema answers, each once: those that
/// have every word of `wanted` in name, text or SQL, letters of either case.
std::vector<QueryCard> query_cards(std::span<const std::string> saved, std::span<const std::string> history,
                                   std::span<const TableDoc> schema, std::string_view wanted);

/// What a tab calls a query: as the ready query for any file that it is, by the comment that it begins with, or its first
/// words.
std::string query_name(std::string_view sql);

/// "saved", "history", "ready".
const char* card_source_word(QueryCard::Source source);

}  // namespace snapviewer
