#pragma once

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace snapviewer {

/// Notes where the ImGui item drawn last is on the screen, for a test that wants to click on it. Costs nothing when no
/// state file is asked for. Main thread only.
void report_rect(std::string_view name);
/// The same for anything else; window pixels.
void report_rect(std::string_view name, float left, float top, float right, float bottom);
/// By name left, top, right, bottom, of the frame that ended last.
const std::map<std::string, std::array<float, 4>>& reported_rects();

/// Writes the program's state to a file, replaced whole, at most every 20 ms. See docs/state-file.md for what is in it.
class StateReport {
public:
    /// An empty path reports nothing.
    explicit StateReport(std::string path);

    bool enabled() const { return !path_.empty(); }
    /// Forgets the rectangles of the last frame. Before the first panel is drawn.
    void begin_frame();
    /// Whether update() would write now.
    bool due() const;
    /// Whether something was offered and not written because it was too soon: draw another frame soon.
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
