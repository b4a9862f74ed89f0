#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What a window is to the system it is shown on. Main thread.
namespace snapviewer {

/// Whether the main thread may sleep. In a browser it is the page's own, which then would not answer either.
extern const bool k_may_sleep;

/// What a window does until it ends.
struct WindowSteps {
    std::function<bool()> step;   ///< until it says that it is over
    std::function<void()> keep;   ///< what the next run is to remember
    std::function<int()> finish;  ///< keeps that, too, and gives the program's exit status
};

/// Carries them out. In a browser the page does, each step before it draws, and this returns 0 at once: what they need must
/// stay alive by them. A page is not told of its end, so it has them keep what they remember again and again.
int run_steps(WindowSteps steps);

/// Tells GLFW what only this system has to be told of a window before it is made.
void set_window_hints();

/// Whether what was drawn on a window is always still there when the next frame is drawn. Mostly nobody promises that.
extern const bool k_windows_keep_pixels;

/// Whether something came since the last call that GLFW does not tell of, as what follows here.
bool was_roused();
/// Paths of files that the user gave to the program by other ways than its window, since the last call.
std::vector<std::string> take_offered_files();
/// Why others could not be given to it, once.
std::optional<std::string> take_complaint();

/// Whether a window has an address of its own, as a page has.
extern const bool k_has_address;
/// The address under which this program shows a place of a file; empty where it has none. The file is named in it only where
/// it came by a link itself.
std::string address_of(const std::string& path, const std::string& place);
/// Has the window's own address say so.
void show_address(const std::string& path, const std::string& place);
/// The place in an address that the user gave to the window, once.
std::optional<std::string> take_wanted_place();

/// What the user calls the file that this program has under a path. A browser tells a page no folders, so there it is the
/// name alone.
std::string users_path(const std::string& path);
/// Gives the user what was saved under a path, where the program's files are not the user's: a browser downloads it.
void give_to_user(const std::string& path);

/// Has a program that can hold more open a file for which this one has too little memory; false where there is none. What is
/// on the screen is that program from then on.
bool open_with_more_memory(const std::string& path);

/// Has the system ask the user for a file; false where it has no way to do that, or none that is better than ours.
bool ask_for_file();
/// The path of what the user chose then, once.
std::optional<std::string> take_chosen_file();

}  // namespace snapviewer
