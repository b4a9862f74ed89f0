#include <windows.h>

#include <shellapi.h>  // must be included after <windows.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/system/processes.h"
#include "core/system/windows/calls.h"

namespace snapviewer {
namespace {

bool needs_quotes(const std::string& word) { return word.empty() || word.find_first_of(" \t\"") != std::string::npos; }

/// Quotes a word for a command line. Backslashes are literal, except before a quote, where each one must be doubled.
std::string quoted(const std::string& word) {
    std::string text = "\"";
    std::size_t backslashes = 0;
    for (const char character : word) {
        if (character == '"') text.append(backslashes + 1, '\\');
        backslashes = character == '\\' ? backslashes + 1 : 0;
        text += character;
    }
    return text.append(backslashes, '\\') + '"';
}

/// Joins words into a command line from which CommandLineToArgvW() gets the same words.
std::wstring command_line_of(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += needs_quotes(word) ? quoted(word) : word;
    }
    return wide_text(line);
}

constexpr std::size_t k_max_path = 32768;

std::wstring variable(const wchar_t* name) {
    std::wstring value(k_max_path, L'\0');
    value.resize(::GetEnvironmentVariableW(name, value.data(), static_cast<DWORD>(value.size())));
    return value;
}

/// The path of a program; empty if it is not found.
std::wstring found_program(const std::string& name) {
    const std::wstring wanted = wide_text(name);
    const bool is_path = wanted.find_first_of(L"/\\") != std::wstring::npos;
    std::wstring path(k_max_path, L'\0');
    const std::wstring folders = variable(L"PATH");
    path.resize(::SearchPathW(is_path ? nullptr : folders.c_str(), wanted.c_str(), L".exe", static_cast<DWORD>(path.size()),
                              path.data(), nullptr));
    return path;
}

/// The list of handles that a child process inherits.
class InheritedHandles {
public:
    explicit InheritedHandles(std::array<HANDLE, 3> handles) : handles_(handles) {
        SIZE_T size = 0;
        ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
        buffer_ = std::make_unique<char[]>(size);
        list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(buffer_.get());
        ::InitializeProcThreadAttributeList(list_, 1, 0, &size);
        ::UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(), sizeof handles_, nullptr,
                                    nullptr);
    }
    ~InheritedHandles() { ::DeleteProcThreadAttributeList(list_); }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;

    LPPROC_THREAD_ATTRIBUTE_LIST list() { return list_; }

private:
    std::array<HANDLE, 3> handles_;
    std::unique_ptr<char[]> buffer_;
    LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

/// The standard streams of a child process. It inherits these handles and no others.
struct ProcessStreams {
    HANDLE input = nullptr, output = nullptr, messages = nullptr;
};

/// Starts the program words[0], found along PATH. The current folder is not searched, because it may contain files of
/// others. Returns the process handle, which the caller must close, or nullptr if the start `failed`. `flags` are those of
/// CreateProcessW().
HANDLE start_process(const std::vector<std::string>& words, DWORD flags, const ProcessStreams& streams,
                     std::error_code& failed) {
    const std::wstring program = found_program(words.front());
    if (program.empty()) {
        failed = std::make_error_code(std::errc::no_such_file_or_directory);
        return nullptr;
    }
    const bool has_streams = streams.output != nullptr;
    STARTUPINFOEXW start{};
    start.StartupInfo.cb = sizeof start;
    InheritedHandles inherited({streams.input, streams.output, streams.messages});
    if (has_streams) {
        start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        start.StartupInfo.hStdInput = streams.input;
        start.StartupInfo.hStdOutput = streams.output;
        start.StartupInfo.hStdError = streams.messages;
        start.lpAttributeList = inherited.list();
    }
    std::wstring line = command_line_of(words);
    PROCESS_INFORMATION made{};
    const DWORD extended = has_streams ? EXTENDED_STARTUPINFO_PRESENT : 0;
    failed = error_of(::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, has_streams, flags | extended,
                                       nullptr, nullptr, &start.StartupInfo, &made));
    if (failed) return nullptr;
    ::CloseHandle(made.hThread);
    return made.hProcess;
}

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

constexpr std::uint64_t k_tick_ns = 100;

std::uint64_t ticks(const FILETIME& time) { return (std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime; }

}  // namespace

std::filesystem::path program_path() {
    std::array<wchar_t, 32768> path{};
    const DWORD size = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    return std::wstring(path.data(), size < path.size() ? size : 0);
}

/// Uses the Unicode command line, because main() gets the arguments in the system's code page, which lacks most characters.
std::vector<std::string> main_arguments(int /*argc*/, char** /*argv*/) {
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
void end_commands_on_exit() {
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

std::optional<ChildProgram::Piece> ChildProgram::read(std::span<char> buffer, std::chrono::milliseconds time) {
    const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(time.count());
    while (output_.is_open() || messages_.is_open()) {
        // Reads messages before output, because they may explain why the output ends.
        const bool is_message = messages_.is_open() && has_bytes_or_ended(handle_of(messages_));
        if (!is_message && !(output_.is_open() && has_bytes_or_ended(handle_of(output_)))) {
            if (::GetTickCount64() >= end) return std::nullopt;
            ::Sleep(1);
            continue;
        }
        FileHandle& stream = is_message ? messages_ : output_;
        std::error_code failed;
        const std::size_t size = read_stream(handle_of(stream), buffer, failed);
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

std::uint64_t thread_time_ns() {
    FILETIME created{}, ended{}, kernel{}, user{};
    ::GetThreadTimes(::GetCurrentThread(), &created, &ended, &kernel, &user);
    return (ticks(kernel) + ticks(user)) * k_tick_ns;
}

std::optional<std::tm> local_time(std::time_t moment) {
    std::tm parts{};
    return ::localtime_s(&parts, &moment) == 0 ? std::optional(parts) : std::nullopt;
}

std::int64_t coarse_time_ns() { return static_cast<std::int64_t>(::GetTickCount64()) * 1'000'000; }

}  // namespace snapviewer
