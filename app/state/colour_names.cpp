#include "app/state/colour_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace snapviewer {
namespace {

constexpr std::array<std::pair<const char*, ColourBy>, 7> k_colour_names = {{{"stack", ColourBy::stack},
                                                                             {"size", ColourBy::size},
                                                                             {"stream", ColourBy::stream},
                                                                             {"pool", ColourBy::pool},
                                                                             {"category", ColourBy::category},
                                                                             {"age", ColourBy::age},
                                                                             {"kind", ColourBy::kind}}};

}  // namespace

const char* colour_name(ColourBy by) {
    return std::ranges::find(k_colour_names, by, &std::pair<const char*, ColourBy>::second)->first;
}

std::vector<std::string> colour_names() {
    std::vector<std::string> names;
    for (const auto& [name, by] : k_colour_names) names.emplace_back(name);
    return names;
}

std::optional<ColourBy> colour_named(std::string_view name) {
    for (const auto& [known, by] : k_colour_names) {
        if (known == name) return by;
    }
    return std::nullopt;
}

}  // namespace snapviewer
