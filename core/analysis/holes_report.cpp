// The parts of a report about holes, the blocks that pin them, and the memory layout at a moment.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/event_steps.h"
#include "core/analysis/pins.h"
#include "core/analysis/report.h"
#include "core/base/units.h"
#include "core/timeline/live_totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_listed_pins = 20;
constexpr std::size_t k_pins_in_text = 5;
constexpr double k_least_share_in_text = 0.05;  ///< Minimum share of the reserved memory

Json moment_json(const DeviceAnalyses& device, std::uint32_t moment) {
    const auto event = device.event_id_of_moment(moment);
    return event ? Json(*event) : Json(nullptr);
}

Json row_json(const DeviceAnalyses& device, const HolesHistory& history, std::uint32_t moment) {
    const HolesRow& row = history.at(moment);
    return {{"event", moment_json(device, moment)},
            {"step", step_of_moment(device.timeline(), moment)},
            {"reserved", row.reserved},
            {"idle", row.idle},
            {"idle_pinned", row.idle_pinned},
            {"largest_hole", row.largest_hole},
            {"ratio", std::round(row.ratio() * 1e6) / 1e6},
            {"idle_private", row.idle_private}};
}

/// Returns the fields that describe a range in every list.
Json traits_json(const AddressSpace& space, const AddressRange& range) {
    const AddressFacts& facts = space.facts();
    return {{"address", range.address},
            {"size", range.size_bytes},
            {"stream", facts.snapshot.streams[range.traits.stream]},
            {"pool", facts.pools.text(range.traits.pool)},
            {"kind", range.traits.is_small ? "small" : "large"},
            {"expandable", range.traits.is_expandable}};
}

Json pinned_range_json(const DeviceAnalyses& device, const AddressSpace& space, const PinnedRange& pinned) {
    Json json = traits_json(space, pinned.range);
    json.update({{"idle", pinned.idle_bytes},
                 {"largest_hole", pinned.largest_hole_bytes},
                 {"holes", pinned.holes},
                 {"pins", pinned.pins},
                 {"pin_bytes", pinned.pin_bytes},
                 {"released_without_pins", pinned.released_without_pins},
                 {"pinning", Json::array()}});
    for (const AllocationId id : pinned.pinning) json["pinning"].push_back(device.allocation_id(id));
    return json;
}

std::string source_of(const DeviceAnalyses& device, const StackLines& lines, AllocationId id) {
    if (!id.is_some()) return "(unknown)";
    const AllocationColumns& allocations = device.trace().allocations;
    const StackId stack = making_stack(allocations, id);
    return stack == k_before_recording ? "(allocated before the recording)" : lines.source(stack);
}

Json allocation_json(const DeviceAnalyses& device, AllocationId id) {
    return id.is_some() ? Json(device.allocation_id(id)) : Json(nullptr);
}

Json pinning_block_json(const DeviceAnalyses& device, const StackLines& lines, const PinningBlock& pin) {
    return {{"address", pin.block.address},           {"allocation", allocation_json(device, pin.block.allocation)},
            {"size", pin.block.size_bytes},           {"segment", pin.range_address},
            {"hole_without_it", pin.hole_without_it}, {"gain", pin.gain_bytes},
            {"released", pin.released_bytes},         {"source", source_of(device, lines, pin.block.allocation)},
            {"pending", pin.block.is_pending}};
}

template <typename Rows, typename MakeJson>
Json first_rows_json(const Rows& rows, MakeJson make) {
    Json json = Json::array();
    for (std::size_t i = 0; i < rows.size() && i < k_listed_pins; ++i) json.push_back(make(rows[i]));
    return json;
}

Json private_pools_json(const AddressMoment& moment, const PoolNames& pools) {
    Json json = Json::array();
    for (const PrivatePool& pool : private_pools_at(moment, pools)) {
        json.push_back({{"pool", pool.pool},
                        {"reserved", pool.reserved_bytes},
                        {"active", pool.active_bytes},
                        {"idle", pool.idle_bytes},
                        {"largest_hole", pool.largest_hole_bytes}});
    }
    return json;
}

Json counts_json(const ContradictionCounts& counts) {
    Json json = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) json[contradiction_text(static_cast<Contradiction>(i))] = counts[i];
    }
    return json;
}

Json check_json(const DeviceAnalyses& device, const AddressSpace& space, const WalkAgreement& check) {
    Json sizes = Json::object();
    for (std::size_t i = 0; i < check.sizes_by_origin.size(); ++i) {
        if (check.sizes_by_origin[i] > 0)
            sizes[block_size_origin_text(static_cast<BlockSizeOrigin>(i))] = check.sizes_by_origin[i];
    }
    Json json = {{"states", check.states},
                 {"differing", check.differing},
                 {"first_differing", nullptr},
                 {"end_equals_file", check.end_equals_file},
                 {"conflicts_backward", counts_json(space.backward_contradictions())},
                 {"conflicts_forward", counts_json(space.forward_contradictions())},
                 {"sizes_checked", space.guesses()},
                 {"sizes_right", space.right_guesses()},
                 {"sizes", std::move(sizes)}};
    if (check.first_differing_moment)
        json["first_differing"] = device.event_id_of_moment(*check.first_differing_moment).value_or(-1);
    return json;
}

Json block_json(const DeviceAnalyses& device, const AddressMoment::Block& block) {
    const AllocationId id = block.allocation;
    return {{"address", block.address},
            {"size", block.size_bytes},
            {"requested", id.is_some() ? Json(device.trace().allocations.size_bytes[id.value]) : Json(nullptr)},
            {"state", block.is_pending ? "awaiting_free" : "live"},
            {"allocation", allocation_json(device, id)}};
}

/// Returns the first rows of the list of pins. Blocks with equal texts share one row.
std::string pins_text(const DeviceAnalyses& device, const StackLines& lines, const Pins& pins) {
    struct Line {
        std::string block;
        std::string effect;
        std::size_t count = 0;
    };
    std::vector<Line> listed;
    for (const PinningBlock& pin : pins.blocks) {
        Line line{
            fmt::format("{} of {}", format_bytes(pin.block.size_bytes), source_of(device, lines, pin.block.allocation)),
            fmt::format("a hole of {}, and {} returned to the driver", format_bytes(pin.hole_without_it),
                        format_bytes(pin.released_bytes)),
            1};
        const auto same = std::ranges::find_if(
            listed, [&](const Line& each) { return each.block == line.block && each.effect == line.effect; });
        if (same != listed.end()) {
            ++same->count;
        } else if (listed.size() < k_pins_in_text) {
            listed.push_back(std::move(line));
        }
    }
    std::string text;
    for (const Line& line : listed) {
        text += line.count == 1 ? fmt::format("  without the {}: {}\n", line.block, line.effect)
                                : fmt::format("  without any one of {} blocks, each {}: {}\n", format_count(line.count),
                                              line.block, line.effect);
    }
    return text;
}

}  // namespace

nlohmann::ordered_json holes_json(DeviceAnalyses& device) {
    const auto space = device.address_space();
    const auto holes = device.holes();
    const auto lines = device.stack_lines();
    const HolesHistory& history = *holes;
    const AddressMoment moment = space->at(history.worst_moment);
    const Pins pins = pins_at(*space, moment);
    const auto end = static_cast<std::uint32_t>(history.first_moment + history.rows.size() - 1);
    return Json{
        {"known", reserved_known_name(device.trace().reserved_known)},
        {"worst", row_json(device, history, history.worst_moment)},
        {"at_most_reserved", row_json(device, history, history.most_reserved_moment)},
        {"at", row_json(device, history, history.worst_moment)},
        {"end", row_json(device, history, end)},
        {"segments",
         first_rows_json(pins.ranges, [&](const PinnedRange& range) { return pinned_range_json(device, *space, range); })},
        {"blocks",
         first_rows_json(pins.blocks, [&](const PinningBlock& pin) { return pinning_block_json(device, *lines, pin); })},
        {"grown_despite_idle",
         {{"times", history.grown.times},
          {"of", history.grown.of_times},
          {"bytes", history.grown.bytes},
          {"of_bytes", history.grown.of_bytes}}},
        {"private_pools", private_pools_json(moment, space->facts().pools)},
        {"series", nullptr}};
}

std::string holes_text(DeviceAnalyses& device) {
    const auto space = device.address_space();
    const auto holes = device.holes();
    const auto lines = device.stack_lines();
    const HolesHistory& history = *holes;
    const HolesRow& worst = history.at(history.worst_moment);
    if (worst.idle_pinned == 0 || share_of(worst.idle_pinned, worst.reserved) < k_least_share_in_text) return std::string();
    std::string text =
        fmt::format("most idle memory pinned by blocks: {} of {} reserved, at step {}; largest hole {}\n",
                    format_bytes(worst.idle_pinned), format_bytes(worst.reserved),
                    step_of_moment(device.timeline(), history.worst_moment), format_bytes(worst.largest_hole));
    return text + pins_text(device, *lines, pins_at(*space, space->at(history.worst_moment)));
}

nlohmann::ordered_json layout_json(DeviceAnalyses& device, std::uint32_t moment) {
    const auto space = device.address_space();
    const auto check = space->check(moment);
    const AddressMoment then = space->at(moment);
    Json json = {{"event", moment_json(device, moment)},
                 {"step", step_of_moment(device.timeline(), moment)},
                 {"reserved", then.reserved_bytes},
                 {"active", then.active_bytes},
                 {"pending", then.pending_bytes},
                 {"segments", Json::array()},
                 {"outside", Json::array()},
                 {"digests_equal", !check.differs_at_moment},
                 {"check", check_json(device, *space, check)}};
    for (const AddressMoment::Range& range : then.ranges) {
        Json segment = traits_json(*space, range.range);
        segment["blocks"] = Json::array();
        for (const AddressMoment::Block& block : then.blocks_of(range))
            segment["blocks"].push_back(block_json(device, block));
        json["segments"].push_back(std::move(segment));
    }
    for (const AddressMoment::Block& block : then.outside) json["outside"].push_back(block_json(device, block));
    return json;
}

}  // namespace snapviewer
