#include "app/bench/measured_window.h"

#include <glad/gl.h>

#include <chrono>
#include <utility>

#include "app/features/timeline/pictures.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

/// Number of frames until the layout is stable after panels appear.
constexpr int k_warm_up_frames = 3;
constexpr float k_all_tracks_fraction = 0.8F;
/// Time limit for background work. Analysing ten million events takes some seconds.
constexpr auto k_longest_unrest = std::chrono::minutes(2);

}  // namespace

FrameTime timed_frame(Studio& studio, Application& application) {
    FrameTime time;
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t began_ns = thread_time_ns();
    studio.interface->begin_frame();
    application.frame({});
    time.layout_ms = static_cast<double>(thread_time_ns() - began_ns) / 1e6;
    studio.interface->end_frame(studio.target);
    glFinish();
    time.whole_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    return time;
}

void settle(Studio& studio, Application& application) {
    for (int frame = 0; frame < k_warm_up_frames; ++frame) timed_frame(studio, application);
}

Result<std::unique_ptr<Application>> make_application(Studio& studio, const std::shared_ptr<const Document>& document,
                                                      std::size_t device_index, bool all_tracks) {
    Preferences settings;
    if (all_tracks) settings.tracks.fraction = k_all_tracks_fraction;
    Result<std::unique_ptr<Application>> application = Application::create(settings);
    if (!application || !document) return application;
    Pictures& pictures = (*application)->pictures();
    for (int frame = 0; frame < k_warm_up_frames; ++frame) {  // as the window does while it loads a file
        timed_frame(studio, **application);
        pictures.canvas().warm_up();
    }
    (*application)->adopt(document);
    if (document->devices.empty()) return application;
    pictures.show_device(device_index);
    pictures.send();
    if (const auto& failed = (*application)->state().failed) return failed->error;
    TimelineRenderer& renderer = pictures.canvas().renderer();
    while (!renderer.upload_progress().is_done()) {
        if (const Status status = renderer.continue_upload(std::chrono::seconds(1)); !status) return status.error();
    }
    return application;
}

void come_to_rest(Studio& studio, Application& application) {
    const auto deadline = std::chrono::steady_clock::now() + k_longest_unrest;
    do timed_frame(studio, application);
    while (application.is_animating() && std::chrono::steady_clock::now() < deadline);
}

}  // namespace snapviewer
