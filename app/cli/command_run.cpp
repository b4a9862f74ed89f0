#include "app/cli/command_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/analysis/report/report.h"
#include "core/base/addresses.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/fleet/fleet.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::cli {
namespace {

void print_line(const std::string& file, const std::string& text) {
    fmt::print(stderr, "snapviewer: {}: {}\n", terminal_text(display_path(file)), terminal_text(text));
}

}  // namespace

CommandRun::~CommandRun() { say_first(); }

void CommandRun::say_first() {
    if (!unsaid_.empty()) print_line(path_, std::exchange(unsaid_, {}));
}

CommandRun::CommandRun(std::string path, SandboxNeeds needs, std::vector<std::string> others)
    : path_(std::move(path)), progress_(std::make_shared<Progress>()) {
    others.push_back(path_);
    std::erase(others, "");
    // No limit for drawing, because the memory that graphics drivers allocate cannot be predicted.
    if (!needs.draws) limit_memory_by_kernel(others);
    sandbox_ = enter_sandbox_here(std::move(needs));
}

CommandRun::CommandRun(std::string path, const CommandRun& first)
    : path_(std::move(path)), sandbox_(first.sandbox_), progress_(first.progress_) {}

const Document* CommandRun::open(OpenOptions options, CutOffSaid said) {
    options.log_rank = fleet::rank_in_path(path_).rank;
    auto document = open_document(path_, options, *progress_);
    if (!document) {
        report(document.error(), document.error().file);
        return nullptr;
    }
    document_ = std::move(*document);
    const std::string cut_off = cut_off_sentence(*document_->snapshot);
    if (said == CutOffSaid::on_stderr) unsaid_ = cut_off;
    return document_.get();
}

findings::DeviceAnalyses* CommandRun::open_analyses(std::optional<int> number) {
    const auto index = open_device({.mesh = false}, number);
    return index ? &document_->analyses->device(*index) : nullptr;
}

std::optional<std::size_t> CommandRun::open_device(OpenOptions options, std::optional<int> number) {
    return open(std::move(options)) == nullptr ? std::nullopt : require_device(number);
}

std::optional<std::size_t> CommandRun::find_device(std::optional<int> number) {
    if (!number) return document_->default_device;
    const auto& devices = document_->snapshot->devices;
    const auto found = std::ranges::find(devices, *number, &DeviceTrace::device);
    if (found != devices.end()) return static_cast<std::size_t>(found - devices.begin());
    std::string known;
    for (const DeviceTrace& device : devices) known += fmt::format("{}{}", known.empty() ? "" : ", ", device.device);
    report({ErrorCode::bad_file, known.empty() ? fmt::format("has no device {}: it holds no memory to draw", *number)
                                               : fmt::format("has no device {}; its devices are {}", *number, known)});
    return std::nullopt;
}

std::optional<std::size_t> CommandRun::require_device(std::optional<int> number) {
    if (document_->devices.empty()) {
        report({ErrorCode::unsupported,
                "holds no memory to draw or export, only tables; snapviewer query reads them, and snapviewer info shows "
                "what kind of file it is"});
        return std::nullopt;
    }
    return find_device(number);
}

std::optional<std::uint32_t> CommandRun::find_moment(std::size_t device_index, std::int64_t event_id) {
    if (event_id < 0) return 0;
    const auto& devices = document_->snapshot->devices;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto end = first + static_cast<std::int64_t>(devices[i].events.size());
        const bool has_event = event_id >= first && event_id < end;
        if (has_event && i == device_index) return static_cast<std::uint32_t>(event_id - first + 1);
        if (has_event) {
            report(
                {ErrorCode::bad_file, fmt::format("has event {} on device {}, not on device {}; add --device {}", event_id,
                                                  devices[i].device, devices[device_index].device, devices[i].device)});
            return std::nullopt;
        }
        first = end;
    }
    const std::int64_t first_of_device = first_event_id(*document_->snapshot, devices[device_index]);
    const auto events = static_cast<std::int64_t>(devices[device_index].events.size());
    const std::string known = events == 0 ? "only -1, because it has no events"
                                          : fmt::format("only -1 (before the first event) and {} to {}", first_of_device,
                                                        first_of_device + events - 1);
    report({ErrorCode::bad_file,
            fmt::format("has no event {}; for device {} {}", event_id, devices[device_index].device, known)});
    return std::nullopt;
}

Result<std::string> card_text(CommandRun& session) {
    const findings::Analyses& analyses = *session.document()->analyses;
    std::string text;
    for (std::size_t i = 0; i < analyses.device_count(); ++i) {
        const auto device = caught(&session.progress(), [&] { return report::device_memory_text(analyses.device(i)); });
        if (!device) return device.error();
        text += terminal_text(*device, LineFeeds::kept);
    }
    return text;
}

int CommandRun::report(const Error& error, const std::string& file) {
    // Prints a single line per error: a pending sentence that the file is truncated precedes the error text.
    const std::string first = unsaid_.empty() ? "" : std::exchange(unsaid_, {}) + "; ";
    print_line(file.empty() ? path_ : file, first + error.text());
    status_ = error.code == ErrorCode::environment ? k_environment : k_at_fault;
    return status_;
}

int CommandRun::refuse(const std::string& message, const std::string& file) {
    report({ErrorCode::bad_query, message}, file);
    return k_wrong_usage;
}

void CommandRun::report_import_log() {
    say_first();
    for (const ImportEntry& entry : document_->snapshot->log.entries()) {
        if (entry.severity == Severity::info) continue;
        const std::string times = entry.count == 1 ? "" : fmt::format(" ({} times)", entry.count);
        print_line(path_, fmt::format("{}: {}{}", severity_words(entry.severity), entry.message, times));
    }
}

void CommandRun::note(const std::string& text) {
    say_first();
    print_line(path_, text);
}

int CommandRun::print(std::string_view text) {
    say_first();
    const std::string shown = terminal_text(text, LineFeeds::kept);
    const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
    return written && std::fflush(stdout) == 0 ? k_done : report_no_output();
}

int CommandRun::report_no_output() { return report({ErrorCode::environment, "cannot write to standard output"}); }

namespace {

constexpr std::uint64_t k_max_rules_bytes = 1 << 20;

}  // namespace

Result<kinds::KindRules> read_rules_file(const std::string& path) {
    if (path.empty()) return kinds::KindRules();
    const Result<std::string> text = read_plain_file(path, k_max_rules_bytes);
    if (!text) return text.error();
    return kinds::KindRules::parse(*text);
}

}  // namespace snapviewer::cli
