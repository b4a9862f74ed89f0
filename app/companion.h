#pragma once

#include <optional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The kind of file that can be opened together with a kind of file (see open_pair()), and what the menu calls it;
/// nothing and null where there is none.
std::optional<FileKind> companion_kind(FileKind kind);
const char* companion_name(FileKind kind);

}  // namespace snapviewer
