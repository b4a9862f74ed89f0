#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace snapviewer {

/// What a command of this program answered, which ran in a process and a sandbox of its own.
struct ChildAnswer {
    enum class Outcome : std::uint8_t {
        ended,      ///< by itself, with `status`
        stopped,    ///< nobody waited for it any more
        too_slow,   ///< it took too long, or its turn did not come
        too_long,   ///< it had more to say than is kept
        no_program  ///< it could not be started
    };

    Outcome outcome = Outcome::ended;
    int status = 0;
    std::string output = {};
    std::string messages = {};

    bool is_done() const { return outcome == Outcome::ended && status == 0; }
};

/// The longest output and picture that is taken from a command.
inline constexpr std::size_t k_max_output_bytes = std::size_t{64} << 20;

/// Runs a command until it ends, its output is as long as `max_output_bytes`, or it is to stop, which is asked some times a
/// second.
ChildAnswer run_child(const std::vector<std::string>& words, const std::function<bool()>& should_stop,
                      std::size_t max_output_bytes);

/// The words that run this program with a command: "info", FILE, ...
std::vector<std::string> own_command(std::vector<std::string> arguments);

}  // namespace snapviewer
