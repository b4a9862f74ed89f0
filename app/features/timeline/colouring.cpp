#include "app/features/timeline/colouring.h"

#include <algorithm>
#include <array>

namespace snapviewer {
namespace {

constexpr std::array k_ways_of_colouring = {Colouring{mesh::ColourBy::stack, "stack", CommandId::colour_stack, ""},
                                            Colouring{mesh::ColourBy::size, "size", CommandId::colour_size, ""},
                                            Colouring{mesh::ColourBy::stream, "stream", CommandId::colour_stream, ""},
                                            Colouring{mesh::ColourBy::pool, "pool", CommandId::colour_pool, ""},
                                            Colouring{mesh::ColourBy::category, "category", CommandId::colour_category, ""},
                                            Colouring{mesh::ColourBy::age, "age", CommandId::colour_age, ""},
                                            Colouring{mesh::ColourBy::kind, "kind", CommandId::colour_kind,
                                                      "Parameters, gradients, activations, ...: what allocations are for"},
                                            Colouring{mesh::ColourBy::module, "module", CommandId::colour_module,
                                                      "Parts of the model, as its program named them: layers.31.mlp"}};

}  // namespace

std::span<const Colouring> colourings() { return k_ways_of_colouring; }

const char* colour_name(mesh::ColourBy by) { return std::ranges::find(k_ways_of_colouring, by, &Colouring::by)->name; }

std::vector<std::string> colour_names() {
    std::vector<std::string> names;
    for (const Colouring& colouring : k_ways_of_colouring) names.emplace_back(colouring.name);
    return names;
}

std::optional<mesh::ColourBy> colour_named(std::string_view name) {
    const auto found = std::ranges::find(k_ways_of_colouring, name, &Colouring::name);
    if (found == k_ways_of_colouring.end()) return std::nullopt;
    return found->by;
}

namespace {

constexpr std::uint32_t k_unlisted = 0xFFFFFFFF;

std::uint32_t kind_colour(kinds::AllocationKind kind) {
    switch (kind) {
        case kinds::AllocationKind::parameter: return mesh::category_colour("weight", 0);
        case kinds::AllocationKind::gradient: return mesh::category_colour("gradient", 0);
        case kinds::AllocationKind::activation: return mesh::category_colour("activation", 0);
        case kinds::AllocationKind::optimizer_state: return mesh::group_colour(3);
        case kinds::AllocationKind::temporary: return mesh::group_colour(4);
        case kinds::AllocationKind::communication: return mesh::group_colour(1);
        case kinds::AllocationKind::workspace: return mesh::group_colour(5);
        case kinds::AllocationKind::before_recording: return mesh::slate_colour();
        case kinds::AllocationKind::unknown: return mesh::grey_colour();
    }
    return mesh::grey_colour();
}

}  // namespace

mesh::ColourGroups kind_groups(const Timeline& timeline, const kinds::Kinds* kinds) {
    const auto kind_of = [&](std::size_t i) {
        return kinds == nullptr ? kinds::AllocationKind::unknown : kinds->of[i].kind;
    };
    std::array<std::size_t, kinds::k_allocation_kinds> counts{};
    const std::size_t allocations = timeline.allocation_count();
    for (std::size_t i = 0; i < allocations; ++i) ++counts[static_cast<std::size_t>(kind_of(i))];

    mesh::ColourGroups found;
    std::array<std::uint32_t, kinds::k_allocation_kinds> number_of;
    number_of.fill(k_unlisted);
    const auto list = [&](kinds::AllocationKind kind) {
        const auto index = static_cast<std::size_t>(kind);
        if (number_of[index] != k_unlisted || (counts[index] == 0 && kind != kinds::AllocationKind::unknown)) return;
        number_of[index] = static_cast<std::uint32_t>(found.groups.size());
        found.groups.push_back({kinds::allocation_kind_words(kind), kind_colour(kind), counts[index], 0});
    };
    list(kinds::AllocationKind::unknown);
    if (kinds == nullptr) found.groups.front().name = "not known yet";
    list(kinds::AllocationKind::before_recording);
    for (std::size_t i = 0; i < kinds::k_allocation_kinds; ++i) list(static_cast<kinds::AllocationKind>(i));
    found.group_of.reserve(allocations);
    for (std::size_t i = 0; i < allocations; ++i) found.group_of.push_back(number_of[static_cast<std::size_t>(kind_of(i))]);
    mesh::count_live_bytes(found, timeline, timeline.peak_tick());
    return found;
}

}  // namespace snapviewer
