#include "app/system/desktop.h"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/system/folders.h"
#include "app/system/linux/settings_portal.h"
#include "core/base/input_files.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr auto k_between_looks = std::chrono::seconds(1);
constexpr double k_usual_dots_per_inch = 96;
/// Upper bound for the length of the settings property, far above real ones.
constexpr long k_max_property_words = 1 << 16;

std::optional<fs::file_time_type> written_at(const fs::path& path) {
    std::error_code failed;
    const fs::file_time_type time = fs::last_write_time(path, failed);
    return failed ? std::nullopt : std::optional(time);
}

std::string text_of_file(const fs::path& path) {
    constexpr std::uint64_t k_max_bytes = 1 << 16;
    Result<std::string> text = read_plain_file(path.string(), k_max_bytes);
    return text ? *std::move(text) : std::string();
}

}  // namespace

/// All sources of the desktop's preferences.
class Desktop::Sources {
public:
    Sources();
    ~Sources();
    Sources(const Sources&) = delete;
    Sources& operator=(const Sources&) = delete;

    DesktopPreferences read() const;
    /// True if the preferences may have changed since the last call.
    bool update();
    bool is_ctrl_held() const;

private:
    class SettingsManager;
    struct WatchedFile {
        fs::path path;
        std::optional<fs::file_time_type> written;
    };
    bool files_changed();

    SettingsPortal portal_;
    std::unique_ptr<SettingsManager> manager_;
    std::vector<WatchedFile> files_;
    std::chrono::steady_clock::time_point looked_at_;
};

/// The settings manager of the X display: the owner of a selection, which keeps the settings in a property of its window.
/// Uses its own connection, so that GLFW does not receive its events.
class Desktop::Sources::SettingsManager {
public:
    SettingsManager() {
        if (!x_.find()) return;
        display_ = x_.XOpenDisplay(nullptr);
        if (display_ == nullptr) return;
        const std::string selection = "_XSETTINGS_S" + std::to_string(x_.XDefaultScreen(display_));
        selection_ = x_.XInternAtom(display_, selection.c_str(), 0);
        property_ = x_.XInternAtom(display_, "_XSETTINGS_SETTINGS", 0);
        // The root window is notified when a new settings manager starts.
        x_.XSelectInput(display_, x_.XDefaultRootWindow(display_), k_structure_mask);
        read();
    }
    ~SettingsManager() {
        if (display_ != nullptr) x_.XCloseDisplay(display_);
    }
    SettingsManager(const SettingsManager&) = delete;
    SettingsManager& operator=(const SettingsManager&) = delete;

    void update() {
        if (display_ == nullptr || x_.XPending(display_) == 0) return;
        for (Xlib::Event event; x_.XPending(display_) > 0;) x_.XNextEvent(display_, &event);
        read();
    }
    const DesktopPreferences& preferences() const { return preferences_; }
    bool is_ctrl_held() const {
        if (display_ == nullptr) return false;
        Xlib::Id root = 0, child = 0;
        int root_x = 0, root_y = 0, x = 0, y = 0;
        unsigned int mask = 0;
        x_.XQueryPointer(display_, x_.XDefaultRootWindow(display_), &root, &child, &root_x, &root_y, &x, &y, &mask);
        return (mask & k_control_mask) != 0;
    }

private:
    /// The functions of Xlib that are needed. The program is not linked with Xlib, but GLFW has loaded it if an X display
    /// exists.
    struct Xlib {
        using Display = void;
        using Id = unsigned long;
        struct Event {
            std::array<long, 24> any;
        };
        Display* (*XOpenDisplay)(const char*) = nullptr;
        int (*XCloseDisplay)(Display*) = nullptr;
        int (*XDefaultScreen)(Display*) = nullptr;
        Id (*XDefaultRootWindow)(Display*) = nullptr;
        Id (*XInternAtom)(Display*, const char*, int) = nullptr;
        Id (*XGetSelectionOwner)(Display*, Id) = nullptr;
        int (*XSelectInput)(Display*, Id, long) = nullptr;
        int (*XGetWindowProperty)(Display*, Id, Id, long, long, int, Id, Id*, int*, Id*, Id*, unsigned char**) = nullptr;
        int (*XFree)(void*) = nullptr;
        int (*XGrabServer)(Display*) = nullptr;
        int (*XUngrabServer)(Display*) = nullptr;
        int (*XPending)(Display*) = nullptr;
        int (*XQueryPointer)(Display*, Id, Id*, Id*, int*, int*, int*, int*, unsigned int*) = nullptr;
        int (*XNextEvent)(Display*, Event*) = nullptr;

        /// Finds the functions in the loaded library. Returns false if any is missing.
        bool find() {
            void* library = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
            if (library == nullptr) return false;
            const auto take = [library](auto& function, const char* name) {
                function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
                return function != nullptr;
            };
            return take(XOpenDisplay, "XOpenDisplay") && take(XCloseDisplay, "XCloseDisplay") &&
                   take(XDefaultScreen, "XDefaultScreen") && take(XDefaultRootWindow, "XDefaultRootWindow") &&
                   take(XInternAtom, "XInternAtom") && take(XGetSelectionOwner, "XGetSelectionOwner") &&
                   take(XSelectInput, "XSelectInput") && take(XGetWindowProperty, "XGetWindowProperty") &&
                   take(XFree, "XFree") && take(XGrabServer, "XGrabServer") && take(XUngrabServer, "XUngrabServer") &&
                   take(XPending, "XPending") && take(XNextEvent, "XNextEvent") && take(XQueryPointer, "XQueryPointer");
        }
    };

    static constexpr long k_structure_mask = 1L << 17;
    static constexpr long k_property_mask = 1L << 22;
    static constexpr unsigned int k_control_mask = 1U << 2;

    /// Reads the settings. Grabs the X server meanwhile, so that the owner's window cannot be destroyed in between: a
    /// missing window would be an X error, for which Xlib exits the program.
    void read() {
        preferences_ = {};
        x_.XGrabServer(display_);
        if (const Xlib::Id owner = x_.XGetSelectionOwner(display_, selection_); owner != 0) {
            x_.XSelectInput(display_, owner, k_structure_mask | k_property_mask);
            Xlib::Id type = 0, count = 0, after = 0;
            int format = 0;
            unsigned char* data = nullptr;
            x_.XGetWindowProperty(display_, owner, property_, 0, k_max_property_words, 0, property_, &type, &format, &count,
                                  &after, &data);
            if (data != nullptr && format == 8) preferences_ = read_xsettings({data, count});
            if (data != nullptr) x_.XFree(data);
        }
        x_.XUngrabServer(display_);
        (void)x_.XPending(display_);  // flushes the requests
    }

    Xlib x_;
    Xlib::Display* display_ = nullptr;
    Xlib::Id selection_ = 0, property_ = 0;
    DesktopPreferences preferences_;
};

Desktop::Sources::Sources() : manager_(std::make_unique<SettingsManager>()) {
    if (const fs::path folder = config_folder(); !folder.empty()) {
        for (const char* version : {"gtk-4.0", "gtk-3.0"}) files_.push_back({folder / version / "settings.ini", {}});
    }
    (void)files_changed();
    looked_at_ = std::chrono::steady_clock::now();
}

Desktop::Sources::~Sources() = default;

bool Desktop::Sources::files_changed() {
    bool changed = false;
    for (WatchedFile& file : files_) {
        const auto before = std::exchange(file.written, written_at(file.path));
        changed |= file.written != before;
    }
    return changed;
}

DesktopPreferences Desktop::Sources::read() const {
    DesktopPreferences preferences = manager_->preferences();
    if (portal_.ground()) preferences.ground = portal_.ground();
    for (const WatchedFile& file : files_) {
        if (!preferences.ground && file.written) preferences.ground = read_gtk_settings(text_of_file(file.path));
    }
    return preferences;
}

bool Desktop::Sources::update() {
    const std::pair before(manager_->preferences(), portal_.ground());
    manager_->update();
    portal_.update();
    bool changed = before != std::pair(manager_->preferences(), portal_.ground());
    if (const auto now = std::chrono::steady_clock::now(); now - looked_at_ >= k_between_looks) {
        looked_at_ = now;
        changed |= files_changed();
    }
    return changed;
}

bool Desktop::Sources::is_ctrl_held() const { return manager_->is_ctrl_held(); }

Desktop::Desktop(float content_scale) : sources_(std::make_unique<Sources>()), preferences_(sources_->read()) {
    first_dots_per_inch_ = preferences_.dots_per_inch.value_or(k_usual_dots_per_inch * static_cast<double>(content_scale));
}

Desktop::~Desktop() = default;

bool Desktop::update() {
    if (!sources_->update()) return false;
    const DesktopPreferences before = std::exchange(preferences_, sources_->read());
    return preferences_ != before;
}

bool Desktop::is_ctrl_held() const { return sources_->is_ctrl_held(); }

float Desktop::growth() const {
    return static_cast<float>(preferences_.dots_per_inch.value_or(first_dots_per_inch_) / first_dots_per_inch_);
}

}  // namespace snapviewer
