#include "app/cli/info_command.h"
#include "app/features/save_picture/picture_spec.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/features/reports/icicle_bars.h"
#include "app/features/timeline/allocation_text.h"
#include "core/base/addresses.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/document/facts.h"
#include "core/system/memory.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_listed_ooms = 10;  // maximum number in the text; the JSON lists all

struct InfoOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::string with;
    std::string log;
    bool json = false;
};

std::uint64_t mesh_bytes(const Document& document) {
    std::uint64_t bytes = 0;
    for (const DeviceView& device : document.devices) bytes += device.mesh->memory_bytes();
    return bytes;
}

/// The triangle meshes that near views of all devices are drawn from, as a window builds them; null if there are none.
nlohmann::ordered_json meshes_json(const Document& document) {
    std::uint64_t records = 0, bytes = 0;
    for (const DeviceView& device : document.devices) {
        const TriangleMesh& built = device.mesh->triangles;
        records += built.records.size();
        bytes += built.memory_bytes();
        const std::optional<MeshSize> size = mesh_size_of(*device.timeline);
        if (!size) continue;
        records += size->records;
        bytes += size->memory_bytes();
    }
    if (records == 0) return nullptr;
    return {{"records", records}, {"bytes", bytes}};
}

/// Calls `visit(device index, marker)` for every oom event.
template <typename Visit>
void for_each_oom(const Document& document, Visit visit) {
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        for (const Marker& marker : oom_markers(document, i)) visit(i, marker);
    }
}

std::string info_json(const Document& document, const Sandbox& sandbox) {
    nlohmann::ordered_json json = document_facts(document);
    const StageTimings& timings = document.timings;
    json["timings_ms"] = {{"read", timings.read_ms}, {"parse", timings.parse_ms},       {"timeline", timings.timeline_ms},
                          {"mesh", timings.mesh_ms}, {"database", timings.database_ms}, {"total", timings.total_ms}};
    json["mesh_bytes"] = mesh_bytes(document);
    json["triangle_mesh"] = meshes_json(document);
    json["peak_rss_bytes"] = peak_memory_bytes();
    json["sandbox"] = sandbox.text();
    return json_text(json, 2) + "\n";
}

std::string device_text(const Document& document, std::size_t index) {
    const DeviceTrace& trace = document.snapshot->devices[index];
    const Timeline& timeline = *document.devices[index].timeline;
    std::string text = fmt::format("\n{}{}\n", terminal_text(device_name(trace)),
                                   device_badges(timeline, document.devices[index].leaks.value_or(false)));
    const auto add = [&text](const char* name, const std::string& value) {
        text += fmt::format("  {:<16}{}\n", name, value);
    };
    const RecordingFacts recording = recording_facts(timeline);
    add("recording", recording_state_words(recording.state));
    add("", recording_sentence(recording));
    if (!recording.next_time.empty()) add("next time", recording.next_time);
    add("events", format_count(trace.events.size()));
    add("allocations", format_count(trace.allocations.size()));
    add("stacks", format_count(count_stacks(*document.snapshot, trace)));
    add("steps", format_count(timeline.step_count()));
    const KnownPeak peak = known_peak(timeline);
    const std::string peak_step = timeline.allocation_count() > 0 && !is_peak_behind_cut(timeline)
                                      ? " at step " + format_count(timeline.step_of_tick(timeline.peak_tick()))
                                      : "";
    if (!peak.is_at_end)
        add("peak", (peak.is_lower_bound ? "at least " : "") + format_bytes_exactly(peak.bytes) + peak_step);
    add("live at the end", format_bytes_exactly(timeline.live_bytes_at_end()));
    add("path points", format_count(timeline.path_point_count()));
    return text;
}

/// Returns a list of the oom events as text; empty if the file has none.
std::string oom_text(const Document& document) {
    std::string text;
    std::size_t count = 0;
    for_each_oom(document, [&](std::size_t index, const Marker& marker) {
        if (++count > k_listed_ooms) return;
        const auto free_bytes = marker.oom->device_free_bytes;
        text += fmt::format(
            "{}  {}, step {}: {} requested, {} free on the driver{}\n", count == 1 ? "\nout of memory\n" : "",
            terminal_text(device_name(document.snapshot->devices[index])),
            format_count(static_cast<std::uint64_t>(marker.place.step)), format_bytes_exactly(*marker.bytes),
            free_bytes ? format_bytes_exactly(*free_bytes) : "unknown", marker.oom->is_recovered ? "; the run went on" : "");
    });
    if (count > k_listed_ooms) text += fmt::format("  and {} more times\n", format_count(count - k_listed_ooms));
    return text;
}

/// Returns the facts of a document as text. `card` describes the use of the card's memory; empty if the user named no log.
std::string info_text(const Document& document, const Sandbox& sandbox, const std::string& card) {
    const std::string& container = document.snapshot->container;
    const std::string cut_off = cut_off_sentence(*document.snapshot);
    std::string text =
        fmt::format("{}: {}{}{}\n", terminal_text(shown_path(document.path)), file_kind_name(document.snapshot->kind),
                    container.empty() ? "" : " in " + container, cut_off.empty() ? "" : ", " + cut_off);
    text += oom_text(document);
    if (!card.empty()) text += "\n" + card;
    for (std::size_t i = 0; i < document.devices.size(); ++i) text += device_text(document, i);
    for (const Icicle& icicle : document.icicles) {
        const std::string totals = totals_text(icicle);
        text += fmt::format("\n{}: {}\n", terminal_text(icicle.name), totals.empty() ? "nothing" : terminal_text(totals));
    }
    const auto& entries = document.snapshot->log.entries();
    if (!entries.empty()) text += "\nfile notes\n";
    for (const ImportEntry& entry : entries) {
        text += fmt::format("  {}: {}{}\n", severity_words(entry.severity), terminal_text(entry.message),
                            entry.count == 1 ? "" : fmt::format(" ({} times)", format_count(entry.count)));
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
    Session session(options.file, {}, {options.with, options.log});
    const Document* document = session.open({.with = options.with, .log = options.log, .part = part_of(options.part)},
                                            options.json ? CutOffSaid::on_stderr : CutOffSaid::in_the_answer);
    if (document == nullptr) return session.status();
    const auto card = options.log.empty() ? Result<std::string>("") : card_text(session);
    if (!card) return session.report(card.error());
    if (!options.json) return session.print(info_text(*document, session.sandbox(), *card));
    session.report_import_log();
    return session.print(info_json(*document, session.sandbox()));
}

}  // namespace

void add_info_command(CommandLine& line) {
    const auto options = std::make_shared<InfoOptions>();
    Arguments arguments = line.command("info", "Show what a file holds and how long it takes to open",
                                       [options] { return run_info(*options); });
    arguments.value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--with", options->with, k_with_about, {.is_file = true});
    add_job_log(arguments, options->log);
}

}  // namespace snapviewer
