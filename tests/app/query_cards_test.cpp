#include "app/features/query/ready_queries.h"

#include <gtest/gtest.h>

namespace snapviewer::query_cards_test {
namespace {

using Texts = std::vector<std::string>;
using Source = query::QueryCard::Source;

Texts names_of(Source source, const Texts& saved, const Texts& history, std::string_view wanted) {
    Texts names;
    for (const query::QueryCard& card : query::query_cards(saved, history, {}, wanted)) {
        if (card.source == source) names.push_back(card.name.empty() ? card.sql : card.name);
    }
    return names;
}

TEST(QueryCards, AreTheSavedThoseOfTheHistoryAndTheReadyOnes) {
    const Texts saved = {"-- mine\nSELECT 1"};
    const Texts history = {"SELECT 2", "SELECT 3", "-- mine\nSELECT 1"};
    EXPECT_EQ(names_of(Source::saved, saved, history, ""), (Texts{"mine"}));
    EXPECT_EQ(names_of(Source::history, saved, history, ""), (Texts{"SELECT 3", "SELECT 2"})) << "newest first, none twice";
    EXPECT_EQ(names_of(Source::ready, saved, history, "").size(), query::ready_queries().size());
}

TEST(QueryCards, AReadyQueryKeepsItsNameWhereItIsSaved) {
    const std::string sql = query::ready_queries().front().sql;
    const std::string name = query::ready_queries().front().name;
    EXPECT_EQ(names_of(Source::saved, {sql}, {sql}, ""), (Texts{name}));
    EXPECT_TRUE(names_of(Source::history, {}, {sql}, "").empty()) << "it stands among the ready ones";
    EXPECT_EQ(names_of(Source::ready, {sql}, {}, "").size(), query::ready_queries().size() - 1);
    EXPECT_EQ(query::query_name(sql), name);
}

TEST(QueryCards, AreFoundByAllTheirWords) {
    const Texts history = {"SELECT size FROM allocs", "SELECT text FROM stacks"};
    EXPECT_EQ(names_of(Source::history, {}, history, "STACKS  select"), (Texts{"SELECT text FROM stacks"}));
    EXPECT_TRUE(names_of(Source::history, {}, history, "stacks size").empty());
    EXPECT_EQ(names_of(Source::ready, {}, history, "hundred largest"), (Texts{"Largest allocations"})) << "by its sentence";
}

TEST(QueryCards, SayWhereTheNameEnds) {
    const query::QueryCard card = query::query_cards(Texts{" -- mine\nSELECT 1"}, {}, {}, "").front();
    EXPECT_EQ(card.name, "mine");
    EXPECT_EQ(card.sql.substr(card.named_end), "SELECT 1");
    EXPECT_EQ(query::query_cards(Texts{"SELECT 1"}, {}, {}, "").front().named_end, 0U);
}

TEST(QueryCards, SayWhatIsToBeFilledIn) {
    for (const query::QueryCard& card : query::query_cards({}, {}, {}, "")) {
        const bool has_gap = card.name == "Stacks containing ...";
        EXPECT_EQ(card.sql.substr(card.edit_begin, card.edit_end - card.edit_begin), has_gap ? "forward" : "") << card.name;
    }
}

}  // namespace
}  // namespace snapviewer::query_cards_test
