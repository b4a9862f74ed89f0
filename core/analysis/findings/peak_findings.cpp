#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/trace/annotations.h"

// Findings about the peak and about gaps in the recording.
namespace snapviewer::findings {
namespace {

/// The allocations that are live at the peak, and SQL conditions that select them.
struct PeakSelection {
    explicit PeakSelection(const DeviceAnalyses& of)
        : device(of), live(timeline.live_after_tick(timeline.peak_tick())), where{on_device(of)} {
        const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());
        where.push_back(fmt::format("alloc_step <= {}", step));
        where.push_back(fmt::format("(free_step IS NULL OR free_step > {})", step));
    }

    const DeviceAnalyses& device;
    const Timeline& timeline = device.timeline();
    const AllocationColumns& allocations = device.trace().allocations;
    std::uint64_t bytes = timeline.peak_bytes();
    bool is_at_end = known_peak(timeline).is_at_end;
    /// Moment of the peak; nullopt if the peak is the state at the end of a cut-off file, so that its phase and lines do not
    /// explain it
    std::optional<std::uint32_t> moment = device.peak_moment();
    std::vector<AllocationId> live;
    std::vector<std::string> where;
};

/// The source lines with the most bytes at the peak, each with at least 1 % of it. Returns up to three lines, or up to five
/// until they hold more than half of the peak.
std::vector<stacks::SourceBytes> lines_of_peak(const PeakSelection& peak, const StackLines& stack_lines) {
    constexpr std::size_t k_min_lines = 3;
    constexpr std::size_t k_max_lines = 5;
    const auto largest = stacks::largest_sources(peak.timeline, stack_lines, peak.timeline.peak_tick(), k_max_lines + 1);
    std::vector<stacks::SourceBytes> lines;
    std::uint64_t named = 0;
    for (const stacks::SourceBytes& holder : largest) {
        const bool is_enough = lines.size() >= k_min_lines && 2 * named > peak.bytes;
        if (is_enough || lines.size() == k_max_lines || share_of(holder.bytes, peak.bytes) < 0.01) break;
        if (holder.source == stack_lines.source(StackId::none())) continue;
        named += holder.bytes;
        lines.push_back(holder);
    }
    return lines;
}

std::string share_words(std::uint64_t bytes, std::uint64_t of_bytes) {
    return fmt::format("{} ({})", format_bytes(bytes), format_share(bytes, of_bytes));
}

std::string sentence_of_peak(const PeakSelection& peak, const PeakHolders& holders) {
    if (!peak.moment) {
        return fmt::format(
            "The peak is {}, which were in use at the end. When they were allocated is unknown, because the file is cut "
            "off.",
            peak_text(peak.timeline));
    }
    const std::uint64_t peak_bytes = peak.bytes;
    const std::string phase = holders.phase.words();
    std::string text = peak.is_at_end ? fmt::format("At the end, {} were in use", format_bytes(peak_bytes))
                                      : fmt::format("The peak is {}{}{}", peak_text(peak.timeline),
                                                    phase.empty() ? "" : ", reached ", phase);
    if (holders.no_stack_bytes == peak_bytes) return text + "; none of it has a stack.";
    std::string lines;
    std::uint64_t named = 0;
    for (const stacks::SourceBytes& line : holders.lines) {
        lines += fmt::format("{}{} {}", lines.empty() ? "" : "; ", line.source, share_words(line.bytes, peak_bytes));
        named += line.bytes;
    }
    text += lines.empty()            ? "; no single line of code holds 1 % of it."
            : 2 * named > peak_bytes ? fmt::format(". Most of it: {}.", lines)
                                     : fmt::format(". The largest: {}.", lines);
    if (holders.no_stack_bytes > 0)
        text += fmt::format(" Without a stack: {}.", share_words(holders.no_stack_bytes, peak_bytes));
    return text;
}

/// SQL for the allocations that are live at the peak, grouped by source line.
std::string holders_sql(const PeakSelection& peak, const StackLines& lines, const InternalAllocations& own) {
    std::string source = fmt::format("ifnull(s.top_frame, '{}')", lines.source(StackId::none()));
    if (std::ranges::any_of(peak.live, [&](AllocationId id) { return own.contains(peak.timeline.trace(), id); }))
        source = fmt::format("iif(a.internal_metadata = '{0}', '{0}', {1})", k_allocator_internal_tag, source);
    return amounts_query(source + " AS source", "a.size",
                         "allocations a LEFT JOIN stacks s ON s.id = a.stack_id AND a.origin <> 'freed'", peak.where);
}

void add_peak_holders(const PeakSelection& peak, DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_shown_allocations = 5;
    const StackLines& lines = *device.stack_lines();
    PeakHolders holders{.phase = steps::find_peak_phase(peak.timeline, *device.phases_by_event(), *device.steps())};
    if (peak.moment) {
        holders.lines = lines_of_peak(peak, lines);
        for (const AllocationId id : peak.live) {
            if (!stacks::allocating_stack(device.trace(), id).is_some())
                holders.no_stack_bytes += peak.allocations.size_bytes[id.value];
        }
    }
    const InternalAllocations own(peak.timeline.snapshot());
    std::vector<AllocationId> allocations = peak.live;
    const auto first_own = std::ranges::stable_partition(
        allocations, [&](AllocationId id) { return !own.contains(peak.timeline.trace(), id); });
    std::stable_sort(allocations.begin(), first_own.begin(), [&](AllocationId a, AllocationId b) {
        return peak.allocations.size_bytes[a.value] > peak.allocations.size_bytes[b.value];
    });
    const auto reportable = static_cast<std::size_t>(first_own.begin() - allocations.begin());
    found.push_back({.code = "peak_holders",
                     .sentence = sentence_of_peak(peak, holders),
                     .bytes = peak.bytes,
                     .moment = peak.moment,
                     .allocations = std::move(allocations),
                     .named_allocations = peak.moment ? std::min(k_shown_allocations, reportable) : 0,
                     .sql = holders_sql(peak, lines, own),
                     .holders = std::move(holders)});
}

/// The 99th percentile of the total over all events, in bytes.
std::uint64_t usual_total(const Timeline& timeline) {
    struct Total {
        std::uint64_t bytes = 0;
        std::uint64_t events = 0;  ///< Number of events after which the total had this value
    };
    const auto done = timeline.tick_events();
    std::vector<Total> totals;
    const std::uint64_t events = timeline.trace().events.size();
    for (std::uint32_t tick = 0; tick < timeline.tick_count(); ++tick) {
        const std::uint64_t first = std::max<std::uint64_t>(1, done[tick]);
        const std::uint64_t next = tick + 1 < timeline.tick_count() ? done[tick + 1] : events + 1;
        if (next > first) totals.push_back({timeline.total_after_tick(tick), next - first});
    }
    std::ranges::sort(totals, {}, &Total::bytes);
    auto rank = std::min<std::uint64_t>(events - 1, static_cast<std::uint64_t>(0.99 * static_cast<double>(events)));
    for (const Total& total : totals) {
        if (rank < total.events) return total.bytes;
        rank -= total.events;
    }
    return timeline.peak_bytes();
}

void add_spike(const PeakSelection& peak, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_min_events = 200;
    if (peak.device.trace().events.size() < k_min_events || is_cut_off(peak.timeline)) return;
    const std::uint64_t usual = usual_total(peak.timeline);
    const std::uint64_t above = peak.bytes - usual;
    if (share_of(above, peak.bytes) < 0.05) return;
    found.push_back({.code = "spike",
                     .severity = FindingSeverity::notice,
                     .sentence = fmt::format("The peak is a spike: 99 % of the recording stays at least {} below it.",
                                             format_bytes(above)),
                     .bytes = above,
                     .moment = peak.moment,
                     .sql = amount_query(fmt::format("max(allocated) - {}", usual), "totals", {on_device(peak.device)})});
}

void add_before_recording(const PeakSelection& peak, std::vector<DeviceFinding>& found) {
    if (is_cut_off(peak.timeline)) return;
    const RecordingFacts facts = recording_facts(peak.timeline);
    const auto [before, bare] = from_before_at_peak(peak.timeline);
    if (share_of(before, peak.bytes) < 0.25) return;
    DeviceFinding finding{.code = "before_recording", .severity = FindingSeverity::notice};
    finding.bytes = before;
    finding.moment = peak.moment;
    std::ranges::copy_if(peak.live, std::back_inserter(finding.allocations),
                         [&](AllocationId id) { return is_from_before(peak.allocations, id); });
    const bool has_history = facts.state != RecordingState::no_history;
    finding.sentence = has_history ? fmt::format("{} of {} ({}) was allocated before the {}", format_bytes(before),
                                                 peak.is_at_end ? "the memory in use at the end" : "the peak",
                                                 format_share(before, peak.bytes),
                                                 facts.was_recording_before ? "first event kept" : "recording began")
                                   : fmt::format("The file has no history: {} are known from the state at the end alone",
                                                 share_words(before, peak.bytes));
    finding.sentence += bare == before ? "; none of it has a stack."
                        : bare > 0     ? fmt::format("; {} of it has no stack.", format_bytes(bare))
                                       : ", each with its stack.";
    finding.hint = 2 * bare >= before ? "Start recording before the model is built."
                   : has_history      ? "Record more events (max_entries)."
                                      : "Record all events: torch.cuda.memory._record_memory_history(\"all\").";
    std::vector<std::string> where = peak.where;
    where.emplace_back("origin <> 'alloc'");
    finding.sql = amount_query("sum(size)", "allocations", where);
    found.push_back(std::move(finding));
}

void add_rounding(const PeakSelection& peak, const space::AddressSpace& space, std::vector<DeviceFinding>& found) {
    constexpr std::uint64_t k_min_bytes = 16 * k_mib;
    std::int64_t waste = 0;
    for (const AllocationId id : peak.live) {
        waste += static_cast<std::int64_t>(space.block_size(id).bytes) -
                 static_cast<std::int64_t>(peak.allocations.size_bytes[id.value]);
    }
    if (waste < static_cast<std::int64_t>(k_min_bytes) || share_of(static_cast<std::uint64_t>(waste), peak.bytes) < 0.03)
        return;
    const auto bytes = static_cast<std::uint64_t>(waste);
    found.push_back({.code = "rounding",
                     .severity = FindingSeverity::notice,
                     .sentence = fmt::format("{} of the {} is lost to rounding: blocks are larger than requested.",
                                             format_bytes(bytes), peak.is_at_end ? "memory in use at the end" : "peak"),
                     .bytes = bytes,
                     .moment = peak.moment,
                     .sql = amount_query("sum(block_bytes - size)", "allocations", peak.where)});
}

void add_wrapped(const DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const AllocationColumns& allocations = device.trace().allocations;
    DeviceFinding finding{.code = "wrapped"};
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] != Origin::freed) continue;
        finding.bytes += allocations.size_bytes[i];
        finding.allocations.push_back(AllocationId{static_cast<std::uint32_t>(i)});
    }
    const std::size_t count = finding.allocations.size();
    const bool overflowed = states_overflow(device.snapshot());
    if (!overflowed && count == 0) return;
    const bool is_much = static_cast<double>(finding.bytes) >= 0.01 * static_cast<double>(device.timeline().peak_bytes());
    finding.severity = overflowed || is_much ? FindingSeverity::notice : FindingSeverity::info;
    finding.sentence = count == 0 ? "The recording's ring buffer overflowed: its beginning is lost."
                                  : fmt::format("The recording starts mid-run: {} that it frees {} allocated earlier.",
                                                counted(count, "block"), count == 1 ? "was" : "were");
    if (device.trace().events.size() > 0) finding.moment = 0;
    finding.sql = amount_query("sum(size)", "allocations", {on_device(device), "origin = 'freed'"});
    found.push_back(std::move(finding));
}

void add_contradictions(const DeviceAnalyses& device, const space::AddressSpace& space, std::vector<DeviceFinding>& found) {
    if (space.facts().final_ranges.empty()) return;
    std::string parts;
    for (std::size_t i = 0; i < space::k_contradictions; ++i) {
        const std::uint64_t times = space.backward_contradictions()[i] + space.forward_contradictions()[i];
        if (times == 0) continue;
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                             space::contradiction_text(static_cast<space::Contradiction>(i)), counted(times, "time"));
    }
    const bool has_double = std::ranges::any_of(space.facts().replaced_by_allocation, [](std::uint32_t replaced) {
        return replaced != space::AddressFacts::k_none;
    });
    if (parts.empty() && !has_double) return;
    if (parts.empty()) parts = "allocations at addresses that were never freed";
    found.push_back({.code = "contradictions",
                     .severity = FindingSeverity::warning,
                     .sentence = fmt::format("Events and segments contradict each other: {}.", parts),
                     .sql = fmt::format("SELECT contradiction, backward + forward AS times, 0 AS bytes, human(0) AS size\n"
                                        "FROM contradictions\nWHERE {}\nORDER BY times DESC",
                                        on_device(device))});
}

}  // namespace

void add_peak_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    if (device.timeline().peak_bytes() == 0) return;
    const PeakSelection peak(device);
    add_peak_holders(peak, device, found);
    add_spike(peak, found);
    add_before_recording(peak, found);
    if (device.has_blocks() && device.why_no_layouts().empty()) add_rounding(peak, *device.address_space(), found);
}

void add_recording_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    if (!device.has_blocks()) return;
    add_wrapped(device, found);
    if (device.why_no_layouts().empty()) add_contradictions(device, *device.address_space(), found);
}

}  // namespace snapviewer::findings
