#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/features/preferences.h"
#include "app/features/query/card_texts.h"
#include "app/features/query/sql_tokens.h"
#include "app/features/requests.h"
#include "core/query/database.h"

namespace snapviewer {

/// The queries to choose from, as they were put together last.
struct QueryCardsState {
    std::string wanted;  ///< what they are searched for
    std::vector<QueryCard> cards;
    std::vector<std::vector<SqlToken>> tokens;  ///< of each one's SQL

    struct Made {  ///< of what they were made
        bool is_made = false;
        std::string wanted;
        std::vector<std::string> saved, history;
    };
    Made made;  ///< to be forgotten when the database is another one
};

/// Fills what is left of the current window: a field to search, and a card for each saved, recent and ready query. A click
/// puts one into the input, with Ctrl it is run. `database` may be null.
void draw_query_cards(QueryCardsState& state, const Database* database, const Preferences& settings, Requests& requests);

}  // namespace snapviewer
