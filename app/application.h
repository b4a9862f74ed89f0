#pragma once

#include <imgui.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/app_state.h"
#include "app/commands.h"
#include "app/file_watch.h"
#include "app/input_queue.h"
#include "app/theme.h"
#include "app/views/layout.h"
#include "app/work/tasks.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// What the application needs from the window for one frame.
struct FrameInput {
    std::vector<InputEvent> keys;
    bool lost_focus = false;
};

/// The program behind the window: holds the state, draws the panels, carries out what they ask for. Main thread only, with
/// an OpenGL and an ImGui context current.
class Application {
public:
    /// Fails with ErrorCode::environment when OpenGL is not good enough.
    static Result<std::unique_ptr<Application>> create(Settings settings);

    /// Begins to open a file, with what is to be seen together with it if there is anything; what is open stays until it is
    /// ready. Menu, drop and command line all end here.
    void open_file(const std::string& path, const std::string& with = "");
    /// Opens the first and remembers the others; two reports of one model are opened together.
    void open_files(const std::vector<std::string>& paths);

    /// Shows an open file, or the welcome screen (null).
    void adopt(std::shared_ptr<const Document> document);
    /// An index into the document's devices.
    void show_device(std::size_t device_index);

    /// Draws one frame between ImGui::NewFrame() and ImGui::Render().
    void frame(const FrameInput& input);

    bool wants_quit() const { return wants_quit_; }
    /// Something moves without input: frames are needed.
    bool is_animating() const;
    std::string window_title() const;
    AppState& state() { return state_; }
    TimelineRenderer& renderer() { return canvas_->renderer(); }
    void set_frame_ms(double frame_ms) { frame_ms_ = frame_ms; }

    /// The state as JSON; see docs/testing.md.
    std::string report() const;

private:
    Application(Settings settings, std::unique_ptr<TimelineCanvas> canvas);

    void finish_load();
    void reload();
    void finish_build();
    void prepare_pictures();
    DevicePicture first_picture(DeviceView made) const;
    void show_view(ViewKind kind);
    void show_next_view();
    void keep_moments(const DevicePicture& left, DevicePicture& shown) const;
    void upload();
    void continue_upload();
    void regroup();
    void colour_by(ColourBy by);
    std::vector<std::uint32_t> colours() const;
    void recolour();
    void find_emphasis();
    void search(const std::string& text);
    void emphasise(StackId stack);
    void emphasise_group(std::size_t group);
    void close_search();
    void go_to_hit(bool forward);
    void show_overlay(const std::string& id, bool is_shown);
    void go_to_peak();
    void go_to_marker(bool forward);
    void select_marker(std::size_t index);
    void mark_moment(std::size_t marker);
    std::optional<std::size_t> next_device_with_markers(bool forward) const;
    void choose_companion();
    void show_picture(std::size_t picture);
    void select_node(std::uint32_t node);
    void draw_icicle_panel(const Icicle& icicle);
    bool carry_out_on_icicle(Command command);
    void select(AllocationId id);
    void select_and_reveal(std::size_t device_index, AllocationId id);
    void follow_query(const QueryPaneEvents& events);

    void handle_keys(const FrameInput& input);
    void handle_press(const InputEvent& event);
    void handle_command_key(int key);
    void handle_plain_key(const InputEvent& event);
    void move_picture(const InputEvent& event);
    void pan_picture(double views_x, double views_y);
    void move_by_held_keys();
    void zoom_about_middle(double factor);

    void draw_panels();
    void draw_timeline_panel(const Area& area);
    void draw_details_panel(const Area& area);
    void keep_details();
    void draw_query_panel(const Area& area);
    void draw_status_panel(const Area& area);
    void draw_dialogs();
    bool begin_focusable_panel(const char* name, const Area& area, Pane pane, ImGuiWindowFlags flags = 0);

    void carry_out(Requests requests);
    void carry_out(Command command);
    void toggle_axis();
    void toggle_clock();
    void zoom_to_selection();

    AppState state_;
    std::unique_ptr<TimelineCanvas> canvas_;
    std::string opening_path_;
    Job<OpenedFile> opening_;
    FileWatch file_watch_;
    ViewKind building_kind_ = ViewKind::allocations;
    Job<BuiltView> building_;
    Job<QueryOutcome> query_;
    Job<LookedUpDetails> lookup_;
    Requests requests_;
    std::map<int, std::chrono::steady_clock::time_point> held_keys_;  ///< keys that move the picture, and since when
    bool keys_move_picture_ = true;
    bool wants_quit_ = false;
    double frame_ms_ = 0;
    std::uint64_t frame_count_ = 0;
};

}  // namespace snapviewer
