#pragma once

#include "app/cli/arguments.h"

namespace snapviewer {

/// pack: a snapshot's bytes in a smaller file.
void add_pack_command(CommandLine& line);

}  // namespace snapviewer
