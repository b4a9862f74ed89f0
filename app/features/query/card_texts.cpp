#include "app/features/query/card_texts.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "app/features/query/ready_queries.h"
#include "app/features/query/sql_tokens.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

std::vector<QueryCard> ready_cards(std::span<const TableDoc> schema) {
    std::vector<QueryCard> cards;
    const auto add = [&](const ReadyQuery& query) {
        QueryCard card{QueryCard::Source::ready, query.name, query.text, query.sql};
        if (query.edit != nullptr) {
            card.edit_begin = query.sql.find(query.edit);
            card.edit_end = card.edit_begin + std::string_view(query.edit).size();
        }
        cards.push_back(std::move(card));
    };
    for (const ReadyQuery& query : ready_queries_of(schema)) add(query);
    for (const ReadyQuery& query : ready_queries()) add(query);
    return cards;
}

QueryCard card_of(const std::string& sql, QueryCard::Source source, std::span<const QueryCard> ready) {
    const auto known = std::ranges::find(ready, sql, &QueryCard::sql);
    if (known == ready.end()) {
        QueryCard card{source, sql_comment(sql), "", sql};
        if (!card.name.empty()) card.named_end = past_sql_comment(sql, sql.find_first_of("-/"));
        return card;
    }
    QueryCard card = *known;
    card.source = source;
    return card;
}

bool has_all_words(const QueryCard& card, std::string_view wanted) {
    const std::string text = lower_case(card.name + '\n' + card.text + '\n' + card.sql);
    std::size_t begin = 0;
    while ((begin = wanted.find_first_not_of(' ', begin)) != wanted.npos) {
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        if (text.find(lower_case(wanted.substr(begin, end - begin))) == text.npos) return false;
        begin = end;
    }
    return true;
}

}  // namespace

std::vector<QueryCard> query_cards(std::span<const std::string> saved, std::span<const std::string> history,
                                   std::span<const TableDoc> schema, std::string_view wanted) {
    const std::vector<QueryCard> ready = ready_cards(schema);
    std::vector<QueryCard> cards;
    std::unordered_set<std::string> seen;
    const auto add = [&](const QueryCard& card) {
        if (seen.insert(card.sql).second && has_all_words(card, wanted)) cards.push_back(card);
    };
    for (const std::string& sql : saved) add(card_of(sql, QueryCard::Source::saved, ready));
    // A ready query that was run is listed with the ready queries, not in the history.
    for (auto sql = history.rbegin(); sql != history.rend(); ++sql) {
        if (std::ranges::find(ready, *sql, &QueryCard::sql) == ready.end())
            add(card_of(*sql, QueryCard::Source::history, ready));
    }
    for (const QueryCard& card : ready) add(card);
    return cards;
}

std::string query_name(std::string_view sql) {
    for (const ReadyQuery& query : ready_queries()) {
        if (query.sql == sql) return query.name;
    }
    return sql_title(sql);
}

const char* card_source_word(QueryCard::Source source) {
    constexpr std::array k_words = {"saved", "history", "ready"};
    return k_words[static_cast<std::size_t>(source)];
}

}  // namespace snapviewer
