#include "core/document/document.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/document/card_figure_files.h"
#include "core/load/load.h"
#include "core/load/read_database.h"
#include "core/replay/what_if.h"
#include "core/timeline/collect.h"
#include "core/timeline/complete_snapshot.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

/// Adds its own lifetime to a total, in milliseconds.
class Stopwatch {
public:
    explicit Stopwatch(double& total_ms) : total_ms_(total_ms) {}
    ~Stopwatch() {
        total_ms_ += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& total_ms_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<std::shared_ptr<const Timeline>> timelines_of(const Document& document) {
    std::vector<std::shared_ptr<const Timeline>> timelines;
    for (const DeviceView& device : document.devices) timelines.push_back(device.timeline);
    return timelines;
}

/// Builds the view of one device and appends it to the document. `index_of_stack` is the StackIndex of the device if its
/// construction has already started, else invalid.
void build_device(Document& document, std::size_t index, std::future<StackIndex> index_of_stack,
                  const OpenOptions& options) {
    DeviceView view;
    if (options.mesh && !index_of_stack.valid()) index_of_stack = begin_stack_index(document.snapshot->devices[index]);
    {
        const Stopwatch watch(document.timings.timeline_ms);
        report_stage(Stage::timeline);
        view.timeline = std::make_shared<const Timeline>(Timeline::build(document.snapshot, index));
        if (options.mesh) view.overlays = std::make_shared<const Overlays>(make_overlays(*view.timeline));
    }
    if (options.mesh) {
        const Stopwatch watch(document.timings.mesh_ms);
        report_stage(Stage::mesh);
        view.mesh = std::make_shared<const Mesh>(build_mesh(*view.timeline, std::move(index_of_stack)));
    }
    document.devices.push_back(std::move(view));
}

/// Loads the document's file, together with a second one if the options name one and both belong together.
LoadedFile load(Document& document, const OpenOptions& options, Progress& progress, LoadTimings& timings) {
    const auto is_streamed = [](const std::string& path) { return is_standard_input(path) || is_remote(path); };
    const bool is_read_once = is_streamed(document.path) || is_streamed(options.with);
    if (!options.with.empty() && is_read_once && !options.or_single)
        throw Failure{
            {ErrorCode::unsupported, "cannot be opened together with another file; both have to be files on this machine"}};
    if (!options.with.empty() && !is_read_once) {
        const Result<DatabasePair> pair = open_pair(document.path, options.with, progress);
        if (!pair && !options.or_single) throw Failure{pair.error()};
        if (pair) {
            document.with = options.with;
            return value_or_throw(load_pair(*pair));
        }
    }
    return value_or_throw(load_file(document.path, progress, &timings, options.part));
}

/// Returns the time of the device's first oom event; the maximum if its events have no times, nullopt if it has no oom
/// event.
std::optional<std::int64_t> first_oom_us(const EventColumns& events) {
    const auto oom = std::ranges::find(events.action, Action::oom);
    if (oom == events.action.end()) return std::nullopt;
    const std::int64_t time_us = events.time_us[static_cast<std::size_t>(oom - events.action.begin())];
    return time_us == k_no_time ? std::numeric_limits<std::int64_t>::max() : time_us;
}

/// Returns the whole devices if there are any, otherwise parts of devices, otherwise the host.
std::vector<std::size_t> devices_to_choose_from(const std::vector<DeviceTrace>& devices) {
    const auto rank = [](const DeviceTrace& trace) { return std::pair(trace.is_host, !trace.part.empty()); };
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (!chosen.empty() && rank(devices[i]) < rank(devices[chosen[0]])) chosen.clear();
        if (chosen.empty() || rank(devices[i]) == rank(devices[chosen[0]])) chosen.push_back(i);
    }
    return chosen;
}

/// Sets Document::default_device. Computes growth only if it decides the choice, because that takes a tenth of the time of
/// opening.
void choose_default_device(Document& document) {
    std::vector<std::size_t> devices = devices_to_choose_from(document.snapshot->devices);
    if (devices.empty()) return;
    const auto oom_us = [&](std::size_t i) { return first_oom_us(document.snapshot->devices[i].events); };
    const auto never_ran_out = [&](std::size_t i) { return !oom_us(i); };
    if (!std::ranges::all_of(devices, never_ran_out)) {
        std::erase_if(devices, never_ran_out);
        document.default_device = *std::ranges::min_element(devices, {}, oom_us);
        return;
    }
    for (const std::size_t i : devices) {
        if (devices.size() < 2) break;
        document.devices[i].leaks = has_leak(*document.analyses->device(i).growth());
    }
    document.default_device = *std::ranges::max_element(devices, {}, [&](std::size_t i) {
        const DeviceView& device = document.devices[i];
        const DeviceTrace& trace = device.timeline->trace();
        // Parts can be several views of the same memory, for example the driver's and PyTorch's, so prefer the part with
        // most events.
        return std::pair(device.leaks.value_or(false),
                         trace.part.empty() ? device.timeline->peak_bytes() : trace.events.size());
    });
}

/// Inserts the figures of the job's log before those of the recorder.
void add_figures_in_log(Document& document, const OpenOptions& options) {
    std::optional<std::uint32_t> rank = options.log_rank;
    for (const CardFigures& figures : document.card_figures) {
        if (figures.rank) rank = figures.rank;
    }
    const auto found = caught([&] { return figures_in_log(options.log, *document.snapshot, rank); });
    if (!found) {
        Error error = found.error();
        error.file = options.log;
        throw Failure{std::move(error)};
    }
    document.card_figures.insert(document.card_figures.begin(), found->begin(), found->end());
}

void fill(Document& document, const OpenOptions& options, Progress& progress) {
    const Stopwatch watch(document.timings.total_ms);
    LoadTimings load_timings;
    LoadedFile file = load(document, options, progress, load_timings);
    file.snapshot->read_bytes = progress.budget().read_bytes();
    document.icicles = build_icicles(file.icicles);
    document.card_figures = read_card_figures(document.path, file.snapshot->log);
    std::future<StackIndex> first_index;  // joined before the snapshot that it reads is destroyed, if anything fails
    {
        const Stopwatch timeline_watch(document.timings.timeline_ms);
        report_stage(Stage::timeline);
        complete_snapshot(*file.snapshot, [&](const DeviceTrace& trace) {
            if (options.mesh && &trace == &file.snapshot->devices[0]) first_index = begin_stack_index(trace);
        });
        document.snapshot = std::move(file.snapshot);
    }
    if (!options.log.empty()) add_figures_in_log(document, options);
    document.details = std::move(file.details);
    document.timings.read_ms = load_timings.read_ms;
    document.timings.parse_ms = load_timings.parse_ms;
    if (document.snapshot->devices.empty() && file.databases.empty()) {
        throw Failure{
            {ErrorCode::bad_file, "is a memory snapshot without devices: no events and no segments were recorded"}};
    }
    for (std::size_t index = 0; index < document.snapshot->devices.size(); ++index) {
        build_device(document, index, index == 0 ? std::move(first_index) : std::future<StackIndex>(), options);
    }
    report_stage(Stage::database);
    document.analyses = make_analyses(document, {.kind_rules = options.kind_rules, .card_figures = document.card_figures});
    choose_default_device(document);
    if (!options.database) return;
    const Stopwatch database_watch(document.timings.database_ms);
    document.database = value_or_throw(Database::create(document.snapshot, timelines_of(document), std::move(file.databases),
                                                        file.views, analysis_tables(document.analyses)));
    document.database->set_allocs_device(document.default_device);
}

}  // namespace

std::vector<std::string> view_kind_names() { return {"allocations", "segments", "pools"}; }

std::optional<ViewKind> view_kind_named(std::string_view name) {
    const std::vector<std::string> names = view_kind_names();
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? std::nullopt : std::optional(static_cast<ViewKind>(at - names.begin()));
}

std::string why_no_view(const Snapshot& snapshot, std::size_t device_index, ViewKind kind) {
    constexpr const char* k_no_segments = "The file holds no segments of this device";
    const DeviceTrace& device = snapshot.devices[device_index];
    const auto is_here = [&](const Segment& segment) { return segment.device == device.device; };
    const auto is_private = [&](const Segment& segment) {
        return is_here(segment) && is_private_pool(snapshot, segment.pool);
    };
    const auto is_of_segment = [](Action action) {
        return action == Action::segment_alloc || action == Action::segment_free || action == Action::segment_map ||
               action == Action::segment_unmap;
    };
    switch (kind) {
        case ViewKind::allocations: return "";
        case ViewKind::segments:
            if (std::ranges::any_of(snapshot.segments, is_here) || std::ranges::any_of(device.events.action, is_of_segment))
                return "";
            return k_no_segments;
        case ViewKind::pools:
            if (std::ranges::any_of(snapshot.segments, is_private)) return "";
            return std::ranges::any_of(snapshot.segments, is_here)
                       ? "No segment of this device was in a private pool when the snapshot was taken"
                       : k_no_segments;
    }
    return "";
}

namespace {

DeviceView build_other_view(const Document& document, std::size_t device_index, ViewKind kind) {
    const DeviceView& device = document.devices[device_index];
    report_stage(Stage::timeline);
    const DeviceTrace& own = document.snapshot->devices[device_index];
    std::shared_ptr<const DeviceTrace> trace =
        kind == ViewKind::segments ? collect_segments(*document.snapshot, own) : collect_pools(*document.snapshot, own);
    DeviceView view;
    view.timeline = std::make_shared<const Timeline>(Timeline::build(document.snapshot, std::move(trace)));
    if (device.overlays) view.overlays = std::make_shared<const Overlays>(make_overlays(*view.timeline, *device.timeline));
    if (device.mesh) {
        report_stage(Stage::mesh);
        view.mesh = std::make_shared<const Mesh>(build_mesh(*view.timeline));
    }
    return view;
}

}  // namespace

std::shared_ptr<const Analyses> make_analyses(const Document& document, AnalysisOptions options) {
    options.find_expandable_gain = gain_of_expandable_segments;
    return std::make_shared<const Analyses>(*document.snapshot, timelines_of(document), options);
}

Result<DeviceView> build_view(const Document& document, std::size_t device_index, ViewKind kind, Progress& progress) {
    if (kind == ViewKind::allocations) return document.devices[device_index];
    return caught(&progress, [&] { return build_other_view(document, device_index, kind); });
}

Result<std::shared_ptr<const Document>> open_document(const std::string& path, const OpenOptions& options,
                                                      Progress& progress) {
    return caught(&progress, [&] {
        auto document = std::make_shared<Document>();
        document->path = path;
        document->part = options.part;
        fill(*document, options, progress);
        progress.enter(Stage::done);
        return std::shared_ptr<const Document>(std::move(document));
    });
}

}  // namespace snapviewer
