#include "app/shell/window.h"
#include "app/features/timeline/pictures.h"

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
#include <utility>

#include "app/shell/application.h"
#include "app/shell/tabs.h"
#include "app/system/crash_report.h"
#include "app/system/desktop.h"
#include "app/system/late_libraries.h"
#include "app/system/shutdown.h"
#include "app/ui/characters.h"
#include "app/ui/fonts.h"
#include "app/ui/frame_painter.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/input_queue.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/text.h"
#include "core/system/ending.h"

namespace snapviewer {
namespace {

constexpr int k_status_environment = 3;
constexpr int k_least_width_px = 480;
constexpr int k_least_height_px = 320;
constexpr double k_idle_wait_s = 1;     // what other threads noticed is looked at as often, without a frame
constexpr double k_blink_wait_s = 0.4;  // a text cursor blinks at this pace
constexpr double k_blinking_s = 10;     // after the last input; then it stays
constexpr double k_animating_wait_s = 0.033;
constexpr double k_report_wait_s = 0.05;
constexpr double k_early_s = 0.005;  // a wait that nothing ended may be shorter by the clock's roughness
/// Panels need a few frames to come to rest after an input.
constexpr int k_settling_frames = 3;
/// Beyond these a monitor was not understood.
constexpr float k_least_content_scale = 0.5F;
constexpr float k_most_content_scale = 5;
/// What takes longer to end than this after the window has closed is not waited for.
constexpr auto k_ending_patience = std::chrono::milliseconds(300);

/// What the window's callbacks note between two frames.
struct Inbox {
    InputQueue input;
    std::vector<std::string> dropped;
    double mouse_y = 0;  ///< where the mouse was last, also while it drags a file
    double dropped_y = 0;
    bool lost_focus = false;
    bool is_roused = false;  ///< something came that a frame must answer
};

Inbox& inbox_of(GLFWwindow* window) { return *static_cast<Inbox*>(glfwGetWindowUserPointer(window)); }

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    inbox_of(window).is_roused = true;
    if (key != GLFW_KEY_UNKNOWN) inbox_of(window).input.push(InputEvent{key, scancode, action, mods, 0});
}

void on_character(GLFWwindow* window, unsigned int character) {
    inbox_of(window).is_roused = true;
    inbox_of(window).input.push(InputEvent{0, 0, 0, 0, character});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
    inbox_of(window).is_roused = true;
    inbox_of(window).dropped.assign(paths, paths + count);
    inbox_of(window).dropped_y = inbox_of(window).mouse_y;
}

void on_focus(GLFWwindow* window, int has_focus) {
    inbox_of(window).is_roused = true;
    ImGui_ImplGlfw_WindowFocusCallback(window, has_focus);
    if (!has_focus) inbox_of(window).lost_focus = true;
}

/// Passes an event on to ImGui.
template <auto pass_on, typename... Details>
void on_event(GLFWwindow* window, Details... details) {
    inbox_of(window).is_roused = true;
    pass_on(window, details...);
}

void on_move(GLFWwindow* window, double x, double y) {
    inbox_of(window).is_roused = true;
    inbox_of(window).mouse_y = y;
    inbox_of(window).input.push(MouseMove{x, y});
}

void on_button(GLFWwindow* window, int button, int action, int /*mods*/) {
    inbox_of(window).is_roused = true;
    inbox_of(window).input.push(MouseButton{button, action == GLFW_PRESS});
}

/// An event of which ImGui looks at the outcome.
template <typename... Details>
void on_change(GLFWwindow* window, Details... /*details*/) {
    inbox_of(window).is_roused = true;
}

void listen(GLFWwindow* window) {
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    glfwSetDropCallback(window, on_drop);
    glfwSetWindowFocusCallback(window, on_focus);
    glfwSetCursorEnterCallback(window, on_event<ImGui_ImplGlfw_CursorEnterCallback>);
    glfwSetCursorPosCallback(window, on_move);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetScrollCallback(window, on_event<ImGui_ImplGlfw_ScrollCallback>);
    glfwSetFramebufferSizeCallback(window, on_change);
    glfwSetWindowIconifyCallback(window, on_change);
    glfwSetWindowRefreshCallback(window, on_change);
    glfwSetWindowCloseCallback(window, on_change);
    glfwSetWindowContentScaleCallback(window, on_change);
}

/// The connection to the window system.
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
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "snapviewer");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "snapviewer");
    return WindowHandle(glfwCreateWindow(width_px, height_px, "snapviewer", nullptr, nullptr));
}

void say(const std::string& sentence) { std::fprintf(stderr, "snapviewer: %s\n", terminal_text(sentence).c_str()); }

int fail(const std::string& what) {
    const char* words = nullptr;
    glfwGetError(&words);
    say(words != nullptr ? what + ": " + words : what);
    return k_status_environment;
}

/// ImGui with both its backends, for one window.
class Interface {
public:
    Interface(GLFWwindow* window, const Look& look) : look_(look) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
        io.MouseDoubleClickTime = 0.4F;  // as desktops have it; ImGui's own 0.3 s is soon over where a frame takes long
        apply_look(look_);
        ImGui_ImplGlfw_InitForOpenGL(window, true);
        ImGui_ImplOpenGL3_Init("#version 410 core");
        listen(window);
    }
    ~Interface() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;

    /// Between two frames.
    void follow(const Look& look) {
        if (look == look_) return;
        look_ = look;
        apply_look(look_);
    }
    FramePainter& painter() { return painter_; }

private:
    Look look_;
    FramePainter painter_;
};

float content_scale_of(GLFWwindow* window) {
    float content_scale = 1;
    glfwGetWindowContentScale(window, &content_scale, nullptr);
    return content_scale;
}

/// As the monitor, the desktop and the settings want it now.
Look wanted_look(GLFWwindow* window, const Desktop& desktop, const Preferences& settings) {
    int width = 0;
    int framebuffer_width = 0;
    glfwGetWindowSize(window, &width, nullptr);
    glfwGetFramebufferSize(window, &framebuffer_width, nullptr);
    const bool has_size = width > 0 && framebuffer_width > 0;
    Look look;
    look.ground = settings.theme == ThemeChoice::system ? desktop.ground()
                  : settings.theme == ThemeChoice::dark ? Ground::dark
                                                        : Ground::light;
    look.scale = std::clamp(content_scale_of(window) * desktop.growth(), k_least_content_scale, k_most_content_scale) *
                 settings.interface_scale;
    look.pixel_ratio = has_size ? static_cast<float>(framebuffer_width) / static_cast<float>(width) : 1;
    return look;
}

InputPortion take_input(GLFWwindow* window, InputQueue& queue) {
    if (has_input_waiting()) return {};
    InputPortion portion = queue.take_portion();
    for (const InputEvent& event : portion.keys) {
        // ImGui would go through its own windows.
        const bool is_tab_key = event.key == GLFW_KEY_TAB && (event.mods & GLFW_MOD_CONTROL) != 0;
        if (is_tab_key && event.action != GLFW_RELEASE) continue;
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
/// The mouse as the portions tell it. The backend finds it as it is when a frame begins, which may be after what waits.
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
    /// After the backend's NewFrame(). Where nothing waits it knows better: a file that is dragged moves GLFW's mouse only.
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
/// ImGui spreads it over frames itself. It is told of it in its order among the keys: a click that overtook what was typed
/// would take the keyboard away from it.
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
    interface.painter().paint(width_px, height_px);
    glfwSwapBuffers(window);
}

/// Decides when the next frame is drawn: none while nothing moves, is typed or changes.
class FramePace {
public:
    FramePace(const Tabs& tabs, const StateReport& report, Inbox& inbox, Desktop& desktop)
        : tabs_(tabs), report_(report), inbox_(inbox), desktop_(desktop) {}

    /// Sleeps until a frame is needed, or StopOnSignal says to end.
    void wait() {
        const bool is_animating = tabs_.is_animating();
        if (was_animating_ && !is_animating) settling_ = k_settling_frames;
        was_animating_ = is_animating;
        if (settling_ > 0 || !inbox_.input.is_empty() || has_input_waiting()) {
            --settling_;
            glfwPollEvents();
            return;
        }
        while (!StopOnSignal::was_asked()) {
            const double wait_s = longest_wait_s();
            const double began = glfwGetTime();
            glfwWaitEventsTimeout(wait_s);
            // An event may come at any time, also at the end of the wait; one of which nobody told us ended it before.
            if (std::exchange(inbox_.is_roused, false) || glfwGetTime() - began < wait_s - k_early_s) {
                settling_ = k_settling_frames;
                input_at_s_ = glfwGetTime();
                ImGui::GetIO().ConfigInputTextCursorBlink = true;
                return;
            }
            if (wait_s < k_idle_wait_s) return;
            if (desktop_.update() || tabs_.front().has_news()) {
                settling_ = k_settling_frames;
                return;
            }
        }
    }

private:
    double longest_wait_s() const {
        if (tabs_.is_animating()) return k_animating_wait_s;
        if (report_.behind()) return k_report_wait_s;
        ImGuiIO& io = ImGui::GetIO();
        if (!io.WantTextInput || !io.ConfigInputTextCursorBlink) return k_idle_wait_s;
        if (glfwGetTime() - input_at_s_ > k_blinking_s) io.ConfigInputTextCursorBlink = false;  // with one last frame
        return k_blink_wait_s;
    }

    const Tabs& tabs_;
    const StateReport& report_;
    Inbox& inbox_;
    Desktop& desktop_;
    bool was_animating_ = false;
    int settling_ = k_settling_frames;
    double input_at_s_ = 0;
};

/// The whole of the monitor, and back to where the window was.
class FullScreen {
public:
    explicit FullScreen(GLFWwindow* window) : window_(window) {}

    void follow(bool& is_wanted) {
        if (is_wanted == is_on_) return;
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
        if (mode == nullptr) {
            is_wanted = is_on_;
            return;
        }
        is_on_ = is_wanted;
        if (is_on_) {
            glfwGetWindowPos(window_, &x_, &y_);
            glfwGetWindowSize(window_, &width_, &height_);
            glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
        } else {
            glfwSetWindowMonitor(window_, nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
        }
    }

private:
    GLFWwindow* window_;
    bool is_on_ = false;
    int x_ = 0, y_ = 0, width_ = 0, height_ = 0;
};

/// What a window has from its beginning to its end, besides its files.
struct Surroundings {
    GLFWwindow* window;
    Inbox& inbox;
    Interface& interface;
    Desktop& desktop;
};

void run_loop(const Surroundings& around, Tabs& tabs, StateReport& report) {
    using Clock = std::chrono::steady_clock;
    const auto& [window, inbox, interface, desktop] = around;
    FramePace pace(tabs, report, inbox, desktop);
    FullScreen full_screen(window);
    Mouse mouse;
    std::string title;
    while (!glfwWindowShouldClose(window) && !tabs.front().wants_quit() && !StopOnSignal::was_asked()) {
        pace.wait();
        const auto began = Clock::now();
        const bool in_tabs = !inbox.dropped.empty() && desktop.is_ctrl_held();
        tabs.drop(std::exchange(inbox.dropped, {}), inbox.dropped_y, in_tabs);
        report.begin_frame();
        (void)desktop.update();
        interface.follow(wanted_look(window, desktop, tabs.front().state().preferences));
        InputPortion portion = take_input(window, inbox.input);
        mouse.see(window, portion, !inbox.input.is_empty());
        draw_frame(window, interface, tabs, {std::move(portion.keys), std::exchange(inbox.lost_focus, false)}, mouse);
        Application& application = tabs.front();
        application.set_drawn(std::chrono::duration<double, std::milli>(Clock::now() - began).count(),
                              interface.painter().kept_parts());
        if (report.due())
            report.update(application.report());
        else if (report.enabled())
            report.postpone();
        if (const std::string wanted = application.window_title(); wanted != title) {
            title = wanted;
            glfwSetWindowTitle(window, title.c_str());
        }
        full_screen.follow(application.state().full_screen);
    }
}

/// At the end, when there is no window any more that could say so.
void keep(Preferences& settings) {
    if (const Status kept = save_preferences(settings); !kept) say(preferences_not_kept(kept.error()));
}

}  // namespace

int run_window(const WindowOptions& options) {
    // A display that is gone, and a file that may not grow any more, are told by what a write returns.
    have_broken_pipes_fail();
    have_large_files_fail();
    if (const Status opened = open_window_library(); !opened) {
        say(opened.error().text());
        return k_status_environment;
    }
    const Glfw glfw;
    if (!glfw.is_ready()) return fail("there is no display to open a window on");
    Preferences settings = load_preferences();
    std::string error = settings.error;
    if (const auto report = take_crash_report(crash_folder())) {
        error += (error.empty() ? "" : " ") +
                 fmt::format("The program crashed last time; the crash report is {}.", report->string());
    }
    if (!error.empty()) say(error);
    const int width_px = options.width_px > 0 ? options.width_px : settings.window_width_px;
    const int height_px = options.height_px > 0 ? options.height_px : settings.window_height_px;
    const WindowHandle window = create_window(width_px, height_px);
    if (!window) return fail("could not open a window with OpenGL 4.1");
    glfwSetWindowSizeLimits(window.get(), k_least_width_px, k_least_height_px, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(window.get());
    if (gladLoadGL(glfwGetProcAddress) == 0) return fail("OpenGL could not be loaded");
    glfwSwapInterval(1);

    Inbox inbox;
    glfwSetWindowUserPointer(window.get(), &inbox);
    Desktop desktop(content_scale_of(window.get()));
    Interface interface(window.get(), wanted_look(window.get(), desktop, settings));
    Result<std::unique_ptr<Application>> application = Application::create(std::move(settings));
    if (!application) return fail(application.error().text());
    (*application)->pictures().canvas().renderer().set_drawing(options.drawing);
    (*application)->open_files(options.files);
    if (!error.empty()) (*application)->state().notice = error;
    StateReport report(options.state_file);
    Tabs tabs(std::move(*application));
    const auto remembered = [&]() -> Preferences& { return tabs.front().state().preferences; };
    {
        const StopOnSignal stop_on_signal;
        const OnLostDisplay on_lost_display(k_status_environment, [&] {
            keep(remembered());
            std::fputs("snapviewer: the connection to the display was lost; preferences have been saved\n", stderr);
        });
        run_loop({window.get(), inbox, interface, desktop}, tabs, report);
    }
    glfwGetWindowSize(window.get(), &remembered().window_width_px, &remembered().window_height_px);
    glfwHideWindow(window.get());
    keep(remembered());
    end_within(k_ending_patience);
    return 0;
}

}  // namespace snapviewer
