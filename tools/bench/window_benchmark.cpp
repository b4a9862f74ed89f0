#define GLFW_INCLUDE_NONE

#include "tools/bench/window_benchmark.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "app/features/fleet/fleet.h"
#include "app/features/reports/icicle.h"
#include "app/features/table/table.h"
#include "app/features/timeline/pictures.h"
#include "app/picture/offscreen_renderer.h"
#include "app/shell/application.h"
#include "core/base/context.h"
#include "core/mesh/colours.h"
#include "core/system/processes.h"
#include "tools/bench/offscreen_window.h"

namespace snapviewer::bench {
namespace {

/// Number of frames until the layout is stable after panels appear.
constexpr int k_warm_up_frames = 3;
constexpr float k_all_tracks_fraction = 0.8F;
/// Time limit for background work. Analysing ten million events takes some seconds.
constexpr auto k_max_unrest = std::chrono::minutes(2);

/// Durations of one frame.
struct FrameTime {
    double whole_ms = 0;
    double layout_ms = 0;  ///< processor time of this thread for the layout, before drawing starts
};

/// Draws one frame and waits until the GPU has finished it. With `whole`, draws all of it, also what has not changed.
FrameTime timed_frame(picture::OffscreenRenderer& offscreen, shell::Application& application,
                      WholePainter* whole = nullptr) {
    FrameTime time;
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t began_ns = thread_time_ns();
    offscreen.interface->begin_frame();
    application.frame({});
    time.layout_ms = static_cast<double>(thread_time_ns() - began_ns) / 1e6;
    if (whole == nullptr) {
        offscreen.interface->end_frame(offscreen.target);
    } else {
        ImGui::Render();
        throw_if_error(whole->paint(offscreen.target.width_px(), offscreen.target.height_px()));
    }
    glFinish();
    time.whole_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    return time;
}

/// Draws as many frames as the layout needs to become stable after panels appear.
void draw_warm_up_frames(picture::OffscreenRenderer& offscreen, shell::Application& application) {
    for (int frame = 0; frame < k_warm_up_frames; ++frame) timed_frame(offscreen, application);
}

/// Creates an application that shows a device of the document, completely uploaded to the GPU. With a null document, an
/// empty window.
Result<std::unique_ptr<shell::Application>> make_application(picture::OffscreenRenderer& offscreen,
                                                             const std::shared_ptr<const Document>& document,
                                                             std::size_t device_index, bool all_tracks) {
    Preferences settings;
    if (all_tracks) settings.tracks.fraction = k_all_tracks_fraction;
    Result<std::unique_ptr<shell::Application>> application = shell::Application::create(settings);
    if (!application || !document) return application;
    Pictures& pictures = (*application)->feature<Pictures>();
    // The window also prepares its canvas while it loads a file.
    for (int frame = 0; frame < k_warm_up_frames; ++frame) {
        timed_frame(offscreen, **application);
        pictures.canvas().warm_up();
    }
    (*application)->adopt(document);
    if (document->devices.empty()) return application;
    pictures.show_device(device_index);
    pictures.end_frame();
    if (const std::optional<Error> error = pictures.take_error()) return *error;
    render::TimelineRenderer& renderer = pictures.canvas().renderer();
    while (!renderer.upload_progress().is_done()) {
        if (const Status status = renderer.continue_upload(std::chrono::seconds(1)); !status) return status.error();
    }
    return application;
}

/// Draws frames until all background work has finished, for two minutes at most.
void draw_until_idle(picture::OffscreenRenderer& offscreen, shell::Application& application) {
    const auto deadline = std::chrono::steady_clock::now() + k_max_unrest;
    do timed_frame(offscreen, application);
    while (application.is_animating() && std::chrono::steady_clock::now() < deadline);
}

constexpr int k_empty_frames_per_stop = 3;
constexpr int k_still_frames_per_view = 20;
constexpr int k_icicle_stops = 6;
constexpr int k_icicle_frames_per_stop = 10;
constexpr double k_icicle_zoom = 0.93;  // zoom factor per frame
constexpr int k_near_frames = 60;
constexpr double k_nearest_steps = 8;  // width of the narrowest near view, in steps

double ms_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

class FrameMeter {
public:
    FrameMeter(picture::OffscreenRenderer& offscreen, shell::Application& shown, shell::Application& empty)
        : offscreen_(offscreen), shown_(shown), empty_(empty) {}

    void walk(Axis axis) {
        for (const WalkStop& stop : benchmark_walk(*shown_.session().current_timeline(), axis)) {
            measure_empty();
            shown_.session().current_device().axis = axis;
            measure_stop({stop.name, axis, {}, 0, 0}, stop.views.size(),
                         [&](std::size_t frame) { shown_.session().current_device().view = stop.views[frame]; });
            if (stop.name == "fit" || stop.name == "zoom in 6" || stop.name == "zoom in 12") measure_still();
        }
    }

    void walk_icicle() {
        shown_.session().icicle.shown = 0;
        const stacks::Icicle& icicle = *shown_.session().shown_icicle();
        for (int stop = 0; stop < k_icicle_stops; ++stop) {
            measure_empty();
            measure_stop({"icicle", Axis::steps, {}, 0, 0}, k_icicle_frames_per_stop, [&](std::size_t) {
                reports::zoom_icicle_about_middle(shown_.session().shown_icicle_view(), icicle, k_icicle_zoom);
            });
            measure_still();
        }
    }

    /// Measures the time to build the triangle mesh. Measures the widest view around the peak for which the mesh is used,
    /// drawn from the mesh and from the index.
    Status measure_near() {
        const DeviceView& device = shown_.session().devices[shown_.session().device_index].current().made;
        render::TimelineRenderer& with_mesh = shown_.feature<Pictures>().canvas().renderer();
        if (with_mesh.stats().mesh_records == 0 || device.timeline->has_recorded_paths()) return {};
        const auto began = std::chrono::steady_clock::now();
        const auto built = mesh::build_triangle_mesh(*device.timeline);
        figures_.mesh_build_ms = ms_since(began);
        const std::unique_ptr<render::TimelineRenderer> from_index = with_mesh.create_with_same_programs();
        const auto colours = mesh::allocation_colours(*device.timeline, mesh::ColourBy::stack);
        if (Status sent = from_index->upload(*device.timeline, *device.mesh, colours); !sent) return sent;
        auto target = render::OffscreenFramebuffer::create(offscreen_.target.width_px(), offscreen_.target.height_px());
        if (!target) return target.error();
        target->bind();
        const auto peak_step = static_cast<double>(device.timeline->step_of_tick(device.timeline->peak_tick()));
        const auto peak_bytes = static_cast<double>(device.timeline->peak_bytes());
        for (double width = target->width_px(); width >= k_nearest_steps; width /= 2) {
            const View view{peak_step - width / 2, peak_step + width / 2, 0, peak_bytes};
            draw_ms(with_mesh, *target, view);
            if (with_mesh.stats().drawn_from != render::DrawnFrom::mesh) continue;
            figures_.near_records = with_mesh.stats().drawn_vertices / mesh::gpu_format::k_record_vertices;
            draw_ms(*from_index, *target, view);
            std::vector<double> index_ms, mesh_ms;
            for (int frame = 0; frame < k_near_frames; ++frame) {
                index_ms.push_back(draw_ms(*from_index, *target, view));
                mesh_ms.push_back(draw_ms(with_mesh, *target, view));
            }
            figures_.near_index_ms = distribution_of(std::move(index_ms));
            figures_.near_mesh_ms = distribution_of(std::move(mesh_ms));
            break;
        }
        return {};
    }

    FrameFigures figures() {
        figures_.driver = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
        figures_.moving_ms = distribution_of(moving_ms_);
        figures_.layout_ms = distribution_of(layout_ms_);
        figures_.still_ms = distribution_of(still_ms_);
        figures_.empty_ms = distribution_of(empty_ms_);
        figures_.uploaded_bytes_per_frame = static_cast<double>(uploaded_bytes_) / static_cast<double>(moving_ms_.size());
        return std::move(figures_);
    }

private:
    /// Measures frames without a file, which are the unit for other results. Draws them as a whole, also with drivers for
    /// which unchanged parts are normally kept.
    void measure_empty() {
        draw_warm_up_frames(offscreen_, empty_);
        for (int frame = 0; frame < k_empty_frames_per_stop; ++frame)
            empty_ms_.push_back(timed_frame(offscreen_, empty_, &whole_).whole_ms);
    }

    /// Measures one stop of the walk. `move(frame)` changes the visible part of the picture.
    template <typename Move>
    void measure_stop(StopFigures figures, std::size_t frame_count, Move move) {
        draw_warm_up_frames(offscreen_, shown_);
        hover(0.5, 0.5);
        const std::uint64_t uploaded_before = shown_.feature<Pictures>().canvas().renderer().stats().uploaded_bytes;
        std::vector<double> frames_ms;
        for (std::size_t frame = 0; frame < frame_count; ++frame) {
            move(frame);
            const FrameTime time = timed_frame(offscreen_, shown_);
            frames_ms.push_back(time.whole_ms);
            layout_ms_.push_back(time.layout_ms);
            const render::RenderStats stats = shown_.feature<Pictures>().canvas().renderer().stats();
            figures.vertices = std::max(figures.vertices, stats.drawn_vertices);
            figures.draw_calls = std::max(figures.draw_calls, stats.draw_calls);
            if (stats.drawn_from == render::DrawnFrom::index) ++figures.index_frames;
            if (stats.drawn_from == render::DrawnFrom::mesh) ++figures.mesh_frames;
            figures_.mesh_records = stats.mesh_records;
            figures_.mesh_bytes = stats.mesh_bytes;
        }
        uploaded_bytes_ += shown_.feature<Pictures>().canvas().renderer().stats().uploaded_bytes - uploaded_before;
        moving_ms_.insert(moving_ms_.end(), frames_ms.begin(), frames_ms.end());
        figures.frame_ms = distribution_of(std::move(frames_ms));
        figures_.vertices_per_frame = std::max(figures_.vertices_per_frame, figures.vertices);
        figures_.draw_calls_per_frame = std::max(figures_.draw_calls_per_frame, figures.draw_calls);
        figures_.stops.push_back(std::move(figures));
    }

    void measure_still() {
        std::uniform_real_distribution<double> anywhere(0.02, 0.98);
        timed_frame(offscreen_, shown_);
        for (int frame = 0; frame < k_still_frames_per_view; ++frame) {
            const double across = anywhere(random_);
            hover(across, anywhere(random_));
            still_ms_.push_back(timed_frame(offscreen_, shown_).whole_ms);
        }
    }

    static double draw_ms(render::TimelineRenderer& renderer, const render::OffscreenFramebuffer& target, const View& view) {
        const auto began = std::chrono::steady_clock::now();
        renderer.draw(view, Axis::steps, target.width_px(), target.height_px(), AllocationId::none());
        glFinish();
        return ms_since(began);
    }

    /// Moves the mouse over a point of the picture, given as fractions of its width and height.
    void hover(double across, double down) {
        Session& session = shown_.session();
        ImVec2 min = session.timeline.projection.min;
        ImVec2 max = session.timeline.projection.max;
        if (session.shown_icicle() != nullptr) {
            min = session.shown_icicle_view().min;
            max = session.shown_icicle_view().max;
        }
        move_mouse({static_cast<float>(std::lerp(min.x, max.x, across)), static_cast<float>(std::lerp(min.y, max.y, down))});
    }

    picture::OffscreenRenderer& offscreen_;
    shell::Application& shown_;
    shell::Application& empty_;
    WholePainter whole_;
    std::mt19937 random_{1};
    std::vector<double> moving_ms_, layout_ms_, still_ms_, empty_ms_;
    std::uint64_t uploaded_bytes_ = 0;
    FrameFigures figures_;
};

template <typename Walk>
Result<FrameFigures> measure_window(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options, Walk walk) {
    Result<picture::OffscreenRenderer> offscreen = picture::OffscreenRenderer::create(options.width_px, options.height_px);
    if (!offscreen) return offscreen.error();
    const auto shown = make_application(*offscreen, document, device_index, options.all_tracks);
    if (!shown) return shown.error();
    const auto empty = make_application(*offscreen, nullptr, 0, false);
    if (!empty) return empty.error();
    draw_until_idle(*offscreen, **shown);
    FrameMeter meter(*offscreen, **shown, **empty);
    if (const Status walked = caught([&] { throw_if_error(walk(meter)); }); !walked) return walked.error();
    return meter.figures();
}

}  // namespace

Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options) {
    return measure_window(document, device_index, options, [&](FrameMeter& meter) {
        meter.walk(Axis::steps);
        if (document->devices[device_index].timeline->has_times()) meter.walk(Axis::time);
        return meter.measure_near();
    });
}

Result<FrameFigures> measure_icicle_frames(const std::shared_ptr<const Document>& document, const FrameOptions& options) {
    return measure_window(document, 0, options, [](FrameMeter& meter) {
        meter.walk_icicle();
        return Status();
    });
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto k_of_screen = std::chrono::microseconds(16'667);
constexpr int k_min_frames = 3;
constexpr auto k_max_time = std::chrono::seconds(10);
constexpr const char* k_typed = "forward";
constexpr const char* k_filtered = "rank1";

class PageMeter {
public:
    PageMeter(picture::OffscreenRenderer& offscreen, shell::Application& shown) : offscreen_(offscreen), shown_(shown) {}

    void open_each() {
        for (const MenuEntry& entry : shown_.commands().entries_of(Menu::panels)) {
            if (entry.command != nullptr) open(*entry.command);
        }
        open(shown_.commands().at(CommandId::view_flame));
    }

    /// Sorts and filters the table of allocations, as the user does.
    Status arrange_table() {
        shown_.ask(RunCommand{CommandId::tools_table});
        draw_until_idle(offscreen_, shown_);
        for (const table::AllocationColumn column : {table::AllocationColumn::life_steps, table::AllocationColumn::stack}) {
            const table::AllocationColumnInfo& info = table::info_of(column);
            if (Status done = measure_click("table, sorted by " + std::string(info.title),
                                            "table_header_" + std::string(info.sql_name));
                !done)
                return done;
        }
        if (Status done = measure_typed("table, sizes filtered", "table_filter_size", "> 1 MiB"); !done) return done;
        if (Status done = measure_typed("table, stacks filtered", "table_filter_stack", k_typed); !done) return done;
        dismiss();
        return {};
    }

    void search() {
        PageFigures slowest{"search, a key", 0, 0};
        const std::string typed = k_typed;
        for (std::size_t length = 1; length <= typed.size(); ++length) {
            measure("", [&] { shown_.ask(FindText{typed.substr(0, length)}); });
            const PageFigures key = std::move(figures_.back());
            figures_.pop_back();
            slowest.whole_ms = std::max(slowest.whole_ms, key.whole_ms);
            slowest.longest_frame_ms = std::max(slowest.longest_frame_ms, key.longest_frame_ms);
        }
        figures_.push_back(std::move(slowest));
    }

    /// Opens a fleet and measures its pages. Fails if the fleet cannot be read.
    Status open_fleet(const std::string& path) {
        measure("fleet, opened", [&] { shown_.ask(OpenFleet{{path}}); });
        const fleet::FleetState& fleet = shown_.feature<fleet::FleetRuns>().state();
        if (!fleet.work.error.empty()) return Error{.message = fleet.work.error};
        if (fleet.shown == nullptr || std::ranges::none_of(fleet.shown->ranks, &fleet::ShownRank::is_readable))
            return Error{.message = "holds no rank that can be read, as `snapviewer fleet` tells in detail"};
        if (Status done = measure_click("fleet, sorted by peak", "fleet_header_peak"); !done) return done;
        if (Status done = measure_click("fleet, sorted by note", "fleet_header_note"); !done) return done;
        return measure_typed("fleet, filtered", "fleet_filter", k_filtered);
    }

    std::vector<PageFigures> take() { return std::move(figures_); }

private:
    /// Presses the mouse button on an item. Fails if the item is not on the screen.
    Status press(const std::string& item) {
        const bool is_there = mouse_.press(item, [this] { timed_frame(offscreen_, shown_); });
        return is_there ? Status() : Error{.message = "has a window without " + item};
    }

    Status measure_click(std::string name, const std::string& item) {
        if (Status pressed = press(item); !pressed) return pressed;
        measure(std::move(name), ItemMouse::release);
        return {};
    }

    /// Measures what a text does that is typed into a field.
    Status measure_typed(std::string name, const std::string& field, const char* text) {
        if (Status pressed = press(field); !pressed) return pressed;
        ItemMouse::release();
        timed_frame(offscreen_, shown_);
        measure(std::move(name), [text] { ImGui::GetIO().AddInputCharactersUTF8(text); });
        return {};
    }

    /// Measures a command that opens a page, and closes the page again if it stays open.
    void open(const Command& command) {
        const Session& session = shown_.session();
        if (!command.can_run(session) || (command.is_on && command.is_on(session))) return;
        measure(command.words, [&] { shown_.ask(RunCommand{command.id}); });
        if (command.is_on)
            shown_.ask(RunCommand{command.id});
        else
            dismiss();
        draw_until_idle(offscreen_, shown_);
    }

    void dismiss() {
        for (const int action : {GLFW_PRESS, GLFW_RELEASE}) {
            offscreen_.interface->begin_frame();
            shown_.frame({{{.key = GLFW_KEY_ESCAPE, .action = action}}});
            offscreen_.interface->end_frame(offscreen_.target);
        }
        draw_warm_up_frames(offscreen_, shown_);
    }

    /// Measures the frames after an action. Requests are handled at the end of a frame, and ImGui shows a tab one frame
    /// after it was selected, so at least k_min_frames frames are drawn.
    template <typename Act>
    void measure(std::string name, Act act) {
        PageFigures figures{std::move(name), 0, 0};
        act();
        const auto began = Clock::now();
        auto next = began;
        for (int frame = 1; frame <= k_min_frames || (shown_.is_animating() && next - began < k_max_time); ++frame) {
            std::this_thread::sleep_until(next);
            next += k_of_screen;
            figures.longest_frame_ms = std::max(figures.longest_frame_ms, timed_frame(offscreen_, shown_).whole_ms);
            figures.whole_ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
        }
        figures_.push_back(std::move(figures));
    }

    picture::OffscreenRenderer& offscreen_;
    shell::Application& shown_;
    ItemMouse mouse_;
    std::vector<PageFigures> figures_;
};

/// Calls `act` with a window that shows a document, or none, and whose background work has finished.
template <typename Act>
Result<std::vector<PageFigures>> pages_of_window(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                                 const FrameOptions& options, Act act) {
    Result<picture::OffscreenRenderer> offscreen = picture::OffscreenRenderer::create(options.width_px, options.height_px);
    if (!offscreen) return offscreen.error();
    const auto shown = make_application(*offscreen, document, device_index, options.all_tracks);
    if (!shown) return shown.error();
    draw_until_idle(*offscreen, **shown);
    PageMeter meter(*offscreen, **shown);
    if (const Status acted = act(meter); !acted) return acted.error();
    return meter.take();
}

}  // namespace

Result<std::vector<PageFigures>> measure_pages(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                               const FrameOptions& options) {
    return pages_of_window(document, device_index, options, [](PageMeter& meter) {
        meter.search();
        Status arranged = meter.arrange_table();
        if (arranged) meter.open_each();
        return arranged;
    });
}

Result<std::vector<PageFigures>> measure_fleet_pages(const std::string& path, const FrameOptions& options) {
    return pages_of_window(nullptr, 0, options, [&path](PageMeter& meter) { return meter.open_fleet(path); });
}

}  // namespace snapviewer::bench
