#pragma once

#include "app/features/preferences.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "core/query/database.h"

namespace snapviewer {

/// Fills the rest of the current window with a search field and a card for each saved, recent and ready query. A click puts
/// the query into the input; a click with Ctrl runs it. `database` may be null.
void draw_query_cards(QueryCardsState& state, const Database* database, const Preferences& settings, Requests& requests);

}  // namespace snapviewer
