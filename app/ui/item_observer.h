#pragma once

#include <string_view>

namespace snapviewer::shell {
class Application;
}  // namespace snapviewer::shell

namespace snapviewer {

/// Receives the frames of the window and the items on it. The program that ships has no observer; that of the window's
/// tests, tests/window, sets one. All functions are called on the main thread.
class ItemObserver {
public:
    virtual ~ItemObserver() = default;

    /// Called before the first panel is drawn.
    virtual void begin_frame() = 0;
    /// Receives the rectangle of an item in the current frame, in window pixels.
    virtual void item(std::string_view name, float left, float top, float right, float bottom) = 0;
    /// Called after the frame was drawn and its requests were handled.
    virtual void end_frame(const shell::Application& application) = 0;
    /// True if another frame should follow soon, although nothing on the window has changed.
    virtual bool wants_frame() const = 0;
};

/// The current observer, or nullptr.
ItemObserver* item_observer();
/// Sets the observer, which must outlive the window.
void set_item_observer(ItemObserver* observer);

/// Passes the last ImGui item to the observer. No-op without an observer, or if the item is not visible.
void observe_item(std::string_view name);
/// Passes the last ImGui item to the observer and returns `result`, which is what the function that drew the item returned:
///     if (observed(ImGui::Button("Copy"), "welcome_copy")) ...
inline bool observed(bool result, std::string_view name) {
    observe_item(name);
    return result;
}
/// Passes a rectangle that is not an ImGui item to the observer, in window pixels.
void observe_item(std::string_view name, float left, float top, float right, float bottom);

}  // namespace snapviewer
