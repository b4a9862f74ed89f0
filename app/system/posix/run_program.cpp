#include "app/system/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "app/system/posix/spawn.h"

namespace snapviewer {
namespace {

constexpr int k_look_every_ms = 50;
constexpr std::size_t k_most_said = 4096;

/// Both ends of a pipe, closed at the end.
struct Pipe {
    std::array<int, 2> ends = {-1, -1};
    bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
    void close_writing() {
        ::close(ends[1]);
        ends[1] = -1;
    }
    ~Pipe() {
        for (const int end : ends) {
            if (end >= 0) ::close(end);
        }
    }
};

int spawn(const std::vector<std::string>& words, int said, pid_t& id) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
    const int failed = spawn_program(words, &actions, 0, id);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/// What is written into the pipe until its other end is closed.
std::string listen_to(int said, pid_t id, const Progress& progress) {
    std::string text;
    std::array<char, 1024> piece{};
    while (true) {
        if (progress.stop_requested()) ::kill(id, SIGTERM);
        pollfd waiting{said, POLLIN, 0};
        if (::poll(&waiting, 1, k_look_every_ms) == 0) continue;
        const ssize_t length = ::read(said, piece.data(), piece.size());
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) return text;
        if (text.size() < k_most_said) text.append(piece.data(), static_cast<std::size_t>(length));
    }
}

}  // namespace

Status run_program(const std::vector<std::string>& words, const Progress& progress) {
    Pipe said;
    pid_t id = 0;
    const int failed = said.open() ? spawn(words, said.ends[1], id) : errno;
    if (failed != 0) return Error{ErrorCode::environment, words.front() + " cannot be started: " + std::strerror(failed)};
    said.close_writing();
    std::string text = listen_to(said.ends[0], id, progress);
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    if (progress.stop_requested()) return Error{ErrorCode::cancelled, "was stopped"};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return Error{ErrorCode::environment, text.empty() ? words.front() + " broke off" : text};
}

}  // namespace snapviewer
