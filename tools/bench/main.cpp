#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/command_line.h"
#include "app/cli/command_run.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/document/document.h"
#include "core/fleet/fleet.h"
#include "core/system/memory.h"
#include "core/system/processes.h"
#include "core/system/streams.h"
#include "core/timeline/timeline.h"
#include "tools/bench/document_benchmark.h"
#include "tools/bench/window_benchmark.h"

namespace snapviewer::bench {
namespace {

const std::vector<std::string> k_parts = {"frames", "lookups", "queries", "answers", "pages"};

struct BenchOptions {
    std::string file;
    std::optional<int> device;
    bool json = false;
    bool all_tracks = false;
    std::string size = "1600x900";
    std::vector<std::string> only;

    bool wants(const std::string& part) const { return only.empty() || std::ranges::find(only, part) != only.end(); }
    FrameOptions frames() const {
        const save_picture::SizePx px = *save_picture::parse_size(size);
        return {px.width_px, px.height_px, all_tracks};
    }
};

/// Results of the measurements. A measurement that was not requested, or that does not apply to the file, is missing.
struct BenchFigures {
    std::optional<FrameFigures> frames, icicle;
    std::optional<LookupFigures> lookups;
    std::vector<QueryFigures> queries;
    std::vector<AnswerFigures> answers;
    std::vector<PageFigures> pages;
};

const StopFigures& slowest_stop(const FrameFigures& frames) {
    return *std::ranges::max_element(frames.stops, {}, [](const StopFigures& stop) { return stop.frame_ms.median; });
}

const char* axis_name(Axis axis) { return axis == Axis::time ? "time" : "steps"; }

nlohmann::ordered_json to_json(const Distribution& figures) {
    return {{"median", figures.median}, {"p95", figures.p95}, {"max", figures.max}, {"count", figures.count}};
}

nlohmann::ordered_json to_json(const StopFigures& stop) {
    return {{"stop", stop.name},
            {"axis", axis_name(stop.axis)},
            {"frame_ms", to_json(stop.frame_ms)},
            {"vertices", stop.vertices},
            {"draw_calls", stop.draw_calls},
            {"frames_from", {{"index", stop.index_frames}, {"mesh", stop.mesh_frames}}}};
}

nlohmann::ordered_json to_json(const FrameFigures& frames) {
    return {{"driver", frames.driver},
            {"frame_ms", to_json(frames.moving_ms)},
            {"layout_ms", to_json(frames.layout_ms)},
            {"empty_frame_ms", to_json(frames.empty_ms)},
            {"still_frame_ms", to_json(frames.still_ms)}};
}

nlohmann::ordered_json frames_json(const FrameFigures& frames) {
    nlohmann::ordered_json json = to_json(frames);
    json["uploaded_bytes_per_frame"] = frames.uploaded_bytes_per_frame;
    json["vertices_per_frame"] = frames.vertices_per_frame;
    json["draw_calls_per_frame"] = frames.draw_calls_per_frame;
    json["triangle_mesh"] = {
        {"records", frames.mesh_records}, {"bytes", frames.mesh_bytes}, {"build_ms", frames.mesh_build_ms}};
    if (frames.near_records > 0) {
        json["near_view"] = {{"records", frames.near_records},
                             {"index_ms", to_json(frames.near_index_ms)},
                             {"mesh_ms", to_json(frames.near_mesh_ms)}};
    }
    json["slowest_stop"] = to_json(slowest_stop(frames));
    for (const StopFigures& stop : frames.stops) json["stops"].push_back(to_json(stop));
    return json;
}

std::string bench_json(const BenchFigures& figures) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (figures.frames) json = frames_json(*figures.frames);
    if (figures.icicle) json["icicle"] = to_json(*figures.icicle);
    if (figures.lookups) {
        json["pick_us"] = to_json(figures.lookups->pick_us);
        json["live_at_us"] = to_json(figures.lookups->live_at_us);
        json["live_totals_us"] = to_json(figures.lookups->live_totals_us);
        json["search_ms"] = to_json(figures.lookups->search_ms);
    }
    for (const QueryFigures& query : figures.queries) {
        json["query_ms"][query.name] = to_json(query.ms);
        json["query_ms"][query.name]["rows"] = query.rows;
        json["query_ms"][query.name]["sql"] = query.sql;
    }
    for (const AnswerFigures& answer : figures.answers) {
        json["answer_ms"][answer.name] = to_json(answer.ms);
        json["answer_ms"][answer.name]["once"] = answer.is_made_once;
    }
    for (const PageFigures& page : figures.pages)
        json["page_ms"][page.name] = {{"whole", page.whole_ms}, {"longest_frame", page.longest_frame_ms}};
    json["peak_rss_bytes"] = peak_memory_bytes();
    return json_text(json, 2) + "\n";
}

std::string line(const std::string& name, const Distribution& figures, const char* unit, const std::string& more = "") {
    return fmt::format("  {:<20}{:>10.2f}{:>10.2f}{:>10.2f} {}{}\n", name, figures.median, figures.p95, figures.max, unit,
                       more);
}

std::string frames_text(const FrameFigures& frames, const std::string& of) {
    return line("frame, moving" + of, frames.moving_ms, "ms") + line("its layout" + of, frames.layout_ms, "ms") +
           line("frame, still" + of, frames.still_ms, "ms") + line("frame, no file", frames.empty_ms, "ms");
}

std::string near_text(const FrameFigures& frames) {
    if (frames.near_records == 0) return "";
    return fmt::format("; a near view of {} records takes {:.2f} ms from it, {:.2f} from the index",
                       format_count(frames.near_records), frames.near_mesh_ms.median, frames.near_index_ms.median);
}

std::string walk_text(const FrameFigures& frames) {
    const StopFigures& slowest = slowest_stop(frames);
    return fmt::format("{} frames by {}; slowest: {}, on the axis of {}, {:.2f} ms\n", frames.moving_ms.count, frames.driver,
                       slowest.name, axis_name(slowest.axis), slowest.frame_ms.median) +
           fmt::format("per frame: {:.0f} bytes of geometry sent; at most {} vertices, {} draw calls\n",
                       frames.uploaded_bytes_per_frame, format_count(frames.vertices_per_frame),
                       frames.draw_calls_per_frame) +
           fmt::format("triangle mesh: {} records, {}, built in {:.1f} ms{}\n", format_count(frames.mesh_records),
                       format_bytes(frames.mesh_bytes), frames.mesh_build_ms, near_text(frames));
}

std::string bench_text(const BenchFigures& figures) {
    std::string text = fmt::format("  {:<20}{:>10}{:>10}{:>10}\n", "", "median", "p95", "max");
    if (figures.frames) text += frames_text(*figures.frames, "");
    if (figures.icicle) text += frames_text(*figures.icicle, ", icicle");
    if (figures.lookups) {
        text += line("under the cursor", figures.lookups->pick_us, "us");
        text += line("alive at a step", figures.lookups->live_at_us, "us");
        text += line("the same, by stack", figures.lookups->live_totals_us, "us");
        text += line("search", figures.lookups->search_ms, "ms");
    }
    for (const QueryFigures& query : figures.queries) {
        text += line(query.name, query.ms, "ms", fmt::format(", {} rows", format_count(query.rows)));
    }
    for (const AnswerFigures& answer : figures.answers) text += line(answer.name, answer.ms, "ms");
    for (const PageFigures& page : figures.pages)
        text +=
            fmt::format("  {:<32}{:>8.1f} ms, longest frame {:.1f} ms\n", page.name, page.whole_ms, page.longest_frame_ms);
    if (figures.frames) text += walk_text(*figures.frames);
    return text;
}

/// Stores a measured value in `place`, or returns the error of the measurement.
template <typename Figures, typename Place>
Status keep(Result<Figures> measured, Place& place) {
    if (!measured) return measured.error();
    place = std::move(measured).value();
    return {};
}

Status measure_device(const std::shared_ptr<const Document>& document, std::size_t device, const BenchOptions& options,
                      BenchFigures& figures) {
    Status status;
    if (options.wants("lookups")) figures.lookups = measure_lookups(*document, device);
    if (options.wants("queries")) status = keep(measure_queries(*document, device), figures.queries);
    if (status && options.wants("answers")) status = keep(measure_answers(*document, device), figures.answers);
    if (status && options.wants("frames")) status = keep(measure_frames(document, device, options.frames()), figures.frames);
    if (status && options.wants("pages")) status = keep(measure_pages(document, device, options.frames()), figures.pages);
    return status;
}

int run_bench(const BenchOptions& options) {
    cli::CommandRun run(options.file, {.draws = true});
    BenchFigures figures;
    if (fleet::is_fleet_database(options.file)) {
        Status measured;
        if (options.wants("pages")) measured = keep(measure_fleet_pages(options.file, options.frames()), figures.pages);
        if (!measured) return run.report(measured.error());
        return run.print(options.json ? bench_json(figures) : bench_text(figures));
    }
    const Document* document = run.open({});
    if (document == nullptr) return run.status();
    Status measured;
    if (document->icicles.empty() || !document->devices.empty()) {
        const auto device = run.require_device(options.device);
        if (!device) return run.status();
        measured = measure_device(run.document(), *device, options, figures);
    }
    if (measured && !document->icicles.empty() && options.wants("frames"))
        measured = keep(measure_icicle_frames(run.document(), options.frames()), figures.icicle);
    if (!measured) return run.report(measured.error());
    return run.print(options.json ? bench_json(figures) : bench_text(figures));
}

/// Parses the command line and measures. Returns the exit status.
int parse_and_run(const std::vector<std::string>& words) {
    BenchOptions options;
    cli::CommandLine line("Measures frames, look-ups, queries, analyses and pages on a file, without a window.",
                          "snapviewer_bench", cli::version_text);
    line.arguments()
        .value("FILE", options.file, "The snapshot", {.required = true, .is_file = true})
        .flag("--json", options.json, "Print JSON, for scripts")
        .value("--device", options.device, save_picture::k_device_about, {.type_name = "N"})
        .value("--size", options.size, "Size of the window in pixels; 1600x900 by default",
               {.type_name = "WIDTHxHEIGHT", .check = save_picture::is_size})
        .flag("--all-tracks", options.all_tracks, "Give the tracks below the picture as much room as possible")
        .value("--only", options.only, "Measure only this, which saves time with a large file",
               {.type_name = "PART", .one_of = k_parts});
    if (const auto status = line.run(words)) return *status;
    return run_bench(options);
}

}  // namespace
}  // namespace snapviewer::bench

int main(int argc, char** argv) {
    snapviewer::prepare_console();
    const std::vector<std::string> words = snapviewer::main_arguments(argc, argv);
    return snapviewer::cli::run_guarded(words, [&words] { return snapviewer::bench::parse_and_run(words); });
}
