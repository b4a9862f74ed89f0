#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/profilers/reports.h"
#include "core/load/profilers/tables.h"

namespace snapviewer::profilers {

namespace {

/// Minimum share of activations that must be found in a run-time report for both reports to count as reports of one model.
constexpr double k_min_matched_share = 0.9;

/// Icicles in the order of execution, in the order of execution with repeated calls kept apart, and by source. Entries are
/// indices into `operations`.
std::vector<IcicleRows> run_time_icicles(const std::vector<OperationRow>& operations) {
    IcicleRows executed;
    IcicleRows merged;
    const auto entry = [&](std::size_t i, double width_ms, IcicleGroup group) {
        return IcicleEntry{operations[i].frames, operations[i].operation, width_ms, group, static_cast<std::uint32_t>(i)};
    };
    for (std::size_t i = 0; i < operations.size(); ++i) {
        check_stop();
        const double both_ms = operations[i].forward_ms + operations[i].backward_ms.value_or(0);
        executed.entries.push_back(entry(i, operations[i].forward_ms, IcicleGroup::forward));
        merged.entries.push_back(entry(i, both_ms, IcicleGroup::forward_and_backward));
    }
    for (std::size_t i = operations.size(); i-- > 0;) {
        check_stop();
        if (operations[i].backward_ms)
            executed.entries.push_back(entry(i, *operations[i].backward_ms, IcicleGroup::backward));
    }
    const std::string sum_title = "sum of separately measured operations (not the time of an iteration)";
    const IcicleTitle order{"execution order", sum_title, Unit::milliseconds};
    const IcicleTitle apart{"execution order, calls apart", sum_title, Unit::milliseconds};
    const IcicleTitle source{"by source", sum_title + ", longest first", Unit::milliseconds};
    executed.pictures = {{order, IcicleLayout::in_order}, {apart, IcicleLayout::in_order_per_call}};
    merged.pictures = {{source, IcicleLayout::by_source}};
    return {std::move(executed), std::move(merged)};
}

using CallSite = std::tuple<std::string, std::vector<SourceLine>>;

/// The times at which the passes of each operation end.
struct PassEnds {
    std::vector<double> forward_ms;
    std::vector<double> backward_ms;
};

PassEnds pass_ends(const std::vector<OperationRow>& operations) {
    PassEnds ends;
    double now_ms = 0;
    for (const OperationRow& operation : operations) ends.forward_ms.push_back(now_ms += operation.forward_ms);
    ends.backward_ms.resize(operations.size());
    for (std::size_t i = operations.size(); i-- > 0;) {
        ends.backward_ms[i] = now_ms += operations[i].backward_ms.value_or(0);
    }
    return ends;
}

bool is_enough(std::size_t matched, std::size_t activations) {
    return static_cast<double>(matched) >= k_min_matched_share * static_cast<double>(std::max<std::size_t>(activations, 1));
}

std::size_t count_matched(const std::vector<std::optional<std::size_t>>& matches) {
    return static_cast<std::size_t>(std::ranges::count_if(matches, [](const auto& match) { return match.has_value(); }));
}

}  // namespace

bool is_run_time_report(const sqlite::SqliteFile& file) { return has_any_table(file, {"run_time_entries"}); }

void read_run_time_report(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded) {
    snapshot.kind = FileKind::run_time_report;
    const std::vector<OperationRow> operations = read_run_time_report_rows(*file, snapshot.log);
    if (operations.empty()) {
        snapshot.log.add("report_empty", {}, {"operations; was the model inside the project folder?"});
    }
    double forward_ms = 0, backward_ms = 0;
    for (const OperationRow& operation : operations) {
        forward_ms += operation.forward_ms;
        backward_ms += operation.backward_ms.value_or(0);
    }
    const auto put = [&](const char* name, double value) { snapshot.settings.emplace_back(name, fmt::format("{}", value)); };
    put("forward_ms", forward_ms);
    put("backward_ms", backward_ms);
    put("sum_ms", forward_ms + backward_ms);
    if (forward_ms > 0) put("backward_per_forward", backward_ms / forward_ms);
    loaded.icicles = run_time_icicles(operations);
}

bool are_of_one_model(sqlite::SqliteFile& memory_report, sqlite::SqliteFile& run_time_report) {
    ImportLog ignored;
    const MemoryReportRows rows = read_memory_report_rows(memory_report, ignored);
    const std::vector<OperationRow> operations = read_run_time_report_rows(run_time_report, ignored);
    return is_enough(count_matched(match_operations(rows.activations, operations)), rows.activations.size());
}

std::vector<std::optional<std::size_t>> match_operations(const std::vector<ActivationRow>& activations,
                                                         const std::vector<OperationRow>& operations) {
    std::map<CallSite, std::vector<std::size_t>> calls;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (operations[i].backward_ms) calls[{operations[i].operation, operations[i].frames}].push_back(i);
    }
    std::map<CallSite, std::size_t> met;
    std::vector<std::optional<std::size_t>> matches;
    for (const ActivationRow& activation : activations) {
        const CallSite site{activation.operation, activation.frames};
        const auto found = calls.find(site);
        const std::size_t turn = met[site]++;
        const bool has_match = found != calls.end() && turn < found->second.size();
        matches.push_back(has_match ? std::optional(found->second[turn]) : std::nullopt);
    }
    return matches;
}

IterationTimes measure_iteration(std::vector<ActivationRow>& activations,
                                 const std::vector<std::optional<std::size_t>>& matches,
                                 const std::vector<OperationRow>& operations) {
    const PassEnds ends = pass_ends(operations);
    IterationTimes times;
    times.forward_end_ms = ends.forward_ms.empty() ? 0 : ends.forward_ms.back();
    times.end_ms = ends.backward_ms.empty() ? 0 : ends.backward_ms.front();

    std::vector<IterationTimes::Life> lives;
    IterationTimes::Life before{0, times.end_ms, {}, {}, {}};
    for (const std::optional<std::size_t>& match : matches) {
        IterationTimes::Life life{before.start_ms, before.end_ms, {}, {}, {}};
        if (match) {
            const OperationRow& operation = operations[*match];
            life = {ends.forward_ms[*match], ends.backward_ms[*match], operation.forward_ms, operation.backward_ms, match};
        }
        lives.push_back(life);
        before = life;
    }
    std::vector<std::size_t> order(activations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(lives[a].start_ms, -lives[a].end_ms) < std::pair(lives[b].start_ms, -lives[b].end_ms);
    });
    std::vector<ActivationRow> sorted;
    for (const std::size_t i : order) {
        sorted.push_back(std::move(activations[i]));
        times.activations.push_back(lives[i]);
    }
    activations = std::move(sorted);
    return times;
}

namespace {

void name_with(const char* prefix, IcicleRows& report) {
    for (IciclePicture& picture : report.pictures) picture.title.name.insert(0, prefix);
}

}  // namespace

void read_report_pair(sqlite::SqliteFile& memory_report, sqlite::SqliteFile& run_time_report, Snapshot& snapshot,
                      LoadedFile& loaded) {
    ImportLog& log = snapshot.log;
    MemoryReportRows rows = read_memory_report_rows(memory_report, log);
    const std::vector<OperationRow> operations = read_run_time_report_rows(run_time_report, log);

    const std::vector<std::optional<std::size_t>> matches = match_operations(rows.activations, operations);
    const std::size_t matched = count_matched(matches);
    const std::string other = std::filesystem::path(run_time_report.path()).filename().string();
    const std::string share = fmt::format("{} of {} activations", matched, matches.size());
    if (!is_enough(matched, matches.size())) {
        bytes::fail(
            fmt::format("does not belong to {}: only {} are found there, so the two reports are not about the same model",
                        other, share));
    }
    log.add("report_pair", {}, {other, share});
    const IterationTimes times = measure_iteration(rows.activations, matches, operations);
    const std::vector<AllocationId> drawn = show_memory_report(rows, &times, snapshot, loaded);
    // The allocation that each operation keeps for its backward pass; none() if it keeps nothing.
    std::vector<AllocationId> kept(operations.size(), AllocationId::none());
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (const auto operation = times.activations[i].operation) kept[*operation] = drawn[i];
    }
    name_with("bytes: ", loaded.icicles.front());
    for (IcicleRows& report : run_time_icicles(operations)) {
        name_with("time: ", report);
        report.allocations = kept;
        loaded.icicles.push_back(std::move(report));
    }
}

}  // namespace snapviewer::profilers
