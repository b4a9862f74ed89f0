#include "core/system/console.h"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cstdio>

#include "core/system/windows/calls.h"
#include "core/system/windows/pipes.h"

namespace snapviewer {
namespace {

bool is_console(DWORD stream) {
    DWORD mode = 0;
    return ::GetConsoleMode(::GetStdHandle(stream), &mode) != FALSE;
}

/// Attaches to the console of the parent process. A program with windows has no standard streams unless its parent
/// redirected them, but it can write to the console from which it was started.
void use_console_of_parent() {
    if (::GetStdHandle(STD_OUTPUT_HANDLE) != nullptr || ::AttachConsole(ATTACH_PARENT_PROCESS) == FALSE) return;
    (void)std::freopen("CONOUT$", "w", stdout);
    (void)std::freopen("CONOUT$", "w", stderr);
}

}  // namespace

void prepare_console() {
    use_console_of_parent();
    ::SetConsoleOutputCP(CP_UTF8);
    for (std::FILE* const stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}

bool is_input_terminal() { return is_console(STD_INPUT_HANDLE); }

bool is_output_terminal() { return is_console(STD_OUTPUT_HANDLE); }

std::uint64_t size_of_input_bytes() {
    LARGE_INTEGER size{};
    const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
    const bool is_file = ::GetFileType(input) == FILE_TYPE_DISK && ::GetFileSizeEx(input, &size) != FALSE;
    return is_file ? static_cast<std::uint64_t>(size.QuadPart) : 0;
}

std::optional<std::size_t> read_input(std::span<char> room, std::chrono::milliseconds time, std::error_code& failed) {
    failed.clear();
    const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
    if (::GetFileType(input) == FILE_TYPE_PIPE && !wait_for_pipe(input, time)) return std::nullopt;
    return read_stream(input, room, failed);
}

}  // namespace snapviewer
