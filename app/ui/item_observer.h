#pragma once

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace snapviewer {

/// Records the screen rectangle of the last ImGui item under a name, so that GUI tests can click on it. Costs nothing if no
/// state file was requested. Main thread only.
void observe_item(std::string_view name);
/// Records a rectangle that is not an ImGui item, in window pixels.
void observe_item(std::string_view name, float left, float top, float right, float bottom);
/// Rectangles of the last frame by name, as left, top, right and bottom.
const std::map<std::string, std::array<float, 4>>& observed_items();

/// Writes the program's state to a file, at most every 20 ms and atomically. docs/state-file.md describes the contents.
class StateReport {
public:
    /// If `path` is empty, all members are no-ops.
    explicit StateReport(std::string path);

    bool enabled() const { return !path_.empty(); }
    /// Clears the recorded rectangles. Call it before the first panel is drawn.
    void begin_frame();
    /// True if update() would write now.
    bool due() const;
    /// True if an update was skipped because it came too soon; another frame should follow.
    bool behind() const { return behind_; }
    void update(const std::string& json);
    void postpone() { behind_ = true; }

private:
    std::string path_;
    std::string written_;
    std::chrono::steady_clock::time_point last_write_{};
    bool behind_ = false;
};

}  // namespace snapviewer
