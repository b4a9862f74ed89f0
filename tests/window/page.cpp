// The page as the tests of the window run it. Its state is in a file of the page's own file system.
#include "app/cli/command_line.h"
#include "core/system/processes.h"
#include "core/system/streams.h"
#include "tests/window/state_file.h"

int main(int argc, char** argv) {
    snapviewer::prepare_console();
    static snapviewer::window_test::StateFile file("/state.json");  // static, because the window outlives main()
    snapviewer::set_item_observer(&file);
    return snapviewer::run_command_line(snapviewer::main_arguments(argc, argv));
}
