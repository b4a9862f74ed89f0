#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <tuple>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/analysis/space/holes.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

// Holes, the blocks that pin them, and the memory layout at a moment: JSON, text and SQL tables.
namespace snapviewer::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_max_listed_pins = 20;
constexpr std::size_t k_pins_in_text = 5;
constexpr double k_min_share_in_text = 0.05;  ///< minimum share of the reserved memory for a line of text

/// Idle memory after one event of a device.
struct HolesOfMoment {
    std::uint32_t moment;
    const space::HolesRow* holes;

    const space::HolesRow& operator*() const { return *holes; }
};

const DeviceFields<HolesOfMoment> k_holes_fields = {
    device_field<HolesOfMoment>(),
    {"event_id", FieldUnit::event, "events.id; NULL before the first event",
     [](const HolesOfMoment& row, const findings::DeviceAnalyses& device) { return device.event_id_of_moment(row.moment); },
     named_in_json("event")},
    {"step", FieldUnit::step, "the step of this moment, to compare with alloc_step and free_step of allocations",
     [](const HolesOfMoment& row, const findings::DeviceAnalyses& device) {
         return step_of_moment(device.timeline(), row.moment);
     }},
    {"reserved", FieldUnit::bytes, "bytes of the default pool, in and between blocks", &space::HolesRow::reserved},
    {"idle", FieldUnit::bytes, "of these, in no block", &space::HolesRow::idle},
    {"idle_pinned", FieldUnit::bytes,
     "of these, what torch.cuda.empty_cache() would not return, because of the blocks beside it",
     &space::HolesRow::idle_pinned},
    {"largest_hole", FieldUnit::bytes, "the largest idle piece of the default pool, in bytes",
     &space::HolesRow::largest_hole},
    {"ratio", FieldUnit::number, "0 if all idle bytes are in one piece, close to 1 if they are in small pieces",
     [](const space::HolesRow& row) { return std::round(row.ratio() * 1e6) / 1e6; }, k_only_in_json},
    {"idle_private", FieldUnit::bytes, "idle bytes of private pools (CUDA graphs, MemPool)", &space::HolesRow::idle_private},
    {"reserved_private", FieldUnit::bytes, "bytes of private pools, in and between blocks",
     &space::HolesRow::reserved_private, k_only_in_tables}};

/// A block or a hole of a device at one moment, and the range that it lies in.
struct LayoutRow {
    std::optional<space::AddressRange> range;  ///< Segment or mapped run; nullopt for a block outside of all of them
    space::AddressMoment::Block block;
    bool is_hole = false;

    const space::AddressMoment::Block& operator*() const { return block; }
    AllocationId id() const { return block.allocation; }
};

/// Creates a field of LayoutRow::range. `read` computes its value from an AddressRange and a DeviceAnalyses. The value is
/// NULL if the row has no range.
template <typename Read>
Field<LayoutRow, findings::DeviceAnalyses> range_field(const char* name, FieldUnit unit, const char* sentence, Read read,
                                                       const char* json_name) {
    const auto read_range = [read](const LayoutRow& row, findings::DeviceAnalyses& device) {
        return row.range ? std::optional(read(*row.range, device)) : std::nullopt;
    };
    return {name, unit, sentence, read_range, named_in_json(json_name)};
}

/// The fields that describe a range in every list.
const DeviceFields<LayoutRow> k_range_fields = {
    device_field<LayoutRow>(),
    range_field(
        "segment", FieldUnit::address,
        "address of the segment that contains it, or of the mapped run of an expandable segment; NULL if it is live "
        "according to the events but lies in no segment",
        [](const space::AddressRange& range, const findings::DeviceAnalyses&) { return range.address; }, "address"),
    range_field(
        "segment_size", FieldUnit::bytes, "bytes of that segment or run",
        [](const space::AddressRange& range, const findings::DeviceAnalyses&) { return range.size_bytes; }, "size"),
    range_field(
        "stream", FieldUnit::id, "raw stream handle of the segment",
        [](const space::AddressRange& range, const findings::DeviceAnalyses& device) {
            return device.snapshot().streams[range.traits.stream];
        },
        "stream"),
    range_field(
        "pool", FieldUnit::text, "pool of the segment, as '(0, 0)'",
        [](const space::AddressRange& range, findings::DeviceAnalyses& device) {
            return device.address_space()->facts().pools.text(range.traits.pool);
        },
        "pool"),
    range_field(
        "kind", FieldUnit::text, "'small' or 'large', for the segment",
        [](const space::AddressRange& range, const findings::DeviceAnalyses&) {
            return range.traits.is_small ? "small" : "large";
        },
        "kind"),
    range_field(
        "is_expandable", FieldUnit::flag, "1 if the segment is expandable, otherwise 0",
        [](const space::AddressRange& range, const findings::DeviceAnalyses&) { return range.traits.is_expandable; },
        "expandable")};

std::optional<std::int64_t> allocation_of(AllocationId id, const findings::DeviceAnalyses& device) {
    return id.is_some() ? std::optional(device.allocation_id(id)) : std::nullopt;
}

const DeviceFields<LayoutRow> k_block_fields = {
    {"address", FieldUnit::address, "address of the first byte", &space::AddressMoment::Block::address},
    {"size", FieldUnit::bytes, "bytes of the block, or of the hole", &space::AddressMoment::Block::size_bytes},
    {"requested", FieldUnit::bytes, "bytes that were requested; NULL for holes and where unknown",
     [](const LayoutRow& row, const findings::DeviceAnalyses& device) {
         const auto& sizes = device.trace().allocations.size_bytes;
         return row.id().is_some() ? std::optional(std::uint64_t{sizes[row.id().value]}) : std::nullopt;
     }},
    {"state", FieldUnit::text, "'live', 'awaiting_free' (freed, but another stream may still use it) or 'hole'",
     [](const LayoutRow& row) { return row.is_hole            ? "hole"
                                       : row.block.is_pending ? "awaiting_free"
                                                              : "live"; }},
    {"allocation_id", FieldUnit::id, "allocations.id; NULL for holes and where unknown",
     [](const LayoutRow& row, const findings::DeviceAnalyses& device) { return allocation_of(row.id(), device); },
     named_in_json("allocation")}};

const DeviceFields<LayoutRow> k_layout_fields = k_range_fields + k_block_fields;

Json pinned_range_json(findings::DeviceAnalyses& device, const space::PinnedRange& pinned) {
    Json json = k_range_fields.json({pinned.range, {}}, device);
    json.update({{"idle", pinned.idle_bytes},
                 {"largest_hole", pinned.largest_hole_bytes},
                 {"holes", pinned.holes},
                 {"pins", pinned.pins},
                 {"pin_bytes", pinned.pin_bytes},
                 {"released_without_pins", pinned.released_without_pins},
                 {"pinning", json_array(pinned.pinning, [&](AllocationId id) { return device.allocation_id(id); })}});
    return json;
}

/// The source line of a stack, which may be k_before_recording.
std::string source_of(const StackLines& lines, StackId stack) {
    return stack == k_before_recording ? "(allocated before the recording)" : lines.source(stack);
}

std::string source_of(findings::DeviceAnalyses& device, AllocationId id) {
    if (!id.is_some()) return "(unknown)";
    return source_of(*device.stack_lines(), making_stack(device.trace().allocations, id));
}

const DeviceFields<space::PinningBlock> k_pin_fields = {
    device_field<space::PinningBlock>(),
    {"allocation_id", FieldUnit::id, "allocations.id; NULL where unknown",
     [](const space::PinningBlock& pin, const findings::DeviceAnalyses& device) {
         return allocation_of(pin.block.allocation, device);
     },
     named_in_json("allocation")},
    {"address", FieldUnit::address, "address of the first byte",
     [](const space::PinningBlock& pin) { return pin.block.address; }},
    {"size", FieldUnit::bytes, "bytes of the block", [](const space::PinningBlock& pin) { return pin.block.size_bytes; }},
    {"segment", FieldUnit::address, "address of the segment that contains it", &space::PinningBlock::range_address},
    {"hole_without_it", FieldUnit::bytes,
     "bytes of the hole there would be without the block: the block and the holes next to it",
     &space::PinningBlock::hole_without_it},
    {"gain", FieldUnit::bytes, "how much larger that hole would be than the larger of the two existing holes",
     &space::PinningBlock::gain_bytes},
    {"released", FieldUnit::bytes,
     "bytes that would be returned to the driver: the whole segment if nothing else is in it, or whole pages of an "
     "expandable segment",
     &space::PinningBlock::released_bytes},
    {"source", FieldUnit::text, "the line of the stack that made the allocation",
     [](const space::PinningBlock& pin, findings::DeviceAnalyses& device) {
         return source_of(device, pin.block.allocation);
     },
     k_only_in_json},
    {"is_pending", FieldUnit::flag, "1 if it was freed, but another stream may still use it",
     [](const space::PinningBlock& pin) { return pin.block.is_pending; }, named_in_json("pending")}};

Json counts_json(const space::ContradictionCounts& counts) {
    Json json = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) json[space::contradiction_text(static_cast<space::Contradiction>(i))] = counts[i];
    }
    return json;
}

Json check_json(const findings::DeviceAnalyses& device, const space::AddressSpace& space,
                const space::WalkAgreement& check) {
    Json sizes = Json::object();
    for (std::size_t i = 0; i < check.sizes_by_origin.size(); ++i) {
        if (check.sizes_by_origin[i] > 0)
            sizes[space::block_size_origin_text(static_cast<space::BlockSizeOrigin>(i))] = check.sizes_by_origin[i];
    }
    const auto& differing = check.first_differing_moment;
    return {{"states", check.states},
            {"differing", check.differing},
            {"first_differing", differing ? Json(device.event_id_of_moment(*differing).value_or(-1)) : Json()},
            {"end_equals_file", check.end_equals_file},
            {"conflicts_backward", counts_json(space.backward_contradictions())},
            {"conflicts_forward", counts_json(space.forward_contradictions())},
            {"sizes_checked", space.guesses()},
            {"sizes_right", space.right_guesses()},
            {"sizes", sizes}};
}

/// Returns the first rows of the list of pins. Blocks with equal texts share one row.
std::string pins_text(findings::DeviceAnalyses& device, const space::Pins& pins) {
    struct Line {
        std::string block;
        std::string effect;
        std::size_t count = 1;
    };
    std::vector<Line> listed;
    for (const space::PinningBlock& pin : pins.blocks) {
        const Line line{fmt::format("{} of {}", format_bytes(pin.block.size_bytes), source_of(device, pin.block.allocation)),
                        fmt::format("a hole of {}, and {} returned to the driver", format_bytes(pin.hole_without_it),
                                    format_bytes(pin.released_bytes))};
        const auto same = std::ranges::find_if(
            listed, [&](const Line& each) { return each.block == line.block && each.effect == line.effect; });
        if (same != listed.end()) {
            ++same->count;
        } else if (listed.size() < k_pins_in_text) {
            listed.push_back(line);
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

Json holes_json(findings::DeviceAnalyses& device) {
    const space::AddressSpace& space = *device.address_space();
    const space::HolesHistory& history = *device.holes();
    const space::AddressMoment moment = space.at(history.worst_moment);
    const space::Pins pins = space::pins_at(space, moment);
    const auto end = static_cast<std::uint32_t>(history.first_moment + history.rows.size() - 1);
    const auto at = [&](std::uint32_t when) { return k_holes_fields.json({when, &history.at(when)}, device); };
    const auto range_json = [&](const space::PinnedRange& range) { return pinned_range_json(device, range); };
    const auto block_json = [&](const space::PinningBlock& pin) { return k_pin_fields.json(pin, device); };
    const auto pool_json = [](const space::PoolHolding& pool) {
        return Json{{"pool", pool.pool},
                    {"reserved", pool.reserved},
                    {"active", pool.used()},
                    {"idle", pool.idle},
                    {"largest_hole", pool.largest_hole}};
    };
    return {{"known", reserved_known_name(device.trace().reserved_known)},
            {"worst", at(history.worst_moment)},
            {"at_most_reserved", at(history.max_reserved_moment)},
            {"at", at(history.worst_moment)},
            {"end", at(end)},
            {"segments", json_array(pins.ranges | std::views::take(k_max_listed_pins), range_json)},
            {"blocks", json_array(pins.blocks | std::views::take(k_max_listed_pins), block_json)},
            {"grown_despite_idle",
             {{"times", history.grown.times},
              {"of", history.grown.of_times},
              {"bytes", history.grown.bytes},
              {"of_bytes", history.grown.of_bytes}}},
            {"private_pools", json_array(space::private_pools_at(moment, space.facts().pools), pool_json)},
            {"series", nullptr}};
}

std::string holes_text(findings::DeviceAnalyses& device) {
    const space::AddressSpace& space = *device.address_space();
    const space::HolesHistory& history = *device.holes();
    const space::HolesRow& worst = history.at(history.worst_moment);
    if (worst.idle_pinned == 0 || findings::share_of(worst.idle_pinned, worst.reserved) < k_min_share_in_text)
        return std::string();
    return fmt::format("most idle memory pinned by blocks: {} of {} reserved, at step {}; largest hole {}\n",
                       format_bytes(worst.idle_pinned), format_bytes(worst.reserved),
                       step_of_moment(device.timeline(), history.worst_moment), format_bytes(worst.largest_hole)) +
           pins_text(device, space::pins_at(space, space.at(history.worst_moment)));
}

}  // namespace

const ReportSection k_holes_section = {"holes", holes_json, holes_text};

Json layout_json(findings::DeviceAnalyses& device, std::uint32_t moment) {
    const space::AddressSpace& space = *device.address_space();
    const space::WalkAgreement check = space.check(moment);
    const space::AddressMoment then = space.at(moment);
    const auto block_json = [&](const space::AddressMoment::Block& block) {
        return k_block_fields.json({{}, block}, device);
    };
    const auto segment_json = [&](const space::AddressMoment::Range& range) {
        Json segment = k_range_fields.json({range.range, {}}, device);
        segment["blocks"] = json_array(then.blocks_of(range), block_json);
        return segment;
    };
    return {{"event", value_or_null(device.event_id_of_moment(moment))},
            {"step", step_of_moment(device.timeline(), moment)},
            {"reserved", then.reserved_bytes},
            {"active", then.active_bytes},
            {"pending", then.pending_bytes},
            {"segments", json_array(then.ranges, segment_json)},
            {"outside", json_array(then.outside, block_json)},
            {"digests_equal", !check.differs_at_moment},
            {"check", check_json(device, space, check)}};
}

// The SQL tables of this file.

namespace {

constexpr std::int64_t k_before_all = -1;  ///< Argument for the moment before the first event of each device
const char* const k_event_doc = "events.id; -1 stands for before the first event of every device";

/// Returns the moment right after an event, an events.id, or nullopt if the device has no such event.
std::optional<std::uint32_t> moment_after(const findings::DeviceAnalyses& device, std::int64_t event) {
    if (event == k_before_all) return 0;
    const std::int64_t number = event - device.event_id(0);
    const bool is_of_device = number >= 0 && number < static_cast<std::int64_t>(device.trace().events.size());
    return is_of_device ? std::optional(static_cast<std::uint32_t>(number) + 1) : std::nullopt;
}

/// Throws a Failure if no device has the event.
void check_event(const findings::Analyses& analyses, std::int64_t event) {
    for (std::size_t i = 0; i < analyses.device_count(); ++i) {
        if (moment_after(analyses.device(i), event)) return;
    }
    if (event != k_before_all)
        throw Failure{
            {ErrorCode::bad_query, fmt::format("there is no event {}; -1 stands for before the first event", event)}};
}

/// Creates a table-valued function of an event, such as `layout(17)`. `add(device, moment, rows)` adds the rows of a device
/// that has the event. The function fails if such a device has no layouts.
template <typename Row, typename Add>
TableFunction layouts_table(const char* name, const char* doc, const DeviceFields<Row>& fields,
                            const AnalysesPointer& analyses, Add add) {
    const auto make = [&fields, analyses, name, add](Arguments arguments) {
        const auto* event = std::get_if<std::int64_t>(&arguments[0]);
        if (event == nullptr)
            throw Failure{{ErrorCode::bad_query, fmt::format("{0} needs the id of an event, as in {0}(17)", name)}};
        check_event(*analyses, *event);
        return rows_of_devices(fields, *analyses, [&](findings::DeviceAnalyses& device, auto& rows) {
            const auto moment = moment_after(device, *event);
            if (!moment) return;
            if (const std::string why = device.why_no_layouts(); !why.empty()) throw Failure{{ErrorCode::bad_query, why}};
            add(device, *moment, rows);
        });
    };
    return {name, doc, fields.columns(), {{"event", "INTEGER", k_event_doc}}, make};
}

void add_layout_rows(findings::DeviceAnalyses& device, std::uint32_t moment, DeviceRows<LayoutRow>& rows) {
    const space::AddressMoment then = device.address_space()->at(moment);
    for (const space::AddressMoment::Range& range : then.ranges) {
        std::vector<LayoutRow> within;
        for (const space::AddressMoment::Block& block : then.blocks_of(range)) within.push_back({range.range, block});
        space::for_each_hole(then, range, [&](const space::Hole& hole) {
            within.push_back({range.range, {hole.begin, hole.size_bytes(), {}, false}, true});
        });
        std::ranges::stable_sort(within, {}, &space::AddressMoment::Block::address);
        for (const LayoutRow& row : within) rows.add(device, row);
    }
    for (const space::AddressMoment::Block& block : then.outside) rows.add(device, {{}, block});
}

/// Changes of the memory of one stack between two moments of a device.
struct ChangeRow {
    StackId stack;
    std::array<LiveShare, 3> shares = {};  ///< Memory that was allocated, that was freed, and that remained

    bool has_stack() const { return stack.is_some() && stack != k_before_recording; }
};

void add_change_rows(findings::DeviceAnalyses& device, std::uint32_t first, std::uint32_t second,
                     DeviceRows<ChangeRow>& rows) {
    const Timeline& timeline = device.timeline();
    const MomentChanges changes =
        changes_between(timeline, tick_of_moment(timeline, first), tick_of_moment(timeline, second));
    std::map<std::uint32_t, ChangeRow> by_stack;
    const std::array lists = {&changes.came, &changes.went, &changes.stayed};
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (const StackTotal& total : totals_by_stack(timeline, *lists[i])) {
            ChangeRow& row = by_stack[total.stack.value];
            row.stack = total.stack;
            row.shares[i] = {total.count, total.bytes};
        }
    }
    std::vector<ChangeRow> sorted;
    for (const auto& [stack, row] : by_stack) sorted.push_back(row);
    std::ranges::stable_sort(sorted, std::greater(), [](const ChangeRow& row) {
        return std::tuple(row.shares[0].bytes, row.shares[1].bytes, row.shares[2].bytes);
    });
    for (const ChangeRow& row : sorted) rows.add(device, row);
}

Field<ChangeRow, findings::DeviceAnalyses> change_field(const char* name, FieldUnit unit, std::size_t list,
                                                        const char* sentence) {
    return {name, unit, sentence, [unit, list](const ChangeRow& row) {
                return unit == FieldUnit::bytes ? row.shares[list].bytes : row.shares[list].count;
            }};
}

const DeviceFields<ChangeRow> k_change_fields = {
    device_field<ChangeRow>(),
    {"stack_id", FieldUnit::id, "stacks.id of the allocation; NULL if none was recorded",
     [](const ChangeRow& row) { return row.has_stack() ? std::optional(row.stack) : std::nullopt; }},
    {"source", FieldUnit::text, "stacks.top_frame, or a description where there is no stack",
     [](const ChangeRow& row, findings::DeviceAnalyses& device) { return source_of(*device.stack_lines(), row.stack); }},
    change_field("came", FieldUnit::bytes, 0, "bytes live at the second moment but not at the first, as requested"),
    change_field("came_count", FieldUnit::count, 0, "the number of these allocations"),
    change_field("went", FieldUnit::bytes, 1, "bytes live at the first moment but not at the second"),
    change_field("went_count", FieldUnit::count, 1, "the number of these allocations"),
    change_field("stayed", FieldUnit::bytes, 2, "bytes live at both moments"),
    change_field("stayed_count", FieldUnit::count, 2, "the number of these allocations")};

FunctionRowsPointer changes_of_argument(const findings::Analyses& analyses, Arguments arguments) {
    const auto* first = std::get_if<std::int64_t>(&arguments[0]);
    const auto* second = std::get_if<std::int64_t>(&arguments[1]);
    if (first == nullptr || second == nullptr)
        throw Failure{{ErrorCode::bad_query, "changes_between needs the ids of two events, as in changes_between(17, 90)"}};
    check_event(analyses, *first);
    check_event(analyses, *second);
    bool is_any = false;
    auto rows = rows_of_devices(k_change_fields, analyses, [&](findings::DeviceAnalyses& device, auto& added) {
        const auto from = moment_after(device, *first);
        const auto to = moment_after(device, *second);
        if (!from || !to) return;
        is_any = true;
        add_change_rows(device, *from, *to, added);
    });
    if (!is_any) throw Failure{{ErrorCode::bad_query, "changes_between needs two events of the same device"}};
    return rows;
}

struct ContradictionRow {
    const char* what;
    std::uint64_t backward, forward;
};

const DeviceFields<ContradictionRow> k_contradiction_fields = {
    device_field<ContradictionRow>(),
    {"contradiction", FieldUnit::text, "in words, as in the finding 'contradictions'", &ContradictionRow::what},
    {"backward", FieldUnit::count, "how often it was met on the way from the segments at the end back to the beginning",
     &ContradictionRow::backward},
    {"forward", FieldUnit::count, "how often it was met on the way from the beginning forward", &ContradictionRow::forward}};

void add_contradictions(findings::DeviceAnalyses& device, DeviceRows<ContradictionRow>& rows) {
    if (!device.has_blocks() || !device.why_no_layouts().empty()) return;
    const space::AddressSpace& space = *device.address_space();
    if (space.facts().final_ranges.empty()) return;
    bool is_any = false;
    for (std::size_t i = 0; i < space::k_contradictions; ++i) {
        const std::uint64_t backward = space.backward_contradictions()[i];
        const std::uint64_t forward = space.forward_contradictions()[i];
        if (backward + forward == 0) continue;
        is_any = true;
        rows.add(device, {space::contradiction_text(static_cast<space::Contradiction>(i)), backward, forward});
    }
    const auto& replaced = space.facts().replaced_by_allocation;
    const auto unfreed =
        replaced.size() - static_cast<std::size_t>(std::ranges::count(replaced, space::AddressFacts::k_none));
    if (!is_any && unfreed > 0) rows.add(device, {"allocations at addresses that were never freed", 0, unfreed});
}

}  // namespace

TableFunction holes_table(const AnalysesPointer& analyses) {
    return device_table<RowsInPlace>(
        "holes", "Idle reserved memory before the first event and after each event, in bytes of blocks.", k_holes_fields,
        analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            const space::HolesHistory& history = *device.holes();
            rows.add(device, history.rows.size(), [&](std::size_t number) -> HolesOfMoment {
                return {static_cast<std::uint32_t>(history.first_moment + number), &history.rows[number]};
            });
        });
}

TableFunction layout_table(const AnalysesPointer& analyses) {
    return layouts_table("layout",
                         "The memory layout of a device right after an event: every block and every hole, by address.",
                         k_layout_fields, analyses, add_layout_rows);
}

TableFunction pins_table(const AnalysesPointer& analyses) {
    return layouts_table(
        "pins",
        "The blocks next to a hole that torch.cuda.empty_cache() would leave right after an event, and what would become "
        "free without each: sorted by the bytes returned to the driver, then by the size of the hole.",
        k_pin_fields, analyses, [](findings::DeviceAnalyses& device, std::uint32_t moment, auto& rows) {
            const space::AddressSpace& space = *device.address_space();
            for (const space::PinningBlock& pin : space::pins_at(space, space.at(moment)).blocks) rows.add(device, pin);
        });
}

TableFunction changes_table(const AnalysesPointer& analyses) {
    return {"changes_between",
            "Compares two moments, each right after an event: by stack, what is live only at the second, only at the first, "
            "and at both. Stacks with the most new bytes come first, then those with the most bytes gone.",
            k_change_fields.columns(),
            {{"event_a", "INTEGER", k_event_doc}, {"event_b", "INTEGER", "the same for the second moment"}},
            [analyses](Arguments arguments) { return changes_of_argument(*analyses, arguments); }};
}

TableFunction contradictions_table(const AnalysesPointer& analyses) {
    return device_table(
        "contradictions",
        "Where events and segments of a device cannot both be true, and how often. Empty if they agree, or if there are no "
        "segments.",
        k_contradiction_fields, analyses, add_contradictions);
}

}  // namespace snapviewer::report
