#include "core/mesh/colour_groups.h"

#include <fmt/format.h>

#include <map>

#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/mesh/module_groups.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_no_key = 0xFFFFFFFF;

std::uint32_t category_of(const Timeline& timeline, std::uint32_t allocation) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const EventId alloc = allocations.alloc_event[allocation];
    const EventId event = alloc.is_some() ? alloc : allocations.free_event[allocation];
    const auto& metadata = timeline.trace().events.metadata;
    if (!event.is_some() || event.value >= metadata.size() || !metadata[event.value].is_some()) return k_no_key;
    const StringId category = timeline.snapshot().metadata[metadata[event.value].value].category;
    return category.is_some() && !timeline.snapshot().strings.view(category).empty() ? category.value : k_no_key;
}

/// Returns the value by which allocations are grouped, before the groups are numbered.
std::uint32_t key_of(const Timeline& timeline, ColourBy by, std::uint32_t allocation) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    switch (by) {
        case ColourBy::stream: return allocations.stream[allocation];
        case ColourBy::pool: return allocations.pool[allocation] == k_no_pool ? k_no_key : allocations.pool[allocation];
        case ColourBy::category: return category_of(timeline, allocation);
        case ColourBy::stack:
        case ColourBy::size:
        case ColourBy::age:
        case ColourBy::module:
        case ColourBy::kind: break;
    }
    return k_no_key;
}

std::string pool_name(const Snapshot& snapshot, std::uint32_t pool) {
    const auto [first, second] = snapshot.pools[pool];
    return first == 0 && second == 0 ? "default pool" : fmt::format("pool ({}, {})", first, second);
}

std::string name_of(const Snapshot& snapshot, ColourBy by, std::uint32_t key) {
    switch (by) {
        case ColourBy::stream: return fmt::format("stream {}", stream_number(snapshot, static_cast<std::uint16_t>(key)));
        case ColourBy::pool: return key == k_no_key ? "unknown pool" : pool_name(snapshot, key);
        case ColourBy::category:
            return key == k_no_key ? "no category"
                                   : shortened(snapshot.strings.view(StringId{key}), limits::k_most_source_bytes);
        case ColourBy::stack:
        case ColourBy::size:
        case ColourBy::age:
        case ColourBy::module:
        case ColourBy::kind: break;
    }
    return "";
}

bool has_names(ColourBy by) { return by == ColourBy::stream || by == ColourBy::pool || by == ColourBy::category; }

}  // namespace

ColourGroups colour_groups(const Timeline& timeline, ColourBy by) {
    ColourGroups found;
    if (by == ColourBy::module) return module_groups(timeline);
    if (!has_names(by)) return found;
    // Groups are in the order of the file's tables, so that a stream has the same row in every picture of the file.
    std::map<std::uint32_t, std::size_t> counts;
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    for (std::uint32_t i = 0; i < count; ++i) ++counts[key_of(timeline, by, i)];
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const auto& [key, allocations] : counts) {
        numbers[key] = static_cast<std::uint32_t>(found.groups.size());
        const std::size_t hue = by == ColourBy::stream ? stream_number(timeline.snapshot(), static_cast<std::uint16_t>(key))
                                                       : found.groups.size();
        const std::string name = name_of(timeline.snapshot(), by, key);
        const std::uint32_t known = by == ColourBy::category ? category_colour(name, hue) : group_colour(hue);
        found.groups.push_back({name, key == k_no_key ? grey_colour() : known, allocations, 0});
    }
    found.group_of.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) found.group_of.push_back(numbers[key_of(timeline, by, i)]);
    count_live_bytes(found, timeline, timeline.peak_tick());
    return found;
}

std::string why_no_colours(const Timeline& timeline, ColourBy by) {
    if (by == ColourBy::module) return why_no_module_colours(timeline);
    if (!has_names(by) || timeline.allocation_count() == 0) return "";
    const std::uint32_t first = key_of(timeline, by, 0);
    for (std::uint32_t i = 1; i < timeline.allocation_count(); ++i) {
        if (key_of(timeline, by, i) != first) return "";
    }
    if (by == ColourBy::stream) return "Everything here is on one stream";
    if (first == k_no_key)
        return by == ColourBy::pool ? "The file has no information about pools" : "The file names no categories";
    return by == ColourBy::pool ? "Everything here is in one pool" : "Everything here is in one category";
}

void count_live_bytes(ColourGroups& groups, const Timeline& timeline, std::uint32_t tick) {
    groups.tick = tick;
    for (ColourGroup& group : groups.groups) group.bytes = 0;
    for (const AllocationId id : timeline.live_after_tick(tick))
        groups.groups[groups.group_of[id.value]].bytes += timeline.trace().allocations.size_bytes[id.value];
}

}  // namespace snapviewer
