#include "core/system/processes.h"

#include <windows.h>
// Must be included after <windows.h>.
#include <shellapi.h>

#include <array>
#include <cstdlib>

#include "core/system/windows/calls.h"
#include "core/system/windows/start_process.h"

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

}  // namespace snapviewer
