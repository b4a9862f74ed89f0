#include "app/serve/child_answer.h"

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/context.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_message_bytes = 16 << 10;
constexpr std::chrono::minutes k_longest_run{5};

/// Appends `more` to `text`. Reserves the maximum size once `text` is long: the kernel only provides the pages that are
/// written, whereas a string that grows step by step leaves its smaller copies in the heap.
void append(std::string& text, std::string_view more) {
    constexpr std::size_t k_long_bytes = 1 << 20;
    if (text.size() < k_long_bytes && text.size() + more.size() >= k_long_bytes)
        text.reserve(k_max_output_bytes + more.size());
    text += more;
}

}  // namespace

ChildAnswer run_child(const std::vector<std::string>& words, const std::function<bool()>& should_stop,
                      std::size_t max_output_bytes) {
    using Outcome = ChildAnswer::Outcome;
    ChildAnswer answer;
    std::error_code failed;
    const auto program = ChildProgram::start(words, "", ChildProgram::Terminal::none, failed);
    if (!program) return {.outcome = Outcome::no_program, .messages = failed.message()};
    const auto end = std::chrono::steady_clock::now() + k_longest_run;
    const auto give_up = [&](Outcome why) {
        answer.outcome = why;
        program->end();
    };
    std::vector<char> room(64 << 10);
    for (int open_streams = 2; open_streams > 0;) {
        const auto piece = program->read(room, k_look_for_stop);
        if (piece && piece->size_bytes == 0) --open_streams;
        const bool is_message = piece && piece->stream == ChildProgram::Stream::messages;
        std::string& text = is_message ? answer.messages : answer.output;
        if (piece && text.size() < (is_message ? k_most_message_bytes : max_output_bytes))
            append(text, {room.data(), piece->size_bytes});
        if (answer.outcome != Outcome::ended) continue;
        if (answer.output.size() >= max_output_bytes) give_up(Outcome::too_long);
        if (should_stop()) give_up(Outcome::stopped);
        if (std::chrono::steady_clock::now() > end) give_up(Outcome::too_slow);
    }
    answer.status = program->wait();
    if (answer.output.size() < k_max_output_bytes / 4) answer.output.shrink_to_fit();
    return answer;
}

std::vector<std::string> own_command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), own_program().string());
    return arguments;
}

}  // namespace snapviewer
