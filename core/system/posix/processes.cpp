#include "core/system/processes.h"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include "core/system/posix/files.h"

extern char** environ;  // the headers of some systems do not declare it

namespace snapviewer {
namespace {

/// Starts the program words[0] without a shell; the other words are its arguments. A name without a slash is found along
/// PATH. All signals of the child are unblocked and have their default actions, even those that this program blocks or
/// handles. `streams` are its standard streams; it shares those of this program if they are empty. `flags` are those of
/// posix_spawn() without the ones for signals. Sets `id` to the process id, unless the start `failed`, as it always does in
/// a web page.
void spawn(const std::vector<std::string>& words, std::initializer_list<const FileHandle*> streams, int flags, pid_t& id,
           std::error_code& failed) {
#ifdef __EMSCRIPTEN__
    (void)words, (void)streams, (void)flags, (void)id;
    failed = std::make_error_code(std::errc::function_not_supported);
#else
    std::vector<char*> arguments;
    // The const_cast is safe, because posix_spawn() does not modify the words.
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    int target = 0;
    for (const FileHandle* stream : streams) ::posix_spawn_file_actions_adddup2(&actions, descriptor_of(*stream), target++);
    sigset_t none, all;
    sigemptyset(&none);  // no "::", because these functions are macros on some systems
    sigfillset(&all);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    failed = {::posix_spawnp(&id, arguments.front(), &actions, &attributes, arguments.data(), environ),
              std::system_category()};
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
#endif
}

struct Pipe {
    FileHandle reader, writer;

    bool open() {
        int ends[2] = {-1, -1};
        if (!open_pipe(ends)) return false;
        reader = FileHandle(ends[0]);
        writer = FileHandle(ends[1]);
        return true;
    }
};

/// Child processes whose ChildProgram was destroyed before they ended. A thread in the sandbox cannot end them, but another
/// thread can do it later. A process id is not reused until waitpid() has returned it.
class AbandonedChildren {
public:
    ~AbandonedChildren() { end_all(); }
    void add(pid_t id) {
        const std::lock_guard lock(mutex_);
        ids_.push_back(id);
    }
    void end_all() {
        const std::lock_guard lock(mutex_);
        std::erase_if(ids_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
        for (const pid_t id : ids_) ::kill(id, SIGTERM);
    }

private:
    std::mutex mutex_;
    std::vector<pid_t> ids_;
};
AbandonedChildren g_abandoned_children;

/// While an object of this class exists, writing to a pipe without a reader fails in this thread instead of ending the
/// program.
class NoPipeSignal {
public:
    NoPipeSignal() {
        // No "::" here, because these functions are macros on macOS.
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGPIPE);
        was_pending_ = is_pending();
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~NoPipeSignal() {
        int taken = 0;
        if (!was_pending_ && is_pending()) ::sigwait(&signal_, &taken);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;

private:
    static bool is_pending() {
        sigset_t pending;
        return ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    }
    sigset_t signal_{}, before_{};
    bool was_pending_ = false;
};

}  // namespace

std::vector<std::string> main_arguments(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }
void set_variable(const char* name, const char* value) { ::setenv(name, value, 0); }

std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed) {
    pid_t id = 0;
    spawn(words, {}, POSIX_SPAWN_SETSID, id, failed);
    return failed ? std::nullopt : std::optional<std::intptr_t>(id);
}

bool has_ended(std::intptr_t program) { return ::waitpid(static_cast<pid_t>(program), nullptr, WNOHANG) != 0; }

std::shared_ptr<ChildProgram> ChildProgram::start(const std::vector<std::string>& words, std::string_view input,
                                                  Terminal terminal, std::error_code& failed, Input more) {
    g_abandoned_children.end_all();
    Pipe in, out, messages;
    // The pipe's buffer is larger than the input, so this write does not block.
    if (!in.open() || !out.open() || !messages.open() || ::write(descriptor_of(in.writer), input.data(), input.size()) < 0) {
        failed = last_error();
        return nullptr;
    }
    pid_t id = 0;
    const int flags = terminal == Terminal::none ? POSIX_SPAWN_SETSID : 0;
    spawn(words, {&in.reader, &out.writer, &messages.writer}, flags, id, failed);
    if (failed) return nullptr;
    if (more == Input::none) in.writer = FileHandle();
    return std::shared_ptr<ChildProgram>(
        new ChildProgram(id, std::move(in.writer), std::move(out.reader), std::move(messages.reader)));
}

ChildProgram::~ChildProgram() {
    input_ = FileHandle();
    output_ = FileHandle();  // if no signal can be sent, the child ends at its next write
    end();
    const auto id = static_cast<pid_t>(id_);
    if (id >= 0 && ::waitpid(id, nullptr, WNOHANG) == 0) g_abandoned_children.add(id);
}

std::optional<ChildProgram::Piece> ChildProgram::read(std::span<char> buffer, std::chrono::milliseconds time) {
    // poll() ignores negative descriptors.
    std::array<pollfd, 2> waited{pollfd{descriptor_of(output_), POLLIN, 0}, pollfd{descriptor_of(messages_), POLLIN, 0}};
    if (::poll(waited.data(), waited.size(), static_cast<int>(time.count())) <= 0) return std::nullopt;
    // Reads messages before output, because they may explain why the output ends.
    const bool is_message = waited[1].revents != 0;
    FileHandle& stream = is_message ? messages_ : output_;
    const ssize_t size = ::read(descriptor_of(stream), buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
    if (size <= 0) stream = FileHandle();
    return Piece{is_message ? Stream::messages : Stream::output, size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool ChildProgram::write(std::string_view text) {
    const NoPipeSignal no_signal;
    while (!text.empty()) {
        const ssize_t size = ::write(descriptor_of(input_), text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

void ChildProgram::end() {
    const std::lock_guard lock(mutex_);
    if (id_ >= 0) ::kill(static_cast<pid_t>(id_), SIGTERM);
}

bool ChildProgram::has_ended() const {
    siginfo_t info{};
    const bool is_known = id_ >= 0 && ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    return !is_known || info.si_pid != 0;
}

int ChildProgram::wait() {
    if (id_ < 0) return status_;
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    const std::lock_guard lock(mutex_);
    int status = 0;
    while (::waitpid(static_cast<pid_t>(id_), &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    constexpr int k_by_signal = 128;  // shells add this to the number of the signal
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : k_by_signal + WTERMSIG(status);
    return status_;
}

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_r(&moment, &parts) != nullptr ? std::optional(parts) : std::nullopt;
}

}  // namespace snapviewer
