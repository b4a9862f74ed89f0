#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Platform differences of the window's main loop and of its connection to the system. Main thread.
namespace snapviewer {

/// False in a browser, where the program shares the main thread with the page, which would freeze.
extern const bool k_may_sleep;

/// Callbacks that run a window.
struct WindowSteps {
    std::function<bool()> step;   ///< runs one iteration; returns false after the last one
    std::function<void()> keep;   ///< saves preferences for the next run
    std::function<int()> finish;  ///< saves preferences after the last iteration, and returns the program's exit status
};

/// Runs the steps until the window closes and returns its exit status. In a browser it returns 0 at once, and the page calls
/// each step before it draws: the callbacks must own everything that they use. A page gets no notice of its end, so it calls
/// `keep` repeatedly.
int run_steps(WindowSteps steps);

/// Sets the GLFW hints that only this system needs. Call it before creating a window.
void set_window_hints();

/// True if a window always keeps its pixels until the next frame. Most systems do not guarantee that.
extern const bool k_windows_keep_pixels;

/// True if an event arrived since the last call that GLFW does not report, such as a result for one of the functions below.
bool take_wake_request();
/// Returns the paths of files that the user has passed to the program by other means than the window since the last call.
std::vector<std::string> take_offered_files();
/// Returns the reason why a file could not be passed to the program, once.
std::optional<std::string> take_complaint();

/// True if the window has an address (URL), as a page in a browser has.
extern const bool k_has_address;
/// The address under which this program shows a place of a file; empty if !k_has_address. Contains the file only if the file
/// itself came by a link.
std::string address_of(const std::string& path, const std::string& place);
/// Changes the window's address to address_of(path, place).
void show_address(const std::string& path, const std::string& place);
/// Returns the place that the user entered into the window's address, once.
std::optional<std::string> take_wanted_place();

/// The name under which the user knows a file of the program. In a browser only the file name, because browsers do not
/// reveal folders.
std::string users_path(const std::string& path);
/// Offers a saved file to the user as a download if the program runs in a browser. No-op elsewhere, because the user has the
/// file.
void offer_download(const std::string& path);

/// Opens a file in a build of the program that can use more memory, which then replaces this one on the screen. Returns
/// false if no such build exists.
bool open_with_more_memory(const std::string& path);

/// Opens the system's file dialog. Returns false if there is none, or none that is better than the built-in one.
bool ask_for_file();
/// Returns the path that the user chose in the system's dialog, once.
std::optional<std::string> take_chosen_file();

}  // namespace snapviewer
