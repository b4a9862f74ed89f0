#pragma once

#include <string>

#include "core/base/scratch_file.h"

namespace snapviewer {

/// The URI under which SQLite reads a database in a file without a name, through a file system of ours that knows nothing
/// but such files and writes none. Good as long as the file lives; connections that are open by then go on. Thread-safe.
std::string scratch_uri(const ScratchFile& file);

}  // namespace snapviewer
