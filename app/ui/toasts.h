#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace snapviewer {

/// What was done, in short notices that go by themselves: each is there for some seconds, then it fades.
class Toasts {
public:
    using Clock = std::chrono::steady_clock;
    struct Toast {
        std::string text;
        Clock::time_point said;
    };

    /// The same text once more begins anew.
    void say(std::string text, Clock::time_point now = Clock::now());
    /// Takes away those that have faded.
    void update(Clock::time_point now = Clock::now());
    /// Whether one is fading, or has faded and is still there: frames are needed.
    bool is_fading(Clock::time_point now = Clock::now()) const;

    /// Oldest first.
    const std::vector<Toast>& shown() const { return shown_; }
    /// From 1 down to 0.
    static float opacity(const Toast& toast, Clock::time_point now = Clock::now());
    /// What was said last, however long ago.
    const std::string& last() const { return last_; }

private:
    std::vector<Toast> shown_;
    std::string last_;
};

}  // namespace snapviewer
