#include "core/analysis/card_figures.h"

#include "core/analysis/allocator_rules.h"

namespace snapviewer {

const char* figures_source_name(FiguresSource source) {
    constexpr const char* k_names[] = {"recorder", "message", "given"};
    return k_names[static_cast<std::size_t>(source)];
}

bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes) {
    if (!figures.demand || !figures.free_then || !free_bytes) return false;
    // PyTorch's messages state the bytes that were requested from the driver, its snapshots the bytes that the program
    // requested.
    const bool is_demand =
        figures.demand->may_be(demand_bytes) || figures.demand->may_be(AllocatorRules::driver_bytes(demand_bytes));
    return is_demand && figures.free_then->may_be(*free_bytes);
}

}  // namespace snapviewer
