#include "app/cli/check_command.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/check_text.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/analysis/report/limits.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

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

Limits limits_of(const CheckOptions& options) {
    Limits limits;
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

Status write_file(const std::string& path, const std::string& text) {
    if (path.empty()) return {};
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    file->write(text);
    return file->put_in_place();
}

/// Writes the requested report files. Returns false after an error, which it has reported.
bool write_reports(Session& session, const CheckOptions& options, const std::vector<CheckedLimit>& checked) {
    if (const Status written = write_file(options.junit, check_junit(shown_path(options.file), checked)); !written) {
        session.report(written.error(), options.junit);
        return false;
    }
    if (const Status written = write_file(options.markdown, check_markdown(shown_path(options.file), checked)); !written) {
        session.report(written.error(), options.markdown);
        return false;
    }
    return true;
}

int status_of(LimitOutcome outcome) {
    switch (outcome) {
        case LimitOutcome::within: return k_done;
        case LimitOutcome::broken: return k_limit_broken;
        case LimitOutcome::unknown: return k_cannot_be_told;
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
    Limits limits = limits_of(options);
    if (!limits.peak_bytes && !limits.reserved_bytes && !limits.growth_bytes && !limits.fragmentation_percent &&
        options.baseline.empty()) {
        Session(options.file)
            .report(
                {ErrorCode::bad_file,
                 "has no limit to check; give --max-peak, --max-reserved, --max-growth, --max-fragmentation or --baseline"});
        return k_wrong_usage;
    }
    if (const std::string out = overwritten_input(options); !out.empty()) {
        Session(options.file).report({ErrorCode::io, "is a file to check, so it cannot be the output"}, out);
        return k_wrong_usage;
    }
    Session session(options.file, needs, {options.baseline, options.log});
    if (session.open({.mesh = false, .log = options.log, .part = part_of(options.part)}) == nullptr) return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    std::optional<Session> baseline;
    if (!options.baseline.empty()) {
        baseline.emplace(options.baseline, session);
        if (baseline->open({.mesh = false}) == nullptr || !baseline->require_device(std::nullopt)) return baseline->status();
        limits.baseline = {baseline->document()->analyses.get(), baseline->document()->default_device};
    }
    const auto chosen = options.device ? device : std::nullopt;
    const auto checked =
        caught(&session.progress(), [&] { return check_limits(*session.document()->analyses, chosen, limits); });
    if (!checked) return session.report(checked.error());
    if (!write_reports(session, options, *checked)) return session.status();
    session.report_import_log();
    const auto card = options.log.empty() ? Result<std::string>("") : card_text(session);
    if (!card) return session.report(card.error());
    const int printed = session.print(check_text(*checked) + *card);
    return printed == k_done ? status_of(worst_outcome(*checked)) : printed;
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
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--device", options->device,
               "Device number as in the file; by default every device is checked, but not pinned host memory",
               {.type_name = "N"});
    add_job_log(arguments, options->log);
}

}  // namespace snapviewer
