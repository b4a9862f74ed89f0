#include <fmt/format.h>
#include <windows.h>

#include <array>
#include <csignal>
#include <ctime>
#include <string>

#include "app/system/crash_report.h"
#include "core/base/output_file.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

/// Data for the exception handler, prepared before any crash.
struct Prepared {
    std::wstring folder, path;
    std::string path_text;
};

/// Intentionally leaked, because the program can crash while static objects are destroyed.
Prepared& prepared() {
    static Prepared& it = *new Prepared;
    return it;
}

void put(HANDLE file, std::string_view text) {
    DWORD written = 0;
    ::WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

/// Formats a number in hexadecimal without allocating.
class Hexadecimal {
public:
    explicit Hexadecimal(std::uint64_t number) {
        for (std::size_t i = text_.size(); i-- > 0; number >>= 4) text_[i] = "0123456789abcdef"[number & 15];
    }
    std::string_view text() const { return {text_.data(), text_.size()}; }

private:
    std::array<char, 16> text_{};
};

/// Writes code addresses as offsets from the start of the program, whose load address differs in each run.
void put_backtrace(HANDLE file) {
    std::array<void*, 62> places{};
    const auto begin = reinterpret_cast<std::uintptr_t>(::GetModuleHandleW(nullptr));
    const USHORT depth = ::CaptureStackBackTrace(0, static_cast<DWORD>(places.size()), places.data(), nullptr);
    for (std::size_t i = 0; i < depth; ++i) {
        put(file, "  snapviewer + 0x");
        put(file, Hexadecimal(reinterpret_cast<std::uintptr_t>(places[i]) - begin).text());
        put(file, "\n");
    }
}

void write_report(HANDLE file, DWORD code) {
    put(file, "snapviewer " SNAPVIEWER_VERSION " was ended by exception 0x");
    put(file, Hexadecimal(code).text());
    put_last_actions([file](std::string_view text) { put(file, text); });
    put(file, "\nbacktrace:\n");
    put_backtrace(file);
}

void report_crash(DWORD code) {
    const HANDLE messages = ::GetStdHandle(STD_ERROR_HANDLE);
    put(messages, "\n");
    write_report(messages, code);
    const Prepared& it = prepared();
    if (!it.path.empty()) {
        ::CreateDirectoryW(it.folder.c_str(), nullptr);
        const HANDLE file =
            ::CreateFileW(it.path.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
        if (file != INVALID_HANDLE_VALUE) {
            write_report(file, code);
            ::CloseHandle(file);
            put(messages, "\nThis report was saved in ");
            put(messages, it.path_text);
            put(messages, "\n");
        }
    }
    remove_temporary_files_now();
}

LONG WINAPI on_exception(EXCEPTION_POINTERS* exception) {
    report_crash(exception->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;  // ends the program
}

void on_abort(int /*signal*/) { report_crash(static_cast<DWORD>(STATUS_FATAL_APP_EXIT)); }

}  // namespace

void report_crashes(const fs::path& folder) {
    Prepared& it = prepared();
    if (!folder.empty()) {
        const std::time_t now = std::time(nullptr);
        std::array<char, 32> moment{};
        std::strftime(moment.data(), moment.size(), "%Y%m%d-%H%M%S", std::gmtime(&now));
        const fs::path path =
            folder / fmt::format("crash-{}-{}{}", moment.data(), ::GetCurrentProcessId(), k_new_report_ending);
        it = {folder.wstring(), path.wstring(), path.string()};
    }
    (void)last_actions();
    ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // suppresses Windows' error dialogs
    ::SetUnhandledExceptionFilter(on_exception);
    std::signal(SIGABRT, on_abort);
}

}  // namespace snapviewer
