#include "core/analysis/capacity.h"

#include <algorithm>
#include <vector>

namespace snapviewer {
namespace {

/// The range of total memory, in MiB, that cards of each nominal size report: smallest and largest known value.
constexpr struct {
    const char* name;
    std::uint64_t low_mib;
    std::uint64_t high_mib;
} k_cards[] = {{"16 GB (T4)", 14910, 15360}, {"16 GB", 16150, 16384},    {"24 GB (L4, A10)", 22500, 22900},
               {"24 GB", 24050, 24576},      {"32 GB", 32080, 32768},    {"40 GB", 40330, 40960},
               {"48 GB", 45400, 49140},      {"80 GB", 80900, 81920},    {"96 GB", 95500, 98304},
               {"141 GB", 143000, 144384},   {"180 GB", 182600, 184000}, {"192 GB", 191000, 196608}};

/// Lower bound of the memory that a process needs besides PyTorch's allocator: the smallest CUDA context.
constexpr std::uint64_t k_least_context_bytes = 256 * k_mib;

/// Returns the smallest nominal size with room for `bound_bytes` and a CUDA context, or nullopt if no size is close enough.
std::optional<NominalSize> guess_card(std::uint64_t bound_bytes) {
    for (const auto& card : k_cards) {
        const std::uint64_t low = card.low_mib * k_mib;
        const std::uint64_t high = card.high_mib * k_mib;
        const std::uint64_t least = bound_bytes + k_least_context_bytes;
        if (least <= high && static_cast<double>(bound_bytes) >= 0.90 * static_cast<double>(low))
            return NominalSize{card.name, low, high, std::max(low, least)};
    }
    return std::nullopt;
}

/// A change of the reserved bytes, or an out-of-memory event with the free memory that the driver reported.
struct ReservedChange {
    std::uint32_t moment = 0;
    bool is_oom = false;  ///< True for an out-of-memory event, which sorts after changes at the same moment
    std::uint64_t grows_bytes = 0;
    std::uint64_t shrinks_bytes = 0;
    std::uint64_t free_bytes = 0;
};

}  // namespace

std::optional<CardSize> known_card_size(std::optional<std::uint64_t> given_bytes, std::span<const CardFigures> figures,
                                        std::int32_t device) {
    if (given_bytes.value_or(0) > 0) return CardSize{{*given_bytes}, FiguresSource::given};
    std::optional<CardSize> best;
    for (const CardFigures& each : figures) {
        if (each.device != device || !each.total || each.total->bytes == 0) continue;
        if (!best || each.total->within_bytes < best->total.within_bytes) best = CardSize{*each.total, each.source};
    }
    return best;
}

Capacity capacity_of(const AddressSpace& space, std::optional<CardSize> card) {
    const EventColumns& events = space.facts().trace.events;
    std::vector<ReservedChange> changes{{}};
    for (const RangeLife& life : space.ranges()) {
        changes.push_back({life.begin, false, life.range.size_bytes, 0, 0});
        if (life.end != BlockLife::k_never) changes.push_back({life.end, false, 0, life.range.size_bytes, 0});
    }
    bool is_refused = false;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (!events.is_oom(event)) continue;
        const auto free_bytes = events.free_bytes(event);
        is_refused = is_refused || free_bytes;
        changes.push_back({event + 1, true, 0, 0, free_bytes.value_or(0)});
    }
    std::ranges::stable_sort(changes, {}, [](const ReservedChange& each) { return std::pair(each.moment, each.is_oom); });
    Capacity capacity;
    capacity.card = card;
    std::uint64_t reserved = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const ReservedChange& change = changes[i];
        reserved = reserved + change.grows_bytes - change.shrinks_bytes;
        // Evaluates a moment only after its last change.
        if (i + 1 < changes.size() && changes[i + 1].moment == change.moment) continue;
        if (reserved > capacity.most_reserved_bytes) {
            capacity.most_reserved_bytes = reserved;
            capacity.most_reserved_moment = change.moment;
        }
        if (reserved + change.free_bytes <= capacity.bound_bytes) continue;
        capacity.bound_bytes = reserved + change.free_bytes;
        capacity.bound_event = change.moment == 0 ? std::nullopt : std::optional(change.moment - 1);
    }
    const bool is_known = space.facts().trace.reserved_known == ReservedKnown::throughout;
    if (is_known && is_refused && !card) capacity.guess = guess_card(capacity.bound_bytes);
    return capacity;
}

}  // namespace snapviewer
