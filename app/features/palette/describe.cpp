#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/palette/palette.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

JsonValue palette_report(const PaletteState& palette) {
    if (!palette.is_open) return nullptr;
    JsonValue matches = JsonValue::array();
    for (std::size_t i = 0; i < std::min(palette.matches.size(), k_reported_rows); ++i)
        matches.push_back({{"kind", palette.matches[i]->kind}, {"words", palette.matches[i]->words}});
    return {{"typed", palette.typed},
            {"chosen", palette.chosen},
            {"has_stacks", palette.has_stacks},
            {"first_matches", matches}};
}

}  // namespace

void PaletteFiller::describe(nlohmann::json& report) const { report["palette"] = palette_report(state_.palette); }

}  // namespace snapviewer
