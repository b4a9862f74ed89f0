#pragma once

#include <optional>
#include <string>

#include "core/document/document.h"

namespace snapviewer {

/// The kind of file that can be opened together with a file (see open_pair()), and what the menu calls it; nothing and null
/// where there is none.
std::optional<FileKind> companion_kind(const Snapshot& snapshot);
const char* companion_name(const Snapshot& snapshot);

/// Of the files of the document that was open before, the one that is seen together with a document: the other report of the
/// same model, or the profile of other devices at the same time. Empty for none. Reads reports again; any thread.
std::string find_companion(const Document& document, const Document& before, Progress& progress);

}  // namespace snapviewer
