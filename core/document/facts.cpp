#include "core/document/facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/report/report.h"
#include "core/timeline/curve.h"
#include "core/timeline/markers.h"

namespace snapviewer {

std::uint64_t count_stacks(const Snapshot& snapshot, const DeviceTrace& trace) {
    std::vector<bool> seen(snapshot.stacks.stack_count());
    std::uint64_t count = 0;
    for (const auto* column : {&trace.events.stack, &trace.allocations.stack}) {
        for (const StackId stack : *column) {
            if (!stack.is_some() || seen[stack.value]) continue;
            seen[stack.value] = true;
            ++count;
        }
    }
    return count;
}

std::vector<Marker> oom_markers(const Document& document, std::size_t device_index) {
    const DeviceView& device = document.devices[device_index];
    std::vector<Marker> markers = device.overlays
                                      ? device.overlays->markers
                                      : find_landmarks(*device.timeline, AxisPlaces(*device.timeline), nullptr).markers;
    std::erase_if(markers, [](const Marker& marker) { return !marker.oom; });
    return markers;
}

namespace {

nlohmann::ordered_json describe_device(const Document& document, std::size_t index) {
    const DeviceTrace& trace = document.snapshot->devices[index];
    const Timeline& timeline = *document.devices[index].timeline;
    const RecordingFacts recording = recording_facts(timeline);
    nlohmann::ordered_json json = {{"device", trace.device}};
    if (!trace.part.empty()) json["part"] = trace.part;
    if (!trace.rank.empty()) json["rank"] = trace.rank;
    json.update({{"events", trace.events.size()},
                 {"allocations", trace.allocations.size()},
                 {"stacks", count_stacks(*document.snapshot, trace)},
                 {"steps", timeline.step_count()},
                 {"peak_bytes", recording.peak_bytes},
                 {"peak_is_lower_bound", recording.peak_is_lower_bound},
                 {"live_bytes_at_end", timeline.live_bytes_at_end()},
                 {"path_points", timeline.path_point_count()},
                 {"recording", recording_facts_json(recording)}});
    return json;
}

nlohmann::ordered_json describe_ooms(const Document& document) {
    const std::vector<DeviceTrace>& devices = document.snapshot->devices;
    nlohmann::ordered_json ooms = nlohmann::ordered_json::array();
    for (std::size_t index = 0; index < document.devices.size(); ++index) {
        for (const Marker& marker : oom_markers(document, index)) {
            ooms.push_back({{"device", devices[index].device},
                            {"event", first_event_id(*document.snapshot, devices[index]) + marker.event.value},
                            {"step", static_cast<std::uint64_t>(marker.place.step)},
                            {"demand_bytes", *marker.bytes},
                            {"device_free_bytes", nullptr}});
            if (marker.oom->device_free_bytes) ooms.back()["device_free_bytes"] = *marker.oom->device_free_bytes;
            ooms.back()["recovered"] = marker.oom->is_recovered;
        }
    }
    return ooms;
}

nlohmann::ordered_json describe_icicles(const Document& document) {
    nlohmann::ordered_json icicles = nlohmann::ordered_json::array();
    for (const Icicle& icicle : document.icicles) {
        nlohmann::ordered_json roots = nlohmann::ordered_json::object();
        for (std::uint32_t i = 0; !icicle.nodes.empty() && i < icicle.level_ends[0]; ++i) {
            roots[icicle.nodes[i].label] = icicle.nodes[i].width;
        }
        icicles.push_back({{"name", icicle.name},
                           {"unit", icicle.unit == Unit::milliseconds ? "milliseconds" : "bytes"},
                           {"total", icicle.total},
                           {"roots", std::move(roots)},
                           {"entries", icicle.entries.size()},
                           {"depth", icicle.depth_count()}});
    }
    return icicles;
}

nlohmann::ordered_json describe_entry(const ImportEntry& entry) {
    nlohmann::ordered_json json = {{"severity", severity_text(entry.severity)},
                                   {"code", entry.code},
                                   {"message", entry.message},
                                   {"count", entry.count},
                                   {"first_offset", nullptr}};
    if (entry.first_offset) json["first_offset"] = *entry.first_offset;
    return json;
}

}  // namespace

nlohmann::ordered_json document_facts(const Document& document) {
    nlohmann::ordered_json json = {{"kind", file_kind_name(document.snapshot->kind)},
                                   {"container", document.snapshot->container},
                                   {"devices", nlohmann::ordered_json::array()},
                                   {"oom", describe_ooms(document)},
                                   {"import_log", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < document.devices.size(); ++i) json["devices"].push_back(describe_device(document, i));
    for (const ImportEntry& entry : document.snapshot->log.entries()) json["import_log"].push_back(describe_entry(entry));
    if (!document.icicles.empty()) json["icicles"] = describe_icicles(document);
    return json;
}

}  // namespace snapviewer
