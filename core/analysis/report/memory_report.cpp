#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "core/analysis/report/report.h"
#include "core/analysis/space/holes.h"
#include "core/base/number_text.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

// The part of a report about the card's whole memory, most of which a snapshot does not contain.
namespace snapviewer {
namespace {

nlohmann::ordered_json card_row_json(const CardRow& row) {
    nlohmann::ordered_json json = {{"part", card_part_name(row.part)}, {"bytes", row.bytes}};
    if (row.pid) json["pid"] = *row.pid;
    json["words"] = row.words;
    return json;
}

nlohmann::ordered_json card_use_json(const DeviceAnalyses& device, const CardUse& use) {
    nlohmann::ordered_json json = {
        {"source", figures_source_name(use.source)},
        {"where", use.where.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(use.where)},
        {"oom", use.is_of_oom},
        {"event", nullptr},
        {"total", use.total_bytes},
        {"rounding", use.rounding_bytes},
        {"excess", use.excess_bytes},
        {"rows", nlohmann::ordered_json::array()},
        {"notes", use.notes}};
    const auto event = use.moment ? device.event_id_of_moment(*use.moment) : std::nullopt;
    if (event) json["event"] = *event;
    for (const CardRow& row : use.rows) json["rows"].push_back(card_row_json(row));
    return json;
}

}  // namespace

nlohmann::ordered_json device_memory_json(DeviceAnalyses& device) {
    const auto uses = device.card_uses();
    nlohmann::ordered_json json;
    for (const CardUse& use : *uses) json.push_back(card_use_json(device, use));
    return json;
}

std::string device_memory_text(DeviceAnalyses& device) {
    const auto uses = device.card_uses();
    std::string text;
    for (const CardUse& use : *uses) {
        text += fmt::format("all memory of the card{}, {}{}\n", use.is_of_oom ? " when memory ran out" : "",
                            format_bytes(use.total_bytes), use.where.empty() ? "" : ", by " + use.where);
        for (const CardRow& row : use.rows) {
            text += fmt::format("  {:>10}  {:>5.1f} %  {}\n", format_bytes(row.bytes),
                                100 * static_cast<double>(row.bytes) / static_cast<double>(use.total_bytes), row.words);
        }
        for (const std::string& note : use.notes) text += fmt::format("  {}\n", note);
    }
    return text;
}

// The report section about memory pools, with the bytes and the maker of each pool.

namespace {

nlohmann::ordered_json holding_json(const PoolHolding& holding) {
    return {{"reserved", holding.reserved}, {"used", holding.used}, {"idle", holding.idle()}};
}

nlohmann::ordered_json pool_json(const DeviceAnalyses& device, const PoolUse& use) {
    nlohmann::ordered_json json = {
        {"pool", use.pool},      {"private", use.is_private}, {"at_peak", nullptr}, {"at_end", holding_json(use.at_end)},
        {"made_event", nullptr}, {"made_stack_id", nullptr},  {"made_by", nullptr}, {"captured_by", nullptr}};
    if (use.at_peak) json["at_peak"] = holding_json(*use.at_peak);
    if (use.made_event) json["made_event"] = device.event_id(*use.made_event);
    if (use.made_stack.is_some()) json["made_stack_id"] = use.made_stack.value;
    if (!use.made_by.empty()) json["made_by"] = use.made_by;
    if (!use.captured_by.empty()) json["captured_by"] = use.captured_by;
    return json;
}

bool has_private(const std::vector<PoolUse>& uses) { return std::ranges::any_of(uses, &PoolUse::is_private); }

}  // namespace

nlohmann::ordered_json pools_json(DeviceAnalyses& device) {
    const auto uses = device.pool_uses();
    nlohmann::ordered_json json;
    if (!has_private(*uses)) return json;
    for (const PoolUse& use : *uses) json.push_back(pool_json(device, use));
    return json;
}

std::string pools_text(DeviceAnalyses& device) {
    const auto uses = device.pool_uses();
    if (!has_private(*uses)) return std::string();
    std::string text = fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", "memory pool", "at the peak", "of it idle",
                                   "at the end", "of it idle");
    const bool peak_is_unknown = known_peak(device.timeline()).is_at_end;
    for (const PoolUse& use : *uses) {
        const auto peak = [&](std::uint64_t bytes) {
            return use.at_peak && !peak_is_unknown ? format_bytes(bytes) : std::string("unknown");
        };
        const PoolHolding at_peak = use.at_peak.value_or(PoolHolding());
        text += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", use.is_private ? use.pool : "default",
                            peak(at_peak.reserved), peak(at_peak.idle()), format_bytes(use.at_end.reserved),
                            format_bytes(use.at_end.idle()));
        if (!use.made_by.empty()) text += fmt::format("  made by {}", use.made_by);
        if (!use.captured_by.empty() && use.captured_by != use.made_by)
            text += fmt::format(", captured by {}", use.captured_by);
        if (!use.made_by.empty()) text += "\n";
    }
    return text;
}

// The parts of a report about holes, the blocks that pin them, and the memory layout at a moment.

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

// The report section about running out of memory.

namespace {

using Json = nlohmann::ordered_json;

/// Formats a number as settings do: a whole number has no decimal point.
Json number_json(double value) {
    return std::nearbyint(value) == value && std::abs(value) < 9e15 ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

template <typename T>
Json known_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json capacity_json(const DeviceAnalyses& device, const Capacity& capacity) {
    const bool is_given = capacity.card && capacity.card->source == FiguresSource::given;
    Json json = {{"given", is_given ? Json(capacity.card->total.bytes) : Json(nullptr)},
                 {"card", capacity.card ? Json(capacity.card->total.bytes) : Json(nullptr)},
                 {"card_source", capacity.card ? Json(figures_source_name(capacity.card->source)) : Json(nullptr)},
                 {"bound", capacity.bound_bytes},
                 {"bound_event", nullptr},
                 {"reserved_max", capacity.most_reserved_bytes},
                 {"guess", nullptr}};
    if (capacity.bound_event) json["bound_event"] = device.event_id(*capacity.bound_event);
    if (capacity.guess) {
        json["guess"] = {{"name", capacity.guess->name},
                         {"low", capacity.guess->low_bytes},
                         {"high", capacity.guess->high_bytes},
                         {"total", capacity.guess->least_total_bytes}};
    }
    return json;
}

/// The source of the value `outside`: the log, the recorder, the user or a bound. null if the value is unknown.
Json outside_basis(const OomVerdict& v, const Capacity& capacity) {
    if (!v.outside) return nullptr;
    if (v.outside_is_bound) return "bound";
    const FiguresSource source = capacity.card->source;
    return figures_source_name(v.card && source != FiguresSource::given ? v.card->source : source);
}

Json beyond_json(const std::optional<BeyondCard>& beyond) {
    if (!beyond) return nullptr;
    Json json = {{"reserved", beyond->reserved_bytes},
                 {"card", beyond->card_bytes},
                 {"excess", beyond->excess_bytes},
                 {"pools", Json::array()},
                 {"sentence", beyond->sentence}};
    for (const PrivatePool& pool : beyond->pools)
        json["pools"].push_back({{"pool", pool.pool}, {"reserved", pool.reserved_bytes}});
    return json;
}

Json verdict_json(const DeviceAnalyses& device, const OomVerdict& v, const Capacity& capacity) {
    const std::int64_t time_us = device.trace().events.time_us[v.event];
    Json json = {{"device", device.trace().device},
                 {"event", device.event_id(v.event)},
                 {"step", step_of_event(device.timeline(), v.event)},
                 {"time_us", time_us == k_no_time ? Json(nullptr) : Json(time_us)},
                 {"kind", "oom"},
                 {"cause", oom_cause_name(v.cause)},
                 {"recovered", v.is_recovered},
                 {"demand", v.demand},
                 {"driver_bytes", v.driver_bytes},
                 {"device_free", known_json(v.device_free)},
                 {"reserved", v.reserved},
                 {"allocated", v.allocated},
                 {"requested", v.requested},
                 {"pending", v.pending},
                 {"pending_by_stream", Json::object()},
                 {"idle", v.idle},
                 {"idle_default", v.idle_default},
                 {"idle_private", v.idle_private},
                 {"idle_whole_segments", v.idle_whole_segments},
                 {"idle_other_streams", v.idle_other_streams},
                 {"largest_hole", v.largest_hole},
                 {"largest_usable_hole", v.largest_usable_hole},
                 {"largest_hole_without_pending", v.largest_hole_without_pending},
                 {"outside", known_json(v.outside)},
                 {"outside_basis", outside_basis(v, capacity)},
                 {"limit", known_json(v.limit_bytes)},
                 {"beyond_card", beyond_json(v.beyond)},
                 {"capacity", capacity_json(device, capacity)},
                 {"contributing", Json::array()},
                 {"settings",
                  {{"expandable_segments", v.settings.expandable_segments},
                   {"max_split_size", number_json(v.settings.max_split_size)},
                   {"garbage_collection_threshold", v.settings.garbage_collection_threshold}}},
                 {"largest_sources", Json::array()},
                 {"stack", v.stack_source},
                 {"sentence", v.sentence},
                 {"hint", v.hint.empty() ? Json(nullptr) : Json(v.hint)}};
    for (const auto& [stream, bytes] : v.pending_by_stream) json["pending_by_stream"][std::to_string(stream)] = bytes;
    for (const OomFactor& factor : v.contributing) {
        json["contributing"].push_back(
            {{"cause", oom_cause_name(factor.cause)}, {"bytes", factor.bytes}, {"would_fit", factor.would_fit}});
    }
    for (const SourceBytes& holder : v.largest_sources) {
        json["largest_sources"].push_back({{"source", holder.source}, {"bytes", holder.bytes}, {"count", holder.count}});
    }
    return json;
}

Json near_capacity_json(const DeviceAnalyses& device, const NearCapacity& near, const Capacity& capacity) {
    Json json = {{"device", device.trace().device},
                 {"kind", "near_capacity"},
                 {"reserved", near.reserved_bytes},
                 {"total", near.card.total.bytes},
                 {"basis", figures_source_name(near.card.source)},
                 {"event", nullptr},
                 {"sentence", near.sentence}};
    if (capacity.bound_event) json["event"] = device.event_id(*capacity.bound_event);
    return json;
}

}  // namespace

nlohmann::ordered_json oom_json(DeviceAnalyses& device) {
    const auto report = device.oom();
    const OomReport& oom = *report;
    Json json = {{"verdicts", Json::array()}, {"near_capacity", nullptr}, {"capacity", capacity_json(device, oom.capacity)}};
    for (const OomVerdict& verdict : oom.verdicts) json["verdicts"].push_back(verdict_json(device, verdict, oom.capacity));
    json["beyond_card"] = beyond_json(oom.beyond);
    if (oom.earlier_count > 0) json["earlier_left_out"] = oom.earlier_count;
    if (oom.near_capacity) json["near_capacity"] = near_capacity_json(device, *oom.near_capacity, oom.capacity);
    return json;
}

std::string oom_text(DeviceAnalyses& device) {
    const auto report = device.oom();
    std::string text;
    if (report->earlier_count > 0)
        text +=
            fmt::format("\u2026 {} earlier times that memory ran out are left out\n", format_count(report->earlier_count));
    for (const OomVerdict& v : report->verdicts) {
        text += fmt::format("out of memory at event {}{}: {}\n  {}\n", device.event_id(v.event),
                            v.is_recovered ? ", after which the run went on" : "", oom_cause_name(v.cause), v.sentence);
        if (!v.hint.empty()) text += fmt::format("  {}\n", v.hint);
        text += fmt::format(
            "  requested {}, free on the device {}, reserved {}, allocated {}, waiting for other streams {}, idle {} "
            "({} in private pools), largest usable hole {}\n",
            format_bytes(v.demand), v.device_free ? format_bytes(*v.device_free) : "unknown", format_bytes(v.reserved),
            format_bytes(v.allocated), format_bytes(v.pending), format_bytes(v.idle), format_bytes(v.idle_private),
            format_bytes(v.largest_usable_hole));
    }
    if (report->beyond && report->verdicts.empty()) text += report->beyond->sentence + "\n";
    if (report->near_capacity) text += report->near_capacity->sentence + "\n";
    return text;
}

}  // namespace snapviewer
