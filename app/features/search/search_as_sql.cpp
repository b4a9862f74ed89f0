#include "app/features/search/search_as_sql.h"

#include "core/query/search_sql.h"

namespace snapviewer {

std::string why_no_search_sql(const AppState& state) {
    const SearchState& search = state.search;
    if (!search.error.empty()) return "Not as SQL: " + search.error;
    if (state.current_timeline() == nullptr || search.terms.empty()) return "Only a typed search can be shown as SQL";
    if (state.current_kind() != ViewKind::allocations)
        return "The tables are about allocations; switch to them first (Picture > Allocations)";
    return {};
}

Result<std::string> search_as_sql(const AppState& state) {
    return search_sql(state.search.terms, *state.current_timeline(), state.device_index);
}

}  // namespace snapviewer
