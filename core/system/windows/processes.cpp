#include <windows.h>

#include <shellapi.h>  // must be included after <windows.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "core/system/processes.h"
#include "core/system/windows/calls.h"

namespace snapviewer {

std::filesystem::path own_program() {
    std::array<wchar_t, 32768> path{};
    const DWORD size = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    return std::wstring(path.data(), size < path.size() ? size : 0);
}

/// Uses the Unicode command line, because main() gets the arguments in the system's code page, which lacks most characters.
std::vector<std::string> words_of_main(int /*argc*/, char** /*argv*/) {
    int count = 0;
    wchar_t** const values = ::CommandLineToArgvW(::GetCommandLineW(), &count);
    std::vector<std::string> words;
    for (int i = 1; i < count; ++i) words.push_back(utf8_text(values[i]));
    ::LocalFree(values);
    return words;
}

void set_variable(const char* name, const char* value) {
    if (std::getenv(name) == nullptr) ::_putenv_s(name, value);
}

/// Puts this process into a job object, which child processes inherit. When this process ends, the system closes the job's
/// last handle and thereby ends all processes in the job.
void have_commands_end_with_this_program() {
    const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    ::AssignProcessToJobObject(job, ::GetCurrentProcess());
}

void end_with_parent() {}

std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed) {
    const HANDLE process = start_process(words, DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP, {}, failed);
    return failed ? std::nullopt : std::optional(reinterpret_cast<std::intptr_t>(process));
}

bool has_ended(std::intptr_t program) {
    const auto process = reinterpret_cast<HANDLE>(program);
    if (::WaitForSingleObject(process, 0) == WAIT_TIMEOUT) return false;
    ::CloseHandle(process);
    return true;
}

namespace {

struct Pipe {
    FileHandle reader, writer;

    /// Creates a pipe. The child inherits only its own end: the reader if `gives_reader`, else the writer.
    bool open(bool gives_reader) {
        SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
        HANDLE ends[2] = {};
        constexpr DWORD k_room_bytes = 1 << 16;
        if (::CreatePipe(&ends[0], &ends[1], &inherited, k_room_bytes) == FALSE) return false;
        reader = file_of(ends[0]);
        writer = file_of(ends[1]);
        return ::SetHandleInformation(ends[gives_reader ? 1 : 0], HANDLE_FLAG_INHERIT, 0) != FALSE;
    }
};

HANDLE process_of(std::intptr_t id) { return reinterpret_cast<HANDLE>(id); }

}  // namespace

ChildProgram::ChildProgram(std::intptr_t id, FileHandle input, FileHandle output, FileHandle messages)
    : input_(std::move(input)), output_(std::move(output)), messages_(std::move(messages)), id_(id) {}

std::shared_ptr<ChildProgram> ChildProgram::start(const std::vector<std::string>& words, std::string_view input,
                                                  Terminal terminal, std::error_code& failed, Input more) {
    Pipe in, out, messages;
    DWORD put = 0;
    // The pipe's buffer is larger than the input, so this write does not block.
    if (!in.open(true) || !out.open(false) || !messages.open(false) ||
        ::WriteFile(handle_of(in.writer), input.data(), static_cast<DWORD>(input.size()), &put, nullptr) == FALSE) {
        failed = last_error();
        return nullptr;
    }
    const ProcessStreams streams{handle_of(in.reader), handle_of(out.writer), handle_of(messages.writer)};
    const DWORD flags = terminal == Terminal::none ? CREATE_NO_WINDOW : 0;
    const HANDLE process = start_process(words, flags, streams, failed);
    if (failed) return nullptr;
    if (more == Input::none) in.writer = FileHandle();
    return std::shared_ptr<ChildProgram>(new ChildProgram(reinterpret_cast<std::intptr_t>(process), std::move(in.writer),
                                                          std::move(out.reader), std::move(messages.reader)));
}

ChildProgram::~ChildProgram() {
    end();
    if (id_ >= 0) ::CloseHandle(process_of(id_));
}

std::optional<ChildProgram::Piece> ChildProgram::read(std::span<char> room, std::chrono::milliseconds time) {
    const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(time.count());
    while (output_.is_open() || messages_.is_open()) {
        // Messages first, because they may explain why the output ends.
        const bool is_message = messages_.is_open() && has_something(handle_of(messages_));
        if (!is_message && !(output_.is_open() && has_something(handle_of(output_)))) {
            if (::GetTickCount64() >= end) return std::nullopt;
            ::Sleep(1);
            continue;
        }
        FileHandle& stream = is_message ? messages_ : output_;
        std::error_code failed;
        const std::size_t size = read_stream(handle_of(stream), room, failed);
        if (size == 0) stream = FileHandle();
        return Piece{is_message ? Stream::messages : Stream::output, size};
    }
    ::Sleep(static_cast<DWORD>(time.count()));
    return std::nullopt;
}

bool ChildProgram::write(std::string_view text) {
    DWORD put = 0;
    return ::WriteFile(handle_of(input_), text.data(), static_cast<DWORD>(text.size()), &put, nullptr) != FALSE &&
           put == text.size();
}

void ChildProgram::end() {
    const std::lock_guard lock(mutex_);
    constexpr UINT k_as_if_by_sigterm = 143;
    if (id_ >= 0) ::TerminateProcess(process_of(id_), k_as_if_by_sigterm);
}

bool ChildProgram::has_ended() const { return id_ < 0 || ::WaitForSingleObject(process_of(id_), 0) != WAIT_TIMEOUT; }

int ChildProgram::wait() {
    if (id_ < 0) return status_;
    ::WaitForSingleObject(process_of(id_), INFINITE);
    const std::lock_guard lock(mutex_);
    DWORD status = 0;
    ::GetExitCodeProcess(process_of(id_), &status);
    ::CloseHandle(process_of(std::exchange(id_, -1)));
    return status_ = static_cast<int>(status);
}

namespace {

constexpr std::uint64_t k_tick_ns = 100;

std::uint64_t ticks(const FILETIME& time) { return (std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime; }

}  // namespace

std::uint64_t thread_time_ns() {
    FILETIME created{}, ended{}, kernel{}, user{};
    ::GetThreadTimes(::GetCurrentThread(), &created, &ended, &kernel, &user);
    return (ticks(kernel) + ticks(user)) * k_tick_ns;
}

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_s(&parts, &moment) == 0 ? std::optional(parts) : std::nullopt;
}

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::GetTickCount64()) * 1'000'000; }

}  // namespace snapviewer
