#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "app/ui/item_observer.h"

namespace snapviewer::window_test {

/// Writes what the window shows to a file, at most every 20 ms and atomically. docs/state-file.md describes the contents.
class StateFile : public ItemObserver {
public:
    explicit StateFile(std::string path) : path_(std::move(path)) {}

    void begin_frame() override { rects_.clear(); }
    void item(std::string_view name, float left, float top, float right, float bottom) override;
    void end_frame(const shell::Application& application) override;
    bool wants_frame() const override { return is_behind_; }

private:
    std::string text_of(const shell::Application& application) const;

    std::string path_;
    std::string written_;
    std::chrono::steady_clock::time_point written_at_{};
    bool is_behind_ = false;  ///< whether the last frame was not written, because it came too soon
    std::uint64_t frames_ = 0;
    std::string said_;  ///< the last passing notice of the window
    std::map<std::string, std::array<float, 4>> rects_;
};

}  // namespace snapviewer::window_test
