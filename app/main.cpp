#include "app/cli/command_line.h"
#include "core/system/processes.h"
#include "core/system/streams.h"

int main(int argc, char** argv) {
    snapviewer::prepare_console();
    return snapviewer::cli::run_command_line(snapviewer::main_arguments(argc, argv));
}
