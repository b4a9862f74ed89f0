#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace snapviewer {

/// Short notices about completed actions. Each one is visible for 4 seconds and then fades.
class Toasts {
public:
    using Clock = std::chrono::steady_clock;
    struct Toast {
        std::string text;
        Clock::time_point said;
    };

    /// Adds a notice. A notice with the same text is replaced, so that its time starts again.
    void say(std::string text, Clock::time_point now = Clock::now());
    /// Removes faded notices.
    void update(Clock::time_point now = Clock::now());
    /// True if a notice is fading, or has faded but was not removed yet. The window must keep drawing frames.
    bool is_fading(Clock::time_point now = Clock::now()) const;

    /// The visible notices, oldest first.
    const std::vector<Toast>& shown() const { return shown_; }
    /// Falls from 1 to 0 while the notice fades.
    static float opacity(const Toast& toast, Clock::time_point now = Clock::now());

private:
    std::vector<Toast> shown_;
};

}  // namespace snapviewer
