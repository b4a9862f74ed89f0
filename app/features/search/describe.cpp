#include <nlohmann/json.hpp>

#include "app/features/search/slow_search.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

JsonValue search_report(const AppState& state) {
    const SearchState& search = state.search;
    if (!search.is_open) return nullptr;
    const auto place = search.hits ? search.hits->place_of(state.selected()) : std::nullopt;
    return {{"text", search.text},
            {"error", search.error},
            {"waiting", search.is_waiting},
            {"place", place ? JsonValue(*place + 1) : JsonValue(nullptr)},
            {"marked_columns", state.timeline.hit_marks.columns},
            {"stack", search.stack() ? JsonValue(search.stack()->value) : JsonValue(nullptr)},
            {"hits", search.emphasis && !search.is_waiting ? JsonValue(search.emphasis->count()) : JsonValue(nullptr)},
            {"bytes", search.bytes},
            {"peak_bytes", search.at_peak.bytes}};
}

}  // namespace

void SlowSearch::describe(nlohmann::json& report) const { report["search"] = search_report(state_); }

}  // namespace snapviewer
