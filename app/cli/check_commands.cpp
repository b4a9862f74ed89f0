#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/command_run.h"
#include "app/cli/commands.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/picture/areas_svg.h"
#include "core/analysis/report/limits.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/replay/what_if.h"
#include "core/system/files.h"

namespace snapviewer::cli {
namespace {

/// Escapes text for Markdown, so that it appears unchanged; also inside a table cell.
std::string markdown_text(std::string_view text) {
    constexpr std::string_view k_special = "\\`*_[]<>|#~&";
    std::string out;
    for (const char c : terminal_text(text)) {
        if (k_special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// Returns "max-peak", or "max-peak, device 1" if the limit belongs to one of several devices.
std::string name_of(const report::CheckedLimit& limit) {
    return limit.device.empty() ? limit.name : limit.name + ", " + limit.device;
}

std::size_t count_of(const std::vector<report::CheckedLimit>& checked, report::LimitOutcome outcome) {
    return static_cast<std::size_t>(std::ranges::count(checked, outcome, &report::CheckedLimit::outcome));
}

/// Returns the JUnit element for a broken or unknown limit, "" for a limit that is kept.
std::string junit_outcome(const report::CheckedLimit& limit) {
    if (limit.outcome == report::LimitOutcome::within) return "";
    const char* element = limit.outcome == report::LimitOutcome::broken ? "failure" : "error";
    std::string causes;
    for (const std::string& cause : limit.causes) causes += picture::xml_text(terminal_text(cause)) + "\n";
    return fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", element, picture::xml_text(terminal_text(limit.sentence)),
                       causes);
}

/// Returns the results as text for a terminal: one line per limit, such as "within: ...", followed by the stacks that broke
/// it. Control characters are escaped.
std::string check_text(const std::vector<report::CheckedLimit>& checked) {
    std::string text;
    for (const report::CheckedLimit& limit : checked) {
        text += fmt::format("{}: {}: {}\n", report::limit_outcome_name(limit.outcome), name_of(limit),
                            terminal_text(limit.sentence));
        for (const std::string& cause : limit.causes) text += "    " + terminal_text(cause) + "\n";
    }
    return text;
}

/// Returns the results as a comment for a pull request: a table, and a list of stacks for each broken limit.
std::string check_markdown(std::string_view file, const std::vector<report::CheckedLimit>& checked) {
    std::string text =
        fmt::format("### GPU memory of {}\n\n| limit | outcome | |\n| --- | --- | --- |\n", markdown_text(file));
    for (const report::CheckedLimit& limit : checked)
        text += fmt::format("| {} | {} | {} |\n", name_of(limit), report::limit_outcome_name(limit.outcome),
                            markdown_text(limit.sentence));
    for (const report::CheckedLimit& limit : checked) {
        if (limit.causes.empty()) continue;
        text += fmt::format("\nLargest contributions to {}:\n\n", name_of(limit));
        for (const std::string& cause : limit.causes) text += "- " + markdown_text(cause) + "\n";
    }
    return text;
}

/// Returns the results as JUnit XML, which CI servers read: a broken limit is a failure, an unknown one is an error.
std::string check_junit(std::string_view file, const std::vector<report::CheckedLimit>& checked) {
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"snapviewer check\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
        checked.size(), count_of(checked, report::LimitOutcome::broken), count_of(checked, report::LimitOutcome::unknown));
    for (const report::CheckedLimit& limit : checked) {
        text += fmt::format(
            "    <testcase classname=\"{}\" name=\"{}\">\n{}      <system-out>{}</system-out>\n    </testcase>\n",
            picture::xml_text(terminal_text(file)), name_of(limit), junit_outcome(limit),
            picture::xml_text(terminal_text(limit.sentence)));
    }
    return text + "  </testsuite>\n</testsuites>\n";
}

constexpr int k_limit_broken = 4;
constexpr int k_cannot_be_told = 5;

struct CheckOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::string baseline;
    std::optional<int> device;
    std::string max_peak;
    std::string max_reserved;
    std::string max_growth;
    std::string max_fragmentation;
    std::string tolerance;
    std::string junit;
    std::string markdown;
    std::string log;
};

report::Limits limits_of(const CheckOptions& options) {
    report::Limits limits;
    limits.peak_bytes = parse_bytes(options.max_peak);
    limits.reserved_bytes = parse_bytes(options.max_reserved);
    limits.growth_bytes = parse_bytes_or_none(options.max_growth);
    limits.fragmentation_percent = parse_share(options.max_fragmentation);
    if (const auto share = parse_percent(options.tolerance))
        limits.tolerance.share = *share / 100;
    else
        limits.tolerance.bytes = parse_bytes(options.tolerance).value_or(0);
    return limits;
}

/// Writes the requested report files. Returns false after an error, which it has reported.
bool write_reports(CommandRun& session, const CheckOptions& options, const std::vector<report::CheckedLimit>& checked) {
    const std::string file = display_path(options.file);
    for (const auto& [path, text] : {std::pair(options.junit, check_junit(file, checked)),
                                     std::pair(options.markdown, check_markdown(file, checked))}) {
        const Status written = path.empty() ? Status{} : OutputFile::write_whole(path, text);
        if (written) continue;
        session.report(written.error(), path);
        return false;
    }
    return true;
}

int status_of(report::LimitOutcome outcome) {
    switch (outcome) {
        case report::LimitOutcome::within: return k_done;
        case report::LimitOutcome::broken: return k_limit_broken;
        case report::LimitOutcome::unknown: return k_cannot_be_told;
    }
    return k_at_fault;
}

/// Returns the output path that would overwrite an input file, else "".
std::string overwritten_input(const CheckOptions& options) {
    for (const std::string& out : {options.junit, options.markdown}) {
        for (const std::string& in : {options.file, options.baseline}) {
            if (are_same_file(in, out)) return out;
        }
    }
    return "";
}

int run_check(const CheckOptions& options) {
    const SandboxNeeds needs{.outputs = {options.junit, options.markdown}};
    report::Limits limits = limits_of(options);
    if (!limits.peak_bytes && !limits.reserved_bytes && !limits.growth_bytes && !limits.fragmentation_percent &&
        options.baseline.empty())
        return CommandRun(options.file)
            .refuse(
                "has no limit to check; give --max-peak, --max-reserved, --max-growth, --max-fragmentation or --baseline");
    if (const std::string out = overwritten_input(options); !out.empty())
        return CommandRun(options.file).refuse("is a file to check, so it cannot be the output", out);
    CommandRun session(options.file, needs, {options.baseline, options.log});
    const auto device =
        session.open_device({.mesh = false, .log = options.log, .part = part_of(options.part)}, options.device);
    if (!device) return session.status();
    std::optional<CommandRun> baseline;
    if (!options.baseline.empty()) {
        baseline.emplace(options.baseline, session);
        if (!baseline->open_device({.mesh = false}, std::nullopt)) return baseline->status();
        limits.baseline = {baseline->document()->analyses.get(), baseline->document()->default_device};
    }
    const auto chosen = options.device ? device : std::nullopt;
    const auto checked =
        caught(&session.progress(), [&] { return report::check_limits(*session.document()->analyses, chosen, limits); });
    if (!checked) return session.report(checked.error());
    if (!write_reports(session, options, *checked)) return session.status();
    session.report_import_log();
    const auto card = options.log.empty() ? Result<std::string>("") : card_text(session);
    if (!card) return session.report(card.error());
    const int printed = session.print(check_text(*checked) + *card);
    return printed == k_done ? status_of(report::worst_outcome(*checked)) : printed;
}

}  // namespace

void add_check_command(CommandLine& line) {
    const auto options = std::make_shared<CheckOptions>();
    const ValueForm bytes{.type_name = "SIZE", .check = is_bytes};
    Arguments arguments = line.command(
        "check",
        "Check a run against limits, for CI. Exit status: 0 if all are kept, 4 if one is broken, 5 if one is unknown",
        [options] { return run_check(*options); });
    arguments.value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .value("--max-peak", options->max_peak, "The most that may be allocated at the same time, in bytes or as 20GiB",
               bytes)
        .value("--max-reserved", options->max_reserved, "The most that may be reserved from the driver", bytes)
        .value("--max-growth", options->max_growth, "The most that memory may grow per training step; 0 for not at all",
               {.type_name = "SIZE", .check = is_bytes_or_none})
        .value(
            "--max-fragmentation", options->max_fragmentation,
            "The largest share of reserved memory, in percent, that may be idle between live blocks when most is reserved",
            {.type_name = "PERCENT", .check = is_share})
        .value("--baseline", options->baseline, "Another snapshot, whose peak must not be exceeded",
               {.type_name = "FILE", .is_file = true})
        .value("--tolerance", options->tolerance, "By how much it may be exceeded: 100MiB, or 2%; by default not at all",
               {.type_name = "SIZE|PERCENT", .check = is_tolerance})
        .value("--junit", options->junit, "Write the outcome to this file in the format that CI servers read",
               {.type_name = "XML"})
        .value("--markdown", options->markdown, "Write the outcome to this file as a comment for a pull request",
               {.type_name = "MD"})
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--device", options->device,
               "Device number as in the file; by default every device is checked, but not pinned host memory",
               {.type_name = "N"});
    add_job_log(arguments, options->log);
}

namespace {

struct ReplayCommandOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::vector<std::string> settings;
    bool smallest = false;
    bool usual = false;
    bool json = false;
};

/// Returns an error text if `text` is not a valid "NAME=VALUE", otherwise "".
std::string is_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return "'" + text + "' is not NAME=VALUE";
    replay::AllocatorSettings any;
    const Status changed = replay::change_setting(any, text.substr(0, equals), text.substr(equals + 1));
    return changed ? "" : changed.error().message;
}

int run_replay(const ReplayCommandOptions& options) {
    CommandRun session(options.file);
    const auto device = session.open_device({.mesh = false, .part = part_of(options.part)}, options.device);
    if (!device) return session.status();
    const Snapshot& snapshot = *session.document()->snapshot;
    replay::ReplayQuestion question;
    question.find_smallest = options.smallest;
    question.try_usual = options.usual;
    for (const std::string& setting : options.settings) {
        const std::size_t equals = setting.find('=');
        question.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    const DeviceTrace& trace = snapshot.devices[*device];
    if (trace.events.size() == 0 || trace.allocations_are_given)
        return session.report({ErrorCode::bad_file, "has no events of this device that can be replayed"});
    const auto report = caught(&session.progress(), [&] { return replay::replay_report(snapshot, trace, question); });
    if (!report) return session.report(report.error());
    session.report_import_log();
    if (!options.json) return session.print(terminal_text(replay::replay_text(*report), LineFeeds::kept));
    return session.print(json_text(replay::replay_json(*report, display_name(options.file)), 2) + "\n");
}

}  // namespace

void add_replay_command(CommandLine& line) {
    const auto options = std::make_shared<ReplayCommandOptions>();
    line.command("replay", "Show what other settings of PyTorch's allocator would have changed; see docs/what-if.md",
                 [options] { return run_replay(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .value("--set", options->settings,
               "A setting to try; can be given several times: expandable_segments=true, max_split_size_mb=512, "
               "roundup_power2_divisions=4, garbage_collection_threshold=0.8, capacity_bytes=40G, ...",
               {.type_name = "NAME=VALUE", .check = is_setting})
        .flag("--smallest", options->smallest, "Also find the smallest card that is large enough")
        .flag("--usual", options->usual, "Try the common settings, each on its own")
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--part", options->part, save_picture::k_part_about, {.type_name = "N"})
        .value("--device", options->device, save_picture::k_device_about, {.type_name = "N"});
}

}  // namespace snapviewer::cli
