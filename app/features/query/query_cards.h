#pragma once

#include "app/features/preferences.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "core/query/database.h"

namespace snapviewer {

/// Fills what is left of the current window: a field to search, and a card for each saved, recent and ready query. A click
/// puts one into the input, with Ctrl it is run. `database` may be null.
void draw_query_cards(QueryCardsState& state, const Database* database, const Preferences& settings, Requests& requests);

}  // namespace snapviewer
