#include "app/features/timeline/colour_names.h"

#include <algorithm>
#include <array>

namespace snapviewer {
namespace {

constexpr std::array k_ways_of_colouring = {
    Colouring{ColourBy::stack, "stack", "Stack", ""},
    Colouring{ColourBy::size, "size", "Size", ""},
    Colouring{ColourBy::stream, "stream", "Stream", ""},
    Colouring{ColourBy::pool, "pool", "Pool", ""},
    Colouring{ColourBy::category, "category", "Category", ""},
    Colouring{ColourBy::age, "age", "Age", ""},
    Colouring{ColourBy::kind, "kind", "Kind", "Parameters, gradients, activations, ...: what allocations are for"},
    Colouring{ColourBy::module, "module", "Module", "Parts of the model, as its program named them: layers.31.mlp"}};

}  // namespace

std::span<const Colouring> colourings() { return k_ways_of_colouring; }

const char* colour_name(ColourBy by) { return std::ranges::find(k_ways_of_colouring, by, &Colouring::by)->name; }

std::vector<std::string> colour_names() {
    std::vector<std::string> names;
    for (const Colouring& colouring : k_ways_of_colouring) names.emplace_back(colouring.name);
    return names;
}

std::optional<ColourBy> colour_named(std::string_view name) {
    const auto found = std::ranges::find(k_ways_of_colouring, name, &Colouring::name);
    if (found == k_ways_of_colouring.end()) return std::nullopt;
    return found->by;
}

}  // namespace snapviewer
