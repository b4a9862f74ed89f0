#include "app/cli/report_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/rules_file.h"
#include "app/cli/session.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/timeline/allocation_text.h"
#include "core/analysis/report/report.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
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

Analyses analyses_of(const Document& document, const AnalysisOptions& options) {
    std::vector<std::shared_ptr<const Timeline>> timelines;
    for (const DeviceView& device : document.devices) timelines.push_back(device.timeline);
    return Analyses(*document.snapshot, timelines, options);
}

/// Returns the device that the user asked for, or all devices. nullopt after an error, which has been reported.
std::optional<std::vector<std::size_t>> devices_of(Session& session, std::optional<int> number) {
    const auto device = session.require_device(number);
    if (!device) return std::nullopt;
    if (number) return std::vector{*device};
    std::vector<std::size_t> all(session.document()->devices.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

int print_report_json(Session& session, const Analyses& analyses, const std::vector<std::size_t>& devices) {
    Json json = {{"version", 1}, {"devices", Json::array()}};
    for (const std::size_t index : devices) {
        auto report = caught(&session.progress(), [&] { return device_report_json(analyses.device(index)); });
        if (!report) return session.report(report.error());
        json["devices"].push_back(std::move(*report));
    }
    session.report_import_log();
    return session.print(json_text(json, 2) + "\n");
}

int print_report_text(Session& session, const Analyses& analyses, const std::vector<std::size_t>& devices) {
    const std::string cut_off = cut_off_sentence(*session.document()->snapshot);
    std::string text = terminal_text(shown_path(session.document()->path)) + (cut_off.empty() ? "" : ": " + cut_off) + "\n";
    for (const std::size_t index : devices) {
        const DeviceTrace& trace = analyses.device(index).trace();
        text += fmt::format("\n{}: {}, {}, {}\n\n", terminal_text(device_name(trace)), counted(trace.events.size(), "event"),
                            counted(trace.allocations.size(), "allocation"),
                            labelled_peak_text(analyses.device(index).timeline()));
        const auto report = caught(&session.progress(), [&] { return device_report_text(analyses.device(index)); });
        if (!report) return session.report(report.error());
        text += terminal_text(*report, LineFeeds::kept);
    }
    return session.print(text);
}

int run_report(const ReportOptions& options) {
    const auto rules = read_rules_file(options.rules);
    Session session(options.file, {}, {options.log});
    if (!rules) return session.report(rules.error(), options.rules);
    const Document* document = session.open({.mesh = false, .log = options.log, .part = part_of(options.part)},
                                            options.json ? CutOffSaid::on_stderr : CutOffSaid::in_the_answer);
    if (document == nullptr) return session.status();
    const auto devices = devices_of(session, options.device);
    if (!devices) return session.status();
    const Analyses analyses = analyses_of(*document, {.device_total_bytes = parse_bytes(options.device_total),
                                                      .kind_rules = *rules,
                                                      .card_figures = document->card_figures});
    return options.json ? print_report_json(session, analyses, *devices) : print_report_text(session, analyses, *devices);
}

int run_layout(const LayoutOptions& options) {
    Session session(options.file);
    const Document* document = session.open({.mesh = false, .part = part_of(options.part)});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    const auto moment = session.find_moment(*device, parse_event(options.event).value_or(-1));
    if (!moment) return session.status();
    if (const std::string why = document->analyses->device(*device).why_no_layouts(); !why.empty())
        return session.report({ErrorCode::bad_file, why});
    const auto layout =
        caught(&session.progress(), [&] { return layout_json(document->analyses->device(*device), *moment); });
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
        .value("--part", options->part, k_part_about, {.type_name = "N"})
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
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--device", options->device, k_device_about, {.type_name = "N"});
}

}  // namespace snapviewer
