#include "core/system/windows/calls.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

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

}  // namespace

std::wstring wide_text(std::string_view utf8) {
    const int size = static_cast<int>(utf8.size());
    std::wstring wide(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
    ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, wide.data(), static_cast<int>(wide.size()));
    return wide;
}

std::string utf8_text(std::wstring_view wide) {
    const int size = static_cast<int>(wide.size());
    const int needed = ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(needed), '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), size, text.data(), needed, nullptr, nullptr);
    return text;
}

std::wstring command_line_of(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        line += needs_quotes(word) ? quoted(word) : word;
    }
    return wide_text(line);
}

namespace {

constexpr DWORD k_poll_interval_ms = 2;

}  // namespace

bool has_something(HANDLE pipe) {
    DWORD size = 0;
    return ::PeekNamedPipe(pipe, nullptr, 0, nullptr, &size, nullptr) == FALSE || size > 0;
}

bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time) {
    const ULONGLONG end = ::GetTickCount64() + static_cast<ULONGLONG>(time.count());
    while (!has_something(pipe)) {
        if (::GetTickCount64() >= end) return false;
        ::Sleep(k_poll_interval_ms);
    }
    return true;
}

std::size_t read_stream(HANDLE stream, std::span<char> room, std::error_code& failed) {
    failed.clear();
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min<std::size_t>(room.size(), std::numeric_limits<DWORD>::max()));
    if (::ReadFile(stream, room.data(), wanted, &got, nullptr) != FALSE) return got;
    const DWORD why = ::GetLastError();
    if (why != ERROR_BROKEN_PIPE && why != ERROR_HANDLE_EOF) failed = last_error();
    return 0;
}

namespace {

constexpr std::size_t k_longest_path = 32768;

std::wstring variable(const wchar_t* name) {
    std::wstring value(k_longest_path, L'\0');
    value.resize(::GetEnvironmentVariableW(name, value.data(), static_cast<DWORD>(value.size())));
    return value;
}

/// The path of a program; empty if it is not found.
std::wstring found_program(const std::string& name) {
    const std::wstring wanted = wide_text(name);
    const bool is_path = wanted.find_first_of(L"/\\") != std::wstring::npos;
    std::wstring path(k_longest_path, L'\0');
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
        room_ = std::make_unique<char[]>(size);
        list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room_.get());
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
    std::unique_ptr<char[]> room_;
    LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

}  // namespace

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

}  // namespace snapviewer
