#include "app/system/programs.h"

#include <array>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_max_messages = 4096;

/// Reads the program's standard error until it is closed. Ends the program on a stop request.
std::string messages_of(ChildProgram& program, const Progress& progress) {
    std::string text;
    std::array<char, 1024> room{};
    while (true) {
        if (progress.stop_requested()) program.end();
        const auto piece = program.read(room, k_stop_poll_interval);
        if (!piece || piece->stream == ChildProgram::Stream::output) continue;
        if (piece->size_bytes == 0) return text;
        if (text.size() < k_max_messages) text.append(room.data(), piece->size_bytes);
    }
}

}  // namespace

Status run_program(const std::vector<std::string>& words, const Progress& progress) {
    std::error_code failed;
    const auto program = ChildProgram::start(words, "", ChildProgram::Terminal::shared, failed);
    if (!program) return start_error(words.front(), failed);
    const std::string messages(trimmed(messages_of(*program, progress)));
    const int status = program->wait();
    if (progress.stop_requested()) return Error{ErrorCode::cancelled, "was stopped"};
    if (status == 0) return {};
    return Error{ErrorCode::environment, messages.empty() ? words.front() + " broke off" : messages};
}

void StartedPrograms::forget_ended() { std::erase_if(running_, has_ended); }

Status StartedPrograms::start(const std::vector<std::string>& words) {
    forget_ended();
    std::error_code failed;
    const auto id = start_program(words, failed);
    if (!id) return start_error(words.front(), failed);
    running_.push_back(*id);
    return {};
}

}  // namespace snapviewer
