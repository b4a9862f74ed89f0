#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "app/ui/input_queue.h"
#include "core/base/job.h"
#include "render/timeline_canvas.h"

namespace snapviewer::shell {

/// Keyboard input: shortcuts make the requests of their commands, and motion keys move the picture while they are held.
class Keyboard {
public:
    /// All arguments must outlive the Keyboard. No command may be added afterwards, because the shortcuts hold pointers to
    /// the commands.
    Keyboard(Session& session, const Commands& commands, Requests& requests);

    /// Handles the events since the last frame. Call it between ImGui::NewFrame() and ImGui::Render(). `is_covered`: see
    /// Feature::covers_window().
    void handle(const std::vector<InputEvent>& events, bool lost_focus, bool is_covered);
    /// Treats every held key as released.
    void release_all() { held_keys_.clear(); }
    bool moves_picture() const { return !held_keys_.empty(); }

private:
    void handle_press(const InputEvent& event);
    void move_picture(const InputEvent& event);
    void move_by_held_keys();

    struct Shortcut {
        KeyChord chord;
        const Command* command;
    };

    Session& session_;
    Requests& requests_;
    std::vector<Shortcut> shortcuts_;
    /// Held keys that move the picture, with the times of their presses.
    std::map<int, std::chrono::steady_clock::time_point> held_keys_;
    bool keys_move_picture_ = true;
    bool is_covered_ = false;
    bool had_popup_ = false;  ///< whether a popup, such as a menu, was open in the last frame
};

/// A tab of the window. It contains one open file, or none.
struct TabName {
    std::string name;
    std::string path;             ///< path of the file; empty for a tab without a file
    std::optional<float> loaded;  ///< loading progress from 0 to 1; nullopt if no file is being loaded
};

/// The tabs of this window, for display. The class Tabs (app/shell/tabs.h) updates the entries before every frame.
struct TabStripState {
    std::vector<TabName> tabs;
    std::size_t shown = 0;
    float top = 0, bottom = 0;  ///< vertical extent of the tab strip in the window, as last drawn

    bool has_several() const { return tabs.size() > 1; }
    bool is_at(double y) const { return has_several() && y >= static_cast<double>(top) && y < static_cast<double>(bottom); }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const TabName& tab : tabs) names.push_back(tab.name);
        return names;
    }
    std::size_t next() const { return (shown + 1) % tabs.size(); }
    std::size_t previous() const { return (shown + tabs.size() - 1) % tabs.size(); }
};

/// Requests to the window, which manages several tabs.
using TabRequest = std::variant<OpenInTab, ShowTab, CloseTab>;

/// Inputs of the application for one frame.
struct FrameInput {
    std::vector<InputEvent> keys;
    bool lost_focus = false;
};

/// The program behind the window. Owns the state and its features, draws the panels, and forwards their requests. Main
/// thread only, with an OpenGL and an ImGui context current.
class Application {
public:
    /// Fails with ErrorCode::environment when OpenGL is not good enough.
    static Result<std::unique_ptr<Application>> create(Preferences settings);
    /// Creates another application for the same window, with no file open. It stays parked until take_place_of() is called.
    static std::unique_ptr<Application> create_parked(Preferences settings);
    ~Application();

    /// Starts opening the first file and remembers the others. Two reports of the same model are opened together.
    void open_files(const std::vector<std::string>& paths, std::uint32_t part = 1);
    /// Shows an open file, or the welcome screen (null).
    void adopt(std::shared_ptr<const Document> document);
    /// Adds a request, which is handled at the end of the next frame.
    void ask(Request request) { board_.requests.ask(std::move(request)); }

    /// Brings this application to the front and parks `other`. Only the application in front may draw frames.
    void take_place_of(Application& other);
    /// Requests to the window during the last frame. The second call returns nothing.
    std::vector<TabRequest> take_tab_requests() { return std::exchange(tab_requests_, {}); }
    TabName tab_name() const;
    TabStripState& tab_strip() { return tab_strip_; }
    const TabStripState& tab_strip() const { return tab_strip_; }
    bool is_full_screen() const { return is_full_screen_; }
    /// Sets whether the window fills the screen, after the window has followed the wish or could not.
    void set_full_screen(bool is_full_screen) { is_full_screen_ = is_full_screen; }
    /// True until the file is completely loaded, also while this application is parked.
    bool is_loading() const;
    /// True if no file is open or being opened.
    bool is_empty() const;

    /// Draws one frame between ImGui::NewFrame() and ImGui::Render().
    void frame(const FrameInput& input);
    /// The time that the last frame took, which the window sets.
    double frame_ms() const { return frame_ms_; }
    void set_frame_ms(double frame_ms) { frame_ms_ = frame_ms; }

    bool wants_quit() const { return wants_quit_; }
    /// True if the display changes without input, so that the window must keep drawing frames.
    bool is_animating() const;
    /// True if a frame is needed because the open file or the fleet has changed on disk, or because a notice expires.
    bool has_news() const;
    std::string window_title() const;
    Session& session() { return session_; }
    const Session& session() const { return session_; }
    /// The feature of this type. Precondition: the application has such a feature.
    template <typename Part>
    Part& feature() const {
        Part* found = nullptr;
        for (const auto& feature : features_) found = found != nullptr ? found : dynamic_cast<Part*>(feature.get());
        return *found;
    }
    const Commands& commands() const { return board_.commands; }

private:
    Application(Preferences settings, std::unique_ptr<render::TimelineCanvas> canvas);

    /// Creates a feature and appends it; features are called in the order of their creation.
    template <typename Part, typename... Others>
    Part& add(Others&&... others) {
        auto made = std::make_unique<Part>(std::forward<Others>(others)...);
        Part& part = *made;
        features_.push_back(std::move(made));
        return part;
    }
    void create_features(std::unique_ptr<render::TimelineCanvas> canvas);
    void connect();
    void connect_tabs();
    Pane next_pane(Pane from) const;
    void connect_window();
    void connect_docked();
    CommandBehaviour page_behaviour(const DockRow& page);
    void show_first_page();
    void connect_scale();
    void connect_theme();
    std::optional<OpeningFile> opening() const;
    std::string file_note() const;
    void cancel();
    void keep_preferences();
    void draw();
    void carry_out_requests();
    void set_interface_scale(float scale);
    void close();
    void dismiss();

    Session session_;
    TabStripState tab_strip_;
    bool shows_frame_times_ = false;  ///< shows frame times in the status bar, for developers of snapviewer
    bool is_full_screen_ = false;
    Switchboard board_;
    std::vector<TabRequest> tab_requests_;
    std::vector<std::unique_ptr<Feature>> features_;
    std::unique_ptr<Keyboard> keyboard_;
    double frame_ms_ = 0;
    /// Frees the previous document on another thread, because unmapping hundreds of megabytes takes longer than a frame.
    Job<bool> freeing_;
    bool wants_quit_ = false;
    /// Whether a docked or floating window had the keyboard when this frame began; the key that closes it then does nothing
    /// else.
    bool had_window_ = false;
    bool has_reported_preferences_ = false;
};

}  // namespace snapviewer::shell
