#include "core/analysis/kinds/kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/search.h"
#include "core/trace/annotations.h"

namespace snapviewer::kinds {
namespace {

constexpr std::uint32_t k_allocations_between_stop_checks = 1U << 16;
/// Maximum number of events between the alloc and the free of a short-lived allocation
constexpr std::uint32_t k_max_short_life_events = 6;

using Kind = AllocationKind;
using Why = KindReason;

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
    // The kinds up to `temporary` are those that PyTorch's profiler records.
    const bool is_ever_recorded = named <= AllocationKind::temporary;
    return is_ever_recorded ? named : AllocationKind::unknown;
}

class KindFinder {
public:
    KindFinder(const Timeline& timeline, const steps::StackPhases& stacks, const steps::EventPhases& phases,
               const Modules& modules, const steps::Steps& steps, const KindRules& rules, KindRules::Matches matches)
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

    KindOfAllocation classify(AllocationId id) const {
        if (const auto kind = by_rule(id)) return {*kind, Why::user_rule};
        if (const auto kind = by_annotation(id)) return {*kind, Why::annotated, infer(id).kind};
        return infer(id);
    }

private:
    KindOfAllocation infer(AllocationId id) const {
        if (const auto kind = by_category(id)) return {*kind, Why::recorded};
        if (own_.contains(trace_, id)) return {Kind::temporary, Why::internal_allocations};
        const StackId stack = allocations_.stack[id.value];
        const Origin origin = allocations_.origin[id.value];
        if (origin == Origin::freed) return by_free(id);
        const steps::StackTraits& traits = stacks_.traits(stack);
        if (traits.is_workspace) return {Kind::workspace, Why::stack};
        if (traits.is_replica) return {Kind::parameter, Why::replica};
        if (traits.is_communication) return {Kind::communication, Why::stack};
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

    KindOfAllocation by_free(AllocationId id) const {
        switch (phases_.of_free(trace_, stacks_, id)) {
            case steps::Phase::zero_grad: return {Kind::gradient, Why::freed_by_zero_grad};
            case steps::Phase::backward: return {Kind::activation, Why::freed_in_backward};
            case steps::Phase::optimizer: return {Kind::optimizer_state, Why::replaced_in_optimizer};
            default: return {Kind::before_recording, Why::before_recording};
        }
    }

    static KindOfAllocation by_standing(Origin origin, steps::Phase phase) {
        switch (phase) {
            case steps::Phase::init: return {Kind::parameter, Why::stack};
            case steps::Phase::optimizer: return {Kind::optimizer_state, Why::stack};
            case steps::Phase::backward: return {Kind::gradient, Why::stack};
            default: break;
        }
        if (origin == Origin::unplaced) return {Kind::unknown, Why::cut_off};
        return {Kind::before_recording, Why::before_recording};
    }

    /// The known facts about an allocation whose alloc was recorded.
    struct Life {
        steps::StackTraits traits;
        steps::Phase phase = steps::Phase::none;
        steps::Phase freed_in = steps::Phase::none;
        bool is_freed = false;
        /// True if the alloc and the free are in different runs (see EventPhases::run()). If the allocation is never freed,
        /// true if its run is not the last one.
        bool outlives_run = false;
        bool stays = false;          ///< True if the allocation outlives its run or is never freed
        bool outlives_pass = false;  ///< True if the allocation was made in a forward pass that ended before its free
    };

    KindOfAllocation by_life(AllocationId id) const {
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
        life.stays = life.outlives_run || !life.is_freed;
        life.outlives_pass = life.is_freed && life.phase == steps::Phase::forward && outlives_pass(alloc.value, free.value);
        const bool is_of_model = life.phase == steps::Phase::forward || life.phase == steps::Phase::backward;
        // Memory ran out between the alloc and the free: the exception unwound the call stack, which freed the tensors.
        if (life.is_freed && is_of_model && ran_out_between(alloc.value, free.value))
            return {life.phase == steps::Phase::forward ? Kind::activation : Kind::gradient, Why::trace_ends};
        switch (life.phase) {
            case steps::Phase::optimizer:
                if (life.stays) return {Kind::optimizer_state, Why::outlives_optimizer};
                return {Kind::temporary, Why::freed_in_optimizer};
            case steps::Phase::zero_grad:
                if (life.stays) return {Kind::gradient, Why::zero_grad};
                return {Kind::temporary, Why::freed_at_once};
            case steps::Phase::backward: return of_backward(life);
            case steps::Phase::forward: return of_forward(life);
            case steps::Phase::init:
                if (life.stays) return {Kind::parameter, Why::lives_on};
                return {Kind::temporary, Why::freed_at_once};
            case steps::Phase::none: break;
        }
        if (stack.is_some() && phases_.at(alloc.value) == steps::Phase::forward) {
            if (life.freed_in == steps::Phase::backward) return {Kind::activation, Why::after_forward};
            if (life.freed_in == steps::Phase::forward) return {Kind::temporary, Why::freed_in_forward};
        }
        if (life.is_freed && alloc.is_some() && free.value - alloc.value <= k_max_short_life_events) {
            return {Kind::temporary, Why::freed_at_once};
        }
        return {Kind::unknown, stack.is_some() ? Why::no_rule : Why::no_stack};
    }

    /// True if the forward pass that made an allocation had ended at its free. Consecutive forward passes without another
    /// phase between them form one run, so the run alone does not decide.
    bool outlives_pass(std::uint32_t alloc, std::uint32_t free) const {
        if (step_of(alloc) != step_of(free)) return true;
        const StackId stack = trace_.events.stack[free];
        if (phases_.frees_have_own_stacks() && stacks_.traits(stack).has_python)
            return stacks_.phase(stack) != steps::Phase::forward;
        const std::uint32_t run = phases_.run(alloc);
        return run > 0 && free > phases_.last_alloc(run) && free - alloc > k_max_short_life_events;
    }

    /// The number of steps that begin at or before an event.
    std::ptrdiff_t step_of(std::uint32_t event) const {
        return std::ranges::upper_bound(steps_.steps, event, {}, &steps::TrainingStep::begin_event) - steps_.steps.begin();
    }

    bool ran_out_between(std::uint32_t alloc, std::uint32_t free) const {
        return std::ranges::lower_bound(ooms_, free) != std::ranges::lower_bound(ooms_, alloc);
    }

    static KindOfAllocation of_backward(const Life& life) {
        if (life.traits.accumulates) return {Kind::gradient, Why::accumulate_grad};
        if (life.traits.recomputes) return {Kind::activation, Why::recomputed};
        if (!life.is_freed && !life.outlives_run) return {Kind::gradient, Why::trace_ends};
        // zero_grad() usually allocates nothing, so its events do not end the run of the backward pass.
        const bool is_freed_by_zero_grad = life.freed_in == steps::Phase::zero_grad;
        if ((!life.outlives_run && !is_freed_by_zero_grad) || life.freed_in == steps::Phase::backward) {
            return {Kind::temporary, Why::freed_in_backward};
        }
        return {Kind::gradient, Why::outlives_backward};
    }
    static KindOfAllocation of_forward(const Life& life) {
        if (!life.is_freed) return {Kind::activation, Why::trace_ends};
        if (life.freed_in == steps::Phase::forward && !life.outlives_run && !life.outlives_pass) {
            return {Kind::temporary, Why::freed_in_forward};
        }
        return {Kind::activation, Why::outlives_forward};
    }
    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    InternalAllocations own_;
    const AllocationColumns& allocations_;
    const steps::StackPhases& stacks_;
    const steps::EventPhases& phases_;
    const Modules& modules_;
    const steps::Steps& steps_;
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
    using SizeAndStack = std::pair<std::uint64_t, std::uint64_t>;
    SizeAndStack symbol(AllocationId id) const {
        return {allocations_.size_bytes[id.value], allocations_.stack[id.value].value};
    }

    const AllocationColumns& allocations_;
    std::unordered_map<SizeAndStack, std::array<std::uint64_t, k_allocation_kinds>, KeyedPairHash> bytes_;
};

void decide_by_votes(const AllocationColumns& allocations, const std::vector<AllocationId>& cut, Kinds& kinds) {
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

void sum_by_kind(const Timeline& timeline, Kinds& kinds) {
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
std::unordered_map<std::uint64_t, std::uint64_t, KeyedHash> max_live_gradients(const Timeline& timeline,
                                                                               const Kinds& kinds) {
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
    const auto gradients = max_live_gradients(timeline, kinds);
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

constexpr std::array<const char*, k_allocation_kinds> k_kind_names = {"parameter",  "gradient",         "optimizer_state",
                                                                      "activation", "temporary",        "communication",
                                                                      "workspace",  "before_recording", "unknown"};

constexpr std::size_t k_max_rules = 1000;

/// Bounds of the cost of rules, in steps of about 1 ns. A rule takes some tens of steps for each character of a text. A file
/// of 20 MB has 24 MB of text in its stacks, so twenty rules stay within the bound.
constexpr std::uint64_t k_match_steps_per_character = 32;
constexpr std::uint64_t k_free_steps = std::uint64_t{1} << 33;
constexpr std::uint64_t k_match_steps_per_input_byte = 512;

Error bad_rule(std::size_t number, const std::string& what) {
    return {ErrorCode::bad_query, fmt::format("rule {} for kinds: {}", number, what)};
}

/// The regular expression of a rule under a key, or nullopt if the rule lacks the key.
Result<std::optional<Expression>> expression(const nlohmann::json& rule, const char* key) {
    const auto found = rule.find(key);
    if (found == rule.end() || found->is_null()) return std::optional<Expression>();
    if (!found->is_string()) return Error{ErrorCode::bad_query, fmt::format("'{}' is not a string", key)};
    const std::string& text = found->get_ref<const std::string&>();
    Result<Expression> compiled = Expression::compile(text, Expression::Letters::exact);
    if (compiled) return std::optional(*std::move(compiled));
    const std::string& what = text.size() > Expression::k_max_pattern_bytes ? key : text;
    return Error{ErrorCode::bad_query, fmt::format("'{}' {}", what, compiled.error().message)};
}

bool is_found(const std::optional<Expression>& expression, std::string_view text) {
    return expression && expression->is_in(text);
}

}  // namespace

const char* kind_reason_text(KindReason reason) {
    switch (reason) {
        case KindReason::user_rule: return "user rule";
        case KindReason::annotated: return "annotated";
        case KindReason::recorded: return "recorded";
        case KindReason::internal_allocations: return "the allocator's own";
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

Kinds find_kinds(const Timeline& timeline, const steps::StackPhases& stacks, const steps::EventPhases& phases,
                 const Modules& modules, const steps::Steps& steps, const KindRules& rules) {
    KindRules::Matches matches;
    if (!rules.empty()) matches = rules.match(timeline.snapshot());
    const KindFinder finder(timeline, stacks, phases, modules, steps, rules, std::move(matches));
    Kinds kinds;
    kinds.stackless_is_backward_from = phases.stackless_is_backward_from();
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    kinds.of.reserve(count);
    std::vector<AllocationId> cut;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i % k_allocations_between_stop_checks == 0) check_stop();
        kinds.of.push_back(finder.classify(AllocationId{i}));
        // The kind of an allocation that the end of the trace cut short is a guess. It applies only if no other allocation
        // with the same stack and size decides the kind.
        if (kinds.of.back().reason == KindReason::trace_ends) cut.push_back(AllocationId{i});
    }
    decide_by_votes(timeline.trace().allocations, cut, kinds);
    sum_by_kind(timeline, kinds);
    kinds.estimate_of_before_recording = estimate(timeline, kinds);
    return kinds;
}

const char* allocation_kind_name(AllocationKind kind) { return k_kind_names[static_cast<std::size_t>(kind)]; }

std::string allocation_kind_words(AllocationKind kind) {
    std::string words = allocation_kind_name(kind);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::optional<AllocationKind> allocation_kind_named(std::string_view name) {
    const auto found = std::ranges::find(k_kind_names, name);
    if (found == k_kind_names.end()) return std::nullopt;
    return static_cast<AllocationKind>(found - k_kind_names.begin());
}

struct KindRules::Rule {
    AllocationKind kind = AllocationKind::unknown;
    std::optional<Expression> frame;
    std::optional<Expression> metadata;
};

Result<KindRules> KindRules::parse(std::string_view text) {
    const auto json = parse_json(text);
    if (!json.is_array()) return Error{ErrorCode::bad_query, "the rules for kinds are not a JSON list"};
    if (json.size() > k_max_rules)
        return Error{ErrorCode::bad_query, fmt::format("there are more than {} rules for kinds", k_max_rules)};
    std::vector<Rule> rules;
    for (const nlohmann::json& each : json) {
        const std::size_t number = rules.size() + 1;
        if (!each.is_object()) return bad_rule(number, "it is not an object");
        const auto kind = allocation_kind_named(
            each.contains("kind") && each["kind"].is_string() ? each["kind"].get_ref<const std::string&>() : std::string());
        if (!kind) return bad_rule(number, fmt::format("'kind' is not one of {}", fmt::join(k_kind_names, ", ")));
        auto frame = expression(each, "frame");
        if (!frame) return bad_rule(number, frame.error().message);
        auto metadata = expression(each, "metadata");
        if (!metadata) return bad_rule(number, metadata.error().message);
        if (!*frame && !*metadata) return bad_rule(number, "it has neither 'frame' nor 'metadata'");
        rules.push_back({*kind, std::move(*frame), std::move(*metadata)});
    }
    KindRules made;
    if (!rules.empty()) made.rules_ = std::make_shared<const std::vector<Rule>>(std::move(rules));
    return made;
}

/// Throws a Failure if the rules would take too long. match() calls this first, so that the error appears without a long
/// wait.
void KindRules::check_cost(const Snapshot& snapshot) const {
    const std::uint64_t most = k_free_steps + snapshot.read_bytes * k_match_steps_per_input_byte;
    const std::uint64_t max_characters = most / (k_match_steps_per_character * rules_->size());
    std::uint64_t characters = 0;
    for (const EventMetadata& metadata : snapshot.metadata)
        characters += snapshot.strings.view(metadata.user_metadata).size();
    for (std::uint32_t i = 0; i < snapshot.stacks.stack_count() && characters <= max_characters; ++i) {
        check_stop();
        characters += stack_text(snapshot.strings, snapshot.stacks, StackId{i}).size();
    }
    if (characters <= max_characters) return;
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("has so much text in its stacks that applying {} rules for kinds would take too long",
                               rules_->size())}};
}

KindRules::Matches KindRules::match(const Snapshot& snapshot) const {
    check_cost(snapshot);
    Matches matches;
    const std::size_t stack_count = snapshot.stacks.stack_count();
    const auto first_fitting = [this](std::string_view text, std::optional<Expression> Rule::*expression) {
        const auto found = std::ranges::find_if(*rules_, [&](const Rule& rule) { return is_found(rule.*expression, text); });
        return found == rules_->end() ? k_no_rule : static_cast<std::uint32_t>(found - rules_->begin());
    };
    for (std::uint32_t i = 0; i < stack_count; ++i) {
        check_stop();
        matches.of_stack.push_back(first_fitting(stack_text(snapshot.strings, snapshot.stacks, StackId{i}), &Rule::frame));
    }
    matches.of_no_stack = first_fitting("(no stack)", &Rule::frame);
    matches.of_no_metadata = first_fitting("", &Rule::metadata);
    for (const EventMetadata& metadata : snapshot.metadata) {
        check_stop();
        matches.of_metadata.push_back(first_fitting(snapshot.strings.view(metadata.user_metadata), &Rule::metadata));
    }
    return matches;
}

AllocationKind KindRules::kind(std::uint32_t rule) const { return (*rules_)[rule].kind; }

}  // namespace snapviewer::kinds
