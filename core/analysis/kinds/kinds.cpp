#include "core/analysis/kinds/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/trace/annotations.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_allocations_between_looks = 1U << 16;
/// Maximum number of events between the alloc and the free of a short-lived allocation
constexpr std::uint32_t k_short_life = 6;

/// A kind, or a guess that applies only if no other allocation with the same stack and size decides the kind.
struct Finding {
    KindOfAllocation found;
    bool is_cut_short = false;  ///< True if the end of the trace or an error ended the allocation's life early
};

Finding decided(AllocationKind kind, KindReason reason) { return {{kind, reason}, false}; }
Finding guessed_cut_short(AllocationKind guess) { return {{guess, KindReason::trace_ends}, true}; }

/// The kind of a module role, or nullopt for buffers, which have no kind of their own.
std::optional<AllocationKind> kind_of_role(ModuleRole role) {
    switch (role) {
        case ModuleRole::parameter: return AllocationKind::parameter;
        case ModuleRole::gradient: return AllocationKind::gradient;
        case ModuleRole::optimizer: return AllocationKind::optimizer_state;
        case ModuleRole::buffer:
        case ModuleRole::other: break;
    }
    return std::nullopt;
}

AllocationKind kind_of_category(std::string_view category) {
    const std::string lower = lower_case(category);
    if (lower == "input") return AllocationKind::activation;
    if (lower == "autograd_detail") return AllocationKind::temporary;
    const AllocationKind named = allocation_kind_named(lower).value_or(AllocationKind::unknown);
    const bool is_ever_recorded = named <= AllocationKind::temporary;  // PyTorch's profiler records only these kinds
    return is_ever_recorded ? named : AllocationKind::unknown;
}

class KindFinder {
public:
    KindFinder(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases, const Modules& modules,
               const Steps& steps, const KindRules& rules, KindRules::Matches matches)
        : snapshot_(timeline.snapshot()),
          trace_(timeline.trace()),
          own_(timeline.snapshot()),
          allocations_(trace_.allocations),
          stacks_(stacks),
          phases_(phases),
          modules_(modules),
          steps_(steps),
          rules_(rules),
          matches_(std::move(matches)) {
        for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
            if (trace_.events.action[i] == Action::oom) ooms_.push_back(i);
        }
        for (const EventMetadata& metadata : snapshot_.metadata) {
            const std::string_view category = snapshot_.strings.view(metadata.category);
            categories_.push_back(metadata.category.is_some() ? std::optional(kind_of_category(category)) : std::nullopt);
        }
    }

    Finding classify(AllocationId id) const {
        if (const auto kind = by_rule(id)) return decided(*kind, KindReason::user_rule);
        const auto told = by_annotation(id);
        return told ? Finding{{*told, KindReason::annotated, infer(id).found.kind}, false} : infer(id);
    }

private:
    Finding infer(AllocationId id) const {
        if (const auto kind = by_category(id)) return decided(*kind, KindReason::recorded);
        if (own_.contains(trace_, id)) return decided(AllocationKind::temporary, KindReason::allocators_own);
        const StackId stack = allocations_.stack[id.value];
        const Origin origin = allocations_.origin[id.value];
        if (origin == Origin::freed) return by_free(id);
        const StackTraits& traits = stacks_.traits(stack);
        if (traits.is_workspace) return decided(AllocationKind::workspace, KindReason::stack);
        if (traits.is_replica) return decided(AllocationKind::parameter, KindReason::replica);
        if (traits.is_communication) return decided(AllocationKind::communication, KindReason::stack);
        if (origin != Origin::alloc) return by_standing(origin, stacks_.phase(stack));
        return by_life(id);
    }

    std::uint32_t rule_of(MetadataId metadata) const {
        return metadata.is_some() ? matches_.of_metadata[metadata.value] : matches_.of_no_metadata;
    }

    std::optional<AllocationKind> by_rule(AllocationId id) const {
        if (rules_.empty()) return std::nullopt;
        const StackId stack = allocations_.stack[id.value];
        std::uint32_t rule = std::min(stack.is_some() ? matches_.of_stack[stack.value] : matches_.of_no_stack,
                                      rule_of(metadata_of(trace_, id)));
        for (const AllocationNote& note : notes_of(trace_, id))
            rule = std::min(rule, rule_of(trace_.events.metadata[note.event.value]));
        return rule == KindRules::k_no_rule ? std::nullopt : std::optional(rules_.kind(rule));
    }

    std::optional<AllocationKind> by_annotation(AllocationId id) const {
        if (modules_.empty() || modules_.of[id.value].evidence != ModuleEvidence::annotation) return std::nullopt;
        return kind_of_role(modules_.of[id.value].role);
    }

    std::optional<AllocationKind> by_category(AllocationId id) const {
        const MetadataId metadata = metadata_of(trace_, id);
        return metadata.is_some() ? categories_[metadata.value] : std::nullopt;
    }

    Finding by_free(AllocationId id) const {
        switch (phases_.of_free(trace_, stacks_, id)) {
            case Phase::zero_grad: return decided(AllocationKind::gradient, KindReason::freed_by_zero_grad);
            case Phase::backward: return decided(AllocationKind::activation, KindReason::freed_in_backward);
            case Phase::optimizer: return decided(AllocationKind::optimizer_state, KindReason::replaced_in_optimizer);
            default: return decided(AllocationKind::before_recording, KindReason::before_recording);
        }
    }

    static Finding by_standing(Origin origin, Phase phase) {
        switch (phase) {
            case Phase::init: return decided(AllocationKind::parameter, KindReason::stack);
            case Phase::optimizer: return decided(AllocationKind::optimizer_state, KindReason::stack);
            case Phase::backward: return decided(AllocationKind::gradient, KindReason::stack);
            default: break;
        }
        if (origin == Origin::unplaced) return decided(AllocationKind::unknown, KindReason::cut_off);
        return decided(AllocationKind::before_recording, KindReason::before_recording);
    }

    /// The known facts about an allocation whose alloc was recorded.
    struct Life {
        StackTraits traits;
        Phase phase = Phase::none;
        Phase freed_in = Phase::none;
        bool is_freed = false;
        /// True if the run of the alloc (see EventPhases::run()) is another one than that of the free, or than the last run
        /// if there is no free
        bool outlives_run = false;
        bool outlives_pass = false;  ///< True if the allocation was made in a forward pass that ended before its free
    };

    Finding by_life(AllocationId id) const {
        const StackId stack = allocations_.stack[id.value];
        const EventId alloc = allocations_.alloc_event[id.value];
        const EventId free = allocations_.free_event[id.value];
        Life life;
        life.traits = stacks_.traits(stack);
        life.phase = phases_.of_alloc(stacks_, stack, alloc.value);
        life.freed_in = phases_.of_free(trace_, stacks_, id);
        life.is_freed = free.is_some();
        const std::uint32_t end_run = life.is_freed ? phases_.run(free.value) : phases_.last_run();
        life.outlives_run = end_run != phases_.run(alloc.value);
        life.outlives_pass = life.is_freed && life.phase == Phase::forward && outlives_pass(alloc.value, free.value);
        const bool is_of_model = life.phase == Phase::forward || life.phase == Phase::backward;
        // the error unwound the stack and freed its tensors
        if (life.is_freed && is_of_model && ran_out_between(alloc.value, free.value)) {
            return guessed_cut_short(life.phase == Phase::forward ? AllocationKind::activation : AllocationKind::gradient);
        }
        switch (life.phase) {
            case Phase::optimizer: return of_optimizer(life);
            case Phase::zero_grad: return of_zero_grad(life);
            case Phase::backward: return of_backward(life);
            case Phase::forward: return of_forward(life);
            case Phase::init: return of_init(life);
            case Phase::none: break;
        }
        if (stack.is_some() && phases_.at(alloc.value) == Phase::forward) {
            if (life.freed_in == Phase::backward) return decided(AllocationKind::activation, KindReason::after_forward);
            if (life.freed_in == Phase::forward) return decided(AllocationKind::temporary, KindReason::freed_in_forward);
        }
        if (life.is_freed && alloc.is_some() && free.value - alloc.value <= k_short_life) {
            return decided(AllocationKind::temporary, KindReason::freed_at_once);
        }
        return decided(AllocationKind::unknown, stack.is_some() ? KindReason::no_rule : KindReason::no_stack);
    }

    /// True if the forward pass that made an allocation had ended at its free. Consecutive forward passes without another
    /// phase between them form one run, so the run alone does not decide.
    bool outlives_pass(std::uint32_t alloc, std::uint32_t free) const {
        if (step_of(alloc) != step_of(free)) return true;
        const StackId stack = trace_.events.stack[free];
        if (phases_.frees_tell() && stacks_.traits(stack).has_python) return stacks_.phase(stack) != Phase::forward;
        const std::uint32_t run = phases_.run(alloc);
        return run > 0 && free > phases_.last_alloc(run) && free - alloc > k_short_life;
    }

    /// The number of steps that begin at or before an event.
    std::ptrdiff_t step_of(std::uint32_t event) const {
        return std::ranges::upper_bound(steps_.steps, event, {}, &TrainingStep::begin_event) - steps_.steps.begin();
    }

    bool ran_out_between(std::uint32_t alloc, std::uint32_t free) const {
        return std::ranges::lower_bound(ooms_, free) != std::ranges::lower_bound(ooms_, alloc);
    }

    static Finding of_optimizer(const Life& life) {
        const bool stays = life.outlives_run || !life.is_freed;
        return stays ? decided(AllocationKind::optimizer_state, KindReason::outlives_optimizer)
                     : decided(AllocationKind::temporary, KindReason::freed_in_optimizer);
    }
    static Finding of_zero_grad(const Life& life) {
        const bool stays = life.outlives_run || !life.is_freed;
        return stays ? decided(AllocationKind::gradient, KindReason::zero_grad)
                     : decided(AllocationKind::temporary, KindReason::freed_at_once);
    }
    static Finding of_backward(const Life& life) {
        if (life.traits.accumulates) return decided(AllocationKind::gradient, KindReason::accumulate_grad);
        if (life.traits.recomputes) return decided(AllocationKind::activation, KindReason::recomputed);
        if (!life.is_freed && !life.outlives_run) return guessed_cut_short(AllocationKind::gradient);
        // zero_grad() usually allocates nothing, so its events do not end the run of the backward pass.
        const bool is_freed_by_zero_grad = life.freed_in == Phase::zero_grad;
        if ((!life.outlives_run && !is_freed_by_zero_grad) || life.freed_in == Phase::backward) {
            return decided(AllocationKind::temporary, KindReason::freed_in_backward);
        }
        return decided(AllocationKind::gradient, KindReason::outlives_backward);
    }
    static Finding of_forward(const Life& life) {
        if (!life.is_freed) return guessed_cut_short(AllocationKind::activation);
        if (life.freed_in == Phase::forward && !life.outlives_run && !life.outlives_pass) {
            return decided(AllocationKind::temporary, KindReason::freed_in_forward);
        }
        return decided(AllocationKind::activation, KindReason::outlives_forward);
    }
    static Finding of_init(const Life& life) {
        const bool stays = life.outlives_run || !life.is_freed;
        return stays ? decided(AllocationKind::parameter, KindReason::lives_on)
                     : decided(AllocationKind::temporary, KindReason::freed_at_once);
    }

    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    AllocatorsOwn own_;
    const AllocationColumns& allocations_;
    const StackPhases& stacks_;
    const EventPhases& phases_;
    const Modules& modules_;
    const Steps& steps_;
    const KindRules& rules_;
    KindRules::Matches matches_;
    std::vector<std::uint32_t> ooms_;                        ///< Event numbers of failed requests, ascending
    std::vector<std::optional<AllocationKind>> categories_;  ///< Kind recorded by the profiler, indexed by metadata
};

/// Decides the kind of allocations whose lives were cut short, by the kinds of other allocations with the same stack and
/// size.
class Votes {
public:
    explicit Votes(const AllocationColumns& allocations) : allocations_(allocations) {}

    void want(AllocationId id) {
        if (allocations_.stack[id.value].is_some()) bytes_.try_emplace(symbol(id));
    }
    void cast(AllocationId id, AllocationKind kind) {
        if (allocations_.origin[id.value] != Origin::alloc || kind == AllocationKind::unknown) return;
        const auto wanted = bytes_.find(symbol(id));
        if (wanted == bytes_.end()) return;
        wanted->second[static_cast<std::size_t>(kind)] += allocations_.size_bytes[id.value];
    }
    /// The kind with the most bytes, or the alphabetically first of several such kinds.
    std::optional<AllocationKind> winner(AllocationId id) const {
        const auto known = bytes_.find(symbol(id));
        std::optional<AllocationKind> best;
        if (known == bytes_.end()) return best;
        const auto bytes_of = [&](AllocationKind kind) { return known->second[static_cast<std::size_t>(kind)]; };
        for (std::size_t i = 0; i < k_allocation_kinds; ++i) {
            const auto kind = static_cast<AllocationKind>(i);
            if (bytes_of(kind) == 0) continue;
            const bool is_earlier =
                best && std::string_view(allocation_kind_name(kind)) < std::string_view(allocation_kind_name(*best));
            if (!best || bytes_of(kind) > bytes_of(*best) || (bytes_of(kind) == bytes_of(*best) && is_earlier)) best = kind;
        }
        return best;
    }
    bool empty() const { return bytes_.empty(); }

private:
    struct Symbol {
        StackId stack;
        std::uint64_t size_bytes;
        bool operator==(const Symbol&) const = default;
    };
    struct SymbolHash {
        KeyedHash hash;
        std::size_t operator()(const Symbol& each) const { return hash(hash(each.size_bytes) ^ each.stack.value); }
    };
    Symbol symbol(AllocationId id) const { return {allocations_.stack[id.value], allocations_.size_bytes[id.value]}; }

    const AllocationColumns& allocations_;
    std::unordered_map<Symbol, std::array<std::uint64_t, k_allocation_kinds>, SymbolHash> bytes_;
};

void settle_by_votes(const AllocationColumns& allocations, const std::vector<AllocationId>& cut, Kinds& kinds) {
    Votes votes(allocations);
    for (const AllocationId id : cut) votes.want(id);
    if (votes.empty()) return;
    std::vector<bool> is_cut(kinds.of.size());
    for (const AllocationId id : cut) is_cut[id.value] = true;
    for (std::uint32_t i = 0; i < kinds.of.size(); ++i) {
        if (!is_cut[i]) votes.cast(AllocationId{i}, kinds.of[i].kind);
    }
    for (const AllocationId id : cut) {
        if (const auto kind = votes.winner(id)) kinds.of[id.value] = {*kind, KindReason::same_stack_and_size};
    }
}

void add_up(const Timeline& timeline, Kinds& kinds) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const std::uint32_t peak = timeline.peak_tick();
    for (std::uint32_t i = 0; i < kinds.of.size(); ++i) {
        const KindOfAllocation& of = kinds.of[i];
        const std::uint64_t size_bytes = allocations.size_bytes[i];
        const auto add_to = [&](KindTotals& totals) {
            KindTotal& total = totals[static_cast<std::size_t>(of.kind)];
            total.bytes += size_bytes;
            ++total.count;
        };
        if (allocations.origin[i] == Origin::alloc) add_to(kinds.allocated);
        if (timeline.first_tick(AllocationId{i}) > peak || timeline.last_tick(AllocationId{i}) <= peak) continue;
        add_to(kinds.at_peak);
        if (of.kind == AllocationKind::unknown) kinds.unknown_at_peak[of.reason] += size_bytes;
    }
}

/// The maximum number of gradients of each size that are live at the same time.
std::unordered_map<std::uint64_t, std::uint64_t, KeyedHash> most_gradients(const Timeline& timeline, const Kinds& kinds) {
    struct Change {
        std::uint64_t size_bytes;
        std::uint32_t tick;
        bool is_end;
        auto operator<=>(const Change&) const = default;
    };
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::vector<Change> changes;
    for (std::uint32_t i = 0; i < kinds.of.size(); ++i) {
        if (kinds.of[i].kind != AllocationKind::gradient) continue;
        const AllocationId id{i};
        changes.push_back({allocations.size_bytes[i], timeline.first_tick(id), false});
        if (allocations.free_event[i].is_some())
            changes.push_back({allocations.size_bytes[i], timeline.last_tick(id), true});
    }
    std::ranges::sort(changes);
    std::unordered_map<std::uint64_t, std::uint64_t, KeyedHash> most;
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (i == 0 || changes[i].size_bytes != changes[i - 1].size_bytes) now = 0;
        now = changes[i].is_end ? now - 1 : now + 1;
        std::uint64_t& high = most[changes[i].size_bytes];
        high = std::max(high, now);
    }
    return most;
}

std::optional<Kinds::Estimate> estimate(const Timeline& timeline, const Kinds& kinds) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::unordered_map<std::uint64_t, std::uint64_t, KeyedHash> standing;  // number of allocations of each size
    for (std::uint32_t i = 0; i < kinds.of.size(); ++i) {
        const bool counts =
            allocations.origin[i] == Origin::standing && kinds.of[i].kind == AllocationKind::before_recording;
        if (counts) ++standing[allocations.size_bytes[i]];
    }
    const auto gradients = most_gradients(timeline, kinds);
    if (gradients.empty() || standing.empty()) return std::nullopt;
    Kinds::Estimate estimate;
    for (const auto& [size_bytes, count] : standing) {
        const auto known = gradients.find(size_bytes);
        const std::uint64_t high = known == gradients.end() ? 0 : known->second;
        const std::uint64_t parameters = std::min(high, count);
        const std::uint64_t states = std::min(2 * high, count - parameters);
        estimate.parameter_bytes += parameters * size_bytes;
        estimate.optimizer_state_bytes += states * size_bytes;
        estimate.unexplained_bytes += (count - parameters - states) * size_bytes;
        estimate.of_bytes += count * size_bytes;
    }
    return estimate;
}

}  // namespace

const char* kind_reason_text(KindReason reason) {
    switch (reason) {
        case KindReason::user_rule: return "user rule";
        case KindReason::annotated: return "annotated";
        case KindReason::recorded: return "recorded";
        case KindReason::allocators_own: return "the allocator's own";
        case KindReason::stack: return "stack";
        case KindReason::replica: return "replica";
        case KindReason::freed_by_zero_grad: return "freed by zero_grad";
        case KindReason::freed_in_backward: return "freed in backward";
        case KindReason::replaced_in_optimizer: return "replaced in the optimizer";
        case KindReason::outlives_optimizer: return "outlives the optimizer";
        case KindReason::freed_in_optimizer: return "freed in the optimizer";
        case KindReason::zero_grad: return "zero_grad";
        case KindReason::freed_at_once: return "freed at once";
        case KindReason::accumulate_grad: return "AccumulateGrad";
        case KindReason::recomputed: return "recomputed";
        case KindReason::outlives_backward: return "outlives backward";
        case KindReason::freed_in_forward: return "freed in forward";
        case KindReason::outlives_forward: return "outlives forward";
        case KindReason::after_forward: return "after forward, freed in backward";
        case KindReason::lives_on: return "lives on";
        case KindReason::same_stack_and_size: return "same stack and size";
        case KindReason::trace_ends: return "trace ends before its free";
        case KindReason::before_recording: return "before the recording";
        case KindReason::cut_off: return "the file was cut off before its event";
        case KindReason::no_stack: return "no stack";
        case KindReason::no_rule: return "no rule";
    }
    return "";
}

std::string because_text(const KindOfAllocation& of) {
    std::string text = kind_reason_text(of.reason);
    if (of.reason == KindReason::annotated && of.inferred != of.kind)
        text += fmt::format("; otherwise {}", allocation_kind_words(of.inferred));
    return text;
}

Kinds find_kinds(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases, const Modules& modules,
                 const Steps& steps, const KindRules& rules) {
    KindRules::Matches matches;
    if (!rules.empty()) {
        matches = rules.match(timeline.snapshot());
    }
    const KindFinder finder(timeline, stacks, phases, modules, steps, rules, std::move(matches));
    Kinds kinds;
    kinds.stackless_is_backward_from = phases.stackless_is_backward_from();
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    kinds.of.reserve(count);
    std::vector<AllocationId> cut;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % k_allocations_between_looks == 0) check_stop();
        const Finding finding = finder.classify(AllocationId{i});
        kinds.of.push_back(finding.found);
        if (finding.is_cut_short) cut.push_back(AllocationId{i});
    }
    settle_by_votes(timeline.trace().allocations, cut, kinds);
    add_up(timeline, kinds);
    kinds.estimate_of_before_recording = estimate(timeline, kinds);
    return kinds;
}

}  // namespace snapviewer
