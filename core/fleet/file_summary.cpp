#include "core/fleet/fleet_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include "core/analysis/compare/compare.h"
#include "core/analysis/findings/analyses.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/document/document.h"
#include "core/timeline/recording_facts.h"
#include "core/trace/segments.h"

namespace snapviewer::fleet {
namespace {

using BytesByKey = std::unordered_map<std::uint64_t, PeakStack, KeyedHash>;

constexpr std::size_t k_max_peak_stacks = 4096;
constexpr std::size_t k_max_kept_steps = 32;
constexpr std::size_t k_max_stacks_per_step = 1024;
constexpr std::uint32_t k_max_totals = 4096;
constexpr std::size_t k_max_text_bytes = 16 << 10;
constexpr std::size_t k_max_setting_bytes = 4 << 10;
constexpr std::size_t k_max_settings_bytes = 16 << 10;  // Limits the settings, because they are stored once per device.
constexpr std::string_view k_step_annotation = "ProfilerStep#";

/// The largest stacks in descending order, at most `most` of them.
std::vector<PeakStack> largest_of(const BytesByKey& by_key, std::size_t most) {
    std::vector<PeakStack> stacks;
    for (const auto& [key, stack] : by_key) stacks.push_back({key, stack.bytes, stack.count});
    std::ranges::sort(stacks, [](const PeakStack& a, const PeakStack& b) {
        return std::pair(b.bytes, a.stack_key) < std::pair(a.bytes, b.stack_key);
    });
    stacks.resize(std::min(stacks.size(), most));
    return stacks;
}

/// Builds the summary of one file, device by device.
class Summariser {
public:
    Summariser(const Document& document, const FleetFile& file, const SummaryOptions& options)
        : document_(document), file_(file), options_(options) {}

    FileSummary run() {
        settings_json_ = settings_json();
        for (std::size_t i = 0; i < document_.analyses->device_count(); ++i) {
            if (is_left_out(document_.snapshot->devices[i])) continue;
            add_device(document_.analyses->device(i));
        }
        number_ranks();
        return std::move(summary_);
    }

private:
    /// True for pinned host memory and other parts without a device, if the file also has a device.
    bool is_left_out(const DeviceTrace& trace) const {
        return !trace.part.empty() &&
               std::ranges::any_of(document_.snapshot->devices, &std::string::empty, &DeviceTrace::part);
    }

    void add_device(findings::DeviceAnalyses& device) {
        const auto lines = device.stack_lines();
        lines_ = lines.get();
        RankSummary rank;
        rank.row = describe(device);
        add_oom_cause(device, rank.row);
        add_peak_stacks(device.timeline(), rank);
        add_peak_modules(device, rank);
        add_growth(device, rank);
        if (options_.step_stacks) add_step_stacks(device, rank);
        if (options_.totals) add_totals(device, rank);
        summary_.ranks.push_back(std::move(rank));
        recorded_ranks_.push_back(device.trace().rank);
        check_stop();
    }

    RankRow describe(const findings::DeviceAnalyses& device) const {
        const DeviceTrace& trace = device.trace();
        const Timeline& timeline = device.timeline();
        RankRow row;
        row.run = file_.run;
        row.host = file_.name.host;
        row.device = trace.device;
        row.file = file_.path;
        row.file_bytes = file_.file_bytes;
        row.events = trace.events.size();
        row.peak_bytes = known_peak(timeline).bytes;
        row.peak_step = timeline.step_of_tick(timeline.peak_tick());
        row.peak_time_us = peak_time_us(timeline);
        row.wrapped = has_ring_overflowed(device.snapshot());
        row.settings_json = settings_json_;
        add_reserved(device.snapshot(), trace, row);
        return row;
    }

    /// The time of the event at the peak, or the peak's position on the time axis if it has no event.
    static std::optional<std::int64_t> peak_time_us(const Timeline& timeline) {
        const std::uint32_t tick = timeline.peak_tick();
        const AllocationId id = timeline.allocation_at_tick(tick);
        const EventId event = id.is_some() ? timeline.trace().allocations.alloc_event[id.value] : EventId::none();
        if (event.is_some()) {
            const std::int64_t time_us = timeline.trace().events.time_us[event.value];
            return time_us == k_no_time ? std::nullopt : std::optional(time_us);
        }
        if (!timeline.has_times() || timeline.start_time_us() == k_no_time) return std::nullopt;
        return timeline.start_time_us() + timeline.tick_times_us()[tick];
    }

    /// Adds the peak of reserved memory, and the capacity of the device: reserved plus free memory at oom events.
    static void add_reserved(const Snapshot& snapshot, const DeviceTrace& trace, RankRow& row) {
        const std::optional<ReservedHistory> reserved = reserved_history(snapshot, trace);
        if (!reserved) return;
        row.reserved_peak_bytes = reserved->bytes_at_start;
        if (!reserved->bytes_after.empty())
            row.reserved_peak_bytes = std::max(reserved->bytes_at_start, std::ranges::max(reserved->bytes_after));
        for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
            if (!trace.events.is_oom(event)) continue;
            if (const auto free_bytes = trace.events.free_bytes(event))
                row.capacity_bytes = std::max(row.capacity_bytes.value_or(0), reserved->after_events(event) + *free_bytes);
        }
    }

    std::string settings_json() const {
        nlohmann::json settings = nlohmann::json::object();
        std::size_t bytes = 0;
        for (const auto& [key, value] : document_.snapshot->settings) {
            bytes += key.size() + value.size();
            if (value.size() > k_max_setting_bytes || bytes > k_max_settings_bytes) continue;
            nlohmann::json parsed = parse_json(value);
            if (!parsed.is_discarded()) settings[valid_utf8(key)] = std::move(parsed);
        }
        return settings.empty() ? "" : json_text(settings);
    }

    void add_oom_cause(findings::DeviceAnalyses& device, RankRow& row) const {
        const std::vector<Action>& actions = device.trace().events.action;
        if (std::ranges::find(actions, Action::oom) == actions.end()) return;
        const auto report = device.oom();
        if (!report->verdicts.empty()) row.oom_cause = oom::oom_cause_name(report->verdicts.back().cause);
    }

    void add_peak_stacks(const Timeline& timeline, RankSummary& rank) {
        BytesByKey by_key;
        for (const AllocationId id : timeline.live_after_tick(timeline.peak_tick())) {
            PeakStack& held = by_key[key_of(timeline.trace(), id)];
            held.bytes += timeline.trace().allocations.size_bytes[id.value];
            ++held.count;
        }
        rank.peak_stacks = largest_of(by_key, k_max_peak_stacks);
        for (const PeakStack& stack : rank.peak_stacks) keep_words(stack.stack_key);
    }

    void add_peak_modules(findings::DeviceAnalyses& device, RankSummary& rank) {
        if (device.modules()->empty()) return;
        BytesByKey by_key;
        std::unordered_map<std::uint64_t, std::string> paths;
        for (auto& [path, group] :
             compare::group_peak(device, compare::CompareBy::module, compare::CompareBasis::all).groups) {
            const std::uint64_t key = module_key(path);
            by_key[key] = {key, group.bytes, group.count};
            paths[key] = valid_utf8(path);
        }
        rank.peak_modules = largest_of(by_key, k_max_peak_stacks);
        for (const PeakStack& module : rank.peak_modules)
            summary_.modules.try_emplace(module.stack_key, paths[module.stack_key]);
    }

    void add_growth(findings::DeviceAnalyses& device, RankSummary& rank) {
        const auto growth = device.growth();
        for (const auto* rows : {&growth->suspects, &growth->settled}) {
            for (const growth::GrowthRow& row : *rows) {
                rank.growth.push_back({row.stack_key, valid_utf8(row.source), growth::growth_state_name(row.state),
                                       row.slope, row.grown_bytes});
                if (row.stack_key != 0) keep_stack(row.stack_key, row.stack);
            }
        }
    }

    void add_step_stacks(findings::DeviceAnalyses& device, RankSummary& rank) {
        const auto steps = device.steps();
        std::vector<const steps::TrainingStep*> complete;
        for (const steps::TrainingStep& step : steps->steps) {
            if (step.is_complete) complete.push_back(&step);
        }
        if (complete.empty()) return;
        const std::uint32_t last_event = complete.back()->end_event;
        if (complete.size() > k_max_kept_steps) complete.erase(complete.begin(), complete.end() - k_max_kept_steps);
        const AllocationColumns& allocations = device.trace().allocations;
        std::vector<BytesByKey> made(complete.size());
        std::vector<BytesByKey> left(complete.size());
        for (std::uint32_t i = 0; i < allocations.size(); ++i) {
            const EventId alloc = allocations.alloc_event[i];
            if (!alloc.is_some()) continue;
            const auto after = std::ranges::upper_bound(complete, alloc.value, {}, &steps::TrainingStep::begin_event);
            if (after == complete.begin() || alloc.value >= (*(after - 1))->end_event) continue;
            const auto step = static_cast<std::size_t>(after - complete.begin()) - 1;
            const std::uint64_t key = key_of(device.trace(), AllocationId{i});
            made[step][key].bytes += allocations.size_bytes[i];
            const EventId free = allocations.free_event[i];
            if (!free.is_some() || free.value >= last_event) left[step][key].bytes += allocations.size_bytes[i];
        }
        for (std::size_t i = 0; i < complete.size(); ++i) {
            const auto number = static_cast<std::int64_t>(complete[i] - steps->steps.data());
            add_step(step_number(*complete[i], number), made[i], left[i], rank);
        }
    }

    void add_step(std::int64_t number, const BytesByKey& made, const BytesByKey& left, RankSummary& rank) {
        std::vector<PeakStack> largest = largest_of(made, k_max_stacks_per_step);
        std::ranges::sort(largest, {}, &PeakStack::stack_key);
        for (const PeakStack& stack : largest) {
            const auto kept = left.find(stack.stack_key);
            rank.step_stacks.push_back({number, stack.stack_key, stack.bytes, kept == left.end() ? 0 : kept->second.bytes});
            keep_words(stack.stack_key);
        }
    }

    void add_totals(findings::DeviceAnalyses& device, RankSummary& rank) const {
        const auto steps = device.steps();
        const Timeline& timeline = device.timeline();
        const std::optional<ReservedHistory> reserved = reserved_history(device.snapshot(), device.trace());
        const bool has_times = timeline.has_times() && timeline.start_time_us() != k_no_time;
        const std::uint32_t count = timeline.tick_count();
        const std::uint32_t ticks_a_row = (count + k_max_totals - 1) / k_max_totals;
        for (std::uint32_t first = 0; first < count; first += ticks_a_row) {
            std::uint32_t highest = first;
            for (std::uint32_t tick = first; tick < std::min(count, first + ticks_a_row); ++tick) {
                if (timeline.total_after_tick(tick) > timeline.total_after_tick(highest)) highest = tick;
            }
            HighestTotal& total = rank.totals.emplace_back();
            total.step = timeline.step_of_tick(highest);
            if (has_times) total.time_us = timeline.start_time_us() + timeline.tick_times_us()[highest];
            total.allocated_bytes = timeline.total_after_tick(highest);
            if (reserved) total.reserved_bytes = reserved->after_events(timeline.tick_events()[highest]);
            total.training_step = training_step_at(steps->steps, total.step);
        }
    }

    /// The number of the complete training step that contains a position on the step axis; nullopt outside complete steps.
    static std::optional<std::int64_t> training_step_at(const std::vector<steps::TrainingStep>& steps, std::uint64_t step) {
        const auto after = std::ranges::upper_bound(steps, step, {}, &steps::TrainingStep::begin_step);
        if (after == steps.begin()) return std::nullopt;
        const steps::TrainingStep& at = *(after - 1);
        if (!at.is_complete || step >= at.end_step) return std::nullopt;
        return step_number(at, after - 1 - steps.begin());
    }

    static std::int64_t step_number(const steps::TrainingStep& step, std::int64_t place) {
        const std::string_view name = step.name;
        if (!name.starts_with(k_step_annotation)) return place;
        std::int64_t number = place;
        read_number(name.substr(k_step_annotation.size()), number);
        return number;
    }

    std::uint64_t key_of(const DeviceTrace& trace, AllocationId id) {
        const StackId stack = stacks::allocating_stack(trace, id);
        const std::uint64_t key = lines_->key(stack);
        if (key != 0) stack_of_key_.try_emplace(key, stack);
        return key;
    }

    void keep_words(std::uint64_t key) {
        if (key != 0) keep_stack(key, stack_of_key_.at(key));
    }

    void keep_stack(std::uint64_t key, StackId stack) {
        const auto [words, is_new] = summary_.stacks.try_emplace(key);
        if (!is_new) return;
        check_stop();
        const Snapshot& snapshot = *document_.snapshot;
        words->second.text = shortened(valid_utf8(stack_text(snapshot.strings, snapshot.stacks, stack)), k_max_text_bytes);
        words->second.top_frame = valid_utf8(lines_->source(stack));
    }

    /// Sets the rank numbers. The rank stored in the recording takes precedence if it distinguishes the file's devices, or
    /// if the file's name has no rank.
    void number_ranks() {
        const bool are_several = std::set<std::string>(recorded_ranks_.begin(), recorded_ranks_.end()).size() > 1;
        for (std::size_t i = 0; i < summary_.ranks.size(); ++i) {
            RankRow& row = summary_.ranks[i].row;
            row.rank = *file_.name.rank;
            row.rank_from = file_.name.source;
            if (row.rank_from != RankSource::order && !are_several) continue;
            std::optional<std::int64_t> recorded = number_in(recorded_ranks_[i]);
            if (!recorded) recorded = rank_in_settings();
            if (!recorded) continue;
            row.rank = *recorded;
            row.rank_from = RankSource::metadata;
        }
    }

    std::optional<std::int64_t> rank_in_settings() const {
        for (const auto& [key, value] : document_.snapshot->settings) {
            if (key == "rank" || key == "global_rank") return number_in(value);
        }
        return std::nullopt;
    }

    static std::optional<std::int64_t> number_in(std::string_view text) {
        const auto number = parse_number<std::int64_t>(text);
        return number && *number >= 0 ? number : std::nullopt;
    }

    const Document& document_;
    const FleetFile& file_;
    const SummaryOptions& options_;
    const StackLines* lines_ = nullptr;
    std::string settings_json_;
    std::unordered_map<std::uint64_t, StackId, KeyedHash> stack_of_key_;
    std::vector<std::string> recorded_ranks_;  ///< ranks stored in the recording, parallel to the ranks of the summary
    FileSummary summary_;
};

}  // namespace

FileSummary unreadable_file(const FleetFile& file, const std::string& why) {
    RankSummary rank;
    rank.row.run = file.run;
    rank.row.rank = *file.name.rank;
    rank.row.rank_from = file.name.source;
    rank.row.host = file.name.host;
    rank.row.device = file.name.device;
    rank.row.file = file.path;
    rank.row.file_bytes = file.file_bytes;
    rank.row.error = valid_utf8(why);
    FileSummary summary;
    summary.ranks.push_back(std::move(rank));
    return summary;
}

FileSummary summarise_file(const FleetFile& file, const SummaryOptions& options, Progress& progress) {
    if (!file.error.empty()) return unreadable_file(file, file.error);
    auto summary = caught([&] {
        if (file.is_fleet_database) return read_fleet_database(file.path, options, progress);
        const auto document = value_or_throw(open_document(file.path, {.mesh = false, .database = false}, progress));
        if (document->devices.empty()) return unreadable_file(file, "holds no device memory");
        return Summariser(*document, file, options).run();
    });
    if (summary || summary.error().code == ErrorCode::cancelled) return value_or_throw(std::move(summary));
    FileSummary failed = unreadable_file(file, summary.error().text());
    // Starting a thread fails if there is no memory for its stack, so this counts as lack of memory.
    const ErrorCode code = summary.error().code;
    failed.lacked_memory = code == ErrorCode::memory || code == ErrorCode::environment;
    return failed;
}

}  // namespace snapviewer::fleet
