#pragma once

#include "app/cli/arguments.h"

namespace snapviewer {

/// Adds `snapviewer pack`, which compresses a snapshot.
void add_pack_command(CommandLine& line);

}  // namespace snapviewer
