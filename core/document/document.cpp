#include "core/document/document.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/load/formats.h"
#include "core/load/read_database.h"
#include "core/replay/what_if.h"
#include "core/timeline/collect.h"
#include "core/timeline/curve.h"
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
/// construction has already started, otherwise a future that is not valid().
void build_device(Document& document, std::size_t index, std::future<mesh::StackIndex> index_of_stack,
                  const OpenOptions& options) {
    DeviceView view;
    if (options.mesh && !index_of_stack.valid()) index_of_stack = mesh::begin_stack_index(document.snapshot->devices[index]);
    {
        const Stopwatch watch(document.timings.timeline_ms);
        report_stage(Stage::timeline);
        view.timeline = std::make_shared<const Timeline>(Timeline::build(document.snapshot, index));
        if (options.mesh) view.overlays = std::make_shared<const Overlays>(make_overlays(*view.timeline));
    }
    if (options.mesh) {
        const Stopwatch watch(document.timings.mesh_ms);
        report_stage(Stage::mesh);
        view.mesh = std::make_shared<const mesh::Mesh>(mesh::build_mesh(*view.timeline, std::move(index_of_stack)));
    }
    document.devices.push_back(std::move(view));
}

/// Loads the document's file, together with a second one if the options name one and both belong together.
profilers::LoadedFile load_files(Document& document, const OpenOptions& options, Progress& progress,
                                 load::LoadTimings& timings) {
    const auto is_streamed = [](const std::string& path) { return is_standard_input(path) || is_remote(path); };
    const bool is_read_once = is_streamed(document.path) || is_streamed(options.with);
    if (!options.with.empty() && is_read_once && !options.or_single)
        throw Failure{
            {ErrorCode::unsupported, "cannot be opened together with another file; both have to be files on this machine"}};
    if (!options.with.empty() && !is_read_once) {
        const Result<load::DatabasePair> pair = load::open_pair(document.path, options.with, progress);
        if (!pair && !options.or_single) throw Failure{pair.error()};
        if (pair) {
            document.with = options.with;
            return value_or_throw(load::load_pair(*pair));
        }
    }
    return value_or_throw(load::load_file(document.path, progress, &timings, options.part));
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
        document.devices[i].leaks = growth::has_leak(*document.analyses->device(i).growth());
    }
    document.default_device = *std::ranges::max_element(devices, {}, [&](std::size_t i) {
        const DeviceView& device = document.devices[i];
        const DeviceTrace& trace = device.timeline->trace();
        // Parts can be several views of the same memory, for example the driver's and PyTorch's, so prefer the part with the
        // most events.
        return std::pair(device.leaks.value_or(false),
                         trace.part.empty() ? device.timeline->peak_bytes() : trace.events.size());
    });
}

/// Inserts the figures of the job's log before those of the recorder.
void add_figures_in_log(Document& document, const OpenOptions& options) {
    std::optional<std::uint32_t> rank = options.log_rank;
    for (const oom::CardFigures& figures : document.card_figures) {
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
    load::LoadTimings load_timings;
    profilers::LoadedFile file = load_files(document, options, progress, load_timings);
    file.snapshot->read_bytes = progress.budget().read_bytes();
    document.icicles = stacks::build_icicles(file.icicles);
    document.card_figures = read_card_figures(document.path, file.snapshot->log);
    // Declared behind `file`: if anything fails, the destructor waits for the thread before the snapshot that it reads is
    // destroyed.
    std::future<mesh::StackIndex> first_index;
    {
        const Stopwatch timeline_watch(document.timings.timeline_ms);
        report_stage(Stage::timeline);
        complete_snapshot(*file.snapshot, [&](const DeviceTrace& trace) {
            if (options.mesh && &trace == &file.snapshot->devices[0]) first_index = mesh::begin_stack_index(trace);
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
        build_device(document, index, index == 0 ? std::move(first_index) : std::future<mesh::StackIndex>(), options);
    }
    report_stage(Stage::database);
    document.analyses = make_analyses(document, {.kind_rules = options.kind_rules, .card_figures = document.card_figures});
    choose_default_device(document);
    if (!options.database) return;
    const Stopwatch database_watch(document.timings.database_ms);
    document.database =
        value_or_throw(query::Database::create(document.snapshot, timelines_of(document), std::move(file.databases),
                                               file.views, analysis_tables(document.analyses)));
    document.database->set_allocs_device(document.default_device);
}

/// Calls `work(DeviceAnalyses&)` for every device.
template <typename Work>
void for_all_devices(const findings::Analyses& analyses, Work work) {
    for (std::size_t i = 0; i < analyses.device_count(); ++i) std::invoke(work, analyses.device(i));
}

/// Reads a value for an allocations.id. `read` gets its device, which is the last one that begins at or before this id.
template <typename Read>
auto of_allocation(const findings::Analyses& analyses, std::int64_t id, Read read)
    -> std::invoke_result_t<Read, findings::DeviceAnalyses&, AllocationId> {
    for (std::size_t i = analyses.device_count(); i-- > 0;) {
        findings::DeviceAnalyses& device = analyses.device(i);
        const std::int64_t row = id - device.allocation_id(AllocationId{0});
        if (row >= 0) return read(device, AllocationId{static_cast<std::uint32_t>(row)});
    }
    return {};
}

query::AddedColumn module_column(const report::AnalysesPointer& analyses) {
    const auto read = [analyses](std::int64_t id) {
        return of_allocation(*analyses, id,
                             [](findings::DeviceAnalyses& device, AllocationId allocation) -> std::optional<std::string> {
                                 const auto modules = device.modules();
                                 const auto module = modules->empty() ? k_no_module : modules->of[allocation.value].module;
                                 return module == k_no_module ? std::nullopt : std::optional(modules->path(module));
                             });
    };
    return {"allocations",
            "id",
            "compile_context",
            {"module", FieldUnit::text,
             "path of the module it belongs to, as the program's annotations or metadata say; '' is the model itself; NULL "
             "where they do not say",
             read},
            [analyses] { for_all_devices(*analyses, &findings::DeviceAnalyses::modules); }};
}

query::AddedColumn block_bytes_column(const report::AnalysesPointer& analyses) {
    const auto read = [analyses](std::int64_t id) {
        return of_allocation(*analyses, id,
                             [](findings::DeviceAnalyses& device, AllocationId allocation) -> std::optional<std::uint64_t> {
                                 if (!device.has_blocks()) return std::nullopt;
                                 return device.address_space()->block_size(allocation).bytes;
                             });
    };
    return {"allocations",
            "id",
            "alloc_step",
            {"block_bytes", FieldUnit::bytes,
             "bytes of the block it was given: as the file lists it, otherwise by the allocator's rules for rounding and "
             "splitting; NULL where blocks are unknown",
             read},
            [analyses] { for_all_devices(*analyses, &findings::DeviceAnalyses::address_space); }};
}

/// Creates a column of the table `markers` about why memory ran out. `get` returns its text; an empty text becomes NULL.
template <typename Get>
query::AddedColumn verdict_column(const report::AnalysesPointer& analyses, const char* name, const char* sentence, Get get) {
    const auto read = [analyses, get](std::int64_t id) -> std::optional<std::string> {
        for (std::size_t i = 0; i < analyses->device_count(); ++i) {
            const auto report = analyses->device(i).oom();
            const std::int64_t event = id - analyses->device(i).event_id(0);
            const auto& verdicts = report->verdicts;
            const auto found = std::ranges::lower_bound(
                verdicts, event, {}, [](const oom::OomVerdict& verdict) { return std::int64_t{verdict.event}; });
            if (found != verdicts.end() && std::int64_t{found->event} == event)
                return null_if_empty(std::invoke(get, *found));
        }
        return std::nullopt;
    };
    return {"markers", "event_id", "", {name, FieldUnit::text, sentence, read}, [analyses] {
                for_all_devices(*analyses, &findings::DeviceAnalyses::oom);
            }};
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
        view.mesh = std::make_shared<const mesh::Mesh>(mesh::build_mesh(*view.timeline));
    }
    return view;
}

}  // namespace

std::shared_ptr<const findings::Analyses> make_analyses(const Document& document, findings::AnalysisOptions options) {
    options.find_expandable_gain = replay::gain_of_expandable_segments;
    return std::make_shared<const findings::Analyses>(*document.snapshot, timelines_of(document), options);
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

std::uint64_t count_stacks(const Snapshot& snapshot, const DeviceTrace& trace) {
    std::vector<bool> seen(snapshot.stacks.stack_count());
    std::uint64_t count = 0;
    for (const auto* column : {&trace.events.stack, &trace.allocations.stack}) {
        for (const StackId stack : *column) {
            if (!stack.is_some() || seen[stack.value]) continue;
            seen[stack.value] = true;
            ++count;
        }
    }
    return count;
}

std::vector<Marker> oom_markers(const Document& document, std::size_t device_index) {
    const DeviceView& device = document.devices[device_index];
    std::vector<Marker> markers = device.overlays
                                      ? device.overlays->markers
                                      : find_landmarks(*device.timeline, AxisPlaces(*device.timeline), nullptr).markers;
    std::erase_if(markers, [](const Marker& marker) { return !marker.oom; });
    return markers;
}

namespace {

nlohmann::ordered_json describe_device(const Document& document, std::size_t index) {
    const DeviceTrace& trace = document.snapshot->devices[index];
    const Timeline& timeline = *document.devices[index].timeline;
    const RecordingFacts recording = recording_facts(timeline);
    nlohmann::ordered_json json = {{"device", trace.device}};
    if (!trace.part.empty()) json["part"] = trace.part;
    if (!trace.rank.empty()) json["rank"] = trace.rank;
    json.update({{"events", trace.events.size()},
                 {"allocations", trace.allocations.size()},
                 {"stacks", count_stacks(*document.snapshot, trace)},
                 {"steps", timeline.step_count()},
                 {"peak_bytes", recording.peak_bytes},
                 {"peak_is_lower_bound", recording.peak_is_lower_bound},
                 {"live_bytes_at_end", timeline.live_bytes_at_end()},
                 {"path_points", timeline.path_point_count()},
                 {"recording", report::recording_facts_json(recording)}});
    return json;
}

nlohmann::ordered_json describe_ooms(const Document& document) {
    const std::vector<DeviceTrace>& devices = document.snapshot->devices;
    nlohmann::ordered_json ooms = nlohmann::ordered_json::array();
    for (std::size_t index = 0; index < document.devices.size(); ++index) {
        for (const Marker& marker : oom_markers(document, index)) {
            ooms.push_back({{"device", devices[index].device},
                            {"event", first_event_id(*document.snapshot, devices[index]) + marker.event.value},
                            {"step", static_cast<std::uint64_t>(marker.place.step)},
                            {"demand_bytes", *marker.bytes},
                            {"device_free_bytes", value_or_null(marker.oom->device_free_bytes)},
                            {"recovered", marker.oom->is_recovered}});
        }
    }
    return ooms;
}

nlohmann::ordered_json describe_icicles(const Document& document) {
    return json_array(document.icicles, [](const stacks::Icicle& icicle) {
        nlohmann::ordered_json roots = nlohmann::ordered_json::object();
        for (std::uint32_t i = 0; !icicle.nodes.empty() && i < icicle.level_ends[0]; ++i) {
            roots[icicle.nodes[i].label] = icicle.nodes[i].width;
        }
        return nlohmann::ordered_json{{"name", icicle.name},
                                      {"unit", icicle.unit == Unit::milliseconds ? "milliseconds" : "bytes"},
                                      {"total", icicle.total},
                                      {"roots", std::move(roots)},
                                      {"entries", icicle.entries.size()},
                                      {"depth", icicle.depth_count()}};
    });
}

nlohmann::ordered_json describe_entry(const ImportEntry& entry) {
    return {{"severity", severity_text(entry.severity)},
            {"code", entry.code},
            {"message", entry.message},
            {"count", entry.count},
            {"first_offset", value_or_null(entry.first_offset)}};
}

}  // namespace

nlohmann::ordered_json document_facts(const Document& document) {
    nlohmann::ordered_json json = {{"kind", file_kind_name(document.snapshot->kind)},
                                   {"container", document.snapshot->container},
                                   {"devices", nlohmann::ordered_json::array()},
                                   {"oom", describe_ooms(document)},
                                   {"import_log", json_array(document.snapshot->log.entries(), describe_entry)}};
    for (std::size_t i = 0; i < document.devices.size(); ++i) json["devices"].push_back(describe_device(document, i));
    if (!document.icicles.empty()) json["icicles"] = describe_icicles(document);
    return json;
}

query::AddedTables analysis_tables(const report::AnalysesPointer& analyses) {
    query::AddedTables added;
    for (auto table :
         {report::steps_table, report::growth_table, report::generations_table, report::kinds_table, report::call_tree_table,
          report::device_memory_table, report::pool_use_table, report::modules_table, report::contradictions_table,
          report::findings_table, report::holes_table, report::layout_table, report::pins_table, report::changes_table})
        added.tables.push_back(table(analyses));
    added.columns = {
        block_bytes_column(analyses), module_column(analyses),
        verdict_column(analyses, "cause",
                       "for 'oom': the cause, one of 'unknown', 'limit', 'too_large', 'pending', 'private_pools', "
                       "'unreleased', 'fragmentation', 'outside', 'mixed' or 'capacity'; otherwise NULL",
                       [](const oom::OomVerdict& verdict) { return std::string(oom::oom_cause_name(verdict.cause)); }),
        verdict_column(analyses, "sentence", "for 'oom': the cause in a sentence", &oom::OomVerdict::sentence),
        verdict_column(analyses, "hint", "for 'oom': what to do about it; NULL if there is nothing to advise",
                       &oom::OomVerdict::hint)};
    return added;
}

}  // namespace snapviewer
