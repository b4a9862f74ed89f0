#include <nlohmann/json.hpp>

#include "app/features/address_map/address_maps.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

JsonValue address_map_report(const AppState& state) {
    if (!state.shows_address_map()) return nullptr;
    const AddressMapState& map = state.address_map;
    JsonValue hole = nullptr;
    if (map.hole) {
        hole = {{"begin", map.hole->hole.begin},
                {"end", map.hole->hole.end},
                {"pins", map.hole->pins},
                {"sentences", map.hole->sentences}};
    }
    return {{"why_empty", map.why_empty},
            {"moment", map.moment},
            {"held", map.is_held},
            {"title", map.title},
            {"segments", map.at.ranges.size()},
            {"blocks", map.at.blocks.size()},
            {"reserved", map.at.reserved_bytes},
            {"groups", map.group_names},
            {"lines", map.map.lines.size()},
            {"hole", std::move(hole)}};
}

}  // namespace

void AddressMaps::describe(nlohmann::json& report) const { report["address_map"] = address_map_report(state_); }

}  // namespace snapviewer
