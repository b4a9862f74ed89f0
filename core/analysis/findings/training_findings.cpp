#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/findings/findings.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

// Findings about the memory use of a training loop.
namespace snapviewer::findings {
namespace {

constexpr std::uint64_t k_min_training_bytes = k_mib;
constexpr double k_min_training_share = 0.01;
constexpr std::size_t k_max_shown_training_allocations = 20;

bool is_significant(std::uint64_t bytes, std::uint64_t peak_bytes) {
    return bytes >= k_min_training_bytes &&
           static_cast<double>(bytes) >= k_min_training_share * static_cast<double>(peak_bytes);
}

/// An inclusive range of events.
struct EventRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool contains(EventId event) const { return event.is_some() && first <= event.value && event.value <= last; }
};

/// SQL for the condition that a column with an event lies in a range.
std::string between(const DeviceAnalyses& device, const char* column, const EventRange& range) {
    return fmt::format("{} BETWEEN {} AND {}", column, device.event_id(range.first), device.event_id(range.last));
}

/// SQL for the bytes of allocations `a` that meet all conditions, which may refer to their kinds `k`.
std::string kinds_query(const DeviceAnalyses& device, std::vector<std::string> conditions) {
    conditions.insert(conditions.begin(), "a." + on_device(device));
    return amount_query("sum(a.size)", "allocations a JOIN kinds k ON k.allocation_id = a.id", conditions);
}

/// A zero_grad that comes after the forward pass with the peak.
struct LateZeroGrad {
    std::uint32_t optimizer_event = 0;  ///< Last event of the optimizer before the peak
    EventRange zero_grad;
};

/// Finds a late zero_grad. nullopt unless an optimizer step, a forward pass, the peak and zero_grad follow each other in
/// this order, without an optimizer step between the peak and zero_grad.
std::optional<LateZeroGrad> late_zero_grad(const std::vector<steps::Phase>& phases, std::uint32_t peak_event) {
    const auto peak = phases.begin() + peak_event;
    const auto optimizer = std::find(std::make_reverse_iterator(peak + 1), phases.rend(), steps::Phase::optimizer);
    if (optimizer == phases.rend() || std::find(optimizer.base(), peak + 1, steps::Phase::forward) == peak + 1)
        return std::nullopt;
    const auto first = std::find_if(peak + 1, phases.end(), [](steps::Phase phase) {
        return phase == steps::Phase::zero_grad || phase == steps::Phase::optimizer;
    });
    if (first == phases.end() || *first != steps::Phase::zero_grad) return std::nullopt;
    const auto end = std::find_if(first, phases.end(), [](steps::Phase phase) {
        return phase != steps::Phase::zero_grad && phase != steps::Phase::none;
    });
    const auto last = std::find(std::make_reverse_iterator(end), phases.rend(), steps::Phase::zero_grad);
    const auto number = [&](auto at) { return static_cast<std::uint32_t>(at - phases.begin()); };
    return LateZeroGrad{number(optimizer.base() - 1), {number(first), number(last.base() - 1)}};
}

/// A finding about the allocations that are live at the peak and satisfy `is_meant(id)`, the largest first.
template <typename IsMeant>
DeviceFinding finding_at_peak(const DeviceAnalyses& device, const char* code, IsMeant is_meant) {
    const Timeline& timeline = device.timeline();
    DeviceFinding finding{.code = code, .severity = FindingSeverity::notice};
    finding.moment = timeline.tick_events()[timeline.peak_tick()];
    std::ranges::copy_if(timeline.live_after_tick(timeline.peak_tick()), std::back_inserter(finding.allocations), is_meant);
    finding.bytes = total_share(timeline, finding.allocations).bytes;
    sort_by_size(device, finding.allocations);
    finding.named_allocations = k_max_shown_training_allocations;
    return finding;
}

/// Reports gradients that the optimizer had used before the forward pass with the peak, and that zero_grad frees only after
/// the peak.
void add_late_zero_grad(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const Timeline& timeline = device.timeline();
    const auto moment = device.peak_moment();
    if (moment.value_or(0) == 0) return;
    const auto late = late_zero_grad(*device.phases_by_event(), *moment - 1);
    if (!late) return;
    const kinds::Kinds& kinds = *device.kinds();
    const AllocationColumns& allocations = device.trace().allocations;
    const auto is_freed_late = [&](AllocationId id) {
        const EventId alloc = allocations.alloc_event[id.value];
        return kinds.of[id.value].kind == kinds::AllocationKind::gradient &&
               (!alloc.is_some() || alloc.value <= late->optimizer_event) &&
               late->zero_grad.contains(allocations.free_event[id.value]);
    };
    DeviceFinding finding = finding_at_peak(device, "late_zero_grad", is_freed_late);
    if (!is_significant(finding.bytes, timeline.peak_bytes())) return;
    finding.sentence = fmt::format(
        "{} of gradients that the optimizer had already used are alive at the peak: zero_grad "
        "comes only after the forward pass.",
        format_bytes(finding.bytes));
    finding.hint = "Call zero_grad(set_to_none=True) right after the optimizer's step.";
    finding.sql = kinds_query(
        device, {"k.kind = 'gradient'", fmt::format("a.alloc_step <= {}", timeline.step_of_tick(timeline.peak_tick())),
                 fmt::format("(a.alloc_event IS NULL OR a.alloc_event <= {})", device.event_id(late->optimizer_event)),
                 between(device, "a.free_event", late->zero_grad)});
    found.push_back(std::move(finding));
}

/// Allocations of the first training step that the optimizer keeps, and bytes that the second step makes and keeps.
struct FirstState {
    std::uint64_t bytes = 0;
    std::uint64_t earlier_bytes = 0;
    std::uint64_t second_bytes = 0;
    std::vector<AllocationId> allocations;  ///< Allocations in the order of their allocs
};

FirstState first_state(const DeviceTrace& trace, const kinds::Kinds& kinds, const steps::TrainingStep& first,
                       const steps::TrainingStep& second) {
    const AllocationColumns& allocations = trace.allocations;
    FirstState state;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (kinds.of[i].kind != kinds::AllocationKind::optimizer_state) continue;
        const std::uint64_t bytes = allocations.size_bytes[i];
        const EventId alloc = allocations.alloc_event[i];
        const auto lives_at = [&](std::uint32_t event) {
            return !allocations.free_event[i].is_some() || allocations.free_event[i].value > event;
        };
        if (!alloc.is_some() || alloc.value < first.begin_event) {
            state.earlier_bytes += bytes;
        } else if (alloc.value < first.end_event) {
            if (!lives_at(second.peak_event)) continue;
            state.bytes += bytes;
            state.allocations.push_back(AllocationId{i});
        } else if (alloc.value < second.end_event && lives_at(second.end_event - 1)) {
            state.second_bytes += bytes;
        }
    }
    return state;
}

/// The peak that a step would have if the optimizer's state had existed from its beginning, in bytes.
std::uint64_t peak_with_state(const Timeline& timeline, const steps::TrainingStep& step, const FirstState& state) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::uint64_t highest = 0;
    std::uint64_t missing = state.bytes;
    auto next = state.allocations.begin();
    const std::uint32_t last = tick_of_moment(timeline, step.end_event);
    for (std::uint32_t tick = tick_of_moment(timeline, step.begin_event); tick <= last; ++tick) {
        for (; next != state.allocations.end() && timeline.first_tick(*next) <= tick; ++next)
            missing -= allocations.size_bytes[next->value];
        highest = std::max(highest, timeline.total_after_tick(tick) + missing);
    }
    return highest;
}

/// Reports a first training step that lacks the optimizer's state until its end, unlike every later step.
void add_first_step_state(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const steps::Steps& steps = *device.steps();
    if (!steps.training || steps.steps.size() < 2) return;
    const steps::TrainingStep& first = steps.steps[0];
    const steps::TrainingStep& second = steps.steps[1];
    if (!first.is_complete || !second.is_complete || second.peak_bytes <= first.peak_bytes) return;
    const std::uint64_t higher = second.peak_bytes - first.peak_bytes;
    FirstState state = first_state(device.trace(), *device.kinds(), first, second);
    const bool is_made_there = state.earlier_bytes == 0 && 2 * state.second_bytes <= state.bytes;
    if (!is_made_there || !is_significant(higher, second.peak_bytes)) return;
    const std::uint64_t explained = peak_with_state(device.timeline(), first, state) - first.peak_bytes;
    if (10 * explained < 9 * higher) return;
    sort_by_size(device, state.allocations);
    found.push_back(
        {.code = "first_step_state",
         .sentence =
             fmt::format("The optimizer makes its state ({}) in the first training step: the second one peaks {} higher.",
                         format_bytes(state.bytes), format_bytes(higher)),
         .hint = "Judge whether the model fits by the second training step, not the first.",
         .bytes = higher,
         .moment = second.peak_event + 1,
         .allocations = std::move(state.allocations),
         .named_allocations = k_max_shown_training_allocations,
         .sql = amount_query("max(peak_bytes) - min(peak_bytes)",
                             fmt::format("(SELECT peak_bytes FROM steps WHERE {} ORDER BY id LIMIT 2)", on_device(device)),
                             {})});
}

/// The events of a step between the last allocation of its forward pass and its backward pass. Frees within the backward
/// pass have another reason and do not count. nullopt without a forward pass.
std::optional<EventRange> after_forward_pass(const DeviceTrace& trace, const std::vector<steps::Phase>& phases,
                                             const steps::TrainingStep& step) {
    for (std::uint32_t event = step.end_event; event-- > step.begin_event;) {
        if (phases[event] != steps::Phase::forward || trace.events.action[event] != Action::alloc) continue;
        const auto backward = std::find(phases.begin() + event, phases.begin() + step.end_event, steps::Phase::backward);
        return EventRange{event + 1, static_cast<std::uint32_t>(backward - phases.begin()) - 1};
    }
    return std::nullopt;
}

/// Memory that a forward pass made and that the program frees only after the next one.
struct KeptPass {
    EventRange made;
    EventRange freed;
    /// The ranges in which memory of the same kind was made and freed one pass earlier, if the recording ends before the
    /// free.
    std::optional<std::pair<EventRange, EventRange>> earlier;
};

std::optional<KeptPass> pass_before_peak(const Timeline& timeline, const std::vector<steps::Phase>& phases,
                                         const steps::Steps& steps, std::uint32_t peak_event) {
    const auto after = std::ranges::upper_bound(steps.steps, peak_event, {}, &steps::TrainingStep::begin_event);
    // index of the step after the step with the peak
    const auto number = static_cast<std::size_t>(after - steps.steps.begin());
    if (number < 2 || peak_event >= steps.steps[number - 1].end_event) return std::nullopt;
    const auto range_of = [](const steps::TrainingStep& step) { return EventRange{step.begin_event, step.end_event - 1}; };
    const steps::TrainingStep& before = steps.steps[number - 2];
    auto freed = after_forward_pass(timeline.trace(), phases, steps.steps[number - 1]);
    if (!freed) return std::nullopt;
    freed->first = std::max(freed->first, peak_event + 1);
    KeptPass kept{range_of(before), *freed, {}};
    if (number == steps.steps.size() && number > 2) {
        if (const auto freed_earlier = after_forward_pass(timeline.trace(), phases, before))
            kept.earlier = {range_of(steps.steps[number - 3]), *freed_earlier};
    }
    return kept;
}

/// Marks the stacks with which a pass made an allocation that was freed after the next pass. Indexed by stack.
std::vector<bool> stacks_freed_late(const Timeline& timeline, const EventRange& made, const EventRange& freed) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::vector<bool> found(timeline.snapshot().stacks.stack_count());
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (!allocations.stack[i].is_some() || !made.contains(allocations.alloc_event[i])) continue;
        if (freed.contains(allocations.free_event[i])) found[allocations.stack[i].value] = true;
    }
    return found;
}

std::string query_of_kept_pass(const DeviceAnalyses& device, const KeptPass& kept) {
    std::string freed = between(device, "a.free_event", kept.freed);
    if (kept.earlier) {
        freed = fmt::format(
            "({} OR (a.free_event IS NULL AND a.stack_id IN (SELECT stack_id FROM allocations WHERE {} AND {} AND {})))",
            freed, on_device(device), between(device, "alloc_event", kept.earlier->first),
            between(device, "free_event", kept.earlier->second));
    }
    return kinds_query(device, {"k.kind = 'activation'", between(device, "a.alloc_event", kept.made), freed});
}

/// The source line that frees most of these bytes, among frees whose stacks differ from those of the allocs. Empty if there
/// is none.
std::string freeing_line(const DeviceTrace& trace, const StackLines& lines, const std::vector<AllocationId>& allocations) {
    std::map<std::string, std::uint64_t> bytes_of;
    for (const AllocationId id : allocations) {
        const EventId free = trace.allocations.free_event[id.value];
        if (!free.is_some()) continue;
        const StackId stack = trace.events.stack[free.value];
        if (stack.is_some() && stack != trace.allocations.stack[id.value])
            bytes_of[lines.source(stack)] += trace.allocations.size_bytes[id.value];
    }
    const auto most = std::ranges::max_element(bytes_of, {}, [](const auto& each) { return each.second; });
    return most == bytes_of.end() ? "" : most->first;
}

/// Reports a variable that keeps the output or the loss of a pass, and with it the graph, until the next pass has ended.
void add_previous_graph(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::uint64_t k_min_percent = 5;
    const Timeline& timeline = device.timeline();
    const std::uint32_t moment = timeline.tick_events()[timeline.peak_tick()];
    if (moment == 0) return;
    const steps::Steps& steps = *device.steps();
    const kinds::Kinds& kinds = *device.kinds();
    const auto kept = pass_before_peak(timeline, *device.phases_by_event(), steps, moment - 1);
    if (!kept) return;
    const AllocationColumns& allocations = device.trace().allocations;
    const std::vector<bool> may_live_on =
        kept->earlier ? stacks_freed_late(timeline, kept->earlier->first, kept->earlier->second) : std::vector<bool>();
    const auto is_of_kept_pass = [&](AllocationId id) {
        const EventId free = allocations.free_event[id.value];
        const StackId stack = allocations.stack[id.value];
        if (kinds.of[id.value].kind != kinds::AllocationKind::activation) return false;
        if (!kept->made.contains(allocations.alloc_event[id.value])) return false;
        const bool lives_on = !free.is_some() && kept->earlier && stack.is_some() && may_live_on[stack.value];
        return lives_on || kept->freed.contains(free);
    };
    DeviceFinding finding = finding_at_peak(device, "previous_graph", is_of_kept_pass);
    if (finding.bytes < k_min_training_bytes || 100 * finding.bytes < k_min_percent * timeline.peak_bytes()) return;
    const std::string line = freeing_line(device.trace(), *device.stack_lines(), finding.allocations);
    finding.sentence =
        fmt::format("The {} of the previous {}, {}, is still alive at the peak{}.", steps.training ? "output" : "graph",
                    steps.training ? "training step" : "pass", format_bytes(finding.bytes),
                    line.empty() ? "" : fmt::format(": {} frees it only after the next pass", line));
    finding.hint =
        "A variable keeps the loss or the output: delete it before the next pass, or use torch.no_grad() if the pass "
        "needs no gradients.";
    finding.sql = query_of_kept_pass(device, *kept);
    found.push_back(std::move(finding));
}

}  // namespace

void add_training_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    add_late_zero_grad(device, found);
    add_first_step_state(device, found);
    add_previous_graph(device, found);
}

}  // namespace snapviewer::findings
