// The program as the tests of the window run it: the shipped program, whose window is observed.
//
//     snapviewer_observed --state-file PATH [the shipped program's arguments]
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "core/system/processes.h"
#include "core/system/streams.h"
#include "tests/window/state_file.h"

namespace snapviewer::window_test {
namespace {

/// Removes `--state-file PATH` from the words of the command line. Returns PATH, or nullopt without the option.
std::optional<std::string> take_path(std::vector<std::string>& words) {
    const auto option = std::ranges::find(words, "--state-file");
    if (option == words.end() || std::next(option) == words.end()) return std::nullopt;
    std::string path = *std::next(option);
    words.erase(option, option + 2);
    return path;
}

}  // namespace
}  // namespace snapviewer::window_test

int main(int argc, char** argv) {
    snapviewer::prepare_console();
    std::vector<std::string> words = snapviewer::main_arguments(argc, argv);
    if (const std::optional<std::string> path = snapviewer::window_test::take_path(words)) {
        static snapviewer::window_test::StateFile file(*path);  // static, because a page's window outlives main()
        snapviewer::set_item_observer(&file);
    }
    return snapviewer::cli::run_command_line(words);
}
