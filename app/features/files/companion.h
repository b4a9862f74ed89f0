#pragma once

#include <optional>
#include <string>

#include "core/document/document.h"

namespace snapviewer {

/// The kind of file that can be opened together with a file (see open_pair()), and its name in the menu. nullopt and nullptr
/// if there is no such kind.
std::optional<FileKind> companion_kind(const Snapshot& snapshot);
const char* companion_name(const Snapshot& snapshot);

/// Finds the file of `before`, the previously open document, that belongs to `document`: the other report of the same model,
/// or the profile of other devices at the same time. Returns "" if there is none. Reads reports again. Thread-safe.
std::string find_companion(const Document& document, const Document& before, Progress& progress);

}  // namespace snapviewer
