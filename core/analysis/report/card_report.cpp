#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

// The card's whole memory, memory pools, and running out of memory: the report sections as JSON and text, and the SQL
// tables.
namespace snapviewer::report {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::int64_t> event_of(const oom::CardUse& use, const findings::DeviceAnalyses& device) {
    return use.moment ? device.event_id_of_moment(*use.moment) : std::nullopt;
}

/// One part of a card's memory, for example the memory of one process.
struct CardUseRow {
    const oom::CardUse* use;
    const oom::CardRow* row;

    const oom::CardRow& operator*() const { return *row; }
};

const DeviceFields<CardUseRow> k_card_fields = {
    device_field<CardUseRow>(),
    {"source", FieldUnit::text,
     "who told: 'recorder' is the .about.json beside the file, 'message' PyTorch's error in the job's log",
     [](const CardUseRow& row) { return oom::figures_source_name(row.use->source); }, k_only_in_tables},
    {"event_id", FieldUnit::event, "events.id of the event after which it was so; NULL if that is not known",
     [](const CardUseRow& row, const findings::DeviceAnalyses& device) { return event_of(*row.use, device); },
     k_only_in_tables},
    {"part", FieldUnit::text,
     "'allocated' and 'pending' (freed, but another stream may still use it) by PyTorch; 'idle' and 'private_idle' "
     "reserved by PyTorch, the latter in private pools; 'this_process' outside PyTorch's allocator, or all of it if "
     "PyTorch counts more than the card has and no other part is about PyTorch; "
     "'other_processes'; 'free'; 'no_process' of the driver itself; 'unknown'",
     [](const oom::CardRow& row) { return oom::card_part_name(row.part); }},
    {"bytes", FieldUnit::bytes, "together as much as the card has", &oom::CardRow::bytes},
    {"words", FieldUnit::text, "the part in words", &oom::CardRow::words}};

Json card_use_json(findings::DeviceAnalyses& device, const oom::CardUse& use) {
    const auto row_json = [&](const oom::CardRow& row) {
        Json json = k_card_fields.json({&use, &row}, device);
        if (row.pid) json["pid"] = *row.pid;
        return json;
    };
    return {{"source", oom::figures_source_name(use.source)},
            {"where", value_or_null(null_if_empty(use.where))},
            {"oom", use.is_of_oom},
            {"event", value_or_null(event_of(use, device))},
            {"total", use.total_bytes},
            {"rounding", use.rounding_bytes},
            {"excess", use.excess_bytes},
            {"rows", json_array(use.rows, row_json)},
            {"notes", use.notes}};
}

Json device_memory_json(findings::DeviceAnalyses& device) {
    const std::vector<oom::CardUse>& uses = *device.card_uses();
    return uses.empty() ? Json() : json_array(uses, [&](const oom::CardUse& use) { return card_use_json(device, use); });
}

}  // namespace

std::string device_memory_text(findings::DeviceAnalyses& device) {
    std::string text;
    for (const oom::CardUse& use : *device.card_uses()) {
        text += fmt::format("all memory of the card{}, {}{}\n", use.is_of_oom ? " when memory ran out" : "",
                            format_bytes(use.total_bytes), use.where.empty() ? "" : ", by " + use.where);
        for (const oom::CardRow& row : use.rows) {
            text += fmt::format("  {:>10}  {:>5.1f} %  {}\n", format_bytes(row.bytes),
                                100 * static_cast<double>(row.bytes) / static_cast<double>(use.total_bytes), row.words);
        }
        for (const std::string& note : use.notes) text += fmt::format("  {}\n", note);
    }
    return text;
}

const ReportSection k_device_memory_section = {"device_memory", device_memory_json, device_memory_text};

TableFunction device_memory_table(const AnalysesPointer& analyses) {
    return device_table(
        "device_memory",
        "All memory of the card by who uses it, other processes included, where snapviewer's recorder wrote it down beside "
        "the snapshot, or the error in a job's log tells it (--log). Empty otherwise.",
        k_card_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            for (const oom::CardUse& use : *device.card_uses()) {
                for (const oom::CardRow& row : use.rows) rows.add(device, {&use, &row});
            }
        });
}

// Memory pools, with the bytes and the maker of each pool.

namespace {

Json holding_json(const space::PoolHolding& holding) {
    return {{"reserved", holding.reserved}, {"used", holding.used()}, {"idle", holding.idle}};
}

std::optional<std::uint64_t> at_peak(const space::PoolUse& use, std::uint64_t bytes) {
    return use.at_peak ? std::optional(bytes) : std::nullopt;
}

space::PoolHolding peak_of(const space::PoolUse& use) { return use.at_peak.value_or(space::PoolHolding()); }

/// The rows are pointers, because a PoolUse has several texts.
const DeviceFields<const space::PoolUse*> k_pool_fields = {
    device_field<const space::PoolUse*>(),
    {"pool", FieldUnit::text, "as '(1, 2)'; '(0, 0)' is the default pool", &space::PoolUse::pool},
    {"is_private", FieldUnit::flag, "1 for a pool of a CUDA graph or one created by the program, otherwise 0",
     &space::PoolUse::is_private, named_in_json("private")},
    {"reserved_at_peak", FieldUnit::bytes, "bytes of its segments when most was allocated; NULL if that is not known",
     [](const space::PoolUse& use) { return at_peak(use, peak_of(use).reserved); }, k_only_in_tables},
    {"used_at_peak", FieldUnit::bytes, "of these, in blocks",
     [](const space::PoolUse& use) { return at_peak(use, peak_of(use).used()); }, k_only_in_tables},
    {"idle_at_peak", FieldUnit::bytes, "of these, in no block",
     [](const space::PoolUse& use) { return at_peak(use, peak_of(use).idle); }, k_only_in_tables},
    {"reserved_at_end", FieldUnit::bytes, "bytes of its segments when the snapshot was taken",
     [](const space::PoolUse& use) { return use.at_end.reserved; }, k_only_in_tables},
    {"used_at_end", FieldUnit::bytes, "of these, in blocks", [](const space::PoolUse& use) { return use.at_end.used(); },
     k_only_in_tables},
    {"idle_at_end", FieldUnit::bytes, "of these, in no block", [](const space::PoolUse& use) { return use.at_end.idle; },
     k_only_in_tables},
    {"made_event", FieldUnit::event,
     "events.id of the first that reserved memory for it; NULL if none was recorded, or for the default pool",
     [](const space::PoolUse& use, const findings::DeviceAnalyses& device) {
         return use.made_event ? std::optional(device.event_id(*use.made_event)) : std::nullopt;
     }},
    {"made_stack_id", FieldUnit::id, "stacks.id of that event, or of a segment of the pool; NULL if there is none",
     &space::PoolUse::made_stack},
    {"made_by", FieldUnit::text, "the line of that stack; NULL without one",
     [](const space::PoolUse& use) { return null_if_empty(use.made_by); }},
    {"captured_by", FieldUnit::text, "the frame of that stack that captures a CUDA graph; NULL if none does",
     [](const space::PoolUse& use) { return null_if_empty(use.captured_by); }}};

Json pool_json(findings::DeviceAnalyses& device, const space::PoolUse& use) {
    Json json = k_pool_fields.json(&use, device);
    json["at_peak"] = use.at_peak ? holding_json(*use.at_peak) : Json();
    json["at_end"] = holding_json(use.at_end);
    return json;
}

bool has_private(const std::vector<space::PoolUse>& uses) { return std::ranges::any_of(uses, &space::PoolUse::is_private); }

Json pools_json(findings::DeviceAnalyses& device) {
    const std::vector<space::PoolUse>& uses = *device.pool_uses();
    return has_private(uses) ? json_array(uses, [&](const space::PoolUse& use) { return pool_json(device, use); }) : Json();
}

std::string pools_text(findings::DeviceAnalyses& device) {
    const std::vector<space::PoolUse>& uses = *device.pool_uses();
    if (!has_private(uses)) return std::string();
    std::string text = fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", "memory pool", "at the peak", "of it idle",
                                   "at the end", "of it idle");
    const bool peak_is_unknown = known_peak(device.timeline()).is_at_end;
    for (const space::PoolUse& use : uses) {
        const auto peak = [&](std::uint64_t bytes) {
            return use.at_peak && !peak_is_unknown ? format_bytes(bytes) : std::string("unknown");
        };
        const space::PoolHolding at_peak = peak_of(use);
        text += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", use.is_private ? use.pool : "default",
                            peak(at_peak.reserved), peak(at_peak.idle), format_bytes(use.at_end.reserved),
                            format_bytes(use.at_end.idle));
        if (!use.made_by.empty()) text += fmt::format("  made by {}", use.made_by);
        if (!use.captured_by.empty() && use.captured_by != use.made_by)
            text += fmt::format(", captured by {}", use.captured_by);
        if (!use.made_by.empty()) text += "\n";
    }
    return text;
}

}  // namespace

const ReportSection k_pools_section = {"pools", pools_json, pools_text};

TableFunction pool_use_table(const AnalysesPointer& analyses) {
    return device_table(
        "pool_use",
        "What each memory pool holds at the peak and when the snapshot was taken, and who made it: pools of CUDA graphs and "
        "of MemPool are closed to everything else.",
        k_pool_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            for (const space::PoolUse& use : *device.pool_uses()) rows.add(device, &use);
        });
}

// The report section and the SQL table about running out of memory.

namespace {

/// Formats a number as settings do: a whole number has no decimal point.
Json number_json(double value) {
    return std::nearbyint(value) == value && std::abs(value) < 9e15 ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

/// Returns the SQL id of an event as JSON; null for nullopt.
Json event_json(const findings::DeviceAnalyses& device, const std::optional<std::uint32_t>& event) {
    return event ? Json(device.event_id(*event)) : Json();
}

Json capacity_json(const findings::DeviceAnalyses& device, const oom::Capacity& capacity) {
    Json json = {{"given", nullptr},
                 {"card", nullptr},
                 {"card_source", nullptr},
                 {"bound", capacity.bound_bytes},
                 {"bound_event", event_json(device, capacity.bound_event)},
                 {"reserved_max", capacity.max_reserved_bytes},
                 {"guess", nullptr}};
    if (const auto& card = capacity.card) {
        if (card->source == oom::FiguresSource::given) json["given"] = card->total.bytes;
        json["card"] = card->total.bytes;
        json["card_source"] = oom::figures_source_name(card->source);
    }
    if (capacity.guess) {
        json["guess"] = {{"name", capacity.guess->name},
                         {"low", capacity.guess->low_bytes},
                         {"high", capacity.guess->high_bytes},
                         {"total", capacity.guess->min_total_bytes}};
    }
    return json;
}

/// The source of the value `outside`: the log, the recorder, the user or a bound. null if the value is unknown.
Json outside_basis(const oom::OomVerdict& v, const oom::Capacity& capacity) {
    if (!v.outside) return nullptr;
    if (v.outside_is_bound) return "bound";
    const oom::FiguresSource source = capacity.card->source;
    return oom::figures_source_name(v.card && source != oom::FiguresSource::given ? v.card->source : source);
}

Json beyond_json(const std::optional<oom::BeyondCard>& beyond) {
    if (!beyond) return nullptr;
    const auto pool_json = [](const space::PoolHolding& pool) {
        return Json{{"pool", pool.pool}, {"reserved", pool.reserved}};
    };
    return {{"reserved", beyond->reserved_bytes},
            {"card", beyond->card_bytes},
            {"excess", beyond->excess_bytes},
            {"pools", json_array(beyond->pools, pool_json)},
            {"sentence", beyond->sentence}};
}

Json factor_json(const oom::OomFactor& factor) {
    return {
        {"cause", oom::oom_cause_name(factor.cause)}, {"bytes", factor.bytes}, {"would_fit", factor.is_sufficient_cause}};
}

Json verdict_json(const findings::DeviceAnalyses& device, const oom::OomVerdict& v, const oom::Capacity& capacity) {
    const std::int64_t time_us = device.trace().events.time_us[v.event];
    Json pending_by_stream = Json::object();
    for (const auto& [stream, bytes] : v.pending_by_stream) pending_by_stream[std::to_string(stream)] = bytes;
    return {{"device", device.trace().device},
            {"event", device.event_id(v.event)},
            {"step", step_of_event(device.timeline(), v.event)},
            {"time_us", time_us == k_no_time ? Json(nullptr) : Json(time_us)},
            {"kind", "oom"},
            {"cause", oom::oom_cause_name(v.cause)},
            {"recovered", v.is_recovered},
            {"demand", v.demand},
            {"driver_bytes", v.driver_bytes},
            {"device_free", value_or_null(v.device_free)},
            {"reserved", v.reserved},
            {"allocated", v.allocated},
            {"requested", v.requested},
            {"pending", v.pending},
            {"pending_by_stream", pending_by_stream},
            {"idle", v.idle()},
            {"idle_default", v.idle_default},
            {"idle_private", v.idle_private},
            {"idle_whole_segments", v.idle_whole_segments},
            {"idle_other_streams", v.idle_other_streams},
            {"largest_hole", v.largest_hole},
            {"largest_usable_hole", v.largest_usable_hole},
            {"largest_hole_without_pending", v.largest_hole_without_pending},
            {"outside", value_or_null(v.outside)},
            {"outside_basis", outside_basis(v, capacity)},
            {"limit", value_or_null(v.limit_bytes)},
            {"beyond_card", beyond_json(v.beyond)},
            {"capacity", capacity_json(device, capacity)},
            {"contributing", json_array(v.contributing, factor_json)},
            {"settings",
             {{"expandable_segments", v.settings.expandable_segments},
              {"max_split_size", number_json(v.settings.max_split_size)},
              {"garbage_collection_threshold", v.settings.garbage_collection_threshold}}},
            {"largest_sources", json_array(v.largest_sources, source_json)},
            {"stack", v.stack_source},
            {"sentence", v.sentence},
            {"hint", value_or_null(null_if_empty(v.hint))}};
}

Json near_capacity_json(const findings::DeviceAnalyses& device, const oom::OomReport& oom) {
    if (oom.near_capacity.empty()) return nullptr;
    return {{"device", device.trace().device},
            {"kind", "near_capacity"},
            {"reserved", oom.capacity.max_reserved_bytes},
            {"total", oom.capacity.card->total.bytes},
            {"basis", oom::figures_source_name(oom.capacity.card->source)},
            {"event", event_json(device, oom.capacity.bound_event)},
            {"sentence", oom.near_capacity}};
}

Json oom_json(findings::DeviceAnalyses& device) {
    const oom::OomReport& oom = *device.oom();
    const auto verdict = [&](const oom::OomVerdict& v) { return verdict_json(device, v, oom.capacity); };
    Json json = {{"verdicts", json_array(oom.verdicts, verdict)},
                 {"near_capacity", near_capacity_json(device, oom)},
                 {"capacity", capacity_json(device, oom.capacity)},
                 {"beyond_card", beyond_json(oom.beyond)}};
    if (oom.earlier_count > 0) json["earlier_left_out"] = oom.earlier_count;
    return json;
}

std::string oom_text(findings::DeviceAnalyses& device) {
    const oom::OomReport& report = *device.oom();
    std::string text;
    if (report.earlier_count > 0)
        text +=
            fmt::format("\u2026 {} earlier times that memory ran out are left out\n", format_count(report.earlier_count));
    for (const oom::OomVerdict& v : report.verdicts) {
        text += fmt::format("out of memory at event {}{}: {}\n  {}\n", device.event_id(v.event),
                            v.is_recovered ? ", after which the run went on" : "", oom::oom_cause_name(v.cause), v.sentence);
        if (!v.hint.empty()) text += fmt::format("  {}\n", v.hint);
        text += fmt::format(
            "  requested {}, free on the device {}, reserved {}, allocated {}, waiting for other streams {}, idle {} "
            "({} in private pools), largest usable hole {}\n",
            format_bytes(v.demand), v.device_free ? format_bytes(*v.device_free) : "unknown", format_bytes(v.reserved),
            format_bytes(v.allocated), format_bytes(v.pending), format_bytes(v.idle()), format_bytes(v.idle_private),
            format_bytes(v.largest_usable_hole));
    }
    if (report.beyond && report.verdicts.empty()) text += report.beyond->sentence + "\n";
    if (!report.near_capacity.empty()) text += report.near_capacity + "\n";
    return text;
}

}  // namespace

const ReportSection k_oom_section = {"oom", oom_json, oom_text};

}  // namespace snapviewer::report
