#include "core/system/windows/start_process.h"

#include <array>
#include <memory>

namespace snapviewer {
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
