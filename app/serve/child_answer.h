#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace snapviewer {

/// The answer of a command of this program, which ran in its own process and sandbox.
struct ChildAnswer {
    enum class Outcome : std::uint8_t {
        ended,      ///< The command ended by itself, with `status`
        stopped,    ///< It was stopped because no reader waited for it
        too_slow,   ///< It ran too long, or waited too long for its turn
        too_long,   ///< Its output exceeded the limit
        no_program  ///< It could not be started
    };

    Outcome outcome = Outcome::ended;
    int status = 0;
    std::string output = {};
    std::string messages = {};

    bool is_done() const { return outcome == Outcome::ended && status == 0; }
};

/// Maximum size of a command's output and of a picture.
inline constexpr std::size_t k_max_output_bytes = std::size_t{64} << 20;

/// Runs a command until it ends, its output reaches `max_output_bytes`, or `should_stop` returns true. Calls `should_stop` a
/// few times per second.
ChildAnswer run_child(const std::vector<std::string>& words, const std::function<bool()>& should_stop,
                      std::size_t max_output_bytes);

/// Returns the words that run this program with a command: "/path/snapviewer", "info", FILE, ...
std::vector<std::string> own_command(std::vector<std::string> arguments);

}  // namespace snapviewer
