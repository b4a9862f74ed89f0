#include "core/base/child_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace snapviewer {
namespace {

struct Pipe {
    Descriptor reader, writer;

    bool open() {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) return false;
        reader = Descriptor(ends[0]);
        writer = Descriptor(ends[1]);
        return true;
    }
};

/// What a program starts with: its three streams, every signal with its default action, and its terminal.
class Start {
public:
    Start(const std::array<int, 3>& streams, ChildProgram::Terminal terminal) {
        ::posix_spawn_file_actions_init(&actions_);
        for (std::size_t i = 0; i < streams.size(); ++i)
            ::posix_spawn_file_actions_adddup2(&actions_, streams[i], static_cast<int>(i));
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (terminal == ChildProgram::Terminal::none) flags |= POSIX_SPAWN_SETSID;
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    ~Start() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&actions_);
    }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;

    /// 0 or an errno.
    int run(const std::vector<std::string>& words, pid_t& id) const {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // they are only read
        arguments.push_back(nullptr);
        return ::posix_spawnp(&id, arguments.front(), &actions_, &attributes_, arguments.data(), environ);
    }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

/// Those that were given up before they ended. The system keeps their numbers until somebody asks for their status.
class LeftBehind {
public:
    void add(pid_t id) {
        const std::lock_guard lock(mutex_);
        ids_.push_back(id);
    }
    void collect() {
        const std::lock_guard lock(mutex_);
        std::erase_if(ids_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
    }

private:
    std::mutex mutex_;
    std::vector<pid_t> ids_;
};
LeftBehind g_left_behind;

Error start_error(const std::string& program, int code) {
    if (code == ENOENT) return {ErrorCode::environment, program + " is not installed"};
    return {ErrorCode::environment, fmt::format("{} cannot be started: {}", program, std::strerror(code))};
}

}  // namespace

Result<std::shared_ptr<ChildProgram>> ChildProgram::start(const std::vector<std::string>& words, std::string_view input,
                                                          Terminal terminal) {
    g_left_behind.collect();
    Pipe in, out, messages;
    if (!in.open() || !out.open() || !messages.open()) return start_error(words.front(), errno);
    // A pipe holds more than that, so nobody needs to read yet.
    if (::write(in.writer.number(), input.data(), input.size()) != static_cast<ssize_t>(input.size()))
        return start_error(words.front(), EIO);
    pid_t id = 0;
    const Start start({in.reader.number(), out.writer.number(), messages.writer.number()}, terminal);
    if (const int failed = start.run(words, id); failed != 0) return start_error(words.front(), failed);
    return std::shared_ptr<ChildProgram>(new ChildProgram(id, std::move(out.reader), std::move(messages.reader)));
}

ChildProgram::~ChildProgram() {
    output_ = Descriptor();  // where no signal can be sent, it ends when it next writes
    end();
    if (id_ >= 0 && ::waitpid(id_, nullptr, WNOHANG) == 0) g_left_behind.add(id_);
}

void ChildProgram::end() {
    const std::lock_guard lock(mutex_);
    if (id_ >= 0) ::kill(id_, SIGTERM);
}

int ChildProgram::wait() {
    if (id_ < 0) return status_;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    const std::lock_guard lock(mutex_);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    constexpr int k_by_signal = 128;  // as shells count
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : k_by_signal + WTERMSIG(status);
    return status_;
}

}  // namespace snapviewer
