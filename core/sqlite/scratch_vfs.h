#pragma once

#include <string>

namespace snapviewer {

/// The URI under which SQLite reads a database that is open already, through a file system of ours that knows nothing but
/// descriptors and writes none: SQLite opens no path. Good as long as the descriptor; connections that are open by then go
/// on. Thread-safe.
std::string descriptor_uri(int descriptor);

}  // namespace snapviewer
