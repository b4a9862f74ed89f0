#include "core/analysis/space/pool_use.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"

namespace snapviewer {
namespace {

using HoldingOfPool = std::map<std::uint16_t, PoolHolding>;

HoldingOfPool holdings_at(const AddressSpace& space, std::uint32_t moment) {
    HoldingOfPool found;
    const AddressMoment then = space.at(moment);
    for (const AddressMoment::Range& range : then.ranges) {
        PoolHolding& pool = found[space.facts().pools.known(range.range.traits.pool)];
        std::uint64_t idle = 0;
        for_each_hole(then, range, [&](const Hole& hole) { idle += hole.size_bytes(); });
        pool.reserved += range.range.size_bytes;
        pool.used += range.range.size_bytes - idle;
    }
    return found;
}

/// The first event that reserved memory for each private pool.
std::map<std::uint16_t, std::uint32_t> making_events(const AddressFacts& facts) {
    std::map<std::uint16_t, std::uint32_t> first;
    const EventColumns& events = facts.trace.events;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (events.action[event] != Action::segment_alloc && events.action[event] != Action::segment_map) continue;
        const std::uint16_t pool = facts.range_of_event(event).traits.pool;
        if (facts.pools.is_private(pool)) first.try_emplace(pool, event);
    }
    return first;
}

StackId stack_of_segment(const AddressFacts& facts, std::uint16_t pool) {
    for (const Segment& segment : facts.snapshot.segments) {
        if (segment.device == facts.trace.device && facts.pools.known(segment.pool) == pool && segment.stack.is_some())
            return segment.stack;
    }
    return StackId::none();
}

/// True for functions that capture a graph, such as "capture", "capture_model" and "_capture_graph". False for functions
/// such as "captured_forward" or "capture_output".
bool is_named_after_capturing(std::string_view function) {
    static constexpr std::array<std::string_view, 10> k_other_objects = {"d",   "output", "std",   "log", "warn",
                                                                         "exc", "err",    "trace", "io",  "stack"};
    constexpr std::string_view k_word = "capture";
    const std::string lower = lower_case(function);
    for (std::size_t at = lower.find(k_word); at != lower.npos; at = lower.find(k_word, at + 1)) {
        std::string_view object = std::string_view(lower).substr(at + k_word.size());
        if (object.starts_with('_')) object.remove_prefix(1);
        if (std::ranges::none_of(k_other_objects, [&](std::string_view other) { return object.starts_with(other); }))
            return true;
    }
    return false;
}

/// The innermost Python frame whose function name says that it captures a graph, or the frame of PyTorch's own module for
/// graphs if no name says so. C++ frames do not count: torch::CapturedTraceback, which records the stack itself, is in many
/// stacks.
std::string capturing_frame(const Snapshot& snapshot, const StackLines& lines, StackId stack) {
    const auto frames = snapshot.stacks.stack(stack);
    const auto text_of = [&](StringId id) { return snapshot.strings.view(id); };
    for (const FrameId id : frames) {
        if (lines.is_python(id) && is_named_after_capturing(text_of(snapshot.stacks.frame(id).function)))
            return line_source(snapshot, id);
    }
    for (const FrameId id : frames) {
        if (text_of(snapshot.stacks.frame(id).file).ends_with("torch/cuda/graphs.py")) return line_source(snapshot, id);
    }
    return "";
}

void find_maker(PoolUse& use, const AddressFacts& facts, const StackLines& lines, std::uint16_t pool) {
    if (use.made_event) use.made_stack = facts.trace.events.stack[*use.made_event];
    if (!use.made_stack.is_some()) use.made_stack = stack_of_segment(facts, pool);
    if (!use.made_stack.is_some()) return;
    use.made_by = lines.source(use.made_stack);
    use.captured_by = capturing_frame(facts.snapshot, lines, use.made_stack);
}

}  // namespace

std::vector<PoolUse> pool_uses(const AddressSpace& space, const StackLines& lines, std::uint32_t peak_moment) {
    const AddressFacts& facts = space.facts();
    const ReservedKnown known = facts.trace.reserved_known;
    if (known == ReservedKnown::no) return {};
    const std::uint32_t end = space.moment_count() - 1;
    const HoldingOfPool at_end = holdings_at(space, end);
    HoldingOfPool at_peak;
    const bool knows_peak = known == ReservedKnown::throughout || peak_moment == end;
    if (knows_peak) at_peak = holdings_at(space, peak_moment);
    std::map<std::uint16_t, PoolUse> found;
    for (const RangeLife& life : space.ranges()) {
        if (known == ReservedKnown::throughout || life.end == BlockLife::k_never)
            found.try_emplace(facts.pools.known(life.range.traits.pool));
    }
    const auto makers = making_events(facts);
    std::vector<PoolUse> uses;
    for (auto& [pool, use] : found) {
        use.pool = facts.pools.text(pool);
        use.is_private = facts.pools.is_private(pool);
        if (knows_peak) use.at_peak = at_peak[pool];
        if (const auto held = at_end.find(pool); held != at_end.end()) use.at_end = held->second;
        if (const auto maker = makers.find(pool); maker != makers.end()) use.made_event = maker->second;
        if (use.is_private) find_maker(use, facts, lines, pool);
        uses.push_back(std::move(use));
    }
    std::ranges::sort(uses, [](const PoolUse& a, const PoolUse& b) { return compare_names(a.pool, b.pool) < 0; });
    return uses;
}

}  // namespace snapviewer
