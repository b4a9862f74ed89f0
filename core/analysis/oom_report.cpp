// The report section about running out of memory.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/event_steps.h"
#include "core/analysis/report.h"
#include "core/base/units.h"

namespace snapviewer {
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
