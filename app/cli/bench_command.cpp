#include "app/cli/bench_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/answers.h"
#include "app/bench/frames.h"
#include "app/bench/lookups.h"
#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/process_memory.h"
#include "app/cli/session.h"
#include "app/window/offscreen_context.h"
#include "core/base/json_text.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

struct BenchOptions {
    std::string file;
    std::optional<int> device;
    bool json = false;
    bool flat_mesh = false;
    std::string drawing;
};

struct BenchFigures {
    FrameFigures frames;
    std::optional<Distribution> flat_mesh_ms;
    Distribution pick_us, live_at_us, live_totals_us, search_ms;
    std::vector<QueryFigures> queries;
    std::vector<AnswerFigures> answers;
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
            {"draw_calls", stop.draw_calls}};
}

std::string bench_json(const BenchFigures& figures) {
    const FrameFigures& frames = figures.frames;
    nlohmann::ordered_json json = {
        {"frame_ms", to_json(frames.moving_ms)},           {"empty_frame_ms", to_json(frames.empty_ms)},
        {"still_frame_ms", to_json(frames.still_ms)},      {"uploaded_bytes_per_frame", frames.uploaded_bytes_per_frame},
        {"vertices_per_frame", frames.vertices_per_frame}, {"draw_calls_per_frame", frames.draw_calls_per_frame},
        {"slowest_stop", to_json(slowest_stop(frames))},   {"pick_us", to_json(figures.pick_us)},
        {"live_at_us", to_json(figures.live_at_us)},       {"live_totals_us", to_json(figures.live_totals_us)},
        {"search_ms", to_json(figures.search_ms)},         {"query_ms", nlohmann::ordered_json::object()},
        {"stops", nlohmann::ordered_json::array()}};
    if (figures.flat_mesh_ms) json["flat_mesh_frame_ms"] = to_json(*figures.flat_mesh_ms);
    for (const QueryFigures& query : figures.queries) {
        json["query_ms"][query.name] = to_json(query.ms);
        json["query_ms"][query.name]["rows"] = query.rows;
    }
    for (const AnswerFigures& answer : figures.answers) {
        json["answer_ms"][answer.name] = to_json(answer.ms);
        json["answer_ms"][answer.name]["once"] = answer.is_made_once;
    }
    for (const StopFigures& stop : frames.stops) json["stops"].push_back(to_json(stop));
    json["peak_rss_bytes"] = peak_memory_bytes();
    return json_text(json, 2) + "\n";
}

std::string line(const std::string& name, const Distribution& figures, const char* unit, const std::string& more = "") {
    return fmt::format("  {:<20}{:>10.2f}{:>10.2f}{:>10.2f} {}{}\n", name, figures.median, figures.p95, figures.max, unit,
                       more);
}

std::string bench_text(const BenchFigures& figures) {
    const FrameFigures& frames = figures.frames;
    std::string text = fmt::format("  {:<20}{:>10}{:>10}{:>10}\n", "", "median", "p95", "max");
    text += line("frame, moving", frames.moving_ms, "ms");
    text += line("frame, still", frames.still_ms, "ms");
    text += line("frame, no file", frames.empty_ms, "ms");
    if (figures.flat_mesh_ms) text += line("frame, one flat mesh", *figures.flat_mesh_ms, "ms");
    text += line("under the cursor", figures.pick_us, "us");
    text += line("alive at a step", figures.live_at_us, "us");
    text += line("the same, by stack", figures.live_totals_us, "us");
    text += line("search", figures.search_ms, "ms");
    for (const QueryFigures& query : figures.queries) {
        text += line(query.name, query.ms, "ms", fmt::format(", {} rows", format_count(query.rows)));
    }
    for (const AnswerFigures& answer : figures.answers) text += line(answer.name, answer.ms, "ms");
    const StopFigures& slowest = slowest_stop(frames);
    text += fmt::format("{} frames; slowest: {}, on the axis of {}, {:.2f} ms\n", frames.moving_ms.count, slowest.name,
                        axis_name(slowest.axis), slowest.frame_ms.median);
    text +=
        fmt::format("per frame: {:.0f} bytes of geometry sent; at most {} vertices, {} draw calls\n",
                    frames.uploaded_bytes_per_frame, format_count(frames.vertices_per_frame), frames.draw_calls_per_frame);
    return text;
}

/// What the window's mesh may take with this driver.
MeshOptions mesh_options_here(Drawing drawing) {
    const Result<OffscreenContext> context = OffscreenContext::create();
    return {mesh_budget_bytes(drawing, 0, !context || is_software_driver())};
}

Result<BenchFigures> measure(const std::shared_ptr<const Document>& document, std::size_t device_index,
                             const BenchOptions& options) {
    const Timeline& timeline = *document->devices[device_index].timeline;
    BenchFigures figures;
    figures.pick_us = measure_pick(timeline, *document->devices[device_index].mesh);
    figures.live_at_us = measure_live_at(timeline);
    figures.live_totals_us = measure_live_totals(timeline);
    figures.search_ms = measure_search(*document, device_index);
    auto queries = measure_queries(*document, device_index);
    if (!queries) return queries.error();
    figures.queries = std::move(queries).value();
    auto answers = measure_answers(*document, device_index);
    if (!answers) return answers.error();
    figures.answers = std::move(answers).value();
    auto frames = measure_frames(document, device_index, drawing_named(options.drawing));
    if (!frames) return frames.error();
    figures.frames = std::move(frames).value();
    if (options.flat_mesh) {
        const auto flat = measure_flat_mesh(document, device_index);
        if (!flat) return flat.error();
        figures.flat_mesh_ms = *flat;
    }
    return figures;
}

int run_bench(const BenchOptions& options) {
    Session session(options.file, {.draws = true});
    if (session.open({.mesh_options = mesh_options_here(drawing_named(options.drawing))}) == nullptr)
        return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    const Result<BenchFigures> figures = measure(session.document(), *device, options);
    if (!figures) return session.report(figures.error());
    return session.print(options.json ? bench_json(*figures) : bench_text(*figures));
}

}  // namespace

void add_bench_command(CommandLine& line) {
    const auto options = std::make_shared<BenchOptions>();
    line.command("bench", "Measure frames, look-ups, queries and analyses on a file, offscreen",
                 [options] { return run_bench(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true})
        .flag("--json", options->json, "As JSON, for scripts")
        .value("--device", options->device,
               "Number as in the file; unless given the one that ran out of memory, else the one with most events",
               {.type_name = "N"})
        .flag("--flat-mesh", options->flat_mesh,
              "Also draw everything as one mesh, to compare with; a frame may take a minute")
        .value("--drawing", options->drawing, "What to draw from; auto takes what this driver draws faster",
               {.one_of = drawing_names()});
}

}  // namespace snapviewer
