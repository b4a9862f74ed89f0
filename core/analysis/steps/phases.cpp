#include "core/analysis/steps/phases.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>

#include "core/analysis/steps/steps.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer::steps {
namespace {

constexpr std::uint32_t k_phase_events_between_stop_checks = 1U << 16;

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool has_one_of(std::string_view text, std::span<const std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

bool is_one_of(std::string_view text, std::span<const std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
}

/// True if a function is called `name` or is a method of that name.
bool is_method(std::string_view function, std::string_view name) {
    if (!function.ends_with(name)) return false;
    return function.size() == name.size() || function[function.size() - name.size() - 1] == '.';
}

/// True if a path is in `folder`, or in a folder of that name inside any other folder.
bool in_folder(std::string_view path, std::string_view folder) {
    for (std::size_t at = path.find(folder); at != path.npos; at = path.find(folder, at + 1)) {
        if (at == 0 || path[at - 1] == '/') return true;
    }
    return false;
}

/// True for a function such as "...Backward::apply", with or without a number after "Backward".
bool applies_backward(std::string_view function) {
    for (std::size_t end = function.find("::apply"); end != function.npos; end = function.find("::apply", end + 1)) {
        std::string_view name = function.substr(0, end);
        while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
        if (name.ends_with("Backward")) return true;
    }
    return false;
}

bool is_optimizer_path(std::string_view path) {
    constexpr std::string_view k_folder = "torch/optim/";
    if (!path.starts_with(k_folder)) return false;
    const std::string_view rest = path.substr(k_folder.size());
    return !rest.starts_with("lr_scheduler") && !rest.starts_with("swa_utils");
}

bool is_optimizer_function(std::string_view path, std::string_view function) {
    static constexpr std::string_view k_folders[] = {"apex/optimizers",    "bitsandbytes/optim", "deepspeed/ops/adam",
                                                     "deepspeed/ops/lamb", "deepspeed/ops/lion", "megatron/core/optimizer"};
    static constexpr std::string_view k_functions[] = {"Optimizer.step", "optimizer_step", "clip_grad_norm",
                                                       "clip_grad_value"};
    if (is_optimizer_path(path)) return true;
    if (has(function, "step") && std::ranges::any_of(k_folders, [&](auto folder) { return in_folder(path, folder); }))
        return true;
    return (has(path, "optim") && is_method(function, "step")) || has_one_of(function, k_functions);
}

bool is_backward_function(std::string_view function) {
    static constexpr auto k_parts = text_array("autograd::Engine::", "autograd::Node::operator()", "AccumulateGrad",
                                               "_engine_run_backward", "_backward_impl", "call_compiled_backward");
    return has_one_of(function, k_parts) || applies_backward(function) || is_method(function, "backward");
}

bool is_forward_function(std::string_view function) {
    static constexpr std::string_view k_names[] = {"_call_impl", "_wrapped_call_impl", "_forward_impl"};
    return is_one_of(function, k_names) || is_forward_method(function);
}

bool is_init_function(std::string_view path, std::string_view function) {
    static constexpr std::string_view k_names[] = {"_apply", "reset_parameters"};
    static constexpr auto k_parts =
        text_array("load_state_dict", "_load_from_state_dict", "from_pretrained", "to_empty", "init_weight");
    if (path == "torch/nn/init.py" || (path.starts_with("torch/nn/") && function == "__init__")) return true;
    return is_one_of(function, k_names) || has_one_of(function, k_parts);
}

bool names_communication(std::string_view function) {
    static constexpr auto k_parts = text_array(
        "nccl", "hccl", "processgroup", "c10d::", "allgather", "all_gather", "reducescatter", "reduce_scatter", "allreduce",
        "all_reduce", "broadcast_coalesced", "unshard", "alltoall", "all_to_all", "all_toall", "allto_all");
    return has_one_of(lower_case(function), k_parts);
}

/// True if a name contains "getCurrentCUDABlasHandle", "getNewBlasLtWorkspace" or a similar function.
bool gets_blas_workspace(std::string_view function) {
    static constexpr auto k_getters = text_array("get", "getNew", "getCurrentCUDA", "getCUDA", "getCurrentHIP", "getHIP");
    for (std::size_t at = function.find("Blas"); at != function.npos; at = function.find("Blas", at + 1)) {
        std::string_view rest = function.substr(at + 4);
        if (rest.starts_with("Lt")) rest.remove_prefix(2);
        if (!rest.starts_with("Workspace") && !rest.starts_with("Handle")) continue;
        const std::string_view before = function.substr(0, at);
        if (std::ranges::any_of(k_getters, [&](std::string_view getter) { return before.ends_with(getter); })) return true;
    }
    return false;
}

/// True for a C++ function that only allocates scratch memory for a library.
bool gets_workspace(std::string_view function) {
    static constexpr auto k_parts =
        text_array("getNewWorkspace", "getNewCUDABlasLtWorkspace", "CublasLTWorkspace", "CublasLtWorkspace",
                   "CuBlasLTWorkspace", "CuBlasLtWorkspace", "CUblasLTWorkspace", "CUblasLtWorkspace", "CUBlasLTWorkspace",
                   "CUBlasLtWorkspace", "getCurrentCUDASolverDnHandle", "getCurrentCUDASparseHandle", "getCudnnHandle",
                   "getCuDNNHandle", "allocate_workspace", "unsafe_empty_workspace", "WorkspaceAllocator");
    return has_one_of(function, k_parts) || gets_blas_workspace(function);
}

/// True for a function of a library that calls the allocator directly, without making a tensor.
bool calls_allocator_directly(std::string_view function) {
    static constexpr auto k_parts =
        text_array("at::cuda::blas::", "at::cuda::solver::", "at::cuda::sparse::", "at::native::sparse::impl::",
                   "at::native::run_conv_plan", "at::native::run_single_conv", "raw_cudnn_convolution",
                   "at::native::Workspace::Workspace", "at::native::cudnn_", "at::native::miopen_",
                   "at::native::(anonymous namespace)::cudnn_", "at::native::(anonymous namespace)::miopen_", "magma");
    return has_one_of(function, k_parts);
}

/// True for functions in the innermost frames of stacks: the allocator's own functions and those that record the stack.
bool is_allocator_function(std::string_view function) {
    static constexpr auto k_parts =
        text_array("CapturedTraceback", "gather_with_cpp", "CachingAllocator", "CachingDeviceAllocator");
    return has_one_of(function, k_parts) || function.starts_with("torch::unwind") ||
           function.starts_with("torch::cuda::(anonymous") || function == "torch::cuda::";
}

bool is_communication_file(std::string_view path) {
    return path.starts_with("torch/distributed/") && !has(path, "/tensor/");
}

bool is_checkpointing_file(std::string_view path) {
    return path.ends_with("torch/utils/checkpoint.py") || path.ends_with("/checkpointing.py");
}

/// The traits that a frame adds to its stacks.
struct FrameTraits {
    Phase phase = Phase::none;
    bool names_communication = false;
    bool is_communication_file = false;
    bool accumulates = false;
    bool recomputes = false;
    bool gets_workspace = false;
    bool calls_allocator = false;
    bool is_allocator_function = false;
    bool replicates = false;
};

FrameTraits traits_of_frame(const Snapshot& snapshot, FrameTexts& texts, FrameId id) {
    const FrameTexts::File& file = texts.file(id);
    const std::string_view path = file.path;
    // Long names are shortened in the middle, because the relevant parts are the beginning and the end.
    const std::string function =
        shortened(snapshot.strings.view(snapshot.stacks.frame(id).function), limits::k_max_frame_bytes);
    const bool is_cpp = !file.is_python;
    return {phase_of_frame(path, function),
            names_communication(function),
            is_communication_file(path),
            has(function, "AccumulateGrad"),
            is_checkpointing_file(path),
            is_cpp && gets_workspace(function),
            is_cpp && calls_allocator_directly(function),
            is_allocator_function(function),
            path == "torch/nn/parallel/replicate.py"};
}

/// The phase with the higher priority. The enum Phase lists phases in this order, so one frame of a stack can decide.
Phase stronger(Phase a, Phase b) {
    if (a == Phase::none || b == Phase::none) return a == Phase::none ? b : a;
    return std::min(a, b);
}

/// True if the first frame outside the allocator belongs to a library that calls the allocator directly.
bool is_asked_by_library(std::span<const FrameId> frames, const std::vector<FrameTraits>& of_frame) {
    const auto past = std::ranges::find_if_not(frames, [&](FrameId id) { return of_frame[id.value].is_allocator_function; });
    return past != frames.begin() && past != frames.end() && of_frame[past->value].calls_allocator;
}

StackTraits traits_of_stack(std::span<const FrameId> frames, const std::vector<FrameTraits>& of_frame,
                            const StackLines& lines) {
    StackTraits traits;
    const bool all_hidden = std::ranges::all_of(frames, [&](FrameId id) { return lines.is_hidden(id); });
    bool has_shown_python = false;
    for (const FrameId id : frames) {
        const FrameTraits& frame = of_frame[id.value];
        const bool is_python = lines.is_python(id);
        traits.phase = stronger(traits.phase, frame.phase);
        traits.accumulates |= frame.accumulates;
        traits.recomputes |= frame.recomputes;
        traits.is_workspace |= frame.gets_workspace;
        traits.is_replica |= frame.replicates;
        (is_python ? traits.has_python : traits.has_cpp) = true;
        if (lines.is_hidden(id) && !all_hidden) continue;
        traits.is_communication |= frame.names_communication;
        if (is_python && !has_shown_python) traits.is_communication |= frame.is_communication_file;
        has_shown_python |= is_python;
    }
    traits.is_workspace |= is_asked_by_library(frames, of_frame);
    return traits;
}

/// The first event with a stack, if all later allocs without a stack belong to the backward pass; otherwise nullopt. See
/// EventPhases::stackless_is_backward_from().
std::optional<std::uint32_t> only_backward_lacks_stacks_from(const DeviceTrace& trace, const StackPhases& stacks) {
    std::optional<std::uint32_t> first_stack;
    bool lacks_stacks = false;
    bool has_forward = false;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
        const StackId stack = trace.events.stack[i];
        if (!first_stack && stack.is_some()) first_stack = i;
        if (trace.events.action[i] != Action::alloc) continue;
        if (!stack.is_some()) {
            lacks_stacks |= first_stack.has_value();
            continue;
        }
        if (stacks.traits(stack).has_cpp) return std::nullopt;
        has_forward |= stacks.phase(stack) == Phase::forward;
    }
    return has_forward && lacks_stacks ? first_stack : std::nullopt;
}

/// True if frees have stacks of their own instead of a copy of the alloc's stack.
bool has_free_stacks(const DeviceTrace& trace) {
    const AllocationColumns& allocations = trace.allocations;
    std::size_t pairs = 0;
    std::size_t different = 0;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        const EventId free = allocations.free_event[i];
        if (allocations.origin[i] != Origin::alloc || !free.is_some() || !allocations.stack[i].is_some()) continue;
        ++pairs;
        if (allocations.stack[i] != trace.events.stack[free.value]) ++different;
    }
    return different * 100 > pairs;
}

}  // namespace

Phase phase_of_frame(std::string_view path, std::string_view function) {
    if (has(function, "zero_grad")) return Phase::zero_grad;
    if (is_optimizer_function(path, function)) return Phase::optimizer;
    if (is_backward_function(function)) return Phase::backward;
    if (is_forward_function(function)) return Phase::forward;
    return is_init_function(path, function) ? Phase::init : Phase::none;
}

bool is_forward_method(std::string_view function) { return is_method(function, "forward"); }

StackPhases StackPhases::build(const Snapshot& snapshot, const StackLines& lines) {
    std::vector<FrameTraits> of_frame;
    of_frame.reserve(snapshot.stacks.frame_count());
    FrameTexts texts(snapshot);
    // Index of the first frame with the same file and function; frames with other lines share its traits
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> first_of_names;
    for (std::uint32_t i = 0; i < snapshot.stacks.frame_count(); ++i) {
        if (i % 1024 == 0) check_stop();
        const Frame& frame = snapshot.stacks.frame(FrameId{i});
        const auto [first, is_new] =
            first_of_names.try_emplace(std::uint64_t{frame.file.value} << 32 | frame.function.value, i);
        of_frame.push_back(is_new ? traits_of_frame(snapshot, texts, FrameId{i}) : of_frame[first->second]);
    }
    StackPhases phases;
    phases.traits_.reserve(snapshot.stacks.stack_count() + 1);
    for (std::uint32_t i = 0; i < snapshot.stacks.stack_count(); ++i) {
        if (i % 1024 == 0) check_stop();
        phases.traits_.push_back(traits_of_stack(snapshot.stacks.stack(StackId{i}), of_frame, lines));
    }
    phases.traits_.emplace_back();
    return phases;
}

EventPhases EventPhases::build(const DeviceTrace& trace, const StackPhases& stacks) {
    EventPhases phases;
    phases.backward_from_ = only_backward_lacks_stacks_from(trace, stacks);
    phases.frees_have_own_stacks_ = has_free_stacks(trace);
    for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
        if (event % k_phase_events_between_stop_checks == 0) check_stop();
        if (trace.events.action[event] != Action::alloc) continue;
        const Phase phase = phases.of_alloc(stacks, trace.events.stack[event], event);
        if (phase == Phase::none) continue;
        if (phases.runs_.empty() || phases.runs_.back().phase != phase) phases.runs_.push_back({event, event, phase});
        phases.runs_.back().last_alloc = event;
    }
    return phases;
}

std::uint32_t EventPhases::run(std::uint32_t event) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(runs_, event, {}, &Run::begin) - runs_.begin());
}

Phase EventPhases::at(std::uint32_t event) const {
    const std::uint32_t number = run(event);
    return number == 0 ? Phase::none : runs_[number - 1].phase;
}

Phase EventPhases::of_free(const DeviceTrace& trace, const StackPhases& stacks, AllocationId id) const {
    const EventId free = trace.allocations.free_event[id.value];
    if (!free.is_some()) return Phase::none;
    if (frees_have_own_stacks_) {
        const Phase phase = stacks.phase(trace.events.stack[free.value]);
        if (phase != Phase::none) return phase;
    }
    return at(free.value);
}

namespace {

Phase phase_of_range(std::string_view name) {
    if (name.starts_with("Optimizer.zero_grad#")) return Phase::zero_grad;
    return name.starts_with("Optimizer.step#") ? Phase::optimizer : Phase::none;
}

/// The phase of each event according to optimizer ranges. Empty if events have no times to compare with the ranges.
std::vector<Phase> phases_of_ranges(const StepEvents& events) {
    if (!events.has_times()) return {};
    std::vector<NamedRange> ranges = named_ranges(events.snapshot(), events.trace().device);
    std::erase_if(ranges, [](const NamedRange& range) {
        return phase_of_range(range.name) == Phase::none || range.start_us == k_no_time || range.end_us == k_no_time;
    });
    std::ranges::stable_sort(ranges, {}, &NamedRange::start_us);
    std::vector<Phase> by_event(events.count(), Phase::none);
    // Ranges are visited in reverse order of their start, so inner ranges come first. Each event is set only once,
    // regardless of the number of ranges around it.
    std::vector<std::uint32_t> next_untold(events.count() + std::size_t{1});
    std::iota(next_untold.begin(), next_untold.end(), 0U);
    const auto facts_missing_from = [&](std::uint32_t event) {
        while (next_untold[event] != event) event = next_untold[event] = next_untold[next_untold[event]];
        return event;
    };
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
        const std::uint32_t end = events.at_time(range->end_us);
        for (std::uint32_t event = facts_missing_from(events.at_time(range->start_us)); event < end;
             event = facts_missing_from(event)) {
            by_event[event] = phase_of_range(range->name);
            next_untold[event] = event + 1;
        }
    }
    return by_event;
}

}  // namespace

std::vector<Phase> find_phases_by_event(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases) {
    const StepEvents events(timeline);
    const EventColumns& all = events.trace().events;
    std::vector<Phase> by_event = phases_of_ranges(events);
    by_event.resize(events.count(), Phase::none);
    for (std::uint32_t event = 0; event < events.count(); ++event) {
        if (event % k_phase_events_between_stop_checks == 0) check_stop();
        Phase by_stack = Phase::none;
        switch (all.action[event]) {
            case Action::alloc: by_stack = phases.of_alloc(stacks, all.stack[event], event); break;
            case Action::free_requested:
            case Action::free_completed:
                if (phases.frees_have_own_stacks()) by_stack = stacks.phase(all.stack[event]);
                break;
            default: break;
        }
        if (by_stack != Phase::none) by_event[event] = by_stack;
    }
    return by_event;
}

}  // namespace snapviewer::steps
