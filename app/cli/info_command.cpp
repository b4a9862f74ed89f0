#include "app/cli/info_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/process_memory.h"
#include "app/cli/session.h"
#include "app/state/icicle_bars.h"
#include "app/text/allocation_text.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_listed_ooms = 10;  // in the text; the JSON has them all

struct InfoOptions {
    std::string file;
    std::string with;
    bool json = false;
};

/// Distinct stacks that the events and allocations of a device refer to.
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

std::uint64_t mesh_bytes(const Document& document) {
    std::uint64_t bytes = 0;
    for (const DeviceView& device : document.devices) bytes += device.mesh->memory_bytes();
    return bytes;
}

nlohmann::ordered_json describe_device(const Document& document, std::size_t index) {
    const DeviceTrace& trace = document.snapshot->devices[index];
    const Timeline& timeline = *document.devices[index].timeline;
    nlohmann::ordered_json json = {{"device", trace.device}};
    if (!trace.part.empty()) json["part"] = trace.part;
    if (!trace.rank.empty()) json["rank"] = trace.rank;
    json.update({{"events", trace.events.size()},
                 {"allocations", trace.allocations.size()},
                 {"stacks", count_stacks(*document.snapshot, trace)},
                 {"steps", timeline.step_count()},
                 {"peak_bytes", timeline.peak_bytes()},
                 {"live_bytes_at_end", timeline.live_bytes_at_end()},
                 {"path_points", timeline.path_point_count()}});
    return json;
}

/// Every time that memory ran out: `visit(index of the device, its marker)`.
template <typename Visit>
void for_each_oom(const Document& document, Visit visit) {
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        for (const Marker& marker : document.devices[i].overlays->markers) {
            if (marker.oom) visit(i, marker);
        }
    }
}

nlohmann::ordered_json describe_ooms(const Document& document) {
    const std::vector<DeviceTrace>& devices = document.snapshot->devices;
    nlohmann::ordered_json ooms = nlohmann::ordered_json::array();
    for_each_oom(document, [&](std::size_t index, const Marker& marker) {
        std::uint64_t first_event_id = 0;
        for (std::size_t i = 0; i < index; ++i) first_event_id += devices[i].events.size();
        ooms.push_back({{"device", devices[index].device},
                        {"event", first_event_id + marker.event.value},
                        {"step", static_cast<std::uint64_t>(marker.place.step)},
                        {"demand_bytes", *marker.bytes},
                        {"device_free_bytes", marker.oom->device_free_bytes}});
    });
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

std::string info_json(const Document& document, const Sandbox& sandbox) {
    nlohmann::ordered_json json = {{"kind", file_kind_name(document.snapshot->kind)},
                                   {"container", document.snapshot->container},
                                   {"devices", nlohmann::ordered_json::array()},
                                   {"oom", describe_ooms(document)},
                                   {"import_log", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < document.devices.size(); ++i) json["devices"].push_back(describe_device(document, i));
    for (const ImportEntry& logged : document.snapshot->log.entries()) {
        nlohmann::ordered_json entry = {{"severity", severity_text(logged.severity)},
                                        {"code", logged.code},
                                        {"message", logged.message},
                                        {"count", logged.count},
                                        {"first_offset", nullptr}};
        if (logged.first_offset) entry["first_offset"] = *logged.first_offset;
        json["import_log"].push_back(std::move(entry));
    }
    if (!document.icicles.empty()) json["icicles"] = describe_icicles(document);
    const StageTimings& timings = document.timings;
    json["timings_ms"] = {{"read", timings.read_ms}, {"parse", timings.parse_ms},       {"timeline", timings.timeline_ms},
                          {"mesh", timings.mesh_ms}, {"database", timings.database_ms}, {"total", timings.total_ms}};
    json["mesh_bytes"] = mesh_bytes(document);
    json["peak_rss_bytes"] = peak_memory_bytes();
    json["sandbox"] = sandbox.text();
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string device_text(const Document& document, std::size_t index) {
    const DeviceTrace& trace = document.snapshot->devices[index];
    const Timeline& timeline = *document.devices[index].timeline;
    std::string text = fmt::format("\n{}\n", terminal_text(device_name(trace)));
    const auto add = [&text](const char* name, const std::string& value) {
        text += fmt::format("  {:<16}{}\n", name, value);
    };
    add("events", format_count(trace.events.size()));
    add("allocations", format_count(trace.allocations.size()));
    add("stacks", format_count(count_stacks(*document.snapshot, trace)));
    add("steps", format_count(timeline.step_count()));
    add("peak", fmt::format("{} at step {}", format_bytes_exactly(timeline.peak_bytes()),
                            format_count(timeline.step_of_tick(timeline.peak_tick()))));
    add("live at the end", format_bytes_exactly(timeline.live_bytes_at_end()));
    add("path points", format_count(timeline.path_point_count()));
    return text;
}

/// The first thing anybody wants to know; empty where memory never ran out.
std::string oom_text(const Document& document) {
    std::string text;
    std::size_t count = 0;
    for_each_oom(document, [&](std::size_t index, const Marker& marker) {
        if (++count > k_listed_ooms) return;
        text += fmt::format("{}  {}, step {}: {} requested, {} free on the driver\n", count == 1 ? "\nout of memory\n" : "",
                            terminal_text(device_name(document.snapshot->devices[index])),
                            format_count(static_cast<std::uint64_t>(marker.place.step)), format_bytes_exactly(*marker.bytes),
                            format_bytes_exactly(marker.oom->device_free_bytes));
    });
    if (count > k_listed_ooms) text += fmt::format("  and {} times more\n", format_count(count - k_listed_ooms));
    return text;
}

std::string info_text(const Document& document, const Sandbox& sandbox) {
    const std::string& container = document.snapshot->container;
    std::string text = fmt::format("{}: {}{}\n", terminal_text(document.path), file_kind_name(document.snapshot->kind),
                                   container.empty() ? "" : " in " + container);
    text += oom_text(document);
    for (std::size_t i = 0; i < document.devices.size(); ++i) text += device_text(document, i);
    for (const Icicle& icicle : document.icicles) {
        const std::string totals = totals_text(icicle);
        text += fmt::format("\n{}: {}\n", terminal_text(icicle.name), totals.empty() ? "nothing" : terminal_text(totals));
    }
    const auto& entries = document.snapshot->log.entries();
    if (!entries.empty()) text += "\nimport log\n";
    for (const ImportEntry& entry : entries) {
        text += fmt::format("  {}: {} ({} x {})\n", severity_text(entry.severity), terminal_text(entry.message),
                            format_count(entry.count), entry.code);
    }
    const StageTimings& t = document.timings;
    text += fmt::format("\nloaded in {:.1f} ms: read {:.1f}, parse {:.1f}, timeline {:.1f}, mesh {:.1f}, database {:.1f}\n",
                        t.total_ms, t.read_ms, t.parse_ms, t.timeline_ms, t.mesh_ms, t.database_ms);
    text += fmt::format("mesh {}, peak memory of the process {}\n", format_bytes(mesh_bytes(document)),
                        format_bytes(peak_memory_bytes()));
    text += fmt::format("sandbox {}\n", sandbox.text());
    return text;
}

int run_info(const InfoOptions& options) {
    Session session(options.file);
    const Document* document = session.open({.with = options.with});
    if (document == nullptr) return session.status();
    if (!options.json) return session.print(info_text(*document, session.sandbox()));
    session.report_import_log();
    return session.print(info_json(*document, session.sandbox()));
}

}  // namespace

void add_info_command(CommandLine& line) {
    const auto options = std::make_shared<InfoOptions>();
    line.command("info", "Say what a file holds and what opening it costs", [options] { return run_info(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true})
        .flag("--json", options->json, "As JSON, for scripts")
        .value("--with", options->with, k_with_about);
}

}  // namespace snapviewer
