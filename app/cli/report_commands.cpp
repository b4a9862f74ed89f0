#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "app/features/reports/icicle.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/timeline/allocation_text.h"
#include "core/analysis/report/report.h"
#include "core/analysis/stacks/icicle.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/document/document.h"
#include "core/system/memory.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"

namespace snapviewer::cli {
namespace {

constexpr std::size_t k_listed_ooms = 10;  // maximum number of oom events in the text; the JSON lists all

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
        const mesh::TriangleMesh& built = device.mesh->triangles;
        records += built.records.size();
        bytes += built.memory_bytes();
        const std::optional<mesh::MeshSize> size = mesh::mesh_size_of(*device.timeline);
        if (!size) continue;
        records += size->records;
        bytes += size->memory_bytes();
    }
    if (records == 0) return nullptr;
    return {{"records", records}, {"bytes", bytes}};
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
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        for (const Marker& marker : oom_markers(document, i)) {
            if (++count > k_listed_ooms) continue;
            const auto free_bytes = marker.oom->device_free_bytes;
            text +=
                fmt::format("{}  {}, step {}: {} requested, {} free on the driver{}\n",
                            count == 1 ? "\nout of memory\n" : "", terminal_text(device_name(document.snapshot->devices[i])),
                            format_count(static_cast<std::uint64_t>(marker.place.step)), format_bytes_exactly(*marker.bytes),
                            free_bytes ? format_bytes_exactly(*free_bytes) : "unknown",
                            marker.oom->is_recovered ? "; the run went on" : "");
        }
    }
    if (count > k_listed_ooms) text += fmt::format("  and {} more times\n", format_count(count - k_listed_ooms));
    return text;
}

/// Returns the facts of a document as text. `card` describes the use of the card's memory; empty if the user named no log.
std::string info_text(const Document& document, const Sandbox& sandbox, const std::string& card) {
    const std::string& container = document.snapshot->container;
    const std::string cut_off = cut_off_sentence(*document.snapshot);
    std::string text =
        fmt::format("{}: {}{}{}\n", terminal_text(display_path(document.path)), file_kind_name(document.snapshot->kind),
                    container.empty() ? "" : " in " + container, cut_off.empty() ? "" : ", " + cut_off);
    text += oom_text(document);
    if (!card.empty()) text += "\n" + card;
    for (std::size_t i = 0; i < document.devices.size(); ++i) text += device_text(document, i);
    for (const stacks::Icicle& icicle : document.icicles) {
        const std::string totals = reports::totals_text(icicle);
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
    CommandRun session(options.file, {}, {options.with, options.log});
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
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--with", options->with, save_picture::k_with_about, {.is_file = true});
    add_job_log(arguments, options->log);
}

namespace {

using Json = nlohmann::ordered_json;

struct ReportOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::string device_total;
    std::string rules;
    std::string log;
    bool json = false;
};

struct LayoutOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::string event;
    bool json = false;
};

/// Returns the device that the user asked for, or all devices. nullopt after an error, which has been reported.
std::optional<std::vector<std::size_t>> devices_of(CommandRun& session, std::optional<int> number) {
    const auto device = session.require_device(number);
    if (!device) return std::nullopt;
    if (number) return std::vector{*device};
    std::vector<std::size_t> all(session.document()->devices.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

int print_report_json(CommandRun& session, const findings::Analyses& analyses, const std::vector<std::size_t>& devices) {
    Json json = {{"version", 1}, {"devices", Json::array()}};
    for (const std::size_t index : devices) {
        auto report = caught(&session.progress(), [&] { return report::device_report_json(analyses.device(index)); });
        if (!report) return session.report(report.error());
        json["devices"].push_back(std::move(*report));
    }
    session.report_import_log();
    return session.print(json_text(json, 2) + "\n");
}

int print_report_text(CommandRun& session, const findings::Analyses& analyses, const std::vector<std::size_t>& devices) {
    const std::string cut_off = cut_off_sentence(*session.document()->snapshot);
    std::string text =
        terminal_text(display_path(session.document()->path)) + (cut_off.empty() ? "" : ": " + cut_off) + "\n";
    for (const std::size_t index : devices) {
        const DeviceTrace& trace = analyses.device(index).trace();
        text += fmt::format("\n{}: {}, {}, {}\n\n", terminal_text(device_name(trace)), counted(trace.events.size(), "event"),
                            counted(trace.allocations.size(), "allocation"),
                            labelled_peak_text(analyses.device(index).timeline()));
        const auto report = caught(&session.progress(), [&] { return report::device_report_text(analyses.device(index)); });
        if (!report) return session.report(report.error());
        text += terminal_text(*report, LineFeeds::kept);
    }
    return session.print(text);
}

int run_report(const ReportOptions& options) {
    const auto rules = read_rules_file(options.rules);
    CommandRun session(options.file, {}, {options.log});
    if (!rules) return session.report(rules.error(), options.rules);
    const Document* document = session.open({.mesh = false, .log = options.log, .part = part_of(options.part)},
                                            options.json ? CutOffSaid::on_stderr : CutOffSaid::in_the_answer);
    if (document == nullptr) return session.status();
    const auto devices = devices_of(session, options.device);
    if (!devices) return session.status();
    const auto analyses = make_analyses(*document, {.device_total_bytes = parse_bytes(options.device_total),
                                                    .kind_rules = *rules,
                                                    .card_figures = document->card_figures});
    return options.json ? print_report_json(session, *analyses, *devices) : print_report_text(session, *analyses, *devices);
}

int run_layout(const LayoutOptions& options) {
    CommandRun session(options.file);
    const auto device = session.open_device({.mesh = false, .part = part_of(options.part)}, options.device);
    if (!device) return session.status();
    const auto moment = session.find_moment(*device, parse_event(options.event).value_or(-1));
    if (!moment) return session.status();
    findings::DeviceAnalyses& analyses = session.document()->analyses->device(*device);
    if (const std::string why = analyses.why_no_layouts(); !why.empty()) return session.report({ErrorCode::bad_file, why});
    const auto layout = caught(&session.progress(), [&] { return report::layout_json(analyses, *moment); });
    if (!layout) return session.report(layout.error());
    session.report_import_log();
    return session.print(json_text(*layout, 2) + "\n");
}

}  // namespace

void add_report_command(CommandLine& line) {
    const auto options = std::make_shared<ReportOptions>();
    Arguments arguments = line.command("report", "Show why memory ran out, what grows, and what holds it",
                                       [options] { return run_report(*options); });
    arguments.value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--device", options->device, "Device number as in the file; all devices by default", {.type_name = "N"})
        .value("--device-total", options->device_total, "Total memory of the device, in bytes or as 80GiB",
               {.type_name = "SIZE", .check = is_bytes})
        .value("--rules", options->rules, "Your own rules for kinds of memory, as JSON; see docs/analyses.md",
               {.type_name = "FILE"});
    add_job_log(arguments, options->log);
}

void add_layout_command(CommandLine& line) {
    const auto options = std::make_shared<LayoutOptions>();
    line.command("layout", "Show the memory layout after an event, as JSON", [options] { return run_layout(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .value("--event", options->event,
               "The moment after the event with this number, as in report and events.id; -1 for before the first event",
               {.required = true, .type_name = "E", .check = is_event})
        .flag("--json", options->json, "Print JSON, which is the only format")
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--device", options->device, save_picture::k_device_about, {.type_name = "N"});
}

namespace {

/// Nodes with a smaller share of the total are left out of the printed tree.
constexpr double k_min_printed_share = 0.02;

constexpr std::size_t k_printed_at_once_bytes = 1 << 20;

struct TreeArguments {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::string event;
    std::string since;
    bool with_freed = false;
    std::string frames = "python";
    bool folded = false;
    bool json = false;
};

/// Returns the tick after an event of the device, or `otherwise` if `event` is empty. nullopt after an error, which has been
/// reported.
std::optional<std::uint32_t> tick_after(CommandRun& session, std::size_t device_index, const std::string& event,
                                        std::uint32_t otherwise) {
    if (event.empty()) return otherwise;
    const auto moment = session.find_moment(device_index, parse_event(event).value_or(-1));
    if (!moment) return std::nullopt;
    return tick_of_moment(*session.document()->devices[device_index].timeline, *moment);
}

/// Returns the requested moment, or the range that ends at it; the moment is the peak by default. nullopt after an error,
/// which has been reported.
std::optional<stacks::FlameMoment> moment_asked(CommandRun& session, std::size_t device_index,
                                                const TreeArguments& arguments) {
    stacks::FlameMoment moment;
    moment.paths.frames = stacks::tree_frames_named(arguments.frames).value_or(stacks::TreeFrames::python);
    const Timeline& timeline = *session.document()->devices[device_index].timeline;
    const auto tick = tick_after(session, device_index, arguments.event, timeline.peak_tick());
    if (!tick) return std::nullopt;
    moment.tick = *tick;
    if (arguments.since.empty()) return moment;
    const auto first_tick = tick_after(session, device_index, arguments.since, 0);
    if (!first_tick) return std::nullopt;
    if (*first_tick > moment.tick) {
        session.report({ErrorCode::bad_file, "has the event given by --since after the moment of the tree"});
        return std::nullopt;
    }
    moment.of = arguments.with_freed ? stacks::FlameSelection::allocated : stacks::FlameSelection::remaining;
    moment.first_tick = *first_tick;
    return moment;
}

std::string heading(const Timeline& timeline, const stacks::FlameMoment& moment) {
    const std::string step = format_count(timeline.step_of_tick(moment.tick));
    const std::string since = format_count(timeline.step_of_tick(moment.first_tick));
    switch (moment.of) {
        case stacks::FlameSelection::live: return "live at step " + step;
        case stacks::FlameSelection::allocated: return fmt::format("allocated after step {} up to step {}", since, step);
        case stacks::FlameSelection::remaining:
            return fmt::format("allocated after step {} and live at step {}", since, step);
    }
    return "";
}

std::string tree_text(const std::string& title, const stacks::CallTree& tree) {
    const stacks::CallTree::Node& root = tree.nodes.front();
    std::string text =
        fmt::format("{}: {} in {}\n", title, format_bytes(root.inclusive_bytes), counted(root.count, "allocation"));
    const double least = k_min_printed_share * static_cast<double>(root.inclusive_bytes);
    for (const stacks::CallTree::Node& node : tree.nodes) {
        if (node.depth == 0 || static_cast<double>(node.inclusive_bytes) < least) continue;
        text += fmt::format("{:>12}  {:{}}{}\n", format_bytes(node.inclusive_bytes), "", 2 * (node.depth - 1),
                            one_line(tree.text(node)));
    }
    return terminal_text(text, LineFeeds::kept);
}

std::string node_json(const stacks::CallTree& tree, std::size_t i) {
    const stacks::CallTree::Node& node = tree.nodes[i];
    return fmt::format(
        "  {{\n   \"id\": {},\n   \"parent\": {},\n   \"depth\": {},\n   \"frame\": {},\n   \"inclusive\": {},\n   "
        "\"exclusive\": {},\n   \"count\": {}\n  }}",
        i, i == 0 ? "null" : std::to_string(node.parent), node.depth, json_quoted(tree.text(node)), node.inclusive_bytes,
        node.exclusive_bytes, node.count);
}

/// Prints the tree as JSON, node by node, because a large tree would take several times its memory as JSON values.
int print_json(CommandRun& session, const std::string& frames, const stacks::CallTree& tree) {
    const stacks::CallTree::Node& root = tree.nodes.front();
    std::string text = fmt::format("{{\n \"frames\": {},\n \"bytes\": {},\n \"count\": {},\n", json_quoted(frames),
                                   root.inclusive_bytes, root.count);
    if (tree.cut_count > 0) text += fmt::format(" \"cut\": {},\n", tree.cut_count);
    text += " \"nodes\": [\n";
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        text += (i == 0 ? "" : ",\n") + node_json(tree, i);
        if (text.size() < k_printed_at_once_bytes) continue;
        if (const int status = session.print(text); status != k_done) return status;
        text.clear();
    }
    return session.print(text + "\n ]\n}\n");
}

int run_tree(const TreeArguments& arguments) {
    CommandRun session(arguments.file);
    const auto device = session.open_device({.mesh = false, .part = part_of(arguments.part)}, arguments.device);
    if (!device) return session.status();
    const Timeline& timeline = *session.document()->devices[*device].timeline;
    const auto moment = moment_asked(session, *device, arguments);
    if (!moment) return session.status();
    const auto tree = caught(&session.progress(), [&] {
        const StackLines lines = StackLines::build(timeline.snapshot());
        return stacks::make_call_tree(timeline, lines, stacks::counted_allocations(timeline, *moment), moment->paths);
    });
    if (!tree) return session.report(tree.error());
    session.report_import_log();
    if (tree->cut_count > 0)
        session.note(
            fmt::format("call paths are cut for {}; their bytes are counted where the path ends; --frames own or python "
                        "gives shorter paths",
                        counted(tree->cut_count, "allocation")));
    if (arguments.folded) return session.print(valid_utf8(stacks::folded_stacks(*tree)));
    if (arguments.json) return print_json(session, arguments.frames, *tree);
    return session.print(tree_text(heading(timeline, *moment), *tree));
}

}  // namespace

void add_tree_command(CommandLine& line) {
    const auto arguments = std::make_shared<TreeArguments>();
    line.command("tree", "Show what is live at a moment, by call path", [arguments] { return run_tree(*arguments); })
        .value("FILE", arguments->file, "The snapshot", {.required = true, .is_file = true})
        .value("--event", arguments->event,
               "The moment after the event with this number, as in report and events.id; -1 for before the first event; by "
               "default "
               "the peak",
               {.type_name = "E", .check = is_event})
        .value("--since", arguments->since,
               "Only what was allocated after this event and is still live; numbered like --event",
               {.type_name = "E", .check = is_event})
        .flag("--with-freed", arguments->with_freed, "With --since: also what was freed again in between")
        .value("--frames", arguments->frames,
               "Which lines of the stacks: all, filtered (without the interpreter and the dispatcher), python (the default: "
               "without C++ and launchers), or own (the program's own); modules: instead of lines the modules that the "
               "program named",
               {.one_of = stacks::tree_frames_names()})
        .flag("--folded", arguments->folded, "Folded stacks, for flame graph tools: one \"a;b;c bytes\" per line")
        .flag("--json", arguments->json, "Print JSON, for scripts")
        .value("--part", arguments->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--device", arguments->device, save_picture::k_device_about, {.type_name = "N"});
}

}  // namespace snapviewer::cli
