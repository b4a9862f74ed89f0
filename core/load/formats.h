#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/input.h"
#include "core/load/load.h"

namespace snapviewer {

/// A kind of file that we read. All of them are rows of one table: a new one is a reader and its row, and with that it is
/// recognised, offered by the file dialog and listed in README.md.
struct Format {
    std::string_view name;  ///< as README.md has it
    std::string_view kept;  ///< what is shown of it, likewise
    /// What names of such files usually end with, apart by spaces: for the file dialog alone, since files are recognised by
    /// their bytes.
    std::string_view endings;
    /// Whether an input is of this kind. May throw Failure, where it is but cannot even be looked into.
    bool (*looks_like)(const Input& input);
    /// Fills `loaded`, which is empty. Throws Failure.
    void (*read)(const Input& input, LoadedFile& loaded);
};

/// In the order in which they are asked.
std::span<const Format> formats();

/// Has the first format that recognises an input read it. Throws Failure, also where none does.
void read_input(const Input& input, LoadedFile& loaded);

/// The table of README.md.
std::string formats_markdown();

}  // namespace snapviewer
