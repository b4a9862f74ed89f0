#include "app/shell/window.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/shell/application.h"
#include "app/shell/frame_pace.h"
#include "app/shell/tabs.h"
#include "app/system/crash_report.h"
#include "app/system/desktop.h"
#include "app/system/late_libraries.h"
#include "app/system/shutdown.h"
#include "app/system/window_system.h"
#include "app/ui/fonts.h"
#include "app/ui/frame_painter.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/input_queue.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "core/base/text.h"
#include "core/system/processes.h"
#include "render/gl/program.h"

namespace snapviewer::shell {
namespace {

constexpr int k_status_environment = 3;
constexpr int k_min_width_px = 480;
constexpr int k_min_height_px = 320;
/// Limits of plausible content scales; a value outside is clamped, because it must be an error of the driver.
constexpr float k_min_content_scale = 0.5F;
constexpr float k_max_content_scale = 5;
/// Maximum time to wait for workers after the window has closed.
constexpr auto k_exit_timeout = std::chrono::milliseconds(300);

/// The events of a window. Requests a frame, because an event has arrived.
Inbox& inbox_for_event(GLFWwindow* window) {
    Inbox& inbox = *static_cast<Inbox*>(glfwGetWindowUserPointer(window));
    inbox.wake_pending = true;
    return inbox;
}

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    Inbox& inbox = inbox_for_event(window);
    if (key != GLFW_KEY_UNKNOWN) inbox.input.push(InputEvent{key, scancode, action, mods, 0});
}

void on_character(GLFWwindow* window, unsigned int character) {
    inbox_for_event(window).input.push(InputEvent{0, 0, 0, 0, character});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
    Inbox& inbox = inbox_for_event(window);
    inbox.dropped.assign(paths, paths + count);
    inbox.dropped_y = inbox.mouse_y;
}

void on_focus(GLFWwindow* window, int has_focus) {
    ImGui_ImplGlfw_WindowFocusCallback(window, has_focus);
    Inbox& inbox = inbox_for_event(window);
    if (!has_focus) inbox.lost_focus = true;
}

void on_enter(GLFWwindow* window, int has_entered) {
    inbox_for_event(window);
    ImGui_ImplGlfw_CursorEnterCallback(window, has_entered);
}

void on_move(GLFWwindow* window, double x, double y) {
    Inbox& inbox = inbox_for_event(window);
    inbox.mouse_y = y;
    inbox.input.push(MouseMove{x, y});
}

void on_button(GLFWwindow* window, int button, int action, int /*mods*/) {
    inbox_for_event(window).input.push(MouseButton{button, action == GLFW_PRESS});
}

void on_wheel(GLFWwindow* window, double x, double y) { inbox_for_event(window).input.push(WheelTurn{x, y}); }

/// Callback for events whose effect ImGui reads by itself; it only requests a frame.
template <typename... Details>
void on_change(GLFWwindow* window, Details... /*details*/) {
    inbox_for_event(window);
}

void listen(GLFWwindow* window) {
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    glfwSetDropCallback(window, on_drop);
    glfwSetWindowFocusCallback(window, on_focus);
    glfwSetCursorEnterCallback(window, on_enter);
    glfwSetCursorPosCallback(window, on_move);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetFramebufferSizeCallback(window, on_change);
    glfwSetWindowIconifyCallback(window, on_change);
    glfwSetWindowRefreshCallback(window, on_change);
    glfwSetWindowCloseCallback(window, on_change);
    glfwSetWindowContentScaleCallback(window, on_change);
}

/// RAII wrapper of GLFW's initialisation.
class Glfw {
public:
    Glfw() : is_ready_(glfwInit() == GLFW_TRUE) {}
    ~Glfw() {
        if (is_ready_) glfwTerminate();
    }
    Glfw(const Glfw&) = delete;
    Glfw& operator=(const Glfw&) = delete;
    bool is_ready() const { return is_ready_; }

private:
    bool is_ready_;
};

struct DestroyWindow {
    void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, DestroyWindow>;

WindowHandle create_window(int width_px, int height_px) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 1);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    set_window_hints();
    return WindowHandle(glfwCreateWindow(width_px, height_px, "snapviewer", nullptr, nullptr));
}

void say(const std::string& sentence) { std::fprintf(stderr, "snapviewer: %s\n", terminal_text(sentence).c_str()); }

/// Advice for the user if no window opens on a display; `error` is GLFW's code.
std::string display_advice(int error, std::string_view words) {
    std::string advice;
    if (error == GLFW_API_UNAVAILABLE && words.starts_with("GLX"))
        advice =
            "The display lacks GLX, the OpenGL of X11. Start Xvfb with \"+extension GLX\"; on a remote display, start the "
            "program with VirtualGL's vglrun. ";
    return advice +
           "No window is needed for \"snapviewer render FILE --out picture.png\", which draws the picture, and for "
           "\"snapviewer report FILE\".";
}

int fail(const std::string& what) {
    const char* words = nullptr;
    const int error = glfwGetError(&words);
    const std::string_view reason = words != nullptr ? words : "";
    say(what + (reason.empty() ? "" : ": ") + std::string(reason) + ". " + display_advice(error, reason));
    return k_status_environment;
}

/// RAII wrapper of ImGui with both its backends, for one window.
class Interface {
public:
    Interface(GLFWwindow* window, const Look& look) : look_(look) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
        // The usual value of desktops; ImGui's default of 0.3 s is too short if frames are slow.
        io.MouseDoubleClickTime = 0.4F;
        apply_look(look_);
        ImGui_ImplGlfw_InitForOpenGL(window, true);
        ImGui_ImplOpenGL3_Init(render::gl::is_embedded_driver() ? "#version 300 es" : "#version 410 core");
        listen(window);
    }
    ~Interface() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    const Look& look() const { return look_; }
    /// Call between two frames.
    void follow(const Look& look) {
        if (look == look_) return;
        look_ = look;
        apply_look(look_);
    }
    /// Draws ImGui's draw lists into the window.
    void paint(int width_px, int height_px) {
        painter_.paint(width_px, height_px, k_windows_keep_pixels ? Pixels::are_kept : Pixels::may_be_kept);
    }

private:
    Look look_;
    FramePainter painter_;
};

/// Reads the window's content scale. Passes both pointers, because a browser's GLFW writes through null pointers.
float content_scale_of(GLFWwindow* window) {
    float across = 1;
    float down = 1;
    glfwGetWindowContentScale(window, &across, &down);
    return across;
}

/// Framebuffer pixels per unit of the window's size. nullopt if the window has no size, or is being resized: the two sizes
/// are read one after the other, and a resize between the two calls gave ratios of a thousand or a thousandth.
std::optional<float> pixel_ratio_of(GLFWwindow* window) {
    int width = 0;
    int framebuffer_width = 0;
    int width_afterwards = 0;
    glfwGetWindowSize(window, &width, nullptr);
    glfwGetFramebufferSize(window, &framebuffer_width, nullptr);
    glfwGetWindowSize(window, &width_afterwards, nullptr);
    if (width <= 0 || framebuffer_width <= 0 || width != width_afterwards) return std::nullopt;
    return static_cast<float>(framebuffer_width) / static_cast<float>(width);
}

/// The look that monitor, desktop and preferences ask for. `last_pixel_ratio` applies while the window's ratio is unknown.
Look wanted_look(GLFWwindow* window, const Desktop& desktop, const Preferences& settings, float last_pixel_ratio) {
    Look look;
    look.ground = settings.theme == ThemeChoice::system ? desktop.ground()
                  : settings.theme == ThemeChoice::dark ? mesh::ThemeVariant::dark
                                                        : mesh::ThemeVariant::light;
    look.scale = std::clamp(content_scale_of(window) * desktop.growth(), k_min_content_scale, k_max_content_scale) *
                 settings.interface_scale;
    look.pixel_ratio = pixel_ratio_of(window).value_or(last_pixel_ratio);
    return look;
}

InputPortion take_input(GLFWwindow* window, InputQueue& queue) {
    if (has_input_waiting()) return {};
    InputPortion portion = queue.take_portion();
    for (const InputEvent& event : portion.keys) {
        // ImGui would switch between its own windows on Ctrl+Tab.
        const bool is_tab_key = event.key == GLFW_KEY_TAB && (event.mods & GLFW_MOD_CONTROL) != 0;
        if (is_tab_key && event.action != GLFW_RELEASE) continue;
        if (event.key == GLFW_KEY_ESCAPE && event.action == GLFW_PRESS) close_popup_before_its_first_frame();
        if (event.key != 0) {
            pass_key(window, event);
        } else {
            ImGui_ImplGlfw_CharCallback(window, event.character);
            if (event.character >= 0x80) need_character(event.character);
        }
    }
    return portion;
}

#if IMGUI_VERSION_NUM < 18700
/// The mouse at the time of the events that were passed on. The backend reads the position at the start of a frame, which
/// may belong to events that still wait.
class Mouse {
public:
    void see(GLFWwindow* /*window*/, const InputPortion& portion, bool more_waits) {
        if (!portion.moves.empty()) place_ = to_vec2(portion.moves.back());
        for (const MouseButton& each : portion.buttons) {
            const auto button = static_cast<std::size_t>(each.button);
            if (button < down_.size()) down_[button] = each.is_down;
        }
        is_behind_ = more_waits || !portion.buttons.empty();
    }
    /// Call after the backend's NewFrame(). If no event waits, the backend's position is better: while a file is dragged,
    /// only GLFW's mouse moves.
    void tell() {
        ImGuiIO& io = ImGui::GetIO();
        if (ImGui::IsMousePosValid(&io.MousePos)) {
            if (is_behind_ && place_)
                io.MousePos = *place_;
            else
                place_ = io.MousePos;
        }
        std::ranges::copy(down_, io.MouseDown);
    }

private:
    static ImVec2 to_vec2(const MouseMove& move) { return {static_cast<float>(move.x), static_cast<float>(move.y)}; }

    std::optional<ImVec2> place_;
    std::array<bool, ImGuiMouseButton_COUNT> down_{};
    bool is_behind_ = false;
};
#else
/// ImGui spreads mouse events over frames itself. It gets them in order among the keys: a click that overtakes typed keys
/// would move the keyboard focus.
struct Mouse {
    void see(GLFWwindow* window, const InputPortion& portion, bool /*more_waits*/) {
        if (!portion.moves.empty()) ImGui_ImplGlfw_CursorPosCallback(window, portion.moves.back().x, portion.moves.back().y);
        for (const MouseButton& each : portion.buttons) {
            ImGui_ImplGlfw_MouseButtonCallback(window, each.button, each.is_down ? GLFW_PRESS : GLFW_RELEASE, 0);
        }
    }
    void tell() {}
};
#endif

void draw_frame(GLFWwindow* window, Interface& interface, Tabs& tabs, const FrameInput& input, Mouse& mouse) {
    ImGui_ImplOpenGL3_NewFrame();
    refresh_fonts();
    ImGui_ImplGlfw_NewFrame();
    mouse.tell();
    ImGui::NewFrame();
    tabs.frame(input);
    ImGui::Render();
    int width_px = 0;
    int height_px = 0;
    glfwGetFramebufferSize(window, &width_px, &height_px);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    interface.paint(width_px, height_px);
    glfwSwapBuffers(window);
}

/// Switches between full screen and the previous position of the window.
class FullScreen {
public:
    explicit FullScreen(GLFWwindow* window) : window_(window) {}

    /// Enters or leaves full screen. Returns whether the window fills the screen now; without a monitor nothing changes.
    bool follow(bool is_wanted) {
        if (is_wanted == is_on_) return is_on_;
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
        if (mode == nullptr) return is_on_;
        is_on_ = is_wanted;
        if (is_on_) {
            glfwGetWindowPos(window_, &x_, &y_);
            glfwGetWindowSize(window_, &width_, &height_);
            glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
        } else {
            glfwSetWindowMonitor(window_, nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
        }
        return is_on_;
    }

private:
    GLFWwindow* window_;
    bool is_on_ = false;
    int x_ = 0, y_ = 0, width_ = 0, height_ = 0;
};

/// The message that the window shows once at its start: unreadable preferences, and a crash of the last run.
std::string complaint_of(const Preferences& settings) {
    std::string complaint = settings.error;
    if (const auto report = take_crash_report(crash_folder())) {
        complaint += (complaint.empty() ? "" : " ") +
                     fmt::format("The program crashed last time; the crash report is {}.", report->string());
    }
    return complaint;
}

/// The window and everything that it owns, from opening to closing.
class WindowRun {
public:
    /// Returns 0, or the exit status after a fatal error was printed.
    int open(const WindowOptions& options);
    /// Draws a frame if one is due; returns false once the window should close.
    bool step();
    /// Saves the preferences for the next run. A failure goes to stderr, because the window may be closed.
    void keep();
    int finish();

private:
    int open_window(const WindowOptions& options, const Preferences& settings);
    void draw();
    Preferences& remembered() { return tabs_->front().session().preferences; }

    Glfw glfw_;
    WindowHandle window_;
    Inbox inbox_;
    std::optional<Desktop> desktop_;
    std::optional<Interface> interface_;
    std::optional<Tabs> tabs_;
    std::optional<FramePace> pace_;
    std::optional<FullScreen> full_screen_;
    Mouse mouse_;
    std::string title_;
    std::optional<StopOnSignal> stop_on_signal_;
    std::optional<OnLostDisplay> on_lost_display_;
};

int WindowRun::open_window(const WindowOptions& options, const Preferences& settings) {
    const int width_px = options.width_px > 0 ? options.width_px : settings.window_width_px;
    const int height_px = options.height_px > 0 ? options.height_px : settings.window_height_px;
    window_ = create_window(width_px, height_px);
    if (!window_) return fail("could not open a window with OpenGL 4.1");
    glfwSetWindowSizeLimits(window_.get(), k_min_width_px, k_min_height_px, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(window_.get());
    if (gladLoadGL(glfwGetProcAddress) == 0) return fail("OpenGL could not be loaded");
    if (k_may_sleep) glfwSwapInterval(1);  // a browser controls the frame rate itself
    glfwSetWindowUserPointer(window_.get(), &inbox_);
    return 0;
}

int WindowRun::open(const WindowOptions& options) {
    if (!glfw_.is_ready()) return fail("there is no display to open a window on");
    Preferences settings = load_preferences();
    const std::string complaint = complaint_of(settings);
    if (!complaint.empty()) say(complaint);
    if (const int status = open_window(options, settings); status != 0) return status;
    desktop_.emplace(content_scale_of(window_.get()));
    interface_.emplace(window_.get(), wanted_look(window_.get(), *desktop_, settings, 1));
    Result<std::unique_ptr<Application>> application = Application::create(std::move(settings));
    if (!application) return fail(application.error().text());
    (*application)->open_files(options.files, options.part);
    if (!options.place.empty()) (*application)->ask(ShowPlace{options.place});
    if (!complaint.empty()) (*application)->session().notice = complaint;
    tabs_.emplace(std::move(*application));
    pace_.emplace(*tabs_, inbox_, *desktop_);
    full_screen_.emplace(window_.get());
    stop_on_signal_.emplace();
    on_lost_display_.emplace(k_status_environment, [this] {
        keep();
        std::fputs("snapviewer: the connection to the display was lost; preferences have been saved\n", stderr);
    });
    return 0;
}

bool WindowRun::step() {
    if (glfwWindowShouldClose(window_.get()) || tabs_->front().wants_quit() || StopOnSignal::was_requested()) return false;
    if (pace_->is_due()) draw();
    if (take_wake_request()) inbox_.wake_pending = true;
    if (std::vector<std::string> offered = take_offered_files(); !offered.empty()) {
        inbox_.dropped = std::move(offered);
        inbox_.dropped_y = inbox_.mouse_y;
    }
    if (std::optional<std::string> complaint = take_complaint()) tabs_->front().session().notice = *std::move(complaint);
    if (std::optional<std::string> place = take_wanted_place()) tabs_->front().ask(ShowPlace{*std::move(place)});
    return true;
}

void WindowRun::draw() {
    const auto began = std::chrono::steady_clock::now();
    GLFWwindow* const window = window_.get();
    const bool in_tabs = !inbox_.dropped.empty() && desktop_->is_ctrl_held();
    tabs_->drop(std::exchange(inbox_.dropped, {}), inbox_.dropped_y, in_tabs);
    if (ItemObserver* observer = item_observer()) observer->begin_frame();
    (void)desktop_->update();
    interface_->follow(wanted_look(window, *desktop_, remembered(), interface_->look().pixel_ratio));
    InputPortion portion = take_input(window, inbox_.input);
    mouse_.see(window, portion, !inbox_.input.is_empty());
    if (portion.wheel.x != 0 || portion.wheel.y != 0)
        ImGui_ImplGlfw_ScrollCallback(window, portion.wheel.x, portion.wheel.y);
    draw_frame(window, *interface_, *tabs_, {std::move(portion.keys), std::exchange(inbox_.lost_focus, false)}, mouse_);
    Application& application = tabs_->front();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    application.set_frame_ms(took.count());
    if (ItemObserver* observer = item_observer()) observer->end_frame(application);
    if (const std::string wanted = application.window_title(); wanted != title_) {
        title_ = wanted;
        glfwSetWindowTitle(window, title_.c_str());
    }
    application.set_full_screen(full_screen_->follow(application.is_full_screen()));
}

void WindowRun::keep() {
    if (const Status kept = save_preferences(remembered()); !kept) say(preferences_not_kept(kept.error()));
}

int WindowRun::finish() {
    on_lost_display_.reset();
    stop_on_signal_.reset();
    glfwGetWindowSize(window_.get(), &remembered().window_width_px, &remembered().window_height_px);
    glfwHideWindow(window_.get());
    keep();
    end_within(k_exit_timeout);
    return 0;
}

}  // namespace

int run_window(const WindowOptions& options) {
    // A lost display and a file that reached its size limit must show as errors of write(), not as signals.
    ignore_broken_pipes();
    ignore_file_size_signals();
    if (const Status opened = open_window_library(); !opened) {
        say(opened.error().text());
        return k_status_environment;
    }
    const auto run = std::make_shared<WindowRun>();
    if (const int status = run->open(options); status != 0) return status;
    return run_steps(
        {.step = [run] { return run->step(); }, .keep = [run] { run->keep(); }, .finish = [run] { return run->finish(); }});
}

}  // namespace snapviewer::shell
